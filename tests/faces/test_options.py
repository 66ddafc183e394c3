"""Options as values: one definition is read alike from words, from TOML and from JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from permacite.click_options import click_options
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.options import from_json, option, options_of
from permacite.web.serving.options import ServeOptions

if TYPE_CHECKING:
    from datetime import date


def _even(text: str) -> int:
    if not text.isdecimal() or int(text) % 2:
        raise ValueError(f"expected an even number, not {text!r}")
    return int(text)


@dataclass(frozen=True, slots=True)
class Sample:
    """Options of each kind."""

    title: str = option("A title.", "")
    many: tuple[str, ...] = option("Names.", (), name="name", is_repeatable=True)
    size_bytes: int = option("The size.", 3 << 20, name="size", shown=3, scale=1 << 20, least=1)
    wait_s: float = option("Seconds.", 1.5, name="wait", least=0.1, most=9)
    is_open: bool = option("Whether it is open.", default=False, name="open")
    cited: bool | None = option("Whether it is cited.", kind="flag", negative="not-cited")
    form: str = option("The form.", "a", choices=("a", "b"))
    since: date | None = option("The day.", kind="date")
    even: int = option("A number.", 2, shown="2", read=_even)
    file: str | None = option("A file.", kind="file", in_json=False)


def typed(*words: str) -> Sample:
    """What the command line makes of words. Raises UsageError."""
    values: list[Sample] = []

    @click.command()
    @click_options("sample", Sample)
    def command(sample: Sample) -> None:
        values.append(sample)

    command.main(list(words), standalone_mode=False)
    return values[0]


@pytest.mark.parametrize(
    ("words", "body"),
    [
        ((), {}),
        (("--title", "x", "--name", "a", "--name", "b"), {"title": "x", "many": ["a", "b"]}),
        (("--size", "7", "--wait", "2"), {"size_bytes": 7, "wait_s": 2}),
        (("--open", "--not-cited"), {"is_open": True, "cited": False}),
        (("--cited", "--form", "b"), {"cited": True, "form": "b"}),
        (("--since", "2026-11-21", "--even", "4"), {"since": "2026-11-21", "even": "4"}),
        (("--name", "a"), {"many": "a", "title": None}),
    ],
)
def test_what_is_typed_is_what_json_says(words: tuple[str, ...], body: dict[str, Any]) -> None:
    assert typed(*words) == from_json(Sample, body, str(body))


@pytest.mark.parametrize(
    ("words", "body", "problem"),
    [
        (("--size", "0"), {"size_bytes": 0}, "expected a number from 1 in `size_bytes`"),
        (("--size", "x"), {"size_bytes": "x"}, "expected a number from 1"),
        (("--size", "1.5"), {"size_bytes": 1.5}, "expected a number from 1"),
        (("--wait", "10"), {"wait_s": 10}, "expected a number from 0.1 to 9"),
        (("--title",), {"title": 3}, "expected text in the member `title`"),
        (("--form", "c"), {"form": "c"}, "expected one of a, b"),
        (("--since", "2026"), {"since": "2026"}, "expected a day such as 2026-11-21"),
        (("--even", "3"), {"even": "3"}, "expected an even number, not '3'"),
    ],
)
def test_what_one_refuses_the_other_refuses(
    words: tuple[str, ...], body: dict[str, Any], problem: str
) -> None:
    with pytest.raises(click.UsageError):
        typed(*words)
    with pytest.raises(ParseError, match=problem):
        from_json(Sample, body, str(body))


def test_a_file_of_this_machine_is_for_the_command_line() -> None:
    assert typed("--file", "/x").file is not None
    assert from_json(Sample, {"file": "/x"}, "").file is None


def test_help_says_what_the_definition_says() -> None:
    command = click.command()(click_options("options", ServeOptions)(lambda options: options))
    told = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    for _, each in options_of(ServeOptions):
        assert f"--{each.name}" in told
        assert each.help in told
