"""The table of limits: each has one line, and `config limits` prints them all."""

from __future__ import annotations

import json

from click.testing import CliRunner

from permacite import limits
from permacite.cli.commands import main


def test_each_constant_is_a_line_of_the_table() -> None:
    sizes = {"KIB", "MIB", "TYPE_CHECKING"}
    public = [name for name in vars(limits) if name.isupper() and name not in sizes]
    assert len([name for name in public if name[0] != "_"]) == len(list(limits.list_limits()))


def test_each_limit_has_one_sentence() -> None:
    for limit in limits.list_limits():
        assert limit.about.endswith(".")
        assert limit.about[0].isupper()
        assert limit.value > 0


def test_the_command_prints_all() -> None:
    printed = CliRunner().invoke(main, ["config", "limits", "--json"]).output
    assert [row["name"] for row in json.loads(printed)] == [
        limit.name for limit in limits.list_limits()
    ]
    told = CliRunner().invoke(main, ["config", "limits"]).output
    assert "server.upload" in told
    assert "200 MiB" in told


def test_units_are_shown() -> None:
    shown = {limit.name: limit.shown for limit in limits.list_limits()}
    assert shown["server.head-bytes"] == "64 KiB"
    assert shown["server.search-index"] == "0.5 seconds"
    assert shown["server.connections"] == "2,000"
