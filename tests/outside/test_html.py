"""The HTML standard §13.2.5 (tokens) and §13.2.3 (encodings) beside html5lib/html5lib-tests.

The suite starts its tokenizer in states that ours comes to by a start tag: that tag is put before
the input, and its token left out. Trees of html5lib are no part: we keep where elements end, in
places of the source, which its trees do not tell; they are compared with another parser's.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.outside.conftest import Suite

from permacite.charsets import codec_of
from permacite.markup import Comment, Doctype, EndTag, StartTag, Text, sniff_charset, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from permacite.markup import Token

REPOSITORY = "html5lib/html5lib-tests"
OPENINGS = {
    "Data state": "",
    "PLAINTEXT state": "<plaintext>",
    "RCDATA state": "<textarea>",
    "RAWTEXT state": "<xmp>",
    "Script data state": "<script>",
    "CDATA section state": "<svg><![CDATA[",
}
"""What brings our tokenizer into each state."""


def sources(place: Path) -> Iterator[tuple[str, object]]:
    """Yield each test once for each of its states; `xmlViolation` is for another kind of output."""
    for path in sorted((place / "tokenizer").glob("*.test")):
        tests = json.loads(path.read_text("utf-8")).get("tests", ())
        for number, test in enumerate(tests):
            for state in test.get("initialStates", ["Data state"]):
                yield f"{path.stem}-{number}-{state.partition(' ')[0]}", (test, state)


def documents(place: Path) -> Iterator[tuple[str, object]]:
    """Yield each document with the encoding that it should be read by."""
    for path in sorted((place / "encoding").glob("*.dat")):
        blocks = re.split(rb"^#data\n", path.read_bytes(), flags=re.MULTILINE)[1:]
        for number, block in enumerate(blocks):
            data, _, rest = block.partition(b"\n#encoding\n")
            yield f"{path.stem}-{number}", (data, rest.split(b"\n")[0].decode())


SUITES = {"source": Suite(REPOSITORY, sources), "document": Suite(REPOSITORY, documents)}


def everywhere(change: Callable[[str], str], value: Any) -> Any:
    """Return a JSON value with each of its texts changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [everywhere(change, each) for each in value]
    if isinstance(value, dict):
        return {change(name): everywhere(change, each) for name, each in value.items()}
    return value


def unescaped(text: str) -> str:
    r"""Return a text with every \uHHHH in it read once more."""
    return re.sub(r"\\u([0-9A-Fa-f]{4})", lambda digits: chr(int(digits[1], 16)), text)


def renamed(text: str, old: str, new: str) -> str:
    """Return a text about the element `old` as one about `new`, in upper case where it was."""
    return re.sub(
        old, lambda name: new.upper() if name[0].isupper() else new, text, flags=re.IGNORECASE
    )


def told(token: Token) -> list[Any] | None:
    """Return a token in the suite's words; None for what is no token of the standard's."""
    if isinstance(token, StartTag):
        closed = [True] if token.self_closing else []
        return ["StartTag", token.name, {a.name: a.value for a in token.attributes}, *closed]
    if isinstance(token, EndTag):
        return ["EndTag", token.name]
    if isinstance(token, Text):
        return ["Character", token.data]
    if isinstance(token, Comment):
        return ["Comment", token.data]
    if isinstance(token, Doctype):
        return ["DOCTYPE", token.name, token.public_id, token.system_id]
    return None


def joined(tokens: Iterator[list[Any] | None]) -> Iterator[list[Any]]:
    """Yield tokens, texts that follow each other as one, without what makes a doctype quirky."""
    text = ""
    for token in tokens:
        if token is None:
            continue
        if token[0] == "Character":
            text += token[1]
            continue
        if text:
            yield ["Character", text]
            text = ""
        yield token[:4] if token[0] == "DOCTYPE" else token
    if text:
        yield ["Character", text]


def test_tokens(source: tuple[dict[str, Any], str]) -> None:
    test, state = source
    case = test["input"], test["output"]
    if test.get("doubleEscaped"):
        case = everywhere(unescaped, list(case))
    opening = OPENINGS[state]
    if state not in {"Data state", "CDATA section state"} and "lastStartTag" in test:
        change = partial(renamed, old=test["lastStartTag"], new=opening.strip("<>"))
        case = everywhere(change, list(case))
    text, wanted = case
    tokens = [told(token) for token in tokenize(opening + text)]
    assert list(joined(iter(tokens[bool(opening) :]))) == list(joined(iter(wanted)))


def test_encodings(document: tuple[bytes, str]) -> None:
    data, encoding = document
    assert sniff_charset(data).codec == codec_of(encoding)
