"""Lazy dataclasses are what `dataclasses` makes: values, errors and pickles are the same."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
import threading
from dataclasses import FrozenInstanceError, field, fields, replace
from typing import ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite.lazy_dataclass import dataclass

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Lazy(Generic[Item]):
    """A value with each kind of field."""

    first: Item
    second: str = "x"
    third: list[int] = field(default_factory=list, hash=False, repr=False)
    fourth: int = field(default=4, compare=False, kw_only=True)
    total: int = field(init=False)
    limit: ClassVar[int] = 9

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", len(self.third))


@dataclasses.dataclass(frozen=True, slots=True)
class Plain(Generic[Item]):
    """The same by `dataclasses`."""

    first: Item
    second: str = "x"
    third: list[int] = field(default_factory=list, hash=False, repr=False)
    fourth: int = field(default=4, compare=False, kw_only=True)
    total: int = field(init=False)
    limit: ClassVar[int] = 9

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", len(self.third))


@dataclass(frozen=True)
class Own:
    """A value with methods of its own, and a dictionary."""

    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and self.name.lower() == other.name.lower()

    def __hash__(self) -> int:
        return hash(self.name.lower())

    def __repr__(self) -> str:
        return f"<{self.name}>"


@dataclass(frozen=True, slots=True)
class Inherits(Own):
    """A value with fields of another."""

    more: int = 0


@dataclass(slots=True)
class Changeable:
    """A value that may be changed: `dataclasses` makes it at once."""

    name: str


VALUES = st.tuples(st.integers(), st.text(max_size=3), st.lists(st.integers(), max_size=3))


@given(one=VALUES, other=VALUES)
def test_values_compare_hash_and_print_as_those_of_dataclasses(
    one: tuple[int, str, list[int]], other: tuple[int, str, list[int]]
) -> None:
    lazy, plain = Lazy(*one, fourth=1), Plain(*one, fourth=1)
    assert (lazy == Lazy(*other)) == (plain == Plain(*other))
    assert hash(lazy) == hash(plain)
    assert repr(lazy) == repr(plain).replace("Plain", "Lazy")
    assert dataclasses.astuple(lazy) == dataclasses.astuple(plain)
    assert replace(lazy, second="y") == Lazy(one[0], "y", one[2])
    loaded = pickle.loads(pickle.dumps(lazy))  # noqa: S301 - written just now
    assert loaded == copy.copy(lazy) == lazy
    assert (loaded.fourth, loaded.total) == (1, lazy.total)
    assert lazy.__eq__(plain) is NotImplemented


def test_the_classes_look_alike() -> None:
    assert [item.name for item in fields(Lazy)] == [item.name for item in fields(Plain)]
    assert Lazy.__match_args__ == Plain.__match_args__
    assert (Lazy.__slots__, Lazy.limit) == (Plain.__slots__, 9)
    assert repr(vars(Lazy)["__dataclass_params__"]) == repr(vars(Plain)["__dataclass_params__"])
    match Lazy(3):
        case Lazy(first, second):
            assert (first, second) == (3, "x")


@pytest.mark.parametrize("kind", [Lazy, Plain])
def test_a_field_cannot_be_changed(kind: type[Lazy[int]]) -> None:
    value = kind(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'first'"):
        value.first = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'first'"):
        del value.first


@pytest.mark.parametrize("kind", [Lazy, Plain])
def test_what_is_missing_or_unknown_is_an_error(kind: type[Lazy[int]]) -> None:
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required .* 'first'"):
        kind()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'fifth'"):
        kind(1, fifth=1)  # type: ignore[call-arg]


def test_methods_of_the_class_itself_are_kept() -> None:
    assert (Own("A"), hash(Own("A")), repr(Own("A"))) == (Own("a"), hash("a"), "<A>")
    assert (repr(Inherits("A", 2)), Inherits("A", 2).more) == ("Inherits(name='A', more=2)", 2)
    value = Changeable("a")
    value.name = "b"
    assert value == Changeable("b")
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)


def test_threads_may_make_the_first_values_at_once() -> None:
    @dataclass(frozen=True, slots=True)
    class Shared:
        number: int

    made: list[Shared] = []
    threads = [threading.Thread(target=lambda: made.append(Shared(7))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [Shared(7)] * 16


def test_nothing_is_compiled_before_it_is_used() -> None:
    program = (
        "import builtins; calls = []; run = exec\n"
        "from permacite.lazy_dataclass import dataclass\n"
        "builtins.exec = lambda *a: (calls.append('__init__' in a[0]), run(*a))[1]\n"
        "@dataclass(frozen=True, slots=True)\nclass A:\n    x: int\n"
        "assert not any(calls); assert A(1) == A(1); assert any(calls)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
