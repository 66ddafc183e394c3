"""Check a whole log: every hash, every checkpoint that was signed, every record behind an entry."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from permacite.archive.log.merkle import EMPTY, leaf_hash, node_hash
from permacite.archive.log.note import Checkpoint, Note
from permacite.archive.model import Finding
from permacite.errors import IntegrityError, ParseError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.catalog import Catalog, Leaf
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.log import Log

__all__ = ["audit", "audit_entry"]

_LOG = "log"


def audit(catalog: Catalog, log: Log) -> Iterator[Finding]:
    """Return what is wrong with the log, or one "ok".

    A log that was cut, reordered or rewritten does not lead to the checkpoints that were signed
    earlier; a record that was changed is not what its entry says.
    """
    clean = True
    for finding in _audit(catalog, log):
        clean = False
        yield finding
    if clean:
        yield Finding(_LOG, "ok", f"{catalog.log_size()} entries")


def audit_entry(catalog: Catalog, leaf: Leaf) -> str:
    """Say what is wrong with one entry; "" where it agrees with its hash and its records."""
    if leaf_hash(leaf.content) != leaf.hash:
        return f"entry {leaf.sequence} is not what its hash says"
    if catalog.rebuilt(leaf) != leaf.content:
        return f"entry {leaf.sequence} is not what the catalog says"
    return ""


def _audit(catalog: Catalog, log: Log) -> Iterator[Finding]:
    """Return all faults."""
    verifier = None
    try:
        verifier = log.verifier
    except StorageError as error:
        if error.reason != "missing":  # without the package, signatures go unchecked
            yield Finding(_LOG, "log", error.problem)
    signed = dict(catalog.checkpoints())
    tree = _Tree(catalog)
    counted: Counter[str] = Counter()
    for leaf in catalog.leaves():
        yield from _checkpoint_faults(signed.pop(tree.size, None), tree, verifier)
        if leaf.sequence != tree.size:
            yield Finding(_LOG, "log", f"entry {tree.size} is missing")
            return
        for problem in (audit_entry(catalog, leaf), tree.add(leaf)):
            if problem:
                yield Finding(_LOG, "log", problem)
        counted.update(_counts(leaf))
    yield from _checkpoint_faults(signed.pop(tree.size, None), tree, verifier)
    for size in sorted(signed):
        yield Finding(_LOG, "log", f"a checkpoint says {size} entries; there are {tree.size}")
    for table, count in catalog.committed().items():
        if counted[table] != count:
            detail = f"{count} rows of {table}, {counted[table]} in the log"
            yield Finding(_LOG, "log", detail)


def _checkpoint_faults(
    note: str | None, tree: _Tree, verifier: Verifier | None
) -> Iterator[Finding]:
    """Return what is wrong with the checkpoint of a tree, if there is one."""
    if note is None:
        return
    try:
        parsed = Note.parse(note)
        root = Checkpoint.parse(parsed.text).root
    except ParseError as error:
        yield Finding(_LOG, "log", f"checkpoint {tree.size}: {error.problem}")
        return
    if root != tree.root():
        yield Finding(_LOG, "log", f"checkpoint {tree.size} has another root than the entries")
    elif verifier is not None and not verifier.verifies(parsed):
        yield Finding(_LOG, "log", f"checkpoint {tree.size} is not signed by the log's key")


def _counts(leaf: Leaf) -> dict[str, int]:
    """Return how many rows of which tables an entry stands for."""
    try:
        entry = json.loads(leaf.content)
        formats = len(entry.get("formats", ()))
    except (ValueError, AttributeError, TypeError):
        return {}  # told already: it is not what the catalog says
    return {"version": int(entry.get("kind") == "version"), "representation": formats}


class _Tree:
    """A tree that grows leaf by leaf, beside the nodes that the catalog keeps."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._subtrees: list[tuple[int, bytes]] = []
        """Level and hash of the complete subtrees, left to right."""
        self.size = 0

    def add(self, leaf: Leaf) -> str:
        """Add a leaf; say what is wrong with the nodes that the catalog keeps above it."""
        problem = ""
        level, found = 0, leaf_hash(leaf.content)
        position = self.size
        while True:
            problem = problem or self._compare(level, position, found)
            if not self._subtrees or self._subtrees[-1][0] != level:
                break
            found = node_hash(self._subtrees.pop()[1], found)
            level, position = level + 1, position // 2
        self._subtrees.append((level, found))
        self.size += 1
        return problem

    def root(self) -> bytes:
        """Return the hash of the tree."""
        if not self._subtrees:
            return EMPTY
        found = self._subtrees[-1][1]
        for _, left in reversed(self._subtrees[:-1]):
            found = node_hash(left, found)
        return found

    def _compare(self, level: int, position: int, found: bytes) -> str:
        """Say whether the kept node is another."""
        try:
            kept = self._catalog.log_node(level, position)
        except IntegrityError as error:
            return error.problem
        return "" if kept == found else f"node {level}/{position} is not the hash of its leaves"
