"""Uploads from the browser extension: the page as it was drawn, with the answers it was made of.

| in the line | what |
|---|---|
| `uri`, `started_at`, `duration_s`, `title` | the page, and when it was taken |
| `browser`, `extension`, `agent`, `script` | what took it; the digest of the script that froze it |
| `way` | the octets of the page: "received" by it, "asked" for once more; "drawn": without |
| `account` | whether the browser was known to the site by what it sent |
| `documents` | of each document its `number`, `uri`, and a piece: what `freezing.js` told |
| `answers` | `uri`, `final_uri`, `status`, `fields`, a piece, `had`; `page` is one of them |
| `had` | of an answer: from the "cache", from the page's "memory", or "asked" for once more |
| `view` | a piece: the picture of the view |
| `left_out`, `failures`, `cut` | how much was left out and why, and how many secrets were cut |
| `series`, `key`, `cite` | where it is to be named, once; what is to be cited |

Nothing that was sent is in it: no cookie, no Authorization. A field that could hold one is refused.
"""

from __future__ import annotations

import json
from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO

from permacite.capture.address import absolute
from permacite.capture.browsing.freezing import FrozenDocuments
from permacite.capture.model import Capture, Exchange, Failure, digest_of
from permacite.errors import LimitError, ParseError
from permacite.file_types import content_type_of
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from permacite.capture.model import Frozen, Headers

__all__ = [
    "FORM",
    "MEDIA_TYPE",
    "WAYS",
    "Parcel",
    "UploadedPage",
    "UploadedSelection",
    "read_handed",
    "read_json",
    "read_parcel",
]

WAYS = ("received", "asked", "drawn")
"""How the octets of the page were had, if they were."""

_HAD = ("cache", "memory", "asked")
"""How those of any answer were had. What was asked for once more need not be what was shown."""

_NAME = compile_pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_VALUE = compile_pattern(r"[^\x00\r\n]{0,16384}")
_TEXT = compile_pattern(r"[^\x00-\x1f\x7f]{0,300}")
_WORD = compile_pattern(r"[a-z][a-z0-9-]{0,59}")
_KEY = compile_pattern(r"[0-9A-Za-z-]{8,64}")
_ADDRESS = compile_pattern(r"(?i)https?://[^\x00-\x20\x7f\"<>\\^`{|}]{1,65536}")
_DIGEST = compile_pattern(r"sha-256:[0-9a-f]{64}")
_SECRET = frozenset(
    {"set-cookie", "set-cookie2", "cookie", "authorization", "proxy-authorization"}
    | {"authentication-info", "proxy-authentication-info"}
)
_OK = range(200, 300)
_MOST_DOCUMENTS = 101
_MOST_ANSWERS = 2000
_MOST_REASONS = 100
_LONGEST_S = 86_400.0
_MOST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class UploadedSelection:
    """Words that were selected: from a place in one text of a document to a place in another."""

    document: int
    first: tuple[int, int]
    """The number of the text, and how many characters before: UTF-16, as browsers count."""
    last: tuple[int, int]


@dataclass(frozen=True, slots=True)
class UploadedPage:
    """What was handed over."""

    capture: Capture
    selection: UploadedSelection | None
    words: Callable[[UploadedSelection], tuple[int, int] | None]
    """Where selected words stand in the text of the page as it was drawn."""
    picture: tuple[int, int, int, int] | None
    """A part of the picture of the view: left, top, right, bottom."""
    series: str | None
    key: str
    account: bool
    way: str


