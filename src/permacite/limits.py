"""Table of limits: how large, how many and how long, for each thing that the program bounds.

Each limit has a name, a value, a unit and one sentence. Code reads the value from its constant,
`permacite config limits` prints the table, and the reference lists it. Whoever runs the command can
change a limit that has an option; all others are fixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Limit", "Unit", "find_limit", "list_limits"]

Unit: TypeAlias = Literal["bytes", "seconds", "characters", "items"]
Number = TypeVar("Number", int, float)

KIB = 1 << 10
MIB = 1 << 20


class Limit(NamedTuple):
    """One limit of the table."""

    name: str
    """What is limited, after the part of the program that limits it, such as `server.upload`."""
    value: float
    unit: Unit
    about: str
    """One sentence."""
    option: str = ""
    """The option of a command that changes it."""

    @property
    def shown(self) -> str:
        """The value with its unit, for people."""
        if self.unit == "bytes":
            for size, unit in ((MIB, "MiB"), (KIB, "KiB")):
                if self.value >= size and self.value % size == 0:
                    return f"{self.value // size:,.0f} {unit}"
        number = f"{self.value:,.0f}" if self.value == int(self.value) else f"{self.value:,}"
        return number if self.unit == "items" else f"{number} {self.unit}"


_TABLE: dict[str, Limit] = {}


def list_limits() -> Iterator[Limit]:
    """All limits, in the order of the table."""
    return iter(_TABLE.values())


def find_limit(name: str) -> Limit:
    """The limit of a name. Raises KeyError."""
    return _TABLE[name]


def _add(name: str, value: Number, unit: Unit, about: str, *, option: str = "") -> Number:
    """Put a limit into the table, and return its value."""
    _TABLE[name] = Limit(name, value, unit, about, option)
    return value


def _bytes(name: str, value: int, about: str, option: str = "") -> int:
    return _add(name, value, "bytes", about, option=option)


def _seconds(name: str, value: Number, about: str, option: str = "") -> Number:
    return _add(name, value, "seconds", about, option=option)


def _characters(name: str, value: int, about: str) -> int:
    return _add(name, value, "characters", about)


def _items(name: str, value: int, about: str, option: str = "") -> int:
    return _add(name, value, "items", about, option=option)


# Connections of `permacite serve`, for each of its processes. These sentences are also the help of
# the options.
HEAD_SECONDS = _seconds(
    "server.head-seconds",
    10,
    "How long a request line with its fields may take.",
    "serve --head-seconds",
)
STALL_SECONDS = _seconds(
    "server.stall-seconds",
    60,
    "How long 16 KiB of a body, or of an answer that is read, may take.",
    "serve --stall-seconds",
)
IDLE_SECONDS = _seconds(
    "server.idle-seconds",
    15,
    "How long a connection without a request stays open.",
    "serve --idle-seconds",
)
HEAD_BYTES = _bytes(
    "server.head-bytes",
    64 * KIB,
    "The octets of a request line with its fields.",
    "serve --head-bytes",
)
BODY_BYTES = _bytes(
    "server.body-bytes", 256 * MIB, "The octets of the body of a request.", "serve --body-bytes"
)
CONNECTIONS = _items(
    "server.connections", 2000, "The connections of all at a time.", "serve --connections"
)
PEER_CONNECTIONS = _items(
    "server.peer-connections",
    250,
    "The connections of one address at a time; of IPv6, of one network (/64).",
    "serve --peer-connections",
)
STALL_BYTES = _bytes(
    "server.stall-bytes", 16 * KIB, "The least of a body that arrives in `stall-seconds`."
)
CONNECTION_BACKLOG = _items(
    "server.connection-backlog", 2048, "Connections that the system queues until they are accepted."
)
WORKERS = _items("server.workers", 256, "Processes of one server.", "serve --workers")

# Bodies of requests. The table of routes (web/routes.py) says which route has which.
API_BODY_BYTES = _bytes("server.api-body", 256 * KIB, "JSON, or a form, for a citation or a list.")
ANNOTATION_BODY_BYTES = _bytes(
    "server.annotation-body", 128 * KIB, "JSON, or a form, with a tag, a note or a collection."
)
SAVE_BODY_BYTES = _bytes("server.save-body", 64 * KIB, "The form that asks to save a page.")
SIGN_IN_BODY_BYTES = _bytes("server.sign-in-body", 4 * KIB, "The form of the sign-in page.")
CHECKPOINT_BODY_BYTES = _bytes(
    "server.checkpoint-body", 512 * KIB, "A checkpoint for the witness, with its proof."
)
DOCUMENT_BODY_BYTES = _bytes("server.document-body", 256 * MIB, "A document that PUT adds.")
UPLOAD_BYTES = _bytes(
    "server.upload", 200 * MIB, "Upload limit: the content of a page that the extension uploads."
)
UPLOAD_LINES_BYTES = _bytes(
    "server.upload-lines", 16 * MIB, "The lines that describe an uploaded page, before its content."
)

# Work of the server at a time.
UPLOADS = _items("server.uploads", 4, "Pages that are uploaded at a time, in one process.")
UPLOAD_RETRY_S = _seconds(
    "server.upload-retry", 10, "When to try again after an upload that was one too many."
)
SAVES = _items("server.saves", 4, "Pages that are saved from the reader at a time.")
SAVES_KEPT = _items("server.saves-kept", 100, "Saves whose progress page one process keeps.")
LARGE_PARTS_BYTES = _bytes(
    "server.large-parts",
    64 * MIB,
    "Large parts that are being sent at a time; one part may always be sent.",
)
COMPRESSED_BYTES = _bytes("server.compressed", 8 * MIB, "The largest answer that is compressed.")
COMPRESSIONS = _items(
    "server.compressions", 2, "Large answers that are compressed at a time, in one process."
)
CACHED_ANSWER_BYTES = _bytes(
    "server.cached-answer", 32 * KIB, "The largest answer that the response cache takes."
)
RESPONSE_CACHE_BYTES = _bytes(
    "server.response-cache", 32 * MIB, "The response cache of one process."
)
FREE_DISK_BYTES = _bytes(
    "server.free-disk", 64 * MIB, "With less free disk space a writable server is not ready."
)

# Lists that the server answers by pages.
PAGE_ITEMS = _items("server.page", 100, "Items on a page of a list, where `limit` is not given.")
LARGEST_PAGE_ITEMS = _items(
    "server.largest-page", 1000, "Items on a page of a list, and names in one look-up."
)
VERSION_ITEMS = _items("server.versions", 10, "Versions in which one page looks for a passage.")
COMPARED_BYTES = _bytes(
    "server.compared", 2_000_000, "The longest text that is compared while a request waits."
)
SEARCH_HITS = _items("server.search-hits", 20, "Hits on a page of a search.")
LARGEST_SEARCH_HITS = _items(
    "server.largest-search-hits", 100, "Hits on a page of a search, where `limit` is given."
)
SEARCH_INDEX_S = _seconds(
    "server.search-index", 0.5, "How long a search waits for new documents to be indexed."
)
FEED_ITEMS = _items("server.feed", 50, "Entries on a page of the feed.")
SITEMAP_ITEMS = _items("server.sitemap", 2000, "Documents in one sitemap.")
TIMEMAP_ITEMS = _items("server.timemap", 1000, "Versions on a page of a TimeMap.")
HOME_ITEMS = _items("server.home", 50, "Documents on a page of the reader's list.")
SITE_ITEMS = _items("server.sites", 50, "Sites on a page of the list of sites.")
QUOTER_ITEMS = _items("server.quoters", 5, "Quoters beside a document; a link leads to more.")
RANGES = _items("server.ranges", 32, "Ranges in one request for bytes.")
LINK_FIELDS = _items(
    "server.links", 16, "Links in the head of an answer; the JSON lists all of them."
)
FORM_CHARACTERS = _characters(
    "server.form-text", 4000, "Selected words that the page which asks before a save repeats."
)

# What the reader shows at once.
TEXT_CHARACTERS = _characters("reader.text", 120_000, "One piece of a long text.")
TABLE_ROWS = _items("reader.table-rows", 500, "Rows of a table.")
TABLE_COLUMNS = _items("reader.table-columns", 200, "Columns of a table.")
TABLE_CELLS = _items("reader.table-cells", 20_000, "Cells of a table.")
CELL_CHARACTERS = _characters("reader.cell", 2000, "What is shown of one cell.")
TRANSCRIPT_LINES = _items("reader.transcript", 500, "Lines of a transcript beside its recording.")
ADDRESS_CHARACTERS = _characters("reader.address", 16_384, "The longest address of a link.")
VERSIONS_OF_ADDRESS = _items(
    "reader.versions", 200, "Saved versions that the page of a link lists, newest first."
)
PAGE_CACHE_BYTES = _bytes("reader.page-cache", 64 * MIB, "LRU cache of pages that were shown.")
POSITION_CACHE_BYTES = _bytes(
    "reader.position-cache", 128 * MIB, "LRU cache of maps from selections to positions in texts."
)
