"""Quotations: any page and any Markdown text gives places in it, and never fails."""

from __future__ import annotations

from permacite import markup
from permacite.errors import ParseError
from permacite.service.quotations import finding
from permacite.text.entity import canonical

_NAME = "urn:pdi://lab.example.us/2026/11/21/1.text.1#char=4,9"
_TEXTS = (
    f"<p>See <blockquote cite='{_NAME}'>the <q cite=\"{_NAME}\">harbour</q> was</blockquote>",
    f"<q cite=http://127.0.0.1:8420/{_NAME.replace('#', '?fragment=')}>words &amp; more<br>",
    f"> the words\n>\n> \u2014 [Title](<http://127.0.0.1:8420/x>). `{_NAME}`\n",
    f'Say \u201cthe \u201cinner\u201d words\u201d ([source](<{_NAME}>)), or "other" ({_NAME}).\n',
    f"```\n> a\n>\n> {_NAME}\n```\n",
)
SEEDS: list[bytes] = [text.encode() for text in _TEXTS]


def target(data: bytes) -> None:
    """Look for quotations in `data` as HTML, as XHTML and as Markdown."""
    source = data.decode("utf-8", "replace")
    for xml in (False, True):
        text = markup.plain_text(source, xml=xml).text
        for one in finding.in_page(markup.read_page(source, xml=xml)):
            _check(one, text)
            if one.words != text[one.start : one.end]:
                raise AssertionError(f"other words stand there: {one!r}")
    text = canonical(source)
    for one in finding.in_markdown(text):
        _check(one, text)


def _check(one: finding.FoundQuotation, text: str) -> None:
    if not 0 <= one.start <= one.end <= len(text):
        raise AssertionError(f"the quotation is not in the text: {one!r}")
    try:
        finding.cited_name(one.reference)
    except ParseError as error:
        if error.source != one.reference or not 0 <= error.offset <= len(one.reference):
            raise AssertionError(f"the error is not placed in the name: {error!r}") from error
