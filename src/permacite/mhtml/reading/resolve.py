"""Resolution of references inside an aggregate: the part, and the reason (RFC 2557 §8).

    §8.2(c), (d) matching -> Resolver._by_location       §8.3 cid: -> Resolver._by_id
    §8.2(e) what no part satisfies -> kind "external"    §7 duplicate labels -> Resolver.defects
    RFC 2392 mid: -> Resolver._by_message

Deviations: None.
Readings: two profiles. "rfc" compares octets after resolution. "browser" tries that first; then the
forms that browsers compare (host case, default port, dot segments, escaped spaces), then a
Content-Location with a cid: URI, because browsers write it, and then, where no multipart/related
is around, the other parts of the message. A reference is compared with its fragment first, then
without. Percent escapes are decoded for Content-IDs only (RFC 2392 §2), after an attempt without.
A label is no proof of where content came from (§11.1), and a part of one message never satisfies
a reference of another.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.lazy_dataclass import dataclass
from permacite.mhtml.browser_urls import fully_escaped
from permacite.mhtml.reading import related
from permacite.mhtml.reading.base import Bases, octets_in
from permacite.mhtml.reading.part import defect_of
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.mhtml.mime.model import Defect
    from permacite.mhtml.reading.base import Found, MessageBase
    from permacite.mhtml.reading.part import BodyPart

__all__ = ["Kind", "MatchedBy", "Profile", "Resolution", "Resolver"]

Profile: TypeAlias = Literal["rfc", "browser"]
Kind: TypeAlias = Literal["part", "aggregate", "external", "none"]
"""A part; a nested or the whole aggregate; nothing here, but a URI; nothing at all."""
MatchedBy: TypeAlias = Literal["content-location", "content-id", "message-id", "same-document"]

_ESCAPE = compile_pattern(r"%([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a reference means. `uri` is its absolute form, `base` what it was relative to.

    `base_from` says where the base was found (RFC 2557 §5), `matched_by` and `label` by which label
    the part was found, `profile` how the two were compared. `kind` "none" is a reference that
    nothing can satisfy: it has no absolute form but one inside this message, and no part has that.
    """

    kind: Kind
    uri: str
    part: BodyPart | None
    base: str
    base_from: Found
    matched_by: MatchedBy | None = None
    label: str | None = None
    profile: Profile | None = None
    scope: BodyPart | None = None
    """The aggregate whose part it is."""
    defects: tuple[Defect, ...] = ()

    @property
    def root(self) -> BodyPart | None:
        """The part to show: that of the answer, or the root of the aggregate that it is."""
        return None if self.part is None else related.root_of(self.part)[0]

    def __str__(self) -> str:
        base = f"base {self.base} from {self.base_from}"
        if self.part is None:
            return f"{self.uri}: {self.kind} ({base})"
        how = f"by {self.matched_by} {self.label or ''}".rstrip()
        name = self.part.path or "the message"
        shown = (
            "" if self.root is self.part or self.root is None else f", shown by {self.root.path}"
        )
        faults = "".join(f"; {each.code}" for each in self.defects)
        return (
            f"{self.uri}: {self.kind} {name}{shown} {how}, profile {self.profile} ({base}){faults}"
        )


class _Labels:
    """The labels that references in one aggregate may match, with the first part of each."""

    def __init__(self, scope: BodyPart, members: Iterable[BodyPart], bases: Bases) -> None:
        self.scope = scope
        self.defects: list[Defect] = []
        self._bases = bases
        self.exact: dict[str, BodyPart] = {}
        self.plain: dict[str, BodyPart] = {}
        self.ids: dict[str, BodyPart] = {}
        self.cid_locations: dict[str, BodyPart] = {}
        self._browser: dict[str, BodyPart] | None = None
        self._located: list[tuple[BodyPart, MessageBase, str]] = []
        for part in members:
            self._add(part)
        self._add_location(scope, report=False)  # (§4.3) the aggregate itself, after its parts

    def _add(self, part: BodyPart) -> None:
        content_id = part.content_id
        if content_id and self.ids.setdefault(content_id, part) is not part:
            self.defects.append(defect_of(part, "duplicate-id", "Content-ID", content_id))
        self._add_location(part, report=True)

    def _add_location(self, part: BodyPart, *, report: bool) -> None:
        label = part.label
        if label is None or not label.octets:
            return
        octets = label.octets.decode("latin-1")
        if octets[:4].lower() == "cid:":
            self.cid_locations.setdefault(octets[4:].strip(), part)
            return
        base = self._bases.label_base(part)
        absolute, _ = base.resolve(octets)
        if absolute is None:
            return
        self._located.append((part, base, label.text))
        if self.exact.setdefault(absolute, part) is not part and report:
            self.defects.append(defect_of(part, "duplicate-label", "Content-Location", absolute))
        self.plain.setdefault(absolute.partition("#")[0], part)

    def browser(self, key: str) -> BodyPart | None:
        """The part that browsers find by a URL: as it is, without fragment, escaped."""
        if self._browser is None:
            self._browser = {}
            keys = [(base.browser_key(text), part) for part, base, text in self._located]
            for form in (str, _without_fragment, fully_escaped):
                for known, part in keys:
                    if known is not None:
                        self._browser.setdefault(form(known), part)
        for form in (str, _without_fragment, fully_escaped):
            shown = self._browser.get(form(key))
            if shown is not None:
                return shown
        return None


def _without_fragment(key: str) -> str:
    return key.partition("#")[0]


