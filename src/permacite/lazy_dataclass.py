"""Lazy dataclass: a frozen dataclass, each of whose methods is compiled when it is first called.

`dataclasses.dataclass` compiles six methods of each class where it is defined, which takes half a
millisecond; a command imports a hundred classes and uses a fifth of them. Here a class gets its
fields at once, and short stand-ins: each puts the method that `dataclasses` makes in its own place.
What is not frozen, or inherits fields, or asks for more, is made by `dataclasses` at once.
"""

from __future__ import annotations

import dataclasses

__all__ = ["dataclass"]

TYPE_CHECKING = False  # to import typing would take longer than all the rest
if TYPE_CHECKING:
    from dataclasses import dataclass
    from typing import Any
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """The decorator of `dataclasses` with its options; type checkers take it for that one."""

        def decorate(cls: type) -> type:
            inherits = any(dataclasses.is_dataclass(base) for base in cls.__mro__[1:])
            if inherits or not options.get("frozen") or not _HANDLED.issuperset(options):
                return dataclasses.dataclass(**options)(cls)
            return _deferred(cls, **options)

        return decorate if cls is None else decorate(cls)


_DEFERRED = ("__init__", "__repr__", "__eq__")
_HANDLED = {"frozen", "slots", "kw_only"}


def _deferred(cls: type, *, frozen: bool, slots: bool = False, kw_only: bool = False) -> Any:
    """The class with its fields, and stand-ins for the methods that it does not define itself."""
    names = [name for name in _DEFERRED if name not in vars(cls)]
    if vars(cls).get("__hash__") is None:  # also where the class defines __eq__ alone
        names.append("__hash__")
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # else `dataclasses` inspects the signature, to write it there
    bare = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)
    made: Any = bare(cls)
    parameters = made.__dataclass_params__
    parameters.init = parameters.repr = parameters.eq = True
    parameters.frozen = frozen
    _freeze(made, slots=slots)

    def compiled(name: str) -> Any:
        shape = [(field.name, field.type, field) for field in dataclasses.fields(made)]
        namespace: dict[str, Any] = {"__doc__": name}  # else `dataclasses` writes one, as above
        if hasattr(made, "__post_init__"):
            namespace["__post_init__"] = made.__post_init__
        twin = dataclasses.make_dataclass(
            made.__name__,
            shape,
            namespace=namespace,
            init=name == "__init__",
            repr=name == "__repr__",
            eq=name in {"__eq__", "__hash__"},
            frozen=True,
            kw_only=kw_only,
        )
        return getattr(twin, name)

    for name in names:
        setattr(made, name, _stand_in(made, name, compiled))
    return made


def _stand_in(cls: type, name: str, compiled: Any) -> Any:
    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        setattr(cls, name, compiled(name))
        return getattr(cls, name)(self, *arguments, **named)

    method.__name__ = name
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return method


def _freeze(cls: Any, *, slots: bool) -> None:
    """Refuse changes of fields, and let instances with slots be pickled in spite of that."""
    names = frozenset(cls.__dataclass_fields__)

    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807 - for the class
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:  # noqa: N807 - as above
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    cls.__setattr__ = __setattr__
    cls.__delattr__ = __delattr__
    if slots:
        cls.__getstate__ = _state
        cls.__setstate__ = _set_state


def _state(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
