"""The library: an archive from Python, with each name that programs call."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import typing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.engines import Repository

import permacite
from permacite import errors
from permacite.archive.administration import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.faces.conftest import Site

on_both = pytest.mark.engines(deep=True)
"""What opens an archive, rather than asks what its methods are."""

TEXT = b"The gauge read 214 cm at dawn.\nIt rained.\n"
SCRIPT = Path(__file__).parents[1] / "typing/library.py"
PACKAGES = ("errors", "extract", "fragments", "markup", "mhtml", "pdi", "uri")


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[permacite.Archive]:
    """A fresh archive, open."""
    with permacite.create(Repository.at(tmp_path / "archive"), series="lab.example.us") as opened:
        yield opened


@pytest.fixture
def text(archive: permacite.Archive) -> str:
    """The name of a text in it."""
    return archive.add(TEXT, name="report.txt").pdi


@on_both
@pytest.mark.parametrize("as_text", [True, False])
def test_an_archive_is_made_and_opened_where_it_is(tmp_path: Path, *, as_text: bool) -> None:
    location = str(tmp_path / "a") if as_text else Repository.at(tmp_path / "a")
    with permacite.create(location, series="lab.example.us") as made:
        name = made.add(TEXT, name="report.txt").pdi
    with permacite.open(location) as opened:
        assert isinstance(opened, permacite.Archive)
        assert opened.resolve(name).content == TEXT
    with pytest.raises(errors.ConflictError):
        permacite.create(location, series="lab.example.us")


def test_what_cannot_be_made_or_opened_is_told(tmp_path: Path) -> None:
    with pytest.raises(errors.ParseError):
        permacite.create(tmp_path / "a", series="no series")
    with pytest.raises(errors.StorageError, match="there is no folder"):
        permacite.open(tmp_path / "nowhere")


REFUSED = [
    # a location, the error, what is said
    ("postgresql://ann:secret@db.example.org/d?objects=/o", errors.ParseError, "a password"),
    ("s3://ann:secret@db.example.org/archive", errors.StorageError, "s3: is neither"),
]


@pytest.mark.parametrize(("location", "kind", "said"), REFUSED, ids=["password", "scheme"])
def test_a_location_that_is_refused_is_not_repeated(
    location: str, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said) as told:
        permacite.open(location)
    assert "secret" not in f"{told.value} {vars(told.value)}"


@on_both
def test_save(archive: permacite.Archive, site: Site) -> None:
    address = site.put("/page", "text/html", "<title>Tides</title><p>214 cm")
    saved = archive.save(address, via="auto", allow_private=True)
    assert archive.resolve(saved.pdi).title == "Tides"
    assert archive.save(address, via="http", allow_private=True).unchanged
    with pytest.raises(errors.CaptureError, match=r"private|loopback"):
        archive.save(address)


@on_both
def test_add(archive: permacite.Archive) -> None:
    saved = archive.add("Flut: höher".encode("latin-1"), name="a.txt", charset="iso-8859-1")
    assert archive.resolve(saved.pdi).charset == "windows-1252"
    page = archive.add(b"<p>x", name="page.html", uri="https://example.org/page")
    assert page.document.uri == "https://example.org/page"


@on_both
def test_cite(archive: permacite.Archive, text: str) -> None:
    cited = archive.cite(text, quote="214 cm")
    assert (cited.reference, cited.quote) == (f"{text}#char=15,21", "214 cm")
    assert cited.reference in cited.forms.markdown
    assert archive.cite(text, char="15,21").reference == cited.reference
    assert archive.cite(text, line="1,2").quote.strip() == "It rained."
    assert archive.cite(text, quote="a", nth=2).start == TEXT.index(b"a", TEXT.index(b"a") + 1)


@on_both
def test_resolve(archive: permacite.Archive, text: str) -> None:
    resolved = archive.resolve(f"{text}#char=15,21")
    assert (resolved.text, resolved.content, resolved.pdi) == ("214 cm", b"214 cm", text)
    assert resolved.exact == f"{text}#char=15,21"


@on_both
def test_verify(archive: permacite.Archive, text: str, tmp_path: Path) -> None:
    assert archive.verify(text).ok
    assert archive.verify().ok
    digest = archive.resolve(text).digest.partition(":")[2]
    (stored,) = [path for path in (tmp_path / "archive").rglob(digest) if path.is_file()]
    stored.chmod(0o600)
    stored.write_bytes(TEXT[:-1] + b"!")
    report = archive.verify(text)
    assert not report.ok
    assert [finding.kind for finding in report.bad] == ["altered"]


@on_both
def test_prove(archive: permacite.Archive, text: str, tmp_path: Path) -> None:
    (tmp_path / "proof.zip").write_bytes(archive.prove(f"{text}#char=15,21"))
    assert archive.proofs.proof(f"{text}#char=15,21").quote == "214 cm"
    command = [sys.executable, "-m", "permacite", "verify", str(tmp_path / "proof.zip")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "214 cm" in told


@on_both
def test_check(archive: permacite.Archive, site: Site) -> None:
    address = site.put("/page", "text/html", "<p>The gauge read 214 cm at dawn.")
    name = archive.save(address, allow_private=True).pdi
    archive.cite(name, quote="214 cm")
    assert [d.status for d in archive.drift.check(name, allow_private=True).passages] == [
        "verified"
    ]


@on_both
def test_list(archive: permacite.Archive, text: str) -> None:
    archive.add(b"other", name="other.txt")
    assert [item.title for item in archive.documents.list().documents] == [
        "report.txt",
        "other.txt",
    ]
    (newest,) = archive.documents.list("lab.example.us", limit=1, newest_first=True).documents
    assert newest.title == "other.txt"
    assert text.startswith(archive.documents.list().documents[0].pdi)


@on_both
def test_threads_share_an_archive(archive: permacite.Archive) -> None:
    def keep(number: int) -> str:
        name = archive.add(f"number {number}".encode(), name=f"{number}.txt").pdi
        return archive.resolve(archive.cite(name, char="7,8").reference).text or ""

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(keep, range(24))) == [str(number)[0] for number in range(24)]
    assert len({item.pdi for item in archive.documents.list().documents}) == 24


@on_both
def test_a_closed_archive_says_so(archive: permacite.Archive, text: str) -> None:
    archive.close()
    archive.close()
    uses: list[Callable[[], object]] = [
        lambda: archive.resolve(text),
        lambda: archive.add(TEXT, name="a.txt"),
        lambda: archive.cite(text, quote="214"),
        lambda: archive.verify(text),
        lambda: archive.prove(text),
        archive.documents.list,
    ]
    for use in uses:
        with pytest.raises(errors.StorageError, match="closed") as told:
            use()
        assert told.value.reason == "closed"


@on_both
def test_an_archive_says_which_it_is(archive: permacite.Archive, tmp_path: Path) -> None:
    where = place_of(Repository.at(tmp_path / "archive")).where
    assert repr(archive) == f"<Archive {where!r}>"
    archive.close()
    assert repr(archive) == f"<Archive {where!r}>"


def _public_methods() -> list[str]:
    members = inspect.getmembers(permacite.Archive, callable)
    return [name for name, _ in members if not name.startswith("_")]


@pytest.mark.parametrize("name", ["create", "open"])
def test_signatures_say_all(name: str) -> None:
    _assert_said(getattr(permacite, name))


@pytest.mark.parametrize("name", _public_methods())
def test_signatures_of_methods_say_all(name: str) -> None:
    _assert_said(getattr(permacite.Archive, name))


def _assert_said(function: Any) -> None:
    """Every parameter and the result have a type, and none of them is Any."""
    wanted = [p for p in inspect.signature(function).parameters if p not in {"self", "cls"}]
    hints = function.__annotations__
    assert [p for p in [*wanted, "return"] if p not in hints or "Any" in str(hints[p])] == []
    assert function.__doc__


def test_a_users_script_runs_and_its_types_hold(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), str(tmp_path / "archive")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told == "214 cm ['report.txt'] 0\n"


def test_the_name_alone_imports_nothing_else() -> None:
    """Not an archive, not a dataclass, not an expression."""
    code = "import sys, permacite; print(*sorted(n for n in sys.modules if 'permacite' in n))"
    told = _fresh(code)
    assert told.split() == ["permacite", "permacite.exports", "permacite.version"]


def test_every_name_is_there_and_typed() -> None:
    assert set(permacite.__all__) <= set(dir(permacite))
    for name in permacite.__all__:
        assert getattr(permacite, name) is not None
    for name in PACKAGES:
        assert getattr(permacite, name).__name__ == f"permacite.{name}"
    assert Path(permacite.__file__).with_name("py.typed").exists()
    assert typing.get_type_hints(permacite.create)["path"] == str | Path


WITHOUT_EXTRAS = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import permacite
from permacite import errors
from permacite.archive.administration import place_of
with permacite.create("archive", series="lab.example.us") as archive:
    name = archive.add(b"<p>214 cm", name="a.html").pdi
    cited = archive.cite(name, quote="214 cm")
    total = archive.documents.list().total
    print(archive.resolve(cited.reference).text, archive.verify().ok, total)
    for use in (lambda: archive.prove(name), lambda: archive.save("https://example.org/")):
        try:
            use()
        except errors.PermaciteError as error:
            print(error.hint)
"""


def test_the_bare_install_serves_and_names_the_extra_that_lacks(tmp_path: Path) -> None:
    extras = {
        "aiohttp", "av", "click", "cryptography", "httptools", "jinja2", "numpy", "PIL",
        "platformdirs", "pybase64", "re2", "rfc3161_client", "rich", "starlette", "uvicorn", "yarl",
    }  # fmt: skip
    told = _fresh(WITHOUT_EXTRAS.replace("{EXTRAS}", repr(extras)), cwd=tmp_path).splitlines()
    assert told[0] == "214 cm True 1"
    assert [line.rpartition("permacite")[2].strip("'") for line in told[1:]] == [
        "[archive]",
        "[capture]",
    ]


def _fresh(code: str, cwd: Path | None = None) -> str:
    """What a new Python prints."""
    source = str(Path(permacite.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": source}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=cwd, env=environment
    ).stdout
