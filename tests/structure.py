"""Structure of src in numbers: sizes, satellites, shared names, duplicates, modules entered.

`python -m tests.structure [ROOT]` prints them as a table, `--list NAME` what one of them counts,
and `--write` puts the table into docs/explanation/structure.md. `LIMITS` may only go down.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import threading
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

__all__ = ["GOALS", "LIMITS", "Source", "entered", "statements"]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/explanation/structure.md"

LONGEST_CLASS = 150
MOST_PARAMETERS = 6
WINDOW = 6
"""Lines that are a duplicate where they occur twice, with any texts and numbers."""

_CLAUSE = re.compile(r"(What|Who|Whom|Whose|Where|Whether|How|That|Which|When|Whatever|Whoever)\b")
_NO_CODE = re.compile(r"(from|import)\b|[])}s]$")
_SHAPES = {tokenize.NUMBER: "0", tokenize.STRING: "s"}
_FORBIDDEN = {
    "told", "behind", "handed", "nowhere", "about", "again", "manner", "manners", "place",
    "places", "other", "others", "utils", "util", "helpers", "helper", "common", "misc",
}  # fmt: skip

BEFORE = {
    "files": 693,
    "lines": 110_048,
    "noqa": 415,
    "classes over 150 lines": 39,
    "satellites": 119,
    "shared class names": 123,
    "public methods with more than 6 parameters": 7,
    "captions without a noun first": 193,
    "forbidden module names": 28,
    "public names of Archive": 132,
    "duplicates": 281,
    "modules entered by resolve": 40,
    "call depth of resolve": 19,
    "modules entered by cite": 80,
    "call depth of cite": 20,
    "modules entered by import": 33,
    "call depth of import": 18,
    "modules entered by a reader page": 102,
    "call depth of a reader page": 20,
}
"""On c5de8554, before the upper layers were restructured, by the same counters."""

GOALS = {
    "classes over 150 lines": 0,
    "satellites": 20,
    "shared class names": 20,
    "public methods with more than 6 parameters": 0,
    "noqa": 100,
    "duplicates": 200,
    "files": 500,
    "lines": 100_000,
    "captions without a noun first": 0,
    "forbidden module names": 0,
    "public names of Archive": 20,
    "modules entered by resolve": 24,
    "call depth of resolve": 12,
    "call depth of cite": 13,
    "call depth of import": 13,
    "modules entered by cite": 40,
    "modules entered by import": 40,
    "modules entered by a reader page": 60,
}

LIMITS: dict[str, int] = {
    "noqa": 99,
    "classes over 150 lines": 0,
    "satellites": 15,
    "shared class names": 19,
    "public methods with more than 6 parameters": 0,
    "captions without a noun first": 0,
    "forbidden module names": 0,
    "public names of Archive": 20,
    "duplicates": 150,
    "modules entered by resolve": 24,
    "call depth of resolve": 11,
    "modules entered by cite": 47,
    "call depth of cite": 13,
    "modules entered by import": 33,
    "call depth of import": 13,
    "modules entered by a reader page": 71,
    "call depth of a reader page": 19,
    "files": 500,
    "lines": 111_000,
}
"""Where each number stands, with a little room where it varies; the goals are above."""


@dataclass(frozen=True)
class Source:
    """The package in a folder `src` of a working copy."""

    root: Path
    texts: dict[str, str] = field(init=False)
    """Text of each file, by its path below src/permacite."""
    trees: dict[str, ast.Module] = field(init=False)

    def __post_init__(self) -> None:
        """Read and parse all files."""
        base = self.root / "src/permacite"
        texts = {
            str(path.relative_to(base)): path.read_text() for path in sorted(base.rglob("*.py"))
        }
        object.__setattr__(self, "texts", texts)
        object.__setattr__(self, "trees", {name: ast.parse(text) for name, text in texts.items()})

    def counted(self) -> dict[str, int]:
        """Return the numbers that can be read from files."""
        return {
            "files": len(self.texts),
            "lines": sum(text.count("\n") for text in self.texts.values()),
            "noqa": sum(text.count("# noqa") for text in self.texts.values()),
        } | {name: len(list(count(self))) for name, count in COUNTS.items()}

    def long_classes(self) -> Iterator[str]:
        """Yield the classes with more lines than they may have."""
        for name, node in self._nodes(ast.ClassDef):
            size = (node.end_lineno or 0) - node.lineno + 1
            if size > LONGEST_CLASS:
                yield f"{name}: {node.name} has {size} lines"

    def shared_names(self) -> Iterator[str]:
        """Yield the names of classes that are defined in several files."""
        homes: dict[str, set[str]] = defaultdict(set)
        for name, node in self._nodes(ast.ClassDef):
            homes[node.name].add(name)
        yield from (f"{name}: {sorted(at)}" for name, at in sorted(homes.items()) if len(at) > 1)

    def wide_methods(self) -> Iterator[str]:
        """Yield the public methods of public classes with more parameters than they may have."""
        for name, owner in self._nodes(ast.ClassDef):
            for node in owner.body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    arguments = node.args
                    count = len(arguments.posonlyargs + arguments.args + arguments.kwonlyargs) - 1
                    is_public = not node.name.startswith("_") and not owner.name.startswith("_")
                    if is_public and count > MOST_PARAMETERS:
                        yield f"{name}: {owner.name}.{node.name} takes {count}"

    def captions(self) -> Iterator[str]:
        """Yield the files whose first line is a clause."""
        for name, tree in self.trees.items():
            first = (ast.get_docstring(tree) or "").partition("\n")[0]
            if _CLAUSE.match(first):
                yield f"{name}: {first}"

    def forbidden(self) -> Iterator[str]:
        """Yield the modules whose names say nothing."""
        parts = ((name, Path(name).with_suffix("").parts) for name in self.texts)
        yield from (name for name, words in parts if _FORBIDDEN & set(words))

    def archive_names(self) -> Iterator[str]:
        """Yield the public names of the class of the library."""
        node = next(
            node for name, node in self._nodes(ast.ClassDef)
            if name == "service/archive.py" and node.name == "Archive"
        )  # fmt: skip
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                names = [each.name]
            elif isinstance(each, ast.Assign | ast.AnnAssign):
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                names = [target.id for target in targets if isinstance(target, ast.Name)]
            else:
                names = []
            yield from (name for name in names if not name.startswith("_"))

    def satellites(self) -> Iterator[str]:
        """Yield the modules that one module of src imports, which is a sibling."""
        for module, importers in sorted(self._importers.items()):
            only = next(iter(importers)) if len(importers) == 1 else ""
            if only and only.rpartition(".")[0] == module.rpartition(".")[0]:
                yield f"{module} <- {only}"

    @cached_property
    def _importers(self) -> dict[str, set[str]]:
        """The modules that import each module. A module that only a registry names has none."""
        modules = {_module(name): name for name in self.texts}
        found: dict[str, set[str]] = defaultdict(set)
        for module, name in modules.items():
            for each in _imported(self.trees[name]):
                target = each if each in modules else each.rpartition(".")[0]
                if target in modules and target != module:
                    found[target].add(module)
        packages = {_module(name) for name in self.texts if name.endswith("__init__.py")}
        return {module: users for module, users in found.items() if module not in packages}

    def duplicates(self) -> Iterator[str]:
        """Yield pairs of places with the same six lines or more, with any texts and numbers."""
        windows: dict[str, list[tuple[str, int]]] = defaultdict(list)
        numbers: dict[str, list[int]] = {}
        for name, text in self.texts.items():
            lines = _shapes(text)
            numbers[name] = [number for number, _ in lines]
            for start in range(len(lines) - WINDOW + 1):
                window = [shape for _, shape in lines[start : start + WINDOW]]
                if len(set(window)) > WINDOW // 2:
                    windows["\n".join(window)].append((name, start))
        pairs = {
            (one, two)
            for places in windows.values()
            for index, one in enumerate(places)
            for two in places[index + 1 :]
        }
        for (one, start), (two, other) in sorted(pairs):
            if ((one, start - 1), (two, other - 1)) not in pairs:
                yield f"{one}:{numbers[one][start]} and {two}:{numbers[two][other]}"

    @cached_property
    def _statements(self) -> list[tuple[str, ast.stmt]]:
        return [(name, node) for name, tree in self.trees.items() for node in statements(tree)]

    def _nodes(self, kind: type[Any]) -> Iterator[tuple[str, Any]]:
        yield from ((name, node) for name, node in self._statements if isinstance(node, kind))


COUNTS: dict[str, Callable[[Source], Iterable[str]]] = {
    "classes over 150 lines": Source.long_classes,
    "satellites": Source.satellites,
    "shared class names": Source.shared_names,
    "public methods with more than 6 parameters": Source.wide_methods,
    "captions without a noun first": Source.captions,
    "forbidden module names": Source.forbidden,
    "public names of Archive": Source.archive_names,
    "duplicates": Source.duplicates,
}


def _module(name: str) -> str:
    return ("permacite." + name.removesuffix(".py").replace("/", ".")).removesuffix(".__init__")


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield all statements of a module, those inside of others too; expressions have none."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for node in getattr(tree, name, ()):
            if isinstance(node, ast.stmt):
                yield node
            yield from statements(node)


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in statements(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _shapes(text: str) -> list[tuple[int, str]]:
    """Return each line of code without texts and numbers; imports and brackets are left out."""
    lines: dict[int, list[str]] = defaultdict(list)
    left_out = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in left_out:
            lines[token.start[0]].append(_SHAPES.get(token.type, token.string))
    shapes = ((number, " ".join(words)) for number, words in sorted(lines.items()))
    return [(number, shape) for number, shape in shapes if not _NO_CODE.match(shape)]


def _goal(name: str) -> str:
    return f"{GOALS[name]:,}" if name in GOALS else ""


class _Entered:
    """The modules of permacite in which a function runs, in any thread, and how deep calls go."""

    def __init__(self) -> None:
        self.is_counting = False
        self.modules: set[str] = set()
        self.depth = 0
        self._depths: Counter[int] = Counter()

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call of ours, or the return from one."""
        name = frame.f_globals.get("__name__", "")
        is_call = event in {"call", "return"} and name.startswith("permacite.")
        if not is_call or not self.is_counting:
            return
        thread = threading.get_ident()
        self._depths[thread] += 1 if event == "call" else -1
        self.depth = max(self.depth, self._depths[thread])
        if event == "call" and frame.f_code.co_name != "<module>":
            self.modules.add(name)

    def count(self, call: Callable[[], object]) -> None:
        """Count one call alone."""
        self.modules, self.depth = set(), 0
        self._depths.clear()
        self.is_counting = True
        sys.setprofile(self.note)
        try:
            call()
        finally:
            sys.setprofile(None)
            self.is_counting = False


