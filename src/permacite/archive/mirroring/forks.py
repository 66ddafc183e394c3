"""Forks that a mirror was shown: the records keep what shows them, so that every machine refuses.

Nothing is taken, nor cosigned, while a fork counts. It counts until somebody says that the mirror
goes on past it, and again once it is shown again. What shows it is never taken away.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from permacite.archive.records import settings
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from permacite.archive.records.rows import Transaction
    from permacite.archive.records.session import Session

__all__ = ["FORKS", "PASSED", "check", "counting", "keep", "kept", "mark_passed"]

FORKS = "mirror forks"
"""The setting that holds what shows forks: texts with two checkpoints each, in a JSON object."""
PASSED = "mirror forks passed"
"""The names of those that do not count any more, in a JSON array."""


def kept(session: Session) -> dict[str, str]:
    """The texts that show forks, by their names; also of those that do not count."""
    return dict(settings.kept_json(session, FORKS) or {})


def counting(session: Session) -> list[str]:
    """The names of those that count."""
    names = kept(session)
    return [name for name in names if name not in _passed(session)] if names else []


def check(session: Session) -> None:
    """Raise IntegrityError where a fork counts."""
    if counting(session):
        raise IntegrityError(
            "the log was found forked: nothing is taken from it", expected="one log", actual="two"
        )


def keep(transaction: Transaction, texts: Mapping[str, str]) -> None:
    """Keep what shows forks, which count from now on. A text that is kept stays as it is."""
    session = transaction.connection
    known, passed = kept(session), _passed(session)
    if not texts.keys() <= known.keys():
        settings.set_setting(transaction, FORKS, json.dumps(dict(texts) | known))
    if not passed.isdisjoint(texts):
        _set_passed(transaction, passed - texts.keys())


def mark_passed(transaction: Transaction, names: Iterable[str]) -> None:
    """Let forks not count any more."""
    _set_passed(transaction, _passed(transaction.connection) | set(names))


def _passed(session: Session) -> set[str]:
    return set(settings.kept_json(session, PASSED) or ())


def _set_passed(transaction: Transaction, names: set[str]) -> None:
    settings.set_setting(transaction, PASSED, json.dumps(sorted(names)))
