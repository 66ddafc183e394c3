"""Tokenizer of HTML and XML, frozen: element positions are counted from what it yields.

HTML Living Standard §13.2.5, scripting off. `TOKENIZER_VERSION` changes with any change of output.

| section | function |
|---|---|
| §13.2.5.1, .6-.8, .32-.40 data, tags, attributes | tokenize, tokens.ATTRIBUTE |
| §13.2.5.2-.5, .9-.14 RCDATA, RAWTEXT, PLAINTEXT | _raw_end |
| §13.2.5.4, .15-.31 script data | _script_end |
| §13.2.5.41-.52 comments | _bogus_comment, _comment |
| §13.2.5.53-.68 DOCTYPE | _markup_declaration, tokens.Doctype |
| §13.2.5.69-.71 CDATA | _markup_declaration |
| §13.2.5.72-.80 references | references |

Deviations: none in what is read as a tag, a text or a comment.

Readings:
- Scripting is off, so what is inside `noscript` is markup: nothing here runs scripts.
- Tokens tile the source: what the standard drops (`</>`, a tag cut off by the end) is `Ignored`.
- Raw text follows from the name of the start tag alone, whatever the tree builder would do with it;
  in foreign content (see `foreign`) it does not, and `<![CDATA[` is read there only.
- U+0000 in data is kept as it is, as the tokenizer does; the tree builder drops it.
- `<?` opens a bogus comment that ends at the next `>`, as it did when positions were first counted.

XML 1.0 (fifth edition) §2.4-2.8, §3.1. The same token kinds as in HTML, with the case of names
kept. Only real tags count; nothing is expanded and nothing is fetched. Documents that are not well
formed are read as far as that makes sense, never refused: the tokens only give positions.

Readings: references to entities that a DTD declares stay as they are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup.foreign import ForeignContent
from permacite.markup.tokens import (
    ATTRIBUTE,
    Comment,
    Doctype,
    EndTag,
    Ignored,
    ProcessingInstruction,
    StartTag,
    Text,
    TextMode,
    Token,
    canonical_name,
)
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TOKENIZER_VERSION", "tokenize", "xml_tokens"]


_XML_TAG = compile_pattern(
    rf"<(/?+)([A-Za-z_:\x80-\U0010ffff][^\t\n\f\r />]*+)(?:{ATTRIBUTE})*+([\t\n\f\r /]*+)(>?+)"
)
# DOCTYPE: quoted literals may hold ">" and "]", and so may the internal subset's comments and PIs.
_SUBSET = (
    r"\[(?:[^\]\"'<]|\"[^\"]*+\"|'[^']*+'|<!--(?:[^-]|-(?!->))*+-->|<\?(?:[^?]|\?(?!>))*+\?>|<)*+\]"
)
_DOCTYPE = compile_pattern(
    rf"<!DOCTYPE(?:[^\[\]\"'>]|\"[^\"]*+\"|'[^']*+')*+(?:{_SUBSET}[\t\n\r ]*+)?+>"
)


def xml_tokens(source: str) -> Iterator[Token]:
    """Yield the tokens of an XML document in order; together they are the whole source."""
    start = at = 0
    while (at := source.find("<", at)) >= 0:
        token = _token(source, at)
        if token is None:
            at += 1
            continue
        if start < at:
            yield Text(start, at, "data", source, xml=True)
        yield token
        start = at = token.end
    if start < len(source):
        yield Text(start, len(source), "data", source, xml=True)


def _token(source: str, at: int) -> Token | None:
    """Return the token that `<` opens; None where it is text, which only malformed XML has."""
    match = _XML_TAG.match(source, at)
    if match is None:
        return _xml_declaration(source, at)
    slash, name, tail, closed = match.groups()
    if not closed:
        return Ignored(at, len(source), source)
    if slash:
        return EndTag(name, at, match.end(), source)
    return StartTag(name, at, match.end(), tail.endswith("/"), source, xml=True)


def _xml_declaration(source: str, at: int) -> Token | None:
    if source.startswith("<!--", at):
        end = source.find("-->", at + 4)
        data_end, end = (len(source), len(source)) if end < 0 else (end, end + 3)
        return Comment(at, end, at + 4, data_end, source)
    if source.startswith("<![CDATA[", at):
        end = source.find("]]>", at + 9)
        return Text(at, len(source) if end < 0 else end + 3, "cdata", source, xml=True)
    if source.startswith("<?", at):
        end = source.find("?>", at + 2)
        return ProcessingInstruction(at, len(source) if end < 0 else end + 2, source)
    if source.startswith("<!DOCTYPE", at):
        match = _DOCTYPE.match(source, at)
        return Doctype(at, _after_mark(source, at) if match is None else match.end(), source)
    if source.startswith("<!", at):
        return Ignored(at, _after_mark(source, at), source)
    return None


def _after_mark(source: str, at: int) -> int:
    """Return the offset behind the next `>`, or of the end."""
    end = source.find(">", at)
    return len(source) if end < 0 else end + 1


TOKENIZER_VERSION = 1
"""What element positions are counted by; stored positions name it."""

_TAG = compile_pattern(rf"<(/?+)([A-Za-z][^\t\n\f\r />]*+)(?:{ATTRIBUTE})*+([\t\n\f\r /]*+)(>?+)")
_COMMENT_END = compile_pattern("--!?+>")
_SCRIPT_MARK = compile_pattern(r"<!--|-->|<(/?+)[sS][cC][rR][iI][pP][tT](?=[\t\n\f\r />])")
_AFTER_NAME = frozenset("\t\n\f\r />")

_MODES: dict[str, TextMode] = {
    "iframe": "rawtext",
    "noembed": "rawtext",
    "noframes": "rawtext",
    "plaintext": "plaintext",
    "script": "script",
    "style": "rawtext",
    "textarea": "rcdata",
    "title": "rcdata",
    "xmp": "rawtext",
}
"""Elements after whose start tag the tokenizer leaves the data state (§13.2.6.4)."""


def tokenize(source: str, *, xml: bool = False) -> Iterator[Token]:
    """Yield the tokens of `source` in order; together they are the whole source.

    Linear in time for any text, and raises nothing. `xml`: by the rules of XML (see `xml`).
    """
    return xml_tokens(source) if xml else _html_tokens(source)


def _html_tokens(source: str) -> Iterator[Token]:  # noqa: C901 - one loop, for speed
    foreign = ForeignContent()
    names: dict[str, str] = {}
    start = at = 0
    while (at := source.find("<", at)) >= 0:
        match = _TAG.match(source, at)
        if match is None:
            token = _declaration(source, at, cdata=foreign.takes_cdata)
            if token is None:
                at += 1
                continue
            if start < at:
                yield Text(start, at, "data", source)
            yield token
            start = at = token.end
            continue
        if start < at:
            yield Text(start, at, "data", source)
        slash, raw, tail, closed = match.groups()
        start = match.end()
        if not closed:
            yield Ignored(at, len(source), source)
            return
        name = names.get(raw) or names.setdefault(raw, canonical_name(raw))
        if slash:
            yield EndTag(name, at, start, source)
            foreign.end(name)
        else:
            tag = StartTag(name, at, start, tail.endswith("/"), source)
            yield tag
            if foreign.start(tag) and name in _MODES:
                at = _raw_end(source, name, start)
                if start < at:
                    yield Text(start, at, _MODES[name], source)
                start = at
        at = start
    if start < len(source):
        yield Text(start, len(source), "data", source)


def _raw_end(source: str, name: str, start: int) -> int:
    """Where the content of a raw element ends: before its end tag, or at the end."""
    if name == "plaintext":
        return len(source)
    end = _end_tag(source, name, start)
    if name == "script" and source.find("<!--", start, end) >= 0:
        return _script_end(source, start)
    return end


def _end_tag(source: str, name: str, at: int) -> int:
    """Return the offset of the next appropriate end tag, or of the end (§13.2.5.11)."""
    while (at := source.find("</", at)) >= 0:
        after = at + 2 + len(name)
        # Only ASCII is compared without case: the lower case of U+212A is "k".
        if (
            canonical_name(source[at + 2 : after]) == name
            and source[after : after + 1] in _AFTER_NAME
        ):
            return at
        at += 2
    return len(source)


def _script_end(source: str, start: int) -> int:
    """Where script data ends, when it holds `<!--` (§13.2.5.15-31).

    Inside `<!--` and `-->` a `<script` hides the next `</script`.
    """
    escaped = doubly = False
    at = start
    while (found := _SCRIPT_MARK.search(source, at)) is not None:
        at = found.end()
        if found.group() == "<!--":
            # Its two hyphens may be those of `-->`, so that `<!-->` opens and closes.
            at = found.start() + 2 if not escaped else at
            escaped = True
        elif found.group() == "-->":
            escaped = doubly = False
        elif not found[1]:
            doubly = escaped
        elif not doubly:
            return found.start()
        else:
            doubly = False
    return len(source)


def _declaration(source: str, at: int, *, cdata: bool) -> Token | None:
    """What `<` opens where no tag follows; None where it is text (§13.2.5.6-7, .41-42)."""
    following = source[at + 1 : at + 2]
    if following == "!":
        return _markup_declaration(source, at, cdata=cdata)
    if following == "?":
        return _bogus_comment(source, at, at + 1)
    if following != "/" or at + 2 == len(source):
        return None
    if source[at + 2] == ">":
        return Ignored(at, at + 3, source)
    return _bogus_comment(source, at, at + 2)


def _markup_declaration(source: str, at: int, *, cdata: bool) -> Token:
    """What `<!` opens (§13.2.5.42)."""
    if source.startswith("--", at + 2):
        return _comment(source, at)
    if canonical_name(source[at + 2 : at + 9]) == "doctype":
        return Doctype(at, _after(source, ">", at), source)
    if cdata and source.startswith("[CDATA[", at + 2):
        return Text(at, _after(source, "]]>", at + 9), "cdata", source)
    return _bogus_comment(source, at, at + 2)


def _after(source: str, mark: str, at: int) -> int:
    """Return the offset behind the next `mark`, or of the end."""
    offset = source.find(mark, at)
    return len(source) if offset < 0 else offset + len(mark)


def _bogus_comment(source: str, at: int, data: int) -> Comment:
    """§13.2.5.41: up to the next `>`."""
    end = source.find(">", data)
    if end < 0:
        return Comment(at, len(source), data, len(source), source)
    return Comment(at, end + 1, data, end, source)


def _comment(source: str, at: int) -> Comment:
    """§13.2.5.43-52: up to `-->` or `--!>`; `<!-->` and `<!--->` are whole comments."""
    data = at + 4
    for abrupt in (">", "->"):
        if source.startswith(abrupt, data):
            return Comment(at, data + len(abrupt), data, data, source)
    match = _COMMENT_END.search(source, data)
    if match is not None:
        return Comment(at, match.end(), data, match.start(), source)
    end = len(source)
    for cut in ("--!", "--", "-"):
        if source.endswith(cut) and end - len(cut) >= data:
            return Comment(at, end, data, end - len(cut), source)
    return Comment(at, end, data, end, source)