class Resolver:
    """The labels of all parts of one message, and the answers that they give."""

    def __init__(
        self, message: BodyPart, parts: tuple[BodyPart, ...], request_uri: str | None = None
    ) -> None:
        self._message = message
        self._parts = parts
        self.bases = Bases(request_uri)
        self._labels: dict[BodyPart, _Labels] = {}

    def defects(self) -> Iterator[Defect]:
        """Yield the labels that two parts of one aggregate share."""
        for part in dict.fromkeys((self._message, *self._parts)):
            if part.content_type == "multipart/related" and part.body_parts:
                yield from self._labels_of(part).defects

    def _labels_of(self, scope: BodyPart) -> _Labels:
        known = self._labels.get(scope)
        if known is None:
            known = _Labels(scope, related.members_of(scope), self.bases)
            self._labels[scope] = known
        return known

    def resolve(self, reference: str, within: BodyPart, profile: Profile = "rfc") -> Resolution:
        """What `reference` means in the content of `within`. Never fails."""
        base = self.bases.content_base(within)
        absolute, same_document = base.resolve(octets_in(reference, within.charset))
        kind: Kind = "none" if absolute is None else _kind_outside(absolute)
        open_question = Resolution(kind, absolute or reference, None, base.text, base.found)
        if same_document:
            return _answer(open_question, within, "same-document")
        answer = None if absolute is None else self._as_rfc(open_question, within)
        if answer is None and profile == "browser":
            key = base.browser_key(reference, within.charset)
            answer = self._as_browser(open_question, key, within)
        return answer or open_question

    def _as_rfc(self, question: Resolution, within: BodyPart) -> Resolution | None:
        """The part whose label is, octet for octet, what is asked for."""
        scheme, _, rest = question.uri.partition(":")
        if scheme.lower() == "cid":
            return self._by_id(question, rest, within)
        if scheme.lower() == "mid":
            return self._by_message(question, rest, within)
        for scope in related.scopes_of(within):
            labels = self._labels_of(scope)
            document = question.uri.partition("#")[0]
            part = labels.exact.get(question.uri) or labels.plain.get(document)
            if part is not None:
                return _answer(question, part, "content-location", scope=scope)
        return None

    def _by_id(self, question: Resolution, wanted: str, within: BodyPart) -> Resolution | None:
        """Match a cid: URI against Content-IDs: verbatim, then decoded (RFC 2392 §2)."""
        wanted = wanted.partition("#")[0]
        for content_id in dict.fromkeys((wanted, _unescaped(wanted))):
            for scope in related.scopes_of(within):
                part = self._labels_of(scope).ids.get(content_id)
                if part is not None:
                    return _answer(question, part, "content-id", scope=scope)
        return None

    def _by_message(self, question: Resolution, wanted: str, within: BodyPart) -> Resolution | None:
        """Match a mid: URI against the message around, and a Content-ID inside (RFC 2392 §2)."""
        message_id, slash, content_id = wanted.partition("#")[0].partition("/")
        message = _message_of(within)
        own = message.message_id
        if own is None or own not in (message_id, _unescaped(message_id)):
            return None
        if slash:
            return self._by_id(question, content_id, within)
        return _answer(question, message, "message-id")

    # ------------------------------------------------------------ as browsers do

    def _as_browser(
        self, question: Resolution, key: str | None, within: BodyPart
    ) -> Resolution | None:
        """What browsers would find where octets did not match."""
        if key is None:
            return None
        kind = _kind_outside(key) if question.uri.partition(":")[0] != "thismessage" else "none"
        question = replace(question, uri=key, kind=kind, profile="browser")
        if key.startswith("cid:"):
            return self._by_cid_location(question, key.removeprefix("cid:"), within)
        for labels in self._browser_scopes(within):
            part = labels.browser(key)
            if part is not None:
                return _answer(question, part, "content-location", scope=labels.scope)
        return None

    def _by_cid_location(
        self, question: Resolution, wanted: str, within: BodyPart
    ) -> Resolution | None:
        """Match a cid: URI outside of an aggregate, or against a Content-Location."""
        for labels in self._browser_scopes(within):
            part = labels.ids.get(wanted) or labels.ids.get(_unescaped(wanted))
            if part is not None:
                return _answer(question, part, "content-id", scope=labels.scope)
            part = labels.cid_locations.get(wanted)
            if part is not None:
                tolerated = (defect_of(part, "cl-cid", "Content-Location"),)
                question = replace(question, defects=tolerated)
                return _answer(question, part, "content-location", scope=labels.scope)
        return None

    def _browser_scopes(self, within: BodyPart) -> Iterator[_Labels]:
        scopes = list(related.scopes_of(within)) or [_message_of(within)]
        return (self._labels_of(scope) for scope in scopes)


def _answer(
    question: Resolution, part: BodyPart, matched_by: MatchedBy, *, scope: BodyPart | None = None
) -> Resolution:
    """The answer to a question: a part, and the label that made it the answer."""
    labels = {
        "content-location": part.content_location,
        "content-id": part.content_id,
        "message-id": part.message_id,
    }
    defects = question.defects
    if scope is not None and scope.content_type != "multipart/related":
        defects = (*defects, defect_of(part, "outside-related"))
    nested = part.content_type == "multipart/related" and part.body_parts
    return replace(
        question,
        kind="aggregate" if nested else "part",
        part=part,
        matched_by=matched_by,
        label=labels.get(matched_by),
        profile=question.profile or "rfc",
        scope=scope,
        defects=defects,
    )


def _message_of(part: BodyPart) -> BodyPart:
    """The message that a part is in, which may itself be in another."""
    while not part.is_message and part.parent is not None:
        part = part.parent
    return part


def _kind_outside(absolute: str) -> Kind:
    """What a URI is that no part satisfies: of the world outside, or of nowhere."""
    return "none" if absolute.startswith("thismessage:/") else "external"


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda octet: chr(int(octet[1], 16)), text)
