"""Titles, quotations and addresses that break the formats they are written into carelessly."""

from __future__ import annotations

from itertools import product

__all__ = ["ADDRESSES", "TEXTS"]

_MARKS = [
    # LaTeX
    "{", "}", "{}", "}{", "\\", "\\\\", "\\end{document}", "%", "$", "&", "#", "_", "^", "~", "\\%",
    "$x^2$", '"', "'", "``", "--", "@book{x,", ",", "and", "others",
    # Markdown and HTML
    "*", "**b**", "`", "```", "[a](b)", "![a](b)", "<b>", "</p>", "<!--", "&amp;", "&#x41;", "~~~",
    "===", "---", "# a", "1. a", "- a", "+ a", "> a", "| a |", "    code",
    "\tcode", "<a@b.example>",
    # MediaWiki
    "''a''", "'''", "~~~~", "__NOTOC__", "[[a|b]]", "[http://a b]", "{{a|b=c}}", "|", "||", "{{!}}",
    "{|", "|}", "<nowiki>", "<ref>", "* a", "; a : b", ": a", "RFC 2396", "ISBN 0306406152", "a=b",
    # RIS
    "ER  - ", "TY  - JOUR", "\nER  - \nTY  - BOOK", "a\nb", "a\r\nb", "a\u2028b", "a\x0bb",
    # Unicode
    "\u05e9\u05dc\u05d5\u05dd", "\u202eabc\u202c", "\u0645\u062f", "\U0001f30a", "\u6f6e\u6c50",
    "e\u0301", "\u00ad", "\ufeff", "\u00a0", "\u200d",
]  # fmt: skip
TEXTS = [
    *_MARKS,
    *(f"tides {mark} ebb" for mark in _MARKS[:60]),
    *(f"{one} {two}" for one, two in product(_MARKS[:15], _MARKS[24:32])),
    *(f"{mark * 3} flood" for mark in _MARKS[:40]),
]
"""What titles and quotations hold."""

ADDRESSES = [
    f"https://example.org/{path}"
    for path in [
        "", "a_b", "a%20b", "a%7Bb", "?a=1&b=2", "#z", "~ann/", "a'b", "a''b", "a(b)", "a,b;c=d",
        "a@b", "a$b", "a!*b", "?q=%25", "100%25", "a--b", "__a__", "?a[]=1", "a|b", "a^b", "a{b}",
        "a`b", "[b]", "a..b", "a&amp;b", "%F0%9F%8C%8A", "caf%C3%A9", "a\\b", 'a"b',
    ]
]  # fmt: skip
"""Where a page came from: browsers show, and servers take, more than a URI may hold."""
