"""Check a whole log: every hash, every checkpoint that was signed, every record behind an entry."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from permacite.archive.entries import disclosed, hash_of, lenient, tokens
from permacite.archive.log import timestamps
from permacite.archive.log.agreement import (
    about,
    counted,
    entry_fault,
    erased,
    is_absent,
    is_mirror,
)
from permacite.archive.log.keys import KeyType
from permacite.archive.log.note import Checkpoint, Note
from permacite.archive.merkle import EMPTY, node_hash
from permacite.archive.model.answered import Finding
from permacite.archive.records import citations, leaves, statements, versions
from permacite.errors import IntegrityError, ParseError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.entries import Leaf
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.log import Log

__all__ = ["audit"]

_LOG = "log"
_PAGE = 200
_ERASED_WITH_THEIR_ROWS = {"assertion", "citation"}
"""Kinds of entries whose rows go when they are erased; those of versions and formats stay."""


def audit(catalog: Catalog, log: Log) -> Iterator[Finding]:
    """The faults of the log, or one "ok".

    A log that was cut, reordered or rewritten does not lead to the checkpoints that were signed
    earlier; a record that was changed is not what its entry says.
    """
    clean = True
    for finding in _audit(catalog, log):
        clean = False
        yield finding
    if clean:
        yield Finding(_LOG, "ok", f"{log.size()} entries")


def _problem(catalog: Catalog, leaf: Leaf) -> str:
    """Say what is wrong with one entry, also where what stands beside it cannot be read."""
    try:
        return catalog.read(entry_fault, leaf)
    except StorageError as error:
        return f"entry {leaf.sequence}{about(leaf)}: {error.problem}"


def _audit(catalog: Catalog, log: Log) -> Iterator[Finding]:
    """Return all faults."""
    verifiers: tuple[Verifier, ...] = ()
    try:
        verifiers = log.keys.verifiers
    except StorageError as error:
        if error.reason != "missing":  # without the package, signatures go unchecked
            yield Finding(_LOG, "log", error.problem)
    signed = dict(catalog.read(leaves.checkpoints))
    size, committed = catalog.read(counted)
    is_copied = catalog.read(is_mirror)
    tree = _Tree(log)
    rows: Counter[str] = Counter()
    for leaf in log.leaves():
        yield from _checkpoint_faults(signed.pop(tree.size, None), tree, verifiers)
        if leaf.sequence != tree.size:
            yield Finding(_LOG, "log", f"entry {tree.size} is missing")
            return
        for problem in (_problem(catalog, leaf), tree.add(leaf)):
            if problem:
                yield Finding(_LOG, "log", problem)
        if leaf.sequence < size and not (is_copied and catalog.read(is_absent, leaf)):
            rows.update(_counts(catalog, leaf))
    yield from _checkpoint_faults(signed.pop(tree.size, None), tree, verifiers)
    yield from _timestamp_faults(log)
    for size in sorted(signed):
        yield Finding(_LOG, "log", f"a checkpoint says {size} entries; there are {tree.size}")
    yield from _count_faults(catalog, log, committed, rows)


def _checkpoint_faults(
    note: str | None, tree: _Tree, verifiers: tuple[Verifier, ...]
) -> Iterator[Finding]:
    """The faults of the checkpoint of a tree, if there is one."""
    if note is None:
        return
    try:
        parsed = Note.parse(note)
        said = Checkpoint.parse(parsed.text)
    except ParseError as error:
        yield Finding(_LOG, "log", f"checkpoint {tree.size}: {error.problem}")
        return
    if (said.size, said.root) != (tree.size, tree.root()):
        yield Finding(_LOG, "log", f"checkpoint {tree.size} has another root than the entries")
    elif any(_signs_badly(verifier, parsed) for verifier in verifiers):
        yield Finding(_LOG, "log", f"checkpoint {tree.size} is not signed by the log's key")
    elif _has_strangers(parsed, verifiers):
        yield Finding(_LOG, "log", f"checkpoint {tree.size} has a signature of no key of the log")


def _signs_badly(verifier: Verifier, note: Note) -> bool:
    """Say whether a key's signature does not hold, or lacks; earlier notes lack that of ML-DSA."""
    required = verifier.key_type is KeyType.ED25519 or bool(verifier.signatures(note))
    return required and not verifier.verifies(note)


def _has_strangers(note: Note, verifiers: tuple[Verifier, ...]) -> bool:
    """Say whether a kept note bears what the log did not sign, where all its keys are at hand."""
    own = sum(len(verifier.signatures(note)) for verifier in verifiers)
    return len(verifiers) > 1 and own != len(note.signatures)


