"""Every document is reached by paging: the pages put together are the whole list, once each.

For any archive, any pattern, any size of page, both directions, and while others commit.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines import Repository

from permacite import pdi
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.names import selection
from permacite.archive.records import listing
from permacite.archive.records.rows import Effort
from permacite.archive.records.statements import assertions_within
from permacite.errors import NotFoundError, ParseError
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.engines import Server

    from permacite.archive.model.answered import Version

pytestmark = pytest.mark.engines(deep=True)

SERIES = ("a.lab.zz", "b.lab.zz")
TYPES = {"html": "text/html", "png": "image/png", "pdf": "application/pdf"}
FIRST_DAY = datetime(2025, 12, 30, 12, tzinfo=UTC)


_FEWER = 20
"""By what examples are divided where a server has to make an archive for each."""


def law(
    **values: st.SearchStrategy[Any],
) -> Callable[[Callable[..., None]], Callable[[Server | None], None]]:
    """Make a test of what holds for all values: on a server of fewer of them."""

    def of(check: Callable[..., None]) -> Callable[[Server | None], None]:
        def test(engine: Server | None) -> None:
            examples = max(2, settings().max_examples // (1 if engine is None else _FEWER))
            settings(max_examples=examples)(given(**values)(check))()

        test.__doc__ = check.__doc__
        return test

    return of


@dataclass(frozen=True)
class Step:
    """One commit: a new document, or the next version of an earlier one, some days later."""

    series: str
    unique_id: str | None
    replaces: int | None
    formats: frozenset[str]
    days: int


STEPS = st.builds(
    Step,
    series=st.sampled_from(SERIES),
    unique_id=st.sampled_from([None, None, None, "report", "3"]),
    replaces=st.none() | st.integers(0, 20),
    formats=st.frozensets(st.sampled_from(sorted(TYPES)), min_size=1),
    days=st.sampled_from([0, 0, 0, 1, 31]),
)
FIELDS = st.tuples(
    st.sampled_from(SERIES),
    st.sampled_from(["*", "2025", "2026"]),
    st.sampled_from(["*", "12", "01"]),
    st.sampled_from(["*", "30", "31"]),
    st.sampled_from(["*", "*", "1", "3", "report"]),
    st.sampled_from([None, "*", "html", "pdf"]),
    st.sampled_from([None, "*", "1", "2"]),
)
EFFORTS = st.builds(
    Effort, rows=st.integers(1, 9), few=st.integers(0, 5), documents=st.integers(0, 20)
)


class Shelf:
    """An archive that is filled step by step."""

    def __init__(self, directory: Path) -> None:
        self.now = FIRST_DAY
        self.archive = Repository.create(directory, series=SERIES[0], clock=lambda: self.now)
        self.archive.settings.add_series(SERIES[1])
        self.versions: list[Version] = []

    def take(self, step: Step) -> None:
        """Commit one version; a unique id that is taken gives way to a serial number."""
        self.now += timedelta(days=step.days)
        new = [NewRepresentation(token.encode(), TYPES[token]) for token in sorted(step.formats)]
        if step.replaces is not None and self.versions:
            earlier = self.versions[step.replaces % len(self.versions)].pdi.document
            self.versions.append(self.archive.committer.commit(new, replaces=earlier))
            return
        taken = {(one.pdi.series, one.pdi.day, one.pdi.unique_id) for one in self.versions}
        day = f"{self.now:%d}"
        free = (tuple(step.series.split(".")), day, step.unique_id) not in taken
        unique_id = step.unique_id if free else None
        self.versions.append(
            self.archive.committer.commit(new, series=step.series, unique_id=unique_id)
        )

    def covered(self, fields: tuple[str | None, ...] | None, *, latest: bool) -> list[str]:
        """The names of the versions that a pattern covers, in the order of commit, one by one."""
        highest = {one.pdi.document: one.number for one in self.versions}
        return [
            short(one)
            for one in self.versions
            if (not latest or highest[one.pdi.document] == one.number) and covers(fields, one)
        ]


def covers(fields: tuple[str | None, ...] | None, version: Version) -> bool:
    """Whether a pattern covers a version, field by field."""
    if fields is None:
        return True
    *wanted, token, number = fields
    name = version.pdi
    given = (".".join(name.series), name.year, name.month, name.day, name.unique_id)
    return (
        all(one in {"*", other} for one, other in zip(wanted, given, strict=True))
        and (token in {None, "*"} or token in version.formats)
        and number in {None, "*", str(version.number)}
    )


def short(version: Version) -> str:
    """The document's name and the number of a version."""
    return f"{version.pdi.document} {version.number}"