def entered() -> dict[str, int]:
    """Return how many modules are entered by the second of two like calls in this process."""
    from tests import inside

    import permacite
    from permacite.web.app import create_app

    found: dict[str, int] = {}
    seen = _Entered()
    threading.setprofile(seen.note)  # before the threads start, among them the one that writes
    page = b"<!doctype html><title>Tide</title><p>The highest tide of the year.</p>"
    with (
        TemporaryDirectory() as folder,
        permacite.create(Path(folder) / "archive", series="lab.example.us") as archive,
    ):
        name = str(archive.add(page, name="page.html").pdi)
        app = create_app(archive, names=["localhost"])
        passage = archive.cite(name, quote="highest tide").reference
        path = f"/{passage}".replace("#", "?fragment=")
        calls: dict[str, Callable[[], object]] = {
            "resolve": lambda: archive.resolve(passage),
            "cite": lambda: archive.cite(name, quote="highest tide"),
            "import": lambda: archive.add(page, name="page.html"),
            "a reader page": lambda: inside.ask(app, path, accept="text/html"),
        }
        for title, call in calls.items():
            call()
            seen.count(call)
            found |= {
                f"modules entered by {title}": len(seen.modules),
                f"call depth of {title}": seen.depth,
            }
    threading.setprofile(None)
    return found


def main() -> None:
    """Print the table, or what one number counts."""
    words = sys.argv[1:]
    if words[:1] == ["--list"]:
        print(*COUNTS[words[1]](Source(ROOT)), sep="\n")  # noqa: T201 - a script
        return
    numbers = Source(ROOT).counted() | entered()
    rows = [
        f"| {name} | {BEFORE[name]:,} | {number:,} | {_goal(name)} |"
        for name, number in numbers.items()
    ]
    table = "\n".join(["| | before | now | goal |", "|---|---:|---:|---:|", *rows])
    if words == ["--write"]:
        head = PAGE.read_text().partition("| | before")[0]
        PAGE.write_text(f"{head}{table}\n")
    print(table)  # noqa: T201 - a script


if __name__ == "__main__":
    main()
