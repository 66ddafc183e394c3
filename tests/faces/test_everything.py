"""A page that does everything pages do: what of it is saved over HTTP, and cited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.everything import FEATURES, everything

from permacite import mhtml
from permacite.capture import capture
from permacite.capture.codings import CodingError, ContentDecoder
from permacite.capture.model import FetchOptions, body_parts
from permacite.errors import PermaciteError
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from pathlib import Path

    from tests.everything import Answer, Feature

MARKUP = [each for each in FEATURES if each.by == "markup"]
SCRIPTED = [each for each in FEATURES if each.by == "scripts"]
UNCITED = {"frames": ("In srcdoc",)}
"""Words that are saved and have no name: those of documents in an attribute."""


def _plain(answer: Answer) -> bytes:
    """The content without its coding."""
    coding = dict(answer.fields).get("Content-Encoding")
    if coding is None:
        return answer.content
    decoder = ContentDecoder(coding)
    content = decoder.feed(answer.content, 1 << 20)
    decoder.finish()
    return content


@pytest.mark.parametrize("feature", MARKUP, ids=lambda each: each.name)
def test_all_that_markup_asks_for_is_kept_and_found(feature: Feature) -> None:
    with everything(feature.name) as site:
        captured = capture(site.page, FetchOptions(allow_private=True))
        root, parts = body_parts(captured)
        found = {
            part.content_location: part.content
            for part in mhtml.open(mhtml.build(root, parts)).body_parts
        }
        assert captured.failures == ()
        for path, answer in feature.asks:
            if answer.status == 200:
                try:
                    wanted = _plain(answer)
                except CodingError:  # a library that is not here
                    continue
                address = {"/there.png": "/moved.png", "/deep/x.html": "/moved.html"}
                assert found[site.base + address.get(path, path)] == wanted


@pytest.mark.parametrize("feature", MARKUP, ids=lambda each: each.name)
def test_the_words_of_markup_are_cited(feature: Feature, archive: Path) -> None:
    with everything(feature.name) as site, Archive.open(archive) as held:
        saved = held.save(site.page, allow_private=True)
        words = feature.words
        for uncited in UNCITED.get(feature.name, ()):
            words = words.replace(uncited, "")
            with pytest.raises(PermaciteError):
                held.cite(saved.pdi, quote=uncited)
        for quote in words.split():
            assert held.cite(saved.pdi, quote=quote, nth=1).quote == quote


def test_what_scripts_do_is_told_and_not_done(archive: Path) -> None:
    with everything(*(each.name for each in SCRIPTED)) as site, Archive.open(archive) as held:
        saved = held.save(site.page, via="http", allow_private=True)
        assert [lost.uri for lost in saved.left_out] == [f"{site.base}/m.mjs"]
        assert saved.inline_scripts == 6
        assert saved.lost == ()
        for feature in SCRIPTED:
            if feature.words and feature.words not in feature.markup:
                with pytest.raises(PermaciteError):
                    held.cite(saved.pdi, quote=feature.words)


def test_a_whole_page_of_everything_is_saved_once(archive: Path) -> None:
    with everything() as site, Archive.open(archive) as held:
        first = held.save(site.page, allow_private=True)
        assert first.lost == ()
        assert held.save(site.page, allow_private=True).unchanged
        assert held.verify(first.pdi).ok
