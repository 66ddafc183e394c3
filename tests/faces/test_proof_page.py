"""A proof as a page: it checks itself in a browser without a network, and `verify` takes it too.

Each alteration is one that a forger or a bad disk could make: of the proof in the page, of what the
page shows, of what it says of itself. None of them may end in the sentence that says it agrees.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import random
import re
import subprocess
import tomllib
import zipfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository

import permacite
from permacite.archive.log.bundles import writing
from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import PermaciteError
from permacite.service.proofs.proofs import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.engines(deep=True)

PAGE = """<!doctype html><meta charset="utf-8"><title>Tides</title>
<p>The harbour is closed until noon, caf\u00e9 and all. Ships wait.</p>""".encode()
GOLDEN = Path(__file__).parents[1] / "golden/proof/passage-1.html"
"""A page of the first edition as it was written once. What was given out is never changed."""
PAGES = Path(permacite.__file__).parent / "archive/log/bundles/pages"
_PROOF = re.compile(r'(<script type="application/zip" id="proof">\n)(.*?)(\n</script>)', re.DOTALL)


@pytest.fixture(scope="module")
def cited(
    engine: object, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Archive, str]]:
    """An archive, and a citation in it."""
    assert engine is Repository.engine
    folder = tmp_path_factory.mktemp("proofs") / "archive"
    with Archive.create(folder, series="lab.example.us") as archive:
        page = archive.add(PAGE, name="page.html")
        yield archive, archive.cite(page.pdi, quote="closed until noon, caf\u00e9").reference


@pytest.fixture(scope="module")
def proofs(cited: tuple[Archive, str]) -> dict[str, str]:
    """Pages of proofs, by what they prove."""
    archive, reference = cited
    octets = archive.add(bytes(range(256)), name="octets.bin")
    return {
        "words": archive.prove(reference, html=True).decode(),
        "octets": archive.prove(octets.pdi, html=True).decode(),
    }


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """A tab without a network; whatever it asks for besides files is noted, and refused."""
    context = browser.new_context(offline=True)
    yield context.new_page()
    context.close()


def verdict(tab: Page, path: Path, page: str) -> tuple[str, str]:
    """What a page says of itself, opened from the disk."""
    path.write_text(page, encoding="utf-8", newline="")
    tab.goto(path.as_uri())
    tab.wait_for_selector("#verdict[data-state]", timeout=20_000)
    said = tab.locator("#verdict")
    return said.get_attribute("data-state") or "", said.inner_text()


def test_a_right_page_says_so(tab: Page, tmp_path: Path, proofs: dict[str, str]) -> None:
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    for name, page in proofs.items():
        state, sentence = verdict(tab, tmp_path / "proof.html", page)
        assert (name, state) == (name, "agrees"), tab.locator("#checks").inner_text()
        assert "worth as much as the key" in sentence
        assert check(page.encode()).holds
    assert all(url.startswith(("file:", "blob:")) for url in asked)


@pytest.mark.parametrize(
    ("language", "said"), [("de", "so viel wert wie der Schlüssel"), ("fr", "autant que la clé")]
)
def test_a_page_in_another_language_says_so(
    tab: Page, tmp_path: Path, cited: tuple[Archive, str], language: str, said: str
) -> None:
    archive, reference = cited
    page = archive.prove(reference, html=True, language=language).decode()
    state, sentence = verdict(tab, tmp_path / "proof.html", page)
    assert (state, said in sentence) == ("agrees", True), tab.locator("#checks").inner_text()
    assert check(page.encode()).holds
    other = page.replace(f'lang="{language}"', 'lang="en"', 1)
    assert not check(other.encode()).holds
    assert tab.locator("html").get_attribute("lang") == language


@pytest.mark.parametrize("language", ["de", "fr"])
def test_all_words_stand_in_the_page_and_its_script(language: str) -> None:
    tables = [
        tomllib.loads((PAGES / f"proof-{edition}.{language}.toml").read_text(encoding="utf-8"))
        for edition in (1, 2)
    ]
    for part, name in (("page", "proof-1.html"), ("script", "proof-2.js")):
        source = (PAGES / name).read_text(encoding="utf-8")
        said = tables[0][part] | tables[1][part]
        assert [words for words in said if source.count(words) != 1] == []


def test_a_page_of_the_first_edition_is_accepted_for_good(tab: Page, tmp_path: Path) -> None:
    page = GOLDEN.read_text(encoding="utf-8")
    state, _ = verdict(tab, tmp_path / "proof.html", page)
    assert state == "agrees", tab.locator("#checks").inner_text()
    key = GOLDEN.with_name("passage-1.key.txt").read_text(encoding="utf-8")
    found = check(page.encode(), key)
    assert (found.holds, found.trusted) == (True, True)


def test_it_shows_the_words_in_their_context(
    tab: Page, tmp_path: Path, proofs: dict[str, str]
) -> None:
    verdict(tab, tmp_path / "proof.html", proofs["words"])
    assert tab.locator("#quote").inner_text() == "closed until noon, caf\u00e9"
    assert "Ships wait" in tab.locator("#words").inner_text()
    assert re.fullmatch(r"[0-9a-f]{64}", tab.locator("#fingerprint").inner_text())


def test_without_scripts_it_says_that_nothing_was_checked(
    browser: Browser, tmp_path: Path, proofs: dict[str, str]
) -> None:
    (tmp_path / "proof.html").write_text(proofs["words"], encoding="utf-8", newline="")
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto((tmp_path / "proof.html").as_uri())
    assert "Nothing on this page has been checked" in tab.locator("#verdict").inner_text()
    context.close()


def repacked(page: str, change: Callable[[dict[str, bytes]], None]) -> str:
    """The page about a bundle whose files were changed, with the digest of the new bundle."""
    bundle = base64.b64decode((_PROOF.search(page) or [""] * 3)[2])
    with zipfile.ZipFile(io.BytesIO(bundle)) as old:
        files = {name: old.read(name) for name in old.namelist()}
    change(files)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for name, content in files.items():
            new.writestr(zipfile.ZipInfo(name), content)
    data = base64.b64encode(target.getvalue()).decode()
    lines = "\n".join(data[at : at + 76] for at in range(0, len(data), 76))
    page = _PROOF.sub(lambda found: found[1] + lines + found[3], page)
    told = hashlib.sha256(target.getvalue()).hexdigest()
    return re.sub('(id="bundle">)[0-9a-f]+', rf"\g<1>{told}", page)


def checked_bytes(files: dict[str, bytes], name: str) -> int:
    """How much of a file browsers can check: not the line of ML-DSA-44, where it has signed too."""
    content, has_two_keys = files[name], files["log-key.txt"].count(b"\n") > 1
    if has_two_keys and name in {"log-key.txt", "proof.tlog-proof"}:
        return content.rstrip(b"\n").rfind(b"\n") + 1
    return len(content)


def altered(page: str, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Alterations of a page, and what each is."""
    draw = random.Random(seed)  # noqa: S311 - to be repeatable
    shown = ["quote", "before", "after", "claim", "reference", "digest", "log", "time", "key"]
    shown += ["fingerprint", "bundle"]
    for name in shown:
        pattern = re.compile(rf'(id="{name}">)([^<]+)')
        found = pattern.search(page)
        if found is not None:
            place = draw.randrange(found.start(2), found.end(2))
            letter = "x" if page[place] != "x" else "y"
            yield f"shown: {name}", page[:place] + letter + page[place + 1 :]
    yield "title", page.replace("<title>Proof: ", "<title>Proof: urn:x ", 1)
    names = ["content", "leaf.json", "proof.tlog-proof", "log-key.txt", "checkpoint.txt"]
    names += ["opening.json", "README.txt", "name.txt", "checkpoint.sig", "log-key.pem"]
    if '<mark id="quote"></mark>' not in page:
        names += ["citation.json", "citation-opening.json", "citation.tlog-proof"]

    def flipped(name: str) -> Callable[[dict[str, bytes]], None]:
        def change(files: dict[str, bytes]) -> None:
            octets = bytearray(files[name])
            octets[draw.randrange(checked_bytes(files, name))] ^= 1 << draw.randrange(8)
            files[name] = bytes(octets)

        return change

    for number in range(count):
        name = names[number % len(names)]
        yield f"file: {name}", repacked(page, flipped(name))
    found = _PROOF.search(page)
    assert found is not None
    for _ in range(count // 4):
        place = draw.randrange(found.start(2), found.end(2))
        if page[place] not in "\n=":
            letter = draw.choice("ABCabc019+/".replace(page[place], ""))
            yield "a letter of the proof", page[:place] + letter + page[place + 1 :]


def test_no_altered_page_says_that_it_agrees(
    tab: Page, tmp_path: Path, proofs: dict[str, str], times: Callable[[int, int], int]
) -> None:
    tried = 0
    for page in proofs.values():
        for what, forged in altered(page, times(15, 90), seed=tried):
            if forged == page:
                continue
            state, sentence = verdict(tab, tmp_path / "proof.html", forged)
            assert (what, state) == (what, "fails"), tab.locator("#checks").inner_text()
            assert "does not hold" in sentence
            assert refused(forged), what
            tried += 1
    assert tried >= times(30, 200)


ABSENT = [
    ("a-name-between", "5.html.1", 2, "never minted"),
    ("a-name-before-all", "-.html.1", 2, "never minted"),
    ("a-name-behind-all", "zebra.html.1", 2, "never minted"),
    ("a-version", "1.text.3", 2, "no such version"),
    ("a-name-of-a-day-sealed-before", "5.html.1", 1, "never minted"),
]


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize(
    ("name", "form", "said"), [row[1:] for row in ABSENT], ids=[row[0] for row in ABSENT]
)
def test_a_page_shows_that_something_is_not_there(
    tab: Page,
    tmp_path: Path,
    name: str,
    form: int,
    said: str,
    language: str,
    times: Callable[[int, int], int],
) -> None:
    archive, series, day = tmp_path / "archive", "lab.example.us", date(2026, 1, 2)
    noon = datetime(2026, 1, 2, 12, tzinfo=UTC)
    with Repository.create(archive, series=series, clock=lambda: noon) as made:
        for unique_id in (None, None, "a", "report"):
            made.committer.commit([NewRepresentation(b"x", "text/plain")], unique_id=unique_id)
    with Repository.open(archive, clock=lambda: noon + timedelta(days=1)) as made:
        made.days.seal(series, day, form=form)
    with Archive.open(archive) as opened:
        reference = f"urn:pdi://{series}/2026/01/02/{name}"
        page = opened.prove(reference, html=True, language=language).decode()
    state, _ = verdict(tab, tmp_path / "proof.html", page)
    assert state == "agrees", tab.locator("#checks").inner_text()
    assert check(page.encode()).holds
    if language != "en":
        return
    assert said in tab.locator("#claim").inner_text()
    told = "places.json" if form == 2 else "names.txt"
    for at in range(0, 60, times(20, 7)):

        def change(files: dict[str, bytes], at: int = at) -> None:
            octets = bytearray(files[told])
            octets[at % len(octets)] ^= 1
            files[told] = bytes(octets)

        forged = repacked(page, change)
        state, sentence = verdict(tab, tmp_path / "proof.html", forged)
        assert (state, "does not hold" in sentence) == ("fails", True)
        assert refused(forged)


def test_what_browsers_cannot_check_is_said_and_refused_by_verify(
    tab: Page, tmp_path: Path, proofs: dict[str, str]
) -> None:
    pytest.importorskip("cryptography.hazmat.primitives.asymmetric.mldsa")

    def change(files: dict[str, bytes]) -> None:
        proof = files["proof.tlog-proof"]
        assert proof.endswith(b"\n")
        other = b"A" if proof[-9:-8] != b"A" else b"B"
        files["proof.tlog-proof"] = proof[:-9] + other + proof[-8:]

    forged = repacked(proofs["octets"], change)
    state, _ = verdict(tab, tmp_path / "proof.html", forged)
    told = tab.locator("#checks").inner_text()
    assert (state, "not checked: ML-DSA-44" in told) == ("agrees", True)
    assert refused(forged)


def test_the_proof_is_taken_out_by_the_command_on_the_page(
    tmp_path: Path, proofs: dict[str, str]
) -> None:
    page = proofs["words"]
    (tmp_path / "FILE.html").write_text(page, encoding="utf-8", newline="")
    command = next(
        html.unescape(shown) for shown in re.findall("<pre>(.*)</pre>", page) if "sed" in shown
    )
    subprocess.run(["/bin/sh", "-ec", command], cwd=tmp_path, check=True)
    assert check((tmp_path / "proof.zip").read_bytes()).holds


def refused(page: str) -> bool:
    """Whether `verify` refuses a page, by a verdict or an error of ours."""
    try:
        return not check(page.encode()).holds
    except PermaciteError:
        return True


def test_the_script_knows_every_text_that_a_bundle_explains_itself_by() -> None:
    script = (Path(writing.__file__).parent / "pages/proof-2.js").read_text(encoding="utf-8")
    current = hashlib.sha256(writing.README.encode()).hexdigest()
    for digest in (current, *writing.EARLIER_READMES):
        assert digest in script


@pytest.mark.parametrize(
    "page",
    [
        b"<!doctype html>",
        b'<!doctype html><script type="application/zip" id="proof">\n\n</script>\n',
        b'<!doctype html><script type="application/zip" id="proof">\n!!!!\n</script>\n',
        b'<!doctype html><script type="application/zip" id="proof">\n' + b"A" * 100_000,
    ],
)
def test_what_is_no_page_of_a_proof_is_refused(page: bytes) -> None:
    with pytest.raises(PermaciteError):
        check(page)
