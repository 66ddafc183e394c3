"""LRU cache: the least recently used value goes first, and a large one is not kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from permacite.cache import Cache, KeyLocks


def test_values_that_were_asked_for_least_lately_go_first() -> None:
    cache: Cache[bytes] = Cache(100, len)
    for name in "0123":
        cache.put(bytes(25), name)
    assert cache.get("0") == bytes(25)
    cache.put(bytes(25), "4")
    assert [cache.get(name) is not None for name in "012345"] == [
        True,
        False,
        True,
        True,
        True,
        False,
    ]


def test_a_value_takes_the_place_of_an_earlier_one() -> None:
    cache: Cache[bytes] = Cache(100, len)
    for octets in range(20):
        cache.put(bytes(octets), "page", "text/html")
    assert cache.get("page", "text/html") == bytes(19)
    cache.put(bytes(25), "1")
    assert cache.get("page", "text/html") is not None


def test_what_is_large_does_not_drive_out_all_others() -> None:
    cache: Cache[bytes] = Cache(100, len)
    cache.put(bytes(20), "small")
    cache.put(bytes(26), "large")
    assert cache.get("large") is None
    assert cache.get("small") is not None


def test_what_many_want_at_once_is_made_once() -> None:
    turns, together, cache = KeyLocks(), Barrier(8), Cache[bytes](100, len)
    made: list[str] = []

    def wanted(name: str) -> bytes | None:
        together.wait()
        with turns.of(name):
            if cache.get(name) is None:
                made.append(name)
                cache.put(name.encode(), name)
            return cache.get(name)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(wanted, "abababab")) == [b"a", b"b"] * 4
    assert sorted(made) == ["a", "b"]


def test_who_fails_leaves_the_turn_to_others() -> None:
    turns = KeyLocks()
    for _ in range(2):
        with pytest.raises(KeyError), turns.of("a"):
            dict[str, str]()["a"]
