"""Trust policies: which logs count, and which witnesses must have seen a checkpoint of theirs.

C2SP tlog-policy (c2sp.org):
  Policy file syntax and structure -> `Policy.parse`
  Public key representation        -> `_key`
  Defining a log, a witness        -> `_log`, `_witness`
  Defining a witness group         -> `_group`
  Defining the quorum              -> `_quorum`, `Policy.judge`

Deviations: none.
Readings: logs sign by Ed25519 (type 1) or ML-DSA-44 (type 6), witnesses cosign by Ed25519 (type 4)
or ML-DSA-44. The last line ends in a newline too: a file that was cut short may say something else.
A threshold has no leading zeros. A file has at most 1 MB.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Self

from permacite.archive.log.keys import KeyType, Verifier
from permacite.archive.log.note import Checkpoint
from permacite.errors import LimitError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permacite.archive.log.note import Note

__all__ = ["Policy", "Verdict", "shown"]

_SPEC = "C2SP tlog-policy"
_MAX_BYTES = 1_000_000
_NONE = "none"
_CONTROLS = compile_pattern(r"[\x00-\x08\x0b-\x1f\x7f]")
_WORDS = compile_pattern(r"[^ \t]++")
_THRESHOLD = compile_pattern(r"[1-9][0-9]{0,6}")
_LOG_TYPES = (KeyType.ED25519, KeyType.ML_DSA_44)
_WITNESS_TYPES = (KeyType.COSIGNATURE, KeyType.ML_DSA_44)


@dataclass(frozen=True, slots=True)
class _Group:
    """It has witnessed what `threshold` of its members have: witnesses, and groups before it."""

    name: str
    threshold: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a policy says of a checkpoint."""

    fault: str
    """Why it does not count; "" where it does."""
    log: Verifier | None = None
    """The key of the policy by which the log signed."""
    witnesses: tuple[str, ...] = ()
    """Who cosigned, by the names in the policy, in its order."""

    @property
    def ok(self) -> bool:
        """Whether the checkpoint counts."""
        return not self.fault


