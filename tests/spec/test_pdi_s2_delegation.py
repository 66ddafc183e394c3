"""Delegation of series and intervals of dates (PDI §2.2, §2.3)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.earlier import unpack
from tests.engines import Repository

from permacite import pdi
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.records.statements import minters
from permacite.archive.statements import follow
from permacite.errors import CaptureError, ConflictError, LimitError, ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.statements import Delegations

pytestmark = pytest.mark.engines(deep=True)


@pytest.fixture
def delegations(tmp_path: Path) -> Iterator[Delegations]:
    """The delegations of an empty archive."""
    with Repository.create(tmp_path / "archive", series="example.us") as opened:
        yield opened.delegations


def name(series: str, day: str) -> pdi.PDI:
    """Return a name of a series with a date."""
    return pdi.PDI.make(series=series, date=day, unique_id=1)


def resolver(delegations: Delegations, series: str, day: str) -> str | None:
    """Return which resolver answers for a name."""
    found = delegations.resolver_of(name(series, day))
    return None if found is None else found.target


def test_pdi_31_a_delegation_covers_the_series_below(delegations: Delegations) -> None:
    """Clause pdi-31."""
    delegations.delegate("resolver", "example.us", "https://a/")
    delegations.delegate("resolver", "lab.example.us", "https://b/")
    assert resolver(delegations, "example.us", "2026/11/21") == "https://a/"
    assert resolver(delegations, "press.example.us", "2026/11/21") == "https://a/"
    assert resolver(delegations, "lab.example.us", "2026/11/21") == "https://b/"
    assert resolver(delegations, "deep.lab.example.us", "2026/11/21") == "https://b/"
    # Components are whole: a series that merely ends in the same letters is another one.
    assert resolver(delegations, "counterexample.us", "2026/11/21") is None
    assert [one.target for one in delegations.delegations("resolver", "x.lab.example.us")] == [
        "https://a/",
        "https://b/",
    ]


def test_pdi_33_the_shortest_interval_wins_and_then_the_latest(delegations: Delegations) -> None:
    """Clause pdi-33."""
    delegations.delegate("resolver", "example.us", "https://always/")
    delegations.delegate(
        "resolver", "example.us", "https://1997/", first=date(1997, 1, 1), last=date(1997, 12, 31)
    )
    delegations.delegate("resolver", "example.us", "https://since/", first=date(1997, 1, 1))
    assert resolver(delegations, "example.us", "1996/12/31") == "https://always/"
    assert resolver(delegations, "example.us", "1997/01/01") == "https://1997/"
    assert resolver(delegations, "example.us", "1997/12/31") == "https://1997/"
    assert resolver(delegations, "example.us", "1998/01/01") == "https://since/"
    delegations.delegate(
        "resolver", "example.us", "https://new/", first=date(1997, 1, 1), last=date(1997, 12, 31)
    )
    assert resolver(delegations, "example.us", "1997/06/01") == "https://new/"
    # The longer series wins over the shorter interval.
    delegations.delegate("resolver", "lab.example.us", "https://lab/")
    assert resolver(delegations, "lab.example.us", "1997/06/01") == "https://lab/"


def may_mint(delegations: Delegations, who: str, series: str, day: date) -> bool:
    """Whether somebody may mint: anybody may where nobody is named."""
    named = minters(delegations.delegations("minter", series), series, day)
    return not named or who in named


def test_pdi_32_who_may_mint(delegations: Delegations) -> None:
    """Clause pdi-32."""
    day = date(2026, 11, 21)
    assert may_mint(delegations, "anyone", "lab.example.us", day)
    delegations.delegate("minter", "example.us", "office")
    delegations.delegate("minter", "lab.example.us", "ann")
    delegations.delegate("minter", "lab.example.us", "bob", last=date(2026, 1, 1))
    delegations.delegate("minter", "lab.example.us", "eve")
    assert may_mint(delegations, "office", "press.example.us", day)
    assert not may_mint(delegations, "ann", "press.example.us", day)
    assert may_mint(delegations, "ann", "lab.example.us", day)
    assert may_mint(delegations, "eve", "lab.example.us", day)
    assert not may_mint(delegations, "office", "lab.example.us", day)
    assert not may_mint(delegations, "bob", "lab.example.us", day)
    assert may_mint(delegations, "bob", "lab.example.us", date(2025, 1, 1))
    assert not may_mint(delegations, "ann", "lab.example.us", date(2025, 1, 1))


def test_pdi_32_where_others_mint_nothing_is_minted_here(tmp_path: Path) -> None:
    """Clause pdi-32."""
    now = [datetime(2026, 11, 21, 12, tzinfo=UTC)]
    page = [NewRepresentation(b"x", "text/plain")]
    with Repository.create(tmp_path / "a", series="example.us", clock=lambda: now[0]) as archive:
        archive.settings.add_series("lab.example.us")
        made = archive.committer.commit(page, series="lab.example.us")
        archive.delegations.delegate(
            "minter", "lab.example.us", "Ann", first=date(2026, 11, 22), last=date(2026, 11, 23)
        )
        archive.committer.commit(page, series="lab.example.us")
        now[0] += timedelta(days=1)
        with pytest.raises(ConflictError, match=r"Ann mints in lab\.example\.us"):
            archive.committer.commit(page, series="lab.example.us")
        archive.committer.commit(page, series="example.us")
        assert archive.committer.commit(page, replaces=made.pdi).number == 2
        first, last = date(2026, 11, 22), date(2026, 11, 23)
        archive.delegations.delegate(
            "minter", "lab.example.us", "Example.us", first=first, last=last
        )
        archive.committer.commit(page, series="lab.example.us")
        archive.delegations.delegate("minter", "example.us", "office")
        with pytest.raises(ConflictError, match="office mints in example"):
            archive.committer.commit(page)
        now[0] += timedelta(days=2)
        with pytest.raises(ConflictError, match="office mints in lab"):
            archive.committer.commit(page, series="lab.example.us")
        assert {one.kind for one in archive.fixity.fsck()} == {"ok"}


def test_pdi_32_delegations_of_before_had_no_effect_and_have_none(tmp_path: Path) -> None:
    """Clause pdi-32."""
    directory, _ = unpack(tmp_path)
    Repository.adopt(directory)
    with Repository.open(directory, clock=lambda: datetime(2027, 3, 1, tzinfo=UTC)) as archive:
        (old,) = archive.delegations.delegations("minter", "press.lab.example.us")
        assert (old.binds, old.first) == (False, date(2027, 1, 1))
        page = [NewRepresentation(b"x", "text/plain")]
        archive.committer.commit(page, series=old.series)
        archive.delegations.delegate("minter", old.series, "ann", first=old.first, last=old.last)
        with pytest.raises(ConflictError, match="ann mints"):
            archive.committer.commit(page, series=old.series)


def test_pdi_33_delegations_are_checked(delegations: Delegations) -> None:
    """Clause pdi-33."""
    with pytest.raises(ParseError):
        delegations.delegate("resolver", "example", "https://a/")
    with pytest.raises(ParseError):
        delegations.delegate("resolver", "example.us", "")
    with pytest.raises(ParseError):
        delegations.delegate(
            "resolver", "example.us", "https://a/", first=date(2026, 1, 2), last=date(2026, 1, 1)
        )
    assert delegations.delegations("resolver") == []


WAYS = {
    "https://1/": "https://2/",
    "https://2/": "https://3/",
    "https://3/": "https://4/",
    "https://4/": "https://5/",
    "https://x/": "https://y/",
    "https://y/": "https://x/",
    "https://self/": "https://self/",
}


def test_pdi_52_a_chain_of_resolvers_has_three_hops_and_no_loop() -> None:
    """Clause pdi-52."""
    one = name("example.us", "2026/11/21")

    def ask(resolver: str, _: pdi.PDI) -> list[str]:
        return [WAYS[resolver]] if resolver in WAYS else []

    assert follow(one, ["https://5/"], ask) == ["https://5/"]
    assert follow(one, ["https://self/"], ask) == ["https://self/"]
    assert follow(one, ["https://2/"], ask) == [f"https://{n}/" for n in (2, 3, 4, 5)]
    with pytest.raises(LimitError):
        follow(one, ["https://1/"], ask)
    with pytest.raises(ConflictError, match="https://x/ -> https://y/ -> https://x/"):
        follow(one, ["https://x/"], ask)


def test_pdi_52_those_with_copies_are_asked_where_one_does_not_answer() -> None:
    """Clause pdi-52."""
    one = name("example.us", "2026/11/21")
    onward = {"https://a/": ["https://gone/", "https://copy/"]}

    def ask(resolver: str, _: pdi.PDI) -> list[str]:
        if resolver == "https://gone/":
            raise CaptureError("nobody is there", uri=resolver, reason="refused")
        return onward.get(resolver, [])

    assert follow(one, ["https://a/"], ask) == ["https://a/", "https://copy/"]
    assert follow(one, ["https://gone/", "https://copy/"], ask) == ["https://copy/"]
    with pytest.raises(CaptureError):
        follow(one, ["https://gone/"], ask)
    onward["https://copy/"] = ["https://gone/", "https://a/"]
    with pytest.raises(ConflictError, match="https://copy/ -> https://a/"):
        follow(one, ["https://a/"], ask)