def read_handed(parcel: Parcel) -> UploadedPage:
    """Understand a parcel. Raises ParseError for what does not follow the table above."""
    told = parcel.told
    started_at = _moment(told.get("started_at"))
    uri = _address(told.get("uri"))
    documents = FrozenDocuments()
    frames = _documents(parcel, documents)
    view = b"" if told.get("view") is None else parcel.piece(told["view"])
    build = _matching(told.get("browser"), _TEXT, "the build of a browser")
    script = _matching(told.get("script"), _DIGEST, "the digest of a script")
    frozen = documents.frozen(build, view, frames, script=script)
    answers = [_answer(parcel, each, started_at) for each in _list(told, "answers", _MOST_ANSWERS)]
    way = told.get("way")
    if way not in WAYS:
        raise ParseError(f"expected one of {', '.join(WAYS)}", str(way)[:60], 0)
    page = told.get("page")
    if page is not None and (type(page) is not int or not 0 <= page < len(answers)):
        raise ParseError("expected the number of an answer in `page`", str(page)[:60], 0)
    account = told.get("account") is not False  # where nothing is said there may be one
    capture = Capture(
        requested_uri=uri,
        root=_drawn_alone(frozen, uri, started_at) if page is None else answers[page],
        led_by=(),
        resources=_once(answers, page),
        failures=tuple(_failure(each) for each in _list(told, "failures", _MOST_ANSWERS)),
        left_out=(),
        aliases=(),
        started_at=started_at,
        duration_s=_seconds(told.get("duration_s")),
        with_credentials=account,
        drawing=_drawing(told, build, way, has_page=page is not None),
        drawn=frozen,
        is_served=page is not None,
    )
    asked = _asked(told.get("cite"))
    return UploadedPage(
        capture,
        _selection(asked),
        lambda it: documents.span(frozen, it.document, it.first, it.last),
        _picture(asked),
        _optional(told.get("series"), _TEXT, "a series"),
        _matching(told.get("key"), _KEY, "a key of 8 to 64 letters and digits"),
        account,
        way,
    )


# ------------------------------------------------------------ what was drawn
def _documents(parcel: Parcel, documents: FrozenDocuments) -> list[str]:
    """Take what was told of each document; the addresses of the frames."""
    frames = []
    for number, item in enumerate(_list(parcel.told, "documents", _MOST_DOCUMENTS)):
        if type(item.get("number")) is not int or item["number"] < number:
            raise ParseError("expected documents in the order of their numbers", "", 0)
        told = read_json(parcel.piece(item.get("piece")))
        base = told.get("base", "")
        if not isinstance(base, str) or _ADDRESS.fullmatch(base) is None:
            told["base"] = ""  # about:blank, or a script's own: it labels nothing
        documents.take(item["number"], told)
        if item["number"]:
            frames.append(str(item.get("uri", ""))[:2000])
    for _ in documents.clips:  # a browser that gives no picture of a part
        documents.leave("canvas")
    if 0 not in documents.drawings:
        raise ParseError("expected the page among the documents", "", 0)
    return frames


def _drawn_alone(frozen: Frozen, uri: str, at: datetime) -> Exchange:
    """The page as it was drawn, in the place of an answer that is not there."""
    content = frozen.root.content
    return Exchange(
        uri=uri,
        final_uri=frozen.root.content_location or uri,
        method="",
        status=0,
        reason="",
        request_headers=(),
        response_headers=(),
        content=content,
        content_type="text/html; charset=utf-8",
        sniffed=True,
        peer_address=None,
        certificate=None,
        redirects=(),
        started_at=at,
        duration_s=0,
        digest=digest_of(content),
    )


def _drawing(told: Mapping[str, Any], build: str, way: str, *, has_page: bool) -> dict[str, object]:
    """How the page was had, as it goes on record."""
    return {
        "by": "a person's own browser",
        "browser": build,
        "agent": _optional(told.get("agent"), _TEXT, "a User-Agent") or "",
        "extension": _optional(told.get("extension"), _TEXT, "a version") or "",
        "way": way,
        "octets": way if has_page else "none of the page itself",
        "had": _had(told),
        "left_out": _counts(told.get("left_out", {})),
        "cut": _count(told.get("cut", 0)),
    }


def _had(told: Mapping[str, Any]) -> dict[str, int]:
    """How many answers were had in each way."""
    ways = [each.get("had", "asked") for each in _list(told, "answers", _MOST_ANSWERS)]
    if strange := next((way for way in ways if way not in _HAD), None):
        raise ParseError(f"expected one of {', '.join(_HAD)} in `had`", str(strange)[:60], 0)
    return {way: ways.count(way) for way in _HAD if way in ways}


