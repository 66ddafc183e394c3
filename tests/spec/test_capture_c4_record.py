"""Every request is on record, and whatever was left out, with the reason (C4)."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from permacite.capture import capture
from permacite.capture.model import CaptureProgress, FetchOptions

if TYPE_CHECKING:
    from tests.spec.conftest import Web


def test_record_tells_the_source_of_every_byte(web: Web) -> None:
    """capture-c4-request: method, URI, status, headers, redirects, peer, times, digest, tool."""
    web.redirect("/", "/page")
    web.put("/page", "<p>words</p>", headers=(("X-Twice", "a"), ("X-Twice", "b")))
    record = capture(web.uri("/#top"), FetchOptions(allow_private=True)).record()
    assert record == json.loads(json.dumps(record))
    assert str(record["tool"]).startswith("permacite/")
    assert record["requested_uri"] == web.uri("/#top")
    requests = record["requests"]
    assert isinstance(requests, list)
    (request,) = requests
    assert request["uri"] == web.uri()
    assert request["final_uri"] == web.uri("/page")
    assert (request["method"], request["status"], request["reason"]) == ("GET", 200, "OK")
    assert ["Accept-Encoding", "gzip, deflate, br, zstd"] in request["request_headers"]
    twice = [pair for pair in request["response_headers"] if pair[0] == "X-Twice"]
    assert twice == [["X-Twice", "a"], ["X-Twice", "b"]]
    assert request["redirects"] == [{"uri": web.uri(), "status": 302, "location": "/page"}]
    assert request["peer_address"] == "127.0.0.1"
    assert request["certificate"] is None
    assert request["size_bytes"] == 12
    assert request["digest"] == "sha-256:" + hashlib.sha256(b"<p>words</p>").hexdigest()
    assert request["started_at"].endswith("+00:00")


FAILING = """
<img src="missing.png">
<img src="ftp://files.example/a.png">
<img src="http://user:word@127.0.0.1/">
<img src="/away">
<img src="http://[half">
<script src="a.js"></script>
"""


def test_record_tells_what_was_lost_and_why(web: Web) -> None:
    """capture-c4-lost: a resource that cannot be had never fails the page."""
    web.put("/", FAILING)
    web.redirect("/away", "/away")
    captured = capture(web.uri(), FetchOptions(allow_private=True))
    assert [(each.reason, each.needed_by) for each in captured.failures] == [
        ("status", "img src"),
        ("scheme", "img src"),
        ("syntax", "img src"),
        ("redirects", "img src"),
        ("syntax", "img src"),
    ]
    assert {each.referrer for each in captured.failures} == {web.uri()}
    assert "404" in captured.failures[0].problem
    record = captured.record()
    failures, left_out = record["failures"], record["left_out"]
    assert isinstance(failures, list)
    assert isinstance(left_out, list)
    assert failures[0]["uri"] == web.uri("/missing.png")
    assert left_out[0]["uri"] == web.uri("/a.js")


def test_progress_counts_up_to_all(web: Web) -> None:
    """capture-c4-progress: what is done never exceeds what is known, and ends equal."""
    web.put("/", "".join(f'<img src="{n}.png">' for n in range(5)))
    for n in range(4):
        web.put(f"/{n}.png", b"1234", "image/png")
    seen: list[CaptureProgress] = []
    captured = capture(web.uri(), FetchOptions(allow_private=True), progress=seen.append)
    assert [state.done for state in seen] == sorted(state.done for state in seen)
    assert all(state.done <= state.known for state in seen)
    assert (seen[-1].done, seen[-1].known) == (6, 6)
    assert seen[-1].bytes == captured.size_bytes
