"""Options out of a configuration file and the environment: what comes first, and what is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

pytestmark = pytest.mark.engines(deep=True)


@pytest.fixture
def told(tmp_path: Path) -> Callable[[str | bytes], str]:
    """Return a function that writes a configuration and gives its path."""

    def write(text: str | bytes) -> str:
        path = tmp_path / "permacite.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


@pytest.mark.parametrize(
    ("typed", "variable", "file", "shown"),
    [
        ((), None, "lab.example.zz", "lab.example.zz"),
        ((), "env.example.zz", "lab.example.zz", "env.example.zz"),
        (("--series", "typed.example.zz"), "env.example.zz", "lab.example.zz", "typed.example.zz"),
        ((), None, None, "my.archive.zz"),
    ],
)
def test_what_is_typed_comes_first_then_the_environment_then_the_file(  # the default comes last
    cli: Callable[..., Outcome],
    told: Callable[[str | bytes], str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    typed: tuple[str, ...],
    variable: str | None,
    file: str | None,
    shown: str,
) -> None:
    if variable:
        monkeypatch.setenv("PERMACITE_INIT_SERIES", variable)
    path = told(f'[init]\nseries = "{file}"\n' if file else "")
    made = cli("--config", path, "init", str(tmp_path / "new"), *typed)
    assert made.status == 0, made.err
    assert shown in made.out + made.err


def test_the_file_names_the_archive_where_nothing_else_does(
    cli: Callable[..., Outcome],
    told: Callable[[str | bytes], str],
    monkeypatch: pytest.MonkeyPatch,
    archive: Path,
) -> None:
    monkeypatch.delenv("PERMACITE_ARCHIVE")
    monkeypatch.setenv(
        "PERMACITE_CONFIG", told(f'archive = "{Repository.at(archive)}"\n[list]\njson = true\n')
    )
    listed = cli("list")
    assert (listed.status, json.loads(listed.out)["documents"]) == (0, [])
    assert cli("--archive", "/nowhere", "list").status == 1


def test_check_lists_what_is_given_and_by_what(
    cli: Callable[..., Outcome], told: Callable[[str | bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERMACITE_SERVE_NAME", "a.example b.example")
    path = told('[serve]\nport = 8999\nname = ["c.example"]\n[token.add]\nscope = "save"\n')
    checked = cli("--config", path, "config", "check", "--json")
    assert checked.status == 0
    assert json.loads(checked.out) == {
        "given": [
            {"name": "serve.port", "value": 8999, "source": path},
            {
                "name": "serve.name",
                "value": ["a.example", "b.example"],
                "source": "PERMACITE_SERVE_NAME",
            },
            {"name": "token.add.scope", "value": "save", "source": path},
        ],
        "problems": [],
    }
    assert b"serve.port" in cli("config", "check", path).out.encode()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('archives = "x"', "archives: no command has that name; did you mean archive?"),
        ("archive = 3", "archive: expected the folder of an archive"),
        ("[sevre]\nport = 1", "sevre: no command has that name; did you mean serve?"),
        ("[serve]\nprot = 1", "serve.prot: serve has no option --prot; did you mean port?"),
        ("serve = 1", "serve: expected a table, [serve]"),
        ('[serve]\nport = "x"', "serve.port: 'x' is not a valid integer range"),
        ("[serve]\nport = [1, 2]", "serve.port: "),
        ("[serve]\nport = 70000", "serve.port: 70000 is not in the range"),
        ("[serve]\nname = 1", "serve.name: "),
        ("[serve.port]\na = 1", "serve.port: "),
        ("[token.ad]\nscope = 1", "token.ad: token has no command ad; did you mean add?"),
        ("[serve]\nport = 1\nport = 2", "expected TOML in UTF-8"),
        ("[serve", "expected TOML in UTF-8"),
        (b"\xff\xfe", "expected TOML in UTF-8"),
        ("a = " + "[" * 5000, "expected TOML in UTF-8"),
        ("# " + "x" * (1 << 20), "expected a configuration, at most"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_before_anything_is_done(
    cli: Callable[..., Outcome], told: Callable[[str | bytes], str], text: str | bytes, problem: str
) -> None:
    path = told(text)
    checked = cli("config", "check", path)
    assert (checked.status, problem in checked.err) == (2, True), checked.err
    assert path in checked.err
    assert "Traceback" not in checked.err
    command = ("token", "list") if "token" in problem else ("serve",)
    refused = cli("--config", path, *command)
    assert (refused.status, problem in refused.err) == (2, True), refused.err


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('forwarded-allow-ips = "127.0.0.1"', [["127.0.0.1"]]),
        ('forwarded-allow-ips = "127.0.0.1, unix"', [["127.0.0.1", "unix"]]),
        ('forwarded-allow-ips = ["127.0.0.1", "10.0.0.0/8"]', [["127.0.0.1"], ["10.0.0.0/8"]]),
        ('name = "a.example"', ["a.example"]),
        ('unix-mode = "600"', 0o600),
    ],
)
def test_one_text_is_an_array_of_one(
    cli: Callable[..., Outcome], told: Callable[[str | bytes], str], text: str, value: object
) -> None:
    checked = cli("config", "check", told(f"[serve]\n{text}\n"), "--json")
    assert (checked.status, json.loads(checked.out)["given"][0]["value"]) == (0, value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('forwarded-allow-ips = "localhost"', "expected an address, a network, or unix"),
        ('building = "unix"', "expected an address or a network: a socket is in no building"),
        ('unix-mode = "999"', "expected three digits such as 660"),
        ('base-path = "/../x"', "expected a path such as /archive"),
        ('metrics = "70000"', "expected a port, or an address and a port"),
        ("idle-seconds = 0", "0.0 is not in the range x>=0.1"),
    ],
)
def test_a_value_of_the_file_is_read_as_one_that_is_typed(
    cli: Callable[..., Outcome], told: Callable[[str | bytes], str], text: str, problem: str
) -> None:
    checked = cli("config", "check", told(f"[serve]\n{text}\n"))
    assert (checked.status, problem in checked.err) == (2, True), checked.err
    name, _, value = text.partition(" = ")
    typed = cli("serve", f"--{name}", value.strip('"'))
    assert (typed.status, problem in typed.err) == (2, True), typed.err


def test_a_misspelt_variable_is_told(
    cli: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERMACITE_LIST_JSN", "1")
    refused = cli("list")
    assert refused.status == 2
    assert "PERMACITE_LIST_JSN: list has no option --jsn; did you mean json?" in refused.err


def test_a_file_that_is_not_there_is_told(cli: Callable[..., Outcome]) -> None:
    assert cli("--config", "/nowhere/c.toml", "list").status == 2
    assert cli("config", "check", "/nowhere/c.toml").status == 2


def test_help_needs_nothing_of_the_file(
    cli: Callable[..., Outcome], told: Callable[[str | bytes], str]
) -> None:
    assert cli("--config", told("[serve"), "config", "--help").status == 0