@dataclass(frozen=True, slots=True)
class Policy:
    """Logs, witnesses, and the quorum of these that must have cosigned."""

    logs: tuple[Verifier, ...]
    """Empty where the reader knows the log from elsewhere."""
    witnesses: Mapping[str, Verifier]
    groups: tuple[_Group, ...]
    quorum: str
    """A witness, a group, or "none"."""

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a policy file. Raises ParseError, LimitError for one of more than 1 MB."""
        if len(data) > _MAX_BYTES:
            raise LimitError("the policy is too large", limit="policy_bytes", maximum=_MAX_BYTES)
        # Octets that are no UTF-8 stay what they are: names are compared, and never looked into.
        source = data.decode("utf-8", "surrogateescape")
        reader = _PolicyReader(source)
        for words in _lines(source):
            reader.read(words)
        if reader.quorum is None:
            raise ParseError("expected a quorum line: 'quorum NAME'", source, len(source), _SPEC)
        return cls(tuple(reader.logs), reader.witnesses, tuple(reader.groups), reader.quorum)

    def judge(self, note: Note, log: Verifier | None = None) -> Verdict:
        """Say whether a checkpoint counts; `log` is the log's key where the policy names none.

        Raises ParseError where `note` is none, StorageError as `Verifier.verifies`.
        """
        origin = Checkpoint.parse(note.text).origin
        logs = self.logs or (() if log is None else (log,))
        for key in (*logs, *self.witnesses.values()):
            if key.signatures(note) and not key.verifies(note):
                return Verdict(f"the signature of {key.label} does not hold")
        signer = next((key for key in logs if key.name == origin and key.signatures(note)), None)
        names = tuple(name for name, key in self.witnesses.items() if key.signatures(note))
        if signer is None:
            return Verdict(f"no log of the policy signed the checkpoint of {origin}", None, names)
        if self.quorum not in self._reached(names):
            witnesses = ", ".join(map(shown, names)) or "nobody"
            fault = f"the quorum {shown(self.quorum)!r} is not reached: cosigned by {witnesses}"
            return Verdict(fault, signer, names)
        return Verdict("", signer, names)

    def _reached(self, names: tuple[str, ...]) -> set[str]:
        """Return the witnesses and groups that have witnessed what `names` cosigned."""
        reached = {_NONE, *names}
        for group in self.groups:
            if sum(member in reached for member in group.members) >= group.threshold:
                reached.add(group.name)
        return reached


class _Word(NamedTuple):
    """An item of a line, and its place in the file."""

    text: str
    offset: int


def _lines(source: str) -> Iterator[list[_Word]]:
    """Return the items of every line that has any and is no comment. Raises ParseError."""
    bad = _CONTROLS.search(source)
    if bad is not None:
        problem = "a policy has no control characters but tab and newline"
        hint = "save it with plain newlines" if bad[0] == "\r" else ""
        raise ParseError(problem, source, bad.start(), f"{_SPEC}, Character set", hint=hint)
    if source and not source.endswith("\n"):
        raise ParseError(
            "expected a newline at the end of the last line", source, len(source), _SPEC
        )
    start = 0
    for line in source.split("\n"):
        words = [_Word(word[0], start + word.start()) for word in _WORDS.finditer(line)]
        if words and not words[0].text.startswith("#"):
            yield words
        start += len(line) + 1


@dataclass(slots=True)
class _PolicyReader:
    """What the lines up to some place define."""

    source: str
    logs: list[Verifier] = field(default_factory=list)
    witnesses: dict[str, Verifier] = field(default_factory=dict)
    groups: list[_Group] = field(default_factory=list)
    quorum: str | None = None
    _names: set[str] = field(default_factory=set)
    _members: set[str] = field(default_factory=set)
    _log_keys: set[bytes] = field(default_factory=set)
    _witness_keys: set[bytes] = field(default_factory=set)

    def read(self, words: list[_Word]) -> None:
        """Read one line. Raises ParseError."""
        keyword = words[0]
        if keyword.text == "log":
            self._log(words)
        elif keyword.text == "witness":
            self._witness(words)
        elif keyword.text == "group":
            self._group(words)
        elif keyword.text == "quorum":
            self._quorum(words)
        else:
            self._fail("expected 'log', 'witness', 'group' or 'quorum'", keyword)

    def _log(self, words: list[_Word]) -> None:
        """Read log <vkey> [<url>]."""
        self._count(words, 2, 3, "log VKEY [URL]")
        self.logs.append(self._key(words[1], _LOG_TYPES, self._log_keys))

    def _witness(self, words: list[_Word]) -> None:
        """Read witness <name> <vkey> [<url>]."""
        self._count(words, 3, 4, "witness NAME VKEY [URL]")
        name = self._new(words[1])
        self.witnesses[name] = self._key(words[2], _WITNESS_TYPES, self._witness_keys)

    def _group(self, words: list[_Word]) -> None:
        """Read group <name> all|any|<k> <name>..., of names on lines before it."""
        self._count(words, 4, len(words), "group NAME all|any|NUMBER NAME...")
        members = tuple(self._member(word) for word in words[3:])
        threshold = words[2]
        if threshold.text not in {"all", "any"} and not _THRESHOLD.fullmatch(threshold.text):
            self._fail("expected 'all', 'any' or a number", threshold)
        numbers = {"all": len(members), "any": 1}
        number = numbers.get(threshold.text) or int(threshold.text)
        if number > len(members):
            self._fail(f"expected at most {len(members)}, the number of members", threshold)
        self.groups.append(_Group(self._new(words[1]), number, members))

    def _quorum(self, words: list[_Word]) -> None:
        """Read quorum <name>, of a line before it, or quorum none; once."""
        self._count(words, 2, 2, "quorum NAME")
        if self.quorum is not None:
            self._fail("expected one quorum line", words[0])
        self.quorum = words[1].text if words[1].text == _NONE else self._known(words[1])

    def _key(self, word: _Word, types: tuple[KeyType, ...], seen: set[bytes]) -> Verifier:
        """Return a key of one of these types that no line of the kind gave before."""
        try:
            key = Verifier.parse(word.text)
        except ParseError as error:
            raise error.within(self.source, word.offset) from error
        if key.key_type not in types:
            wanted = " or ".join(f"{key_type.value}" for key_type in types)
            self._fail(f"expected a key of type {wanted}; this one has {key.key_type.value}", word)
        if key.public_key in seen:
            self._fail("an earlier line gave the same key", word)
        seen.add(key.public_key)
        return key

    def _new(self, word: _Word) -> str:
        """Return a name that is defined here, and nowhere before."""
        if word.text == _NONE:
            self._fail("'none' is no name for a witness or a group", word)
        if word.text in self._names:
            self._fail(f"{shown(word.text)!r} is defined already", word)
        self._names.add(word.text)
        return word.text

    def _known(self, word: _Word) -> str:
        """Return a name that was defined before."""
        if word.text not in self._names:
            self._fail(f"no line above defines {shown(word.text)!r}", word)
        return word.text

    def _member(self, word: _Word) -> str:
        """Return a name that was defined before, and is a member for the first time."""
        name = self._known(word)
        if name in self._members:
            self._fail(f"{shown(name)!r} is a member already: each can be one once", word)
        self._members.add(name)
        return name

    def _count(self, words: list[_Word], least: int, most: int, form: str) -> None:
        """Raise ParseError unless the line has so many items."""
        if len(words) < least:
            last = words[-1]
            end = _Word("", last.offset + len(last.text))
            self._fail(f"expected '{form}'", end)
        if len(words) > most:
            self._fail(f"expected no more than '{form}'", words[most])

    def _fail(self, problem: str, word: _Word) -> NoReturn:
        raise ParseError(problem, self.source, word.offset, _SPEC)


def shown(name: str) -> str:
    """Return a name as it can be printed: a mark stands for each octet that is no UTF-8."""
    return "".join(character if character.isprintable() else "\ufffd" for character in name)
