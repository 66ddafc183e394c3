"""Recordings at the faces: previews that browsers play, and parts that are damaged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from tests.archives import Archive
from tests.faces.sharing import archive, running
from tests.faces.test_http import ask
from tests.spec import recordings
from tests.spec.recordings import sound, spoilt, video

from permacite.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

__all__ = ["archive", "running"]  # fixtures
pytestmark = [pytest.mark.usefixtures("needs_video"), pytest.mark.engines(deep=True)]


@pytest.fixture(scope="module")
def needs_video() -> None:
    recordings.av_module()


@pytest.fixture
def names(archive: Path) -> dict[str, str]:
    """Return the full names of a video, a sound, the same damaged, and a text."""
    files = {
        "video": ("talk.mkv", video()),
        "sound": ("talk.flac", sound("flac", "flac")),
        "damaged": ("torn.flac", spoilt(sound("flac", "flac"), 0.5, 300)),
        "text": ("talk.txt", b"What was said."),
    }
    with Archive.open(archive) as service:
        return {kind: service.add(data, name=name).pdi for kind, (name, data) in files.items()}


def test_a_part_leads_to_its_preview_and_the_preview_says_what_it_is(
    running: Running, names: dict[str, str]
) -> None:
    for kind, fragment, media_type in (
        ("video", "sec=1,3", "video/webm"),
        ("sound", "sec=1,3", "audio/webm"),
    ):
        part = ask(running.base, f"/{names[kind]}?{urlencode({'fragment': fragment})}")
        address = f"/{names[kind]}?{urlencode({'fragment': fragment, 'view': 'preview'})}"
        link = f'<{address}>; rel="preview"; type="{media_type}"'
        assert link in part.headers["link"]
        assert "permacite-derived" not in part.headers
        preview = ask(running.base, address)
        assert preview.headers["content-type"] == media_type
        assert preview.headers["permacite-derived"] == "preview"
        assert 'rel="preview"' not in preview.headers["link"]
        assert preview.body.startswith(b"\x1a\x45\xdf\xa3")
        assert len(preview.body) < len(part.body)


def test_there_are_no_previews_of_what_is_no_part_of_a_recording(
    running: Running, names: dict[str, str]
) -> None:
    for address in (
        f"{names['text']}?{urlencode({'fragment': 'char=0,4', 'view': 'preview'})}",
        f"{names['sound']}?{urlencode({'fragment': 'byte=0,4', 'view': 'preview'})}",
        f"{names['sound']}?view=preview",
    ):
        answer = ask(running.base, f"/{address}")
        assert (answer.status, json.loads(answer.body)["code"]) == (404, "not-found")


def test_a_browser_plays_previews(
    running: Running, names: dict[str, str], browser: Browser
) -> None:
    page = browser.new_page(bypass_csp=True)
    page.goto(f"{running.base}/")
    for kind, element in (("video", "video"), ("sound", "audio")):
        query = urlencode({"fragment": "sec=1,3", "view": "preview"})
        found = page.evaluate(
            """([kind, address]) => new Promise((done) => {
                const player = document.createElement(kind);
                player.onerror = () => done([player.error.message]);
                player.oncanplaythrough = () => done(
                    [player.duration, player.videoWidth || 0, player.videoHeight || 0]);
                player.src = address;
                document.body.append(player);
            })""",
            [element, f"/{names[kind]}?{query}"],
        )
        assert found[0] == pytest.approx(2, abs=0.1)
        assert found[1:] == ([64, 48] if kind == "video" else [0, 0])
    page.close()


def test_damage_is_told_by_every_face(
    cli: Cli, archive: Path, running: Running, names: dict[str, str]
) -> None:
    whole, torn = f"{names['damaged']}#sec=0,2", f"{names['damaged']}#sec=3,5"
    with Archive.open(archive) as service:
        assert [service.resolve(part).damaged for part in (whole, torn)] == [False, True]
    for part, damaged in ((whole, False), (torn, True)):
        said = cli("resolve", "--json", part)
        assert json.loads(said.out)["damaged"] is damaged
        answer = ask(running.base, f"/{part.replace('#', '%23')}?view=bytes")
        assert answer.headers.get("permacite-damaged") == ("?1" if damaged else None)


def test_a_damaged_part_is_cited_by_those_alone_who_ask_for_that(
    cli: Cli, archive: Path, running: Running, names: dict[str, str]
) -> None:
    torn = f"{names['damaged']}#sec=3,5"
    with Archive.open(archive) as service, pytest.raises(ConflictError, match="damaged"):
        service.cite(torn)
    refused = cli("cite", torn)
    assert (refused.status, "--damaged" in refused.err) == (1, True)
    assert cli("cite", names["damaged"], "--sec", "3,5", "--damaged").status == 0
    assert cli("verify", torn).status == 0
    assert cli("fsck").status == 0
    for wanted, status in (({}, 409), ({"damaged": True}, 201)):
        body = json.dumps({"reference": torn} | wanted).encode()
        kind = "application/json"
        answer = ask(running.base, "/-/api/cite", "POST", body, Content_Type=kind)
        assert answer.status == status
    with Archive.open(archive) as service:
        assert service.cite(torn, damaged=True).reference == torn


def test_the_command_gives_out_a_preview_and_says_so(
    archive: Path, names: dict[str, str], cli: Cli
) -> None:
    with Archive.open(archive) as service:
        part = service.resolve(f"{names['sound']}#sec=1,3", preview=True)
        assert (part.derived, part.media_type) == ("preview", "audio/webm")
        with pytest.raises(NotFoundError, match="previews"):
            service.resolve(names["sound"], preview=True)
    refused = cli("resolve", "--preview", f"{names['text']}#char=0,4")
    assert (refused.status, "previews" in refused.err) == (1, True)
    said = json.loads(cli("resolve", "--preview", "--json", f"{names['sound']}#sec=1,3").out)
    assert said["derived"] == "preview"