# ------------------------------------------------------------ what was received
def _answer(parcel: Parcel, item: Mapping[str, Any], at: datetime) -> Exchange:
    content = parcel.piece(item.get("piece"))
    status = item.get("status")
    if type(status) is not int or status not in _OK:
        raise ParseError("expected a status from 200 to 299", str(status)[:60], 0)
    fields = _fields(item.get("fields"))
    received = next((value for name, value in fields if name.lower() == "content-type"), "")
    uri = _address(item.get("uri"))
    content_type, sniffed = content_type_of(received, content, uri=uri)
    return Exchange(
        uri=uri,
        final_uri=_address(item.get("final_uri", uri)),
        method="GET",
        status=status,
        reason=_optional(item.get("reason"), _TEXT, "the phrase of a status") or "",
        request_headers=(),
        response_headers=fields,
        content=content,
        content_type=content_type,
        sniffed=sniffed,
        peer_address=None,
        certificate=None,
        redirects=(),
        started_at=at,
        duration_s=0,
        digest=digest_of(content),
    )


def _fields(value: object) -> Headers:
    """Header fields of an answer. Raises ParseError for what is none, and for secrets."""
    fields = []
    for item in value if isinstance(value, list) else [None]:
        if not isinstance(item, list) or list(map(type, item)) != [str, str]:
            raise ParseError("expected a list of [name, value] in `fields`", "", 0)
        name, text = item
        if _NAME.fullmatch(name) is None or _VALUE.fullmatch(text) is None:
            raise ParseError("expected a header field", name[:60], 0, "RFC 9110 §5.1")
        if name.lower() in _SECRET:
            raise ParseError(f"expected no field {name}: it is a secret", name, 0)
        fields.append((name, text))
    return tuple(fields)


def _once(answers: list[Exchange], page: int | None) -> tuple[Exchange, ...]:
    """All but the page, each address once."""
    first: dict[str, Exchange] = {}
    for number, each in enumerate(answers):
        if number != page:
            first.setdefault(each.uri, each)
    return tuple(first.values())


def _failure(item: Mapping[str, Any]) -> Failure:
    reason = _matching(item.get("reason"), _WORD, "a reason in one word")
    problem = _optional(item.get("problem"), _TEXT, "a sentence") or reason
    return Failure(_address(item.get("uri")), "", problem, reason, "the page")


# ------------------------------------------------------------ what is to be cited
def _asked(value: object) -> dict[str, Any]:
    if value is not None and not isinstance(value, dict):
        raise ParseError("expected an object in `cite`", "", 0)
    return value or {}


def _selection(asked: Mapping[str, Any]) -> UploadedSelection | None:
    value = asked.get("selection")
    if value is None:
        return None
    if not isinstance(value, list) or [type(each) for each in value] != [int] * 5 or min(value) < 0:
        raise ParseError("expected five numbers in `selection`", "", 0)
    document, *ends = value
    return UploadedSelection(document, (ends[0], ends[1]), (ends[2], ends[3]))


def _picture(asked: Mapping[str, Any]) -> tuple[int, int, int, int] | None:
    value = asked.get("picture")
    if value is None:
        return None
    if not isinstance(value, list) or [type(each) for each in value] != [int] * 4 or min(value) < 0:
        raise ParseError("expected four numbers in `picture`", "", 0)
    left, top, right, bottom = value
    return left, top, right, bottom


# ------------------------------------------------------------ values
def _list(told: Mapping[str, Any], name: str, most: int) -> list[dict[str, Any]]:
    value = told.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ParseError(f"expected a list of objects in `{name}`", "", 0)
    if len(value) > most:
        raise ParseError(f"expected at most {most} in `{name}`", "", 0)
    return value


def _address(value: object) -> str:
    """An address of the web without fragment and without a password."""
    text = value.partition("#")[0] if isinstance(value, str) else ""
    authority = text.partition("//")[2].partition("/")[0]
    if _ADDRESS.fullmatch(text) is None or "@" in authority:
        raise ParseError("expected the address of a page, without a password", str(value)[:200], 0)
    return absolute(text)


def _matching(value: object, pattern: Any, expected: str) -> str:
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise ParseError(f"expected {expected}", str(value)[:60], 0)
    return value


