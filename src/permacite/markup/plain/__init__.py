"""Plain text of a page, as its readers would see it. Frozen, since citations count it.

`RENDITION_VERSION` names these rules; the same source gives the same text for ever. There is no
specification of this; the rules follow what browsers show without style sheets (HTML §15) and what
`innerText` gives (HTML §3.2.7), and are explained in docs/explanation/plain-text-rendition.md.

1.  The text is made of the characters between tags, in source order, references decoded. No value
    of an attribute is text, so neither is the `alt` of an image. No visible character is invented:
    no bullets, no numbers, no quotation marks.
2.  Left out with all their content: `script style title`, `template` without `shadowrootmode`
    (with it, browsers show the content), `noembed noframes iframe`,
    `audio video canvas` (what is inside is for browsers that cannot show them), `select datalist
    option optgroup`, `rp`, `annotation annotation-xml` (MathML), `desc metadata` (SVG), `dialog`
    without `open`, and every element with the attribute `hidden`. What style sheets hide is not
    known here, and is text. `noscript` is text, since nothing here runs scripts; so are `object`,
    `textarea` and `button`.
3.  Left out or hidden content ends at the end tag of its element; where that tag is optional (`p li
    dt dd tr td th` and their kind), also before the tag that closes the element by implication.
4.  White space is TAB, LF, FF, CR and SPACE. A run of it becomes one space, and nothing at the
    beginning and the end of a line. U+00A0 and all other characters stay as they are; U+0000 is
    dropped.
5.  Line ends are CRLF. `br` ends a line. An element of BLOCKS begins a line and ends one; one of
    PARAGRAPHS has an empty line before and after; an open `p` ends where a tag of BEHIND_P stands.
    There is never more than one empty line at a time, none at the beginning or end; a text that is
    not empty ends with one CRLF.
6.  In a table row cells are separated by one tab each. Line breaks at the edges of a cell do not
    count; empty cells before the first and after the last text of a row leave nothing. A table in
    a cell stands on lines of its own.
7.  In `pre listing xmp plaintext textarea` white space stays as it is, line ends as CRLF. Empty
    lines at the beginning are dropped, and white space at the end.
8.  SVG: each `text` element is a line of its own.
9.  XML (`xml=True`): elements are known by their local names. Where the root element is neither
    `html` nor `svg`, all character data is text, and white space with a line end in it is a line
    end.
"""
