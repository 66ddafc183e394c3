"""A proof bundle in an HTML page that shows what is proven and checks it, in any browser, offline.

The zip stands in the page in base64. All else follows from it: the page is written again from its
zip when it is checked, and every octet compared. What a page of one edition says never changes, for
it lies in files of others; other words, styles or scripts are another edition, beside this one.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import html
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from permacite.archive.entries import FORMAT, opened, read
from permacite.archive.log.bundles.tlog_proof import Check
from permacite.archive.log.bundles.writing import spki_of
from permacite.archive.log.keys import Verifier
from permacite.archive.log.plain_zip import CONTENT, SPEC, members
from permacite.archive.texts import document_text
from permacite.errors import ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from permacite.archive.log.bundles.tlog_proof import ProofReport

__all__ = ["bundle_in", "is_page", "page_check", "page_of"]

_PAGES = Path(__file__).parent / "pages"
_EDITIONS = (2, 1)
"""The newest writes pages; what an edition has no file for, it has from the one before."""
_LANGUAGES = ("en", "de", "fr")
"""The first needs no table."""
_START = b"<!doctype html>"
_LANGUAGE = compile_pattern(rb'<!doctype html>\n<html lang="([a-z]{2})">')
_BEFORE = b'<script type="application/zip" id="proof">\n'
_BEHIND = b"\n</script>\n"
_SLOT = compile_pattern("<!--([a-z]++)-->")
_POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
    "img-src blob:; base-uri 'none'; form-action 'none'"
)
_CUT = compile_pattern("#char=([0-9]{1,15}),([0-9]{1,15})")
_DECODED_ALIKE = ("utf-8/2", "windows-1252/2")
"""Charsets of texts whose words are shown: browsers decode them as is recorded."""
_ASIDE = 400
"""Characters shown before and after the words."""
_LINE_BYTES = 76
_MAX_BYTES = 1 << 30

_ABSENT = "The archive says that it never minted a document of this name, and never will."
_NO_VERSION = (
    "The archive says that this document had no such version when its day was sealed. "
    "It may have it now."
)
_WORDS = "The archive says that it held the marked words, in this place, under this name."
_OCTETS = "The archive says that it held the octets of this digest under this name."


def page_of(
    bundle: bytes, report: ProofReport, language: str = "en", *, edition: int = _EDITIONS[0]
) -> bytes:
    """Return the page about a bundle, of which `report` says what it holds.

    The same bundle gives the same octets in each language; one without a table is English. Raises
    ParseError, LimitError as `check_proof` does.
    """
    frame, words = _frame(edition, language if language in _LANGUAGES else _LANGUAGES[0])
    reference = report.reference or report.name
    before, quote, after = _passage(bundle, report) or ("", "", "")
    key = Verifier.parse(report.key)
    said = {
        "reference": reference,
        "before": before,
        "quote": quote,
        "after": after,
        "claim": words(_claim(report, quote)),
        "digest": report.digest,
        "log": report.origin,
        "time": report.committed_at,
        "key": report.key,
        "fingerprint": hashlib.sha256(spki_of(key)).hexdigest(),
        "bundle": hashlib.sha256(bundle).hexdigest(),
        "proof": _lines(bundle),
    }
    slots = {name: html.escape(text, quote=False) for name, text in said.items()}
    slots["wordless"] = "" if before or quote or after else " hidden"
    page = _SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), frame)
    return page.encode()


def _claim(report: ProofReport, quote: str) -> str:
    """What is said to be proven."""
    if report.versions is not None:
        return _NO_VERSION
    return _ABSENT if report.absent else _WORDS if quote else _OCTETS


def is_page(data: bytes) -> bool:
    """Whether octets begin as a page does."""
    return data.startswith(_START)


def bundle_in(page: bytes) -> bytes:
    """Return the zip in a page, without running any of it. Raises ParseError."""
    start = page.find(_BEFORE) + len(_BEFORE)
    end = page.find(_BEHIND, start)
    if start < len(_BEFORE) or end < 0 or page.find(_BEFORE, start) >= 0:
        raise ParseError("expected one proof in the page", "(a page)", 0, SPEC)
    lines = page[start:end]
    try:
        bundle = base64.b64decode(lines.replace(b"\n", b""), validate=True)
    except binascii.Error as error:
        raise ParseError(f"expected base64: {error}", "(a page)", start, SPEC) from error
    if _lines(bundle).encode() != lines:
        problem = f"expected base64 in lines of {_LINE_BYTES} characters"
        raise ParseError(problem, "(a page)", start, SPEC)
    return bundle


def page_check(page: bytes, bundle: bytes, report: ProofReport) -> Check:
    """Compare a page with the one that is written about its bundle."""
    match = _LANGUAGE.match(page)
    language = match[1].decode() if match else "en"
    if any(page_of(bundle, report, language, edition=each) == page for each in _EDITIONS):
        return Check("page", ok=True, detail="shows what the proof has")
    detail = "altered, or of an edition that is not known here: only the zip in it was checked"
    return Check("page", ok=False, detail=detail)


@cache
def _frame(edition: int, language: str) -> tuple[str, Callable[[str], str]]:
    """The page without what is said of a bundle, and what a sentence of the script is there."""
    template, style, script = (_source(edition, suffix) for suffix in ("html", "css", "js"))
    page: dict[str, str] = {}
    phrases: dict[str, str] = {}
    if language != _LANGUAGES[0]:
        for number in range(1, edition + 1):
            path = _PAGES / f"proof-{number}.{language}.toml"
            table = tomllib.loads(path.read_text(encoding="utf-8"))
            page, phrases = page | table["page"], phrases | table["script"]
    template, script = _said(template, page), _said(script, phrases)
    policy = _POLICY.format(script=_named(script), style=_named(style))
    slots = {"policy": policy, "style": style, "script": script}
    frame = _SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), template)
    return frame, lambda sentence: phrases.get(sentence, sentence)


def _source(edition: int, suffix: str) -> str:
    """A file of an edition, or of the last one before it that has one."""
    paths = [_PAGES / f"proof-{number}.{suffix}" for number in range(edition, 0, -1)]
    return next(path for path in paths if path.exists()).read_text(encoding="utf-8")


def _said(source: str, words: Mapping[str, str]) -> str:
    """A page or its script with other words."""
    for english, other in words.items():
        source = source.replace(english, other)
    return source


def _named(source: str) -> str:
    """Return the digest by which a policy names a script or a style (CSP3 §2.3.1)."""
    return base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _lines(bundle: bytes) -> str:
    """Return octets in base64, in lines."""
    text = base64.b64encode(bundle).decode()
    return "\n".join(text[at : at + _LINE_BYTES] for at in range(0, len(text), _LINE_BYTES))


def _passage(bundle: bytes, report: ProofReport) -> tuple[str, str, str] | None:
    """Return what is shown before, of and after the words; None where the page shows none."""
    cited = _CUT.search(report.reference or "")
    if cited is None:
        return None
    files = members(bundle, max_bytes=_MAX_BYTES)
    media_type, charset = _recorded(files, report)
    if charset not in _DECODED_ALIKE or not media_type.startswith("text/"):
        return None
    text = document_text(files[CONTENT], media_type, charset).text
    start, end = (int(position) for position in cited.groups())
    before, after = text[:start], text[end:]
    lead = "…" if len(before) > _ASIDE else ""
    tail = "…" if len(after) > _ASIDE else ""
    return (lead + _shown(before[-_ASIDE:]), _shown(text[start:end]), _shown(after[:_ASIDE]) + tail)


def _recorded(files: dict[str, bytes], report: ProofReport) -> tuple[str, str]:
    """Return media type and charset of the content, as its opening tells; "" where it does not."""
    token = report.name.split(".")[-2]
    try:
        entry = opened(read(files["leaf.json"]), FORMAT + token, files.get("opening.json", b""))
    except ValueError:
        return "", ""
    return str(entry.get("media_type")), str(entry.get("charset"))


def _shown(text: str) -> str:
    """Return a text as HTML can hold it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