def _optional(value: object, pattern: Any, expected: str) -> str | None:
    return None if value is None else _matching(value, pattern, expected)


def _moment(value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(str(value))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ParseError("expected a time", str(value)[:60], 0, "RFC 3339") from error


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or not 0 <= value <= _LONGEST_S:
        raise ParseError("expected a number of seconds", str(value)[:60], 0)
    return float(value)


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ParseError("expected how many there are", str(value)[:60], 0)
    return value


def _counts(value: object) -> dict[str, int]:
    """How many of what were left out."""
    if not isinstance(value, dict) or len(value) > _MOST_REASONS:
        raise ParseError("expected an object in `left_out`", "", 0)
    return {_matching(name, _WORD, "a reason"): _count(each) for name, each in value.items()}


FORM = b"permacite-capture/1\n"
MEDIA_TYPE = "application/vnd.permacite.capture"

_MIB = 1024 * 1024
_LONGEST_LINE = 8 * _MIB
_MOST_PIECES = 5000


@dataclass(frozen=True, slots=True)
class Parcel:
    """What was handed over."""

    told: Mapping[str, Any]
    """The line, as JSON has it."""
    octets: tuple[bytes, ...] = field(repr=False)

    def piece(self, number: object) -> bytes:
        """The octets of a number. Raises ParseError where there are none."""
        if type(number) is not int or not 0 <= number < len(self.octets):
            raise ParseError(f"expected the number of a piece below {len(self.octets)}", "", 0)
        return self.octets[number]


def read_parcel(file: BinaryIO, *, most_bytes: int) -> Parcel:
    """Read a parcel from where a file stands to its end.

    Raises ParseError for what is none, or not whole, LimitError for more than `most_bytes`.
    """
    if file.read(len(FORM)) != FORM:
        raise ParseError(f"expected {FORM.decode().strip()} in the first line", "", 0)
    line = file.readline(_LONGEST_LINE + 1)
    if len(line) > _LONGEST_LINE:
        raise LimitError("the line is too long", limit="line_bytes", maximum=_LONGEST_LINE)
    if not line.endswith(b"\n"):
        raise ParseError("the parcel was cut off in its second line", "", 0)
    told = read_json(line)
    try:
        json.dumps(told, ensure_ascii=False).encode()
    except ValueError as error:
        raise ParseError("expected Unicode texts in the second line", "", 0) from error
    pieces = _listed(told.get("octets"))
    if sum(size for size, _ in pieces) > most_bytes:
        raise LimitError("the page is too large", limit="total_bytes", maximum=most_bytes)
    octets = []
    for number, (size, digest) in enumerate(pieces):
        piece = file.read(size)
        if len(piece) != size:
            problem = f"the parcel was cut off: {len(piece)} of {size} octets of piece {number}"
            raise ParseError(problem, "", 0)
        if digest_of(piece) != digest:
            raise ParseError(f"piece {number} is not what its digest says", digest, 0)
        octets.append(piece)
    if file.read(1):
        raise ParseError("expected nothing behind the last piece", "", 0)
    return Parcel(told, tuple(octets))


def _listed(value: object) -> list[tuple[int, str]]:
    """Size and digest of each piece. Raises ParseError, LimitError."""
    if not isinstance(value, list):
        raise ParseError("expected a list `octets`", "", 0)
    if len(value) > _MOST_PIECES:
        raise LimitError("there are too many pieces", limit="pieces", maximum=_MOST_PIECES)
    pieces = []
    for item in value:
        is_pair = isinstance(item, list) and list(map(type, item)) == [int, str]
        if not is_pair or item[0] < 0:
            raise ParseError("expected [size, digest] in `octets`", "", 0)
        pieces.append((item[0], item[1]))
    return pieces


def read_json(octets: bytes) -> dict[str, Any]:
    """An object of JSON. Raises ParseError for anything else."""
    try:
        value = json.loads(octets.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"expected JSON: {error}"[:300], "", 0, "RFC 8259") from error
    if not isinstance(value, dict):
        raise ParseError("expected an object of JSON", "", 0, "RFC 8259")
    return value


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no number of JSON")
