"""Inert tags: the attributes that stay, and the elements that change, in a page that runs nothing.

A tag that needs no change stays byte for byte as it is. One that does is written again, with every
value in quotation marks and nothing in it that any state of a tokenizer could take for markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass
from permacite.markup.names import VOID
from permacite.mhtml.export.supply import NOTHING, EmbeddedContent
from permacite.mhtml.links import in_srcset
from permacite.mhtml.links_table import ATTRIBUTES, PAINT, link_relation
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from permacite.markup import EndTag, StartTag
    from permacite.mhtml.export.supply import Styles, Supply
    from permacite.mhtml.reading.part import BodyPart

__all__ = ["Elements", "InertDocument", "Links", "escape", "get", "start_tag"]

Values = list[tuple[str, str | None]]
"""Attributes in order; None: a name without a value."""

_ESCAPED = {ord(sign): f"%{ord(sign):02X}" for sign in "%&+#;"}
"""What would end or change a value in a query."""

_ODD = compile_pattern(r"[\x00-\x20\"'<>/=`\x7f]")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DROPPED = _names(
    "action archive attributionsrc autofocus autoplay base classid code codebase datasrc dynsrc "
    "formaction imagesrcset imagesizes integrity lowsrc manifest nonce ping pluginspage pluginurl "
    "profile srcdoc"
)
"""Attributes that send, fetch, run or take the reader away by themselves."""

_LEADING_ELSEWHERE = _names("download rel target")
"""Attributes of a link that say where it opens, and to whom."""

_FETCHING = _names("src srcset href poster data background")
_SHOWN = _names("image media track svg")
_ANIMATION = _names("animate animatemotion animatetransform set discard")
_ANIMATED_VALUES = _names("to from by values attributename")
_SCRIPT = compile_pattern(r"script[\x00-\x20]*+:|href|\Aon")


def escape(text: str) -> str:
    """Text escaped for an attribute value or between tags."""
    # Most of what comes here is long and holds none of these: four searches, and no copy.
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return text.replace(">", "&gt;").replace('"', "&quot;")


def is_odd(name: str) -> bool:
    """Whether a name holds what another reading could take for more than a name."""
    return _ODD.search(name) is not None


def start_tag(name: str, values: Iterable[tuple[str, str | None]], *, closed: bool = False) -> str:
    """Write a start tag."""
    written = "".join(
        f" {key}" if value is None else f' {key}="{escape(value)}"' for key, value in values
    )
    return f"<{name}{written}{' /' if closed else ''}>"


def get(tag: StartTag, name: str) -> str | None:
    """The value that an attribute will have in HTML, which knows no case; None: absent."""
    return next((each.value for each in tag.attributes if each.name.lower() == name), None)


@dataclass(frozen=True, slots=True)
class Links:
    """Where the links of a document lead."""

    follow: str = ""
    """What stands before the address that a link leads to, escaped; "": links stay links."""
    own: str = ""
    """The address of the document itself, before `#` and a place in it."""

    def to(self, address: str) -> str:
        """Where a link leads that led to an absolute address."""
        return self.follow + address.translate(_ESCAPED) if self.follow else address

    def within(self, fragment: str) -> str:
        """Where a link leads that leads to a place in the same document."""
        return f"{self.own}{fragment}"


@dataclass(frozen=True, slots=True)
class InertDocument:
    """A document that is being made inert: where it is, and what it may use.

    References in it are resolved within `part`. `scripts`: whether its own scripts are kept.
    """

    supply: Supply
    styles: Styles
    part: BodyPart
    links: Links
    xml: bool
    scripts: bool


class Attributes:
    """The harmless attributes of the tags of one document."""

    def __init__(self, document: InertDocument) -> None:
        self._scripts = document.scripts
        self._supply = document.supply
        self._styles = document.styles
        self._part = document.part
        self._links = document.links

    def harmless(self, tag: StartTag, element: str) -> tuple[Values, bool]:
        """The attributes that stay, with their values, and whether any has changed."""
        values: Values = []
        changed = False
        follow = self._links.follow if element != "link" else ""
        for attribute in tag.attributes:
            name = attribute.name.lower()
            key = name.rpartition(":")[2]
            is_handler = (key.startswith("on") or name.startswith("on")) and not self._scripts
            is_gone = key in _DROPPED or (follow and key in _LEADING_ELSEWHERE)
            if is_odd(attribute.name) or is_gone or is_handler:
                changed = True
                continue
            value = None if attribute.quote is None else attribute.value
            kept = value and self._value(element, key, value)
            if kept is None and value:
                changed = True
                continue
            changed = changed or kept != value
            values.append((attribute.name, kept))
        if follow and any((value or "").startswith(follow) for _, value in values):
            values += [("target", "_blank"), ("rel", "noopener")]
        return values, changed

    def _value(self, element: str, key: str, value: str) -> str | None:
        """The value that is to stand for `value`; None: the attribute goes."""
        if key == "style" or key in PAINT:
            return self._styles.inlined(value, self._part)
        if element in _ANIMATION and key in _ANIMATED_VALUES:
            return None if _SCRIPT.search(value.lower()) else value
        role, kind = ATTRIBUTES.get((element, key), (None, None))
        if role == "navigate" or (role is None and key in ("href", "cite", "longdesc")):
            leads = key == "href" and element != "link"
            return self._link(value) if leads else self._supply.absolute(value, self._part)
        if kind in _SHOWN or (element, key) == ("input", "src"):
            return self._shown(element, key, value)
        return None if key in _FETCHING else value

    def _link(self, reference: str) -> str | None:
        """Where a link that people click leads; None: nowhere."""
        address = self._supply.absolute(reference, self._part)
        if address is None:
            return None
        if address.startswith("#"):
            return self._links.within(address)
        fragment = address.partition("#")[2]
        if self._links.follow and fragment and self._supply.is_own(reference, self._part):
            return self._links.within(f"#{fragment}")
        return self._links.to(address)

    def _shown(self, element: str, key: str, value: str) -> str | None:
        """A `data:` URI, or several. SVG may show parts of its own (`<use href="#x">`)."""
        if key == "srcset":
            return self._srcset(value)
        if value.startswith("#") and key == "href":
            return value
        if ATTRIBUTES.get((element, key)) == ("embed", "svg"):
            # Browsers take no part of a drawing from a `data:` URI.
            if self._supply.find(value, self._part) is not None:
                self._supply.leave_out(value, self._part)
            return None
        return self._supply.embed(value, self._part)

    def _srcset(self, value: str) -> str | None:
        """The candidates that can be shown; None where there is none."""
        candidates: list[str] = []
        places = list(in_srcset(value))
        ends = [start for start, _ in places[1:]] + [len(value)]
        for (start, end), behind in zip(places, ends, strict=True):
            uri = self._supply.embed(value[start:end], self._part)
            descriptors = value[end:behind].strip(" \t\n\f\r,")
            if uri != NOTHING:
                candidates.append(f"{uri} {descriptors}".strip())
        return ", ".join(candidates) or None


_HARMLESS_RELATIONS = frozenset(
    ("alternate", "author", "bookmark", "canonical", "copyright", "help", "license", "me", "tag")
)
_HARMLESS_PRAGMAS = frozenset({"content-language", "default-style", "x-ua-compatible"})
_GONE = frozenset({"base", "noscript"})
_TRACK = compile_pattern(r"([0-9]+(?:\.[0-9]*)?)?(%|\*)?")
_FOLLOW = "data-permacite-follow"
"""Says where the document in a frame is found by itself."""
_FRAME_STYLE = "border:0;width:100%;height:100%;min-width:0;min-height:0"


class _TagWriter:
    """Start tags with harmless attributes only."""

    def __init__(self, document: InertDocument) -> None:
        self._attributes = Attributes(document)
        self._xml = document.xml

    def kept(self, tag: StartTag, name: str) -> str | None:
        """The tag with the attributes that may stay; None: the tag itself."""
        values, changed = self._attributes.harmless(tag, name)
        written = self.written_name(tag)
        if not changed and written == tag.name and "<" not in tag.source[tag.start + 1 : tag.end]:
            return None
        return start_tag(written, values, closed=tag.self_closing)

    def changed(
        self, tag: StartTag, name: str, new_name: str | None = None, **values: str | None
    ) -> str:
        """The tag with its harmless attributes, and with some given values (None: without)."""
        kept, _ = self._attributes.harmless(tag, name)
        kept = [(key, value) for key, value in kept if key.lower() not in values]
        kept += [(key, value) for key, value in values.items() if value is not None]
        return start_tag(new_name or self.written_name(tag), kept)

    def written_name(self, tag: StartTag | EndTag) -> str:
        """The name of a tag in HTML, which knows no prefixes."""
        return tag.name.rpartition(":")[2] if self._xml else tag.name


class _Frames:
    """Frames: each shows a document that `frame` makes, framesets become grids."""

    def __init__(
        self, document: InertDocument, tags: _TagWriter, frame: Callable[[StartTag], str]
    ) -> None:
        self._document = document
        self._tags = tags
        self._frame_document = frame
        self._sandbox = _sandbox(scripts=document.scripts, popups=bool(document.links.follow))
        self._framesets = 0

    def frame(self, tag: StartTag, name: str) -> str:
        """An `iframe` for an `iframe` or a `frame`."""
        inner = self._frame_document(tag)
        style = _FRAME_STYLE if name == "frame" else get(tag, "style")
        values: dict[str, str | None] = {"src": None, "allow": None, "sandbox": self._sandbox}
        values[_FOLLOW] = _followed(tag, self._document)
        if style is not None:
            values["style"] = self._document.styles.inlined(style, self._document.part)
        return self._tags.changed(tag, name, "iframe", **values, srcdoc=inner) + "</iframe>"

    def begin_set(self, tag: StartTag, _: str) -> str:
        """A grid in place of a set of frames."""
        tracks = f"grid-template:{_tracks(get(tag, 'rows'))}/{_tracks(get(tag, 'cols'))}"
        place = "min-width:0;min-height:0" if self._framesets else "position:fixed;inset:0"
        self._framesets += 1
        return start_tag("div", [("style", f"display:grid;{tracks};{place}")])

    def end_set(self) -> None:
        """Take note that a set of frames ends."""
        self._framesets = max(0, self._framesets - 1)


class _PlugIns:
    """Elements for plug-ins: those that show a picture become `img`."""

    def __init__(self, document: InertDocument, tags: _TagWriter) -> None:
        self._supply, self._part, self._xml = document.supply, document.part, document.xml
        self._tags = tags
        self._objects: list[bool] = []
        """For each open `object` whether it became a picture."""

    def object(self, tag: StartTag, name: str) -> str | None:
        """What is written for an `object`."""
        source = get(tag, "data")
        uri = self._picture(source) if source is not None else None
        if uri is None:
            written = self._tags.changed(tag, name, data=None, type=None)
        else:
            written = self._tags.changed(tag, name, "img", data=None, type=None, src=uri)
        if self._xml and tag.self_closing:
            return written
        self._objects.append(uri is not None)
        # The content of an `object` that became a picture is not shown: a template keeps it.
        return written if uri is None else written + "<template>"

    def end_object(self) -> bool:
        """End an `object`; whether it became a picture."""
        return bool(self._objects) and self._objects.pop()

    def embed(self, tag: StartTag, name: str) -> str | None:
        """What is written for an `embed`."""
        source = get(tag, "src")
        uri = self._picture(source) if source is not None else None
        if uri is None:
            return self._tags.changed(tag, name, src=None, type=None)
        return self._tags.changed(tag, name, "img", type=None, src=uri)

    def _picture(self, reference: str) -> str | None:
        """A `data:` URI if the reference names an image, else None."""
        target = self._supply.find(reference, self._part)
        if target is None:
            return None
        media_type = (
            target.media_type if isinstance(target, EmbeddedContent) else target.content_type
        )
        if not media_type.startswith("image/"):
            self._supply.leave_out(reference, self._part)
            return None
        uri = self._supply.embed(reference, self._part)
        return None if uri == NOTHING else uri


class Elements:
    """The inert form of each tag of one document.

    `frame` makes the document that a frame shows, of a reference or of the markup in `srcdoc`.
    """

    def __init__(self, document: InertDocument, frame: Callable[[StartTag], str]) -> None:
        self.document = document
        self._xml = document.xml
        self._tags = _TagWriter(document)
        self._frames = _Frames(document, self._tags, frame)
        self._plug_ins = _PlugIns(document, self._tags)
        self._special: dict[str, Callable[[StartTag, str], str | None]] = {
            "applet": self._tags.kept,
            "embed": self._plug_ins.embed,
            "frame": self._frames.frame,
            "frameset": self._frames.begin_set,
            "iframe": self._frames.frame,
            "link": self._link,
            "meta": self._meta,
            "object": self._plug_ins.object,
            "script": self._script,
            "xmp": self._preformatted,
            "plaintext": self._preformatted,
        }

    def start(self, tag: StartTag, name: str, *, foreign: bool) -> str | None:
        """What is written for a start tag; None: the tag itself.

        `name` is the name of the tag, local and in lower case.
        """
        if is_odd(tag.name) or name in _GONE:
            return ""
        written = self._special.get(name, self._tags.kept)(tag, name)
        if not self._xml or foreign or not tag.self_closing or name in VOID or written == "":
            return written
        # In HTML a slash closes nothing.
        return (written or self._tags.changed(tag, name)) + f"</{self._tags.written_name(tag)}>"

    def end(self, tag: EndTag, name: str) -> str | None:
        """What is written for an end tag; None: the tag itself."""
        if is_odd(tag.name) or name in _GONE or name in ("iframe", "frame"):
            return ""
        if (name == "script" and not self.document.scripts) or (self._xml and name in VOID):
            return ""
        if name == "frameset":
            self._frames.end_set()
        written = {"xmp": "pre", "plaintext": "pre", "frameset": "div"}.get(name)
        if name == "object" and self._plug_ins.end_object():
            written = "template"
        raw = tag.source[tag.start : tag.end]
        plain_name = self._tags.written_name(tag)
        if written is None and "<" not in raw[1:] and plain_name == tag.name:
            return None
        return f"</{written or plain_name}>"

    def _script(self, tag: StartTag, name: str) -> str | None:
        if not self.document.scripts:
            return ""
        source = get(tag, "src")
        if source is None:
            return None
        src = self.document.supply.embed(source, self.document.part)
        return self._tags.changed(tag, name, src=src)

    def _link(self, tag: StartTag, name: str) -> str | None:
        relation, href = get(tag, "rel") or "", get(tag, "href")
        _, kind = link_relation(relation)
        if href is None:
            return ""
        document = self.document
        if kind == "stylesheet":
            return self._tags.changed(tag, name, href=document.styles.sheet(href, document.part))
        if kind == "icon":
            return self._tags.changed(tag, name, href=document.supply.embed(href, document.part))
        names = relation.lower().split()
        is_harmless = bool(names) and kind == "link" and _HARMLESS_RELATIONS.issuperset(names)
        return self._tags.kept(tag, name) if is_harmless else ""

    def _meta(self, tag: StartTag, name: str) -> str | None:
        pragma, named = get(tag, "http-equiv"), get(tag, "name") or ""
        if pragma is not None and pragma.strip().lower() not in _HARMLESS_PRAGMAS:
            return ""
        if get(tag, "charset") is not None or named.strip().lower() == "referrer":
            return ""
        return self._tags.kept(tag, name)

    def _preformatted(self, tag: StartTag, name: str) -> str | None:
        # A `pre` drops the line end after its start tag, the other two do not.
        keeps = tag.source[tag.end : tag.end + 1] in ("\r", "\n")
        return self._tags.changed(tag, name, "pre") + ("\n" if keeps else "")


def _followed(tag: StartTag, document: InertDocument) -> str | None:
    """The address that a reader follows the document in a frame to; None: none."""
    source = get(tag, "src")
    if not document.links.follow or not source or get(tag, "srcdoc") is not None:
        return None
    address = document.supply.absolute(source, document.part)
    is_page = address is not None and not address.startswith("#")
    return document.links.to(address) if address and is_page else None


def _sandbox(*, scripts: bool, popups: bool) -> str:
    """What a frame in the page may do: a link that is to be followed opens a window of its own."""
    flags = ["allow-scripts"] if scripts else []
    return " ".join(flags + (["allow-popups", "allow-popups-to-escape-sandbox"] if popups else []))


def _tracks(lengths: str | None) -> str:
    """The rows or columns of a frameset (HTML 4.01 §16.2.1, MultiLengths) as grid tracks."""
    tracks: list[str] = []
    for length in (lengths or "*").split(",")[:100]:
        track = _TRACK.fullmatch(length.strip())
        number, unit = track.groups() if track else (None, "*")
        unit = {"%": "%", "*": "fr"}.get(unit or "", "px")
        tracks.append(f"minmax(0,{number or 1}{unit})" if unit == "fr" else f"{number or 0}{unit}")
    return " ".join(tracks)