def _timestamp_faults(log: Log) -> Iterator[Finding]:
    """The faults of the time-stamps; whose they are is checked with a proof."""
    for stamped in log.checkpoints.timestamps():
        try:
            fault = timestamps.read(stamped.response).fault(stamped.note)
        except ParseError as error:
            fault = error.problem
        except StorageError:
            return  # without the package, time-stamps go unchecked
        if fault:
            yield Finding(_LOG, "log", f"checkpoint {stamped.size}: {fault}")


def _counts(catalog: Catalog, leaf: Leaf) -> dict[str, int]:
    """How many rows of which tables an entry stands for."""
    entry = lenient(leaf)
    kind = str(entry.get("kind"))
    if kind in _ERASED_WITH_THEIR_ROWS and None in catalog.read(erased, leaf.sequence):
        return {}
    return {kind: 1, "representation": len(tokens(entry))}


def _count_faults(
    catalog: Catalog, log: Log, committed: dict[str, int], logged: Counter[str]
) -> Iterator[Finding]:
    """Return the tables that have more rows than the log tells, or fewer, and the rows untold."""
    differing = [table for table, count in committed.items() if logged[table] != count]
    if differing:
        yield from _untold(catalog, log)
    for table in differing:
        detail = f"{committed[table]} rows of {table}, {logged[table]} in the log"
        yield Finding(_LOG, "log", detail)


def _untold(catalog: Catalog, log: Log) -> Iterator[Finding]:
    """Return the rows that no entry tells, by name."""
    names = list(_full_names(catalog))  # first: what is committed from now on is told
    logged = {name for leaf in log.leaves() for name in _names(_disclosed(catalog, leaf))}
    for name in names:
        if name not in logged:
            yield Finding(name, "log", "no entry of the log tells of it")
    for citation in catalog.read(citations.citations):
        if catalog.read(citations.leaf_of, citation) is None:
            yield Finding(citation.fragment, "log", "no entry of the log tells of this citation")
    for assertion in catalog.read(statements.assertions):
        if f"{assertion.subject} {assertion.predicate} {assertion.object}" not in logged:
            yield Finding(
                assertion.subject, "log", f"no entry of the log says its {assertion.predicate!r}"
            )


def _full_names(catalog: Catalog) -> Iterator[str]:
    """Return the names of all representations, a page of versions at a time."""
    place = 0
    while page := catalog.read(versions.everything, after=place, limit=_PAGE):
        place = page[-1][0]
        yield from (
            str(representation.pdi)
            for _, version in page
            for representation in version.representations
        )


def _names(entry: dict[str, object]) -> Iterator[str]:
    """The full names of representations that an entry tells of, or its statement."""
    if entry.get("kind") == "assertion":
        subject = entry.get("subject", entry.get("name"))
        yield f"{subject} {entry.get('predicate')} {entry.get('object')}"
    for token in tokens(entry):
        yield f"{entry.get('name')}.{token}.{entry.get('version')}"


def _disclosed(catalog: Catalog, leaf: Leaf) -> dict[str, object]:
    """Return all that an entry tells; where its openings are damaged, what it tells in clear."""
    entry = lenient(leaf)
    try:
        return entry | disclosed(entry, catalog.read(leaves.openings, leaf.sequence))
    except ValueError:
        return entry


class _Tree:
    """A tree that grows leaf by leaf, beside the nodes that the catalog keeps."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._subtrees: list[tuple[int, bytes]] = []
        """Level and hash of the complete subtrees, left to right."""
        self.size = 0

    def add(self, leaf: Leaf) -> str:
        """Add a leaf; say what is wrong with the nodes that the catalog keeps above it."""
        problem = ""
        level, node = 0, hash_of(leaf)
        position = self.size
        while True:
            problem = problem or self._compare(level, position, node)
            if not self._subtrees or self._subtrees[-1][0] != level:
                break
            node = node_hash(self._subtrees.pop()[1], node)
            level, position = level + 1, position // 2
        self._subtrees.append((level, node))
        self.size += 1
        return problem

    def root(self) -> bytes:
        """Return the hash of the tree."""
        if not self._subtrees:
            return EMPTY
        node = self._subtrees[-1][1]
        for _, left in reversed(self._subtrees[:-1]):
            node = node_hash(left, node)
        return node

    def _compare(self, level: int, position: int, node: bytes) -> str:
        """Say whether the kept node is another."""
        try:
            kept = self._log.node(level, position)
        except IntegrityError as error:
            return error.problem
        return "" if kept == node else f"node {level}/{position} is not the hash of its leaves"