def pattern(fields: tuple[str | None, ...] | None) -> pdi.PDI | pdi.PDIPattern | None:
    """The pattern with these fields."""
    if fields is None:
        return None
    *wanted, token, number = fields
    tail = "" if token is None else f".{token}" + ("" if number is None else f".{number}")
    value = pdi.parse(f"urn:pdi://{'/'.join(str(one) for one in wanted)}{tail}")
    assert isinstance(value, pdi.PDI | pdi.PDIPattern)
    return value


@contextmanager
def shelf(steps: list[Step]) -> Iterator[Shelf]:
    """An archive with these commits."""
    with tempfile.TemporaryDirectory() as folder:
        filled = Shelf(Path(folder) / "archive")
        with filled.archive:
            for step in steps:
                filled.take(step)
            yield filled
        Repository.drop(Path(folder) / "archive")


def _matching(fields: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """The same fields, without a version where there is no format to stand before it."""
    return (*fields[:-1], None) if fields[-2] is None else fields


@law(
    steps=st.lists(STEPS, max_size=14),
    meanwhile=st.lists(STEPS, max_size=4),
    fields=st.none() | FIELDS.map(_matching),
    limit=st.integers(1, 5),
    latest=st.booleans(),
    newest_first=st.booleans(),
)
def test_pages_are_the_whole_list_while_others_commit(
    *,
    steps: list[Step],
    meanwhile: list[Step],
    fields: tuple[str | None, ...] | None,
    limit: int,
    latest: bool,
    newest_first: bool,
) -> None:
    with shelf(steps) as filled:
        expected = filled.covered(fields, latest=latest)
        listed: list[str] = []
        after = until = None
        late = iter(meanwhile)
        while True:
            page = filled.archive.lists.page(
                pattern(fields),
                limit=limit,
                after=after,
                until=until,
                latest=latest,
                newest_first=newest_first,
            )
            assert len(page.items) <= limit
            listed += map(short, page.items)
            if page.next is None:
                break
            after, until = page.next, page.until
            for step in late:
                filled.take(step)
                break
        assert listed == (expected[::-1] if newest_first else expected)


@law(
    steps=st.lists(STEPS, max_size=14),
    fields=st.none() | FIELDS.map(_matching),
    limit=st.integers(1, 5),
    latest=st.booleans(),
    newest_first=st.booleans(),
    effort=EFFORTS,
)
def test_pages_are_the_whole_list_whatever_is_read_for_each(
    *,
    steps: list[Step],
    fields: tuple[str | None, ...] | None,
    limit: int,
    latest: bool,
    newest_first: bool,
    effort: Effort,
) -> None:
    with shelf(steps) as filled:
        expected = filled.covered(fields, latest=latest)
        ask = filled.archive._catalog.read  # noqa: SLF001 - the effort of a page is not for callers
        listed, pages = _paged(
            lambda after: ask(
                listing.stretch,
                selection(pattern(fields), latest=latest),
                after=after,
                until=len(filled.versions),
                limit=limit,
                newest_first=newest_first,
                effort=effort,
            )
        )
        assert listed == (expected[::-1] if newest_first else expected)
        assert pages <= len(steps) + 1


def _paged(stretch: Callable[[int | None], listing.Stretch]) -> tuple[list[str], int]:
    """All versions on the pages, and how many pages there are."""
    listed: list[str] = []
    after: int | None = None
    pages = 0
    while True:
        found = stretch(after)
        listed += [short(version) for _, version in found.versions]
        pages += 1
        if found.next is None:
            return listed, pages
        after = found.next[0]


@pytest.mark.engines
def test_a_list_goes_on_behind_any_version_that_is_here() -> None:
    step = Step(SERIES[0], None, None, frozenset({"html"}), 0)
    with shelf([step, step, step]) as filled:
        archive = filled.archive
        document = str(filled.versions[1].pdi.document)
        behind = archive.lists.page(limit=5, after=document)
        before = archive.lists.page(limit=5, until=document)
        assert [version.pdi for version in behind.items] == [filled.versions[2].pdi]
        assert [version.pdi for version in before.items] == [v.pdi for v in filled.versions[:2]]
        for unknown in (f"{document}9", f"{document}.html.2"):
            with pytest.raises(NotFoundError):
                archive.lists.page(limit=5, after=unknown)


DAY = "urn:pdi://a.lab.zz/2026/11/22/"
SUBJECTS = [
    *(f"{DAY}{tail}" for tail in ("1", "10", "1.html.1", "1.html.1#elt=0,1", "1.html.2", "x", "*")),
    f"{DAY}1.text.1@5=pdi://b.lab.zz/2026/11/22/1.text.1",
    "urn:pdi://b.lab.zz/2026/11/22/1",
    "urn:pdi://a.lab.zz/2026/*/*/*",
]


def belongs(name: str, subject: str) -> bool:
    """Whether a statement is about a name or what is below it, judged one by one."""
    value = pdi.parse(subject)
    if "*" in subject or "#" in name or "@" in name:
        return name == subject
    return pdi.covers(name, value.pdi if isinstance(value, pdi.CitationPDI) else value)


@law(
    said=st.lists(st.tuples(st.sampled_from(SUBJECTS), st.sampled_from(["a", "b"])), max_size=12),
    name=st.none() | st.sampled_from(SUBJECTS),
    predicate=st.sampled_from([None, "a"]),
    parts=st.booleans(),
    limit=st.integers(1, 5),
)
def test_pages_of_statements_are_all_that_is_said(
    *,
    said: list[tuple[str, str]],
    name: str | None,
    predicate: str | None,
    parts: bool,
    limit: int,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with Archive(Repository.create(Path(folder) / "archive", series=SERIES[0])) as service:
            for number, (subject, kind) in enumerate(said):
                service.annotations.statements.state(subject, kind, str(number))
            listed: list[str] = []
            after: str | None = None
            while True:
                page = service.annotations.statements.page(
                    name, predicate=predicate, parts=parts, limit=limit, after=after
                )
                assert len(page.items) <= limit
                listed += [one.object for one in page.items]
                if (after := page.next) is None:
                    break
            whole = service.annotations.statements.about(name, predicate=predicate, parts=parts)
        Repository.drop(Path(folder) / "archive")
        expected = [
            str(number)
            for number, (subject, kind) in enumerate(said)
            if predicate in {None, kind}
            and (name is None or (belongs(name, subject) if parts else name == subject))
        ]
        assert listed == expected == [one.object for one in whole]


@law(
    said=st.lists(st.sampled_from(SUBJECTS), max_size=12),
    ranges=st.lists(st.tuples(st.sampled_from(SUBJECTS), st.sampled_from(SUBJECTS)), max_size=2),
    limit=st.integers(1, 5),
    effort=EFFORTS,
)
def test_pages_of_statements_are_whole_whatever_is_read_for_each(
    *, said: list[str], ranges: list[tuple[str, str]], limit: int, effort: Effort
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Repository.create(Path(folder) / "archive", series=SERIES[0]) as archive,
    ):
        for number, subject in enumerate(said):
            archive.statements.state(subject, "a", str(number))
        ask = archive._catalog.read  # noqa: SLF001 - the effort of a page is not for callers
        listed: list[str] = []
        after: int | None = 0
        while after is not None:
            statements, after = ask(
                assertions_within, ranges, None, after=after, limit=limit, effort=effort
            )
            assert len(statements) <= limit
            listed += [one.object for one in statements]
    Repository.drop(archive.directory)
    assert listed == [
        str(number)
        for number, subject in enumerate(said)
        if not ranges or any(low <= subject < high for low, high in ranges)
    ]


@pytest.mark.engines
def test_a_page_of_statements_goes_on_behind_a_page_alone(tmp_path: Path) -> None:
    with Archive(Repository.create(tmp_path / "archive", series=SERIES[0])) as service:
        for after in ("", "-1", "1.5", "٣", "9" * 30):
            with pytest.raises(ParseError):
                service.annotations.statements.page(after=after)
