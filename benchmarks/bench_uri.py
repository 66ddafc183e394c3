"""Parse, resolve and normalise URIs beside other libraries, and count what each gets right.

Alone: python benchmarks/bench_uri.py [--corpus FILE]; FILE holds one URI a line, or a base and a
reference with a tab between. Without it, the URIs are made here, the same each time.
"""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import subprocess
import sys
import time
import urllib.parse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permacite.uri import Base, find, normalize, parse, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from permacite.uri.syntax import Profile

TITLE = "URI references"
RIVALS = ["uritools", "rfc3986", "yarl", "hyperlink", "can_ada", "url-py"]
ROUNDS = 15
SAMPLE = 2000

Work = dict[str, "Callable[[Any], object]"]
"""What each contestant does with one item."""

BASE = "http://a/b/c/d;p?q"
APPENDIX_C = """
g:h g:h|g http://a/b/c/g|./g http://a/b/c/g|g/ http://a/b/c/g/|/g http://a/g|//g http://g
?y http://a/b/c/?y|g?y http://a/b/c/g?y|#s (same)#s|g#s http://a/b/c/g#s|g?y#s http://a/b/c/g?y#s
;x http://a/b/c/;x|g;x http://a/b/c/g;x|g;x?y#s http://a/b/c/g;x?y#s|. http://a/b/c/
./ http://a/b/c/|.. http://a/b/|../ http://a/b/|../g http://a/b/g|../.. http://a/|../../ http://a/
../../g http://a/g| (same)|../../../g http://a/../g|../../../../g http://a/../../g
/./g http://a/./g|/../g http://a/../g|g. http://a/b/c/g.|.g http://a/b/c/.g|g.. http://a/b/c/g..
..g http://a/b/c/..g|./../g http://a/b/g|./g/. http://a/b/c/g/|g/./h http://a/b/c/g/h
g/../h http://a/b/c/h|g;x=1/./y http://a/b/c/g;x=1/y|g;x=1/../y http://a/b/c/y
g?y/./x http://a/b/c/g?y/./x|g?y/../x http://a/b/c/g?y/../x|g#s/./x http://a/b/c/g#s/./x
g#s/../x http://a/b/c/g#s/../x|http:g http:g
"""
"""RFC 2396 App. C: reference, what it resolves to. "(same)" is the current document."""
RFC_3986 = {
    "?y": "http://a/b/c/d;p?y",
    "#s": BASE + "#s",
    "": BASE,
    "../../../g": "http://a/g",
    "../../../../g": "http://a/g",
    "/./g": "http://a/g",
    "/../g": "http://a/g",
}
"""The seven lines that RFC 3986 §5.4 answers otherwise."""

WORDS = [
    "archive", "report", "annual", "minutes", "survey", "harbour", "council", "index", "chapter",
    "appendix", "table", "figure", "notes", "review", "library", "museum", "station", "weather",
    "coast", "river", "bridge", "market", "school", "history", "atlas", "letters", "record",
    "session", "journal", "volume", "issue", "paper", "draft", "standard", "language", "reader",
]  # fmt: skip
HOSTS = ("www.{}.example", "{}.example.org", "{}.example.com", "docs.{}.example.net", "{}.test")


# ---------------------------------------------------------------- what is measured


def made(count: int, seed: int = 1) -> list[str]:
    """Return distinct URIs of the shapes that pages hold."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    found: dict[str, None] = {}
    while len(found) < count:
        found[_made(rng)] = None
    return list(found)


def _made(rng: random.Random) -> str:
    """Return one URI; a hundredth are opaque."""
    pick = rng.choice
    if rng.random() < 0.01:
        return f"mailto:{pick(WORDS)}.{rng.randrange(9999)}@{pick(HOSTS).format(pick(WORDS))}"
    scheme = rng.choices(("https", "http", "ftp"), (80, 18, 2))[0]
    host = pick(HOSTS).format(pick(WORDS))
    port = f":{rng.randrange(1024, 65536)}" if rng.random() < 0.02 else ""
    path = "".join("/" + _segment(rng) for _ in range(rng.randrange(7)))
    path += pick(("", "", "/", ".html", f"-{rng.randrange(99999)}")) if path else "/"
    query = fragment = ""
    if rng.random() < 0.12:
        fields = range(rng.randrange(1, 4))
        query = "?" + "&".join(f"{pick(WORDS)}={rng.randrange(10**6)}" for _ in fields)
    if rng.random() < 0.08:
        fragment = f"#{pick(WORDS)}-{rng.randrange(99)}"
    return f"{scheme}://{host}{port}{path}{query}{fragment}"


def _segment(rng: random.Random) -> str:
    """Return one segment of a path: words, numbers, now and then an escape or a parameter."""
    kind = rng.random()
    if kind < 0.005:
        return f"{rng.choice(WORDS)}%20{rng.choice(WORDS)}"
    if kind < 0.02:
        return f"{rng.choice(WORDS).title()}_({rng.choice(WORDS)})"
    if kind < 0.025:
        return f"{rng.choice(WORDS)};v={rng.randrange(9)}"
    if kind < 0.3:
        return str(rng.randrange(10**4))
    return "-".join(rng.sample(WORDS, rng.randrange(1, 4)))


def relative(count: int, seed: int = 2) -> list[str]:
    """Return references as pages write them: mostly paths and fragments, some absolute."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    found = []
    for uri in made(count, seed):
        rest = "/" + uri.partition("://")[2].partition("/")[2]
        path, _, fragment = rest.partition("#")
        last = "/".join(path.split("/")[-rng.randrange(1, 3) :]) or rng.choice(WORDS)
        shapes = {
            last if ":" not in last else "./" + last: 45,
            f"#{fragment or rng.choice(WORDS)}": 25,
            uri: 15,
            rest: 8,
            "../" + last: 6,
            "./" + last: 1,
        }
        found += rng.choices(list(shapes), list(shapes.values()))
    return found


def _corpus(path: Path | None) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return URIs, and references grouped by their base."""
    if path is None:
        base = "https://docs.example.org/reports/annual/2026/chapter-3.html?view=full"
        return made(SAMPLE), [(base, relative(SAMPLE))]
    lines = list(dict.fromkeys(path.read_text(encoding="utf-8").splitlines()))
    step = max(1, len(lines) // SAMPLE)
    pairs: dict[str, list[str]] = {}
    for line in lines[::step]:
        base, tab, reference = line.partition("\t")
        if tab and _parses(reference):
            pairs.setdefault(base, []).append(reference)
    uris = [line for line in lines[::step] if "\t" not in line and _parses(line)]
    return uris or made(SAMPLE), list(pairs.items()) or _corpus(None)[1]


def _parses(text: str) -> bool:
    """Whether strict readers can be measured with it too."""
    try:
        parse(text)
        parse(text, "rfc3986")
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------- the contestants


def _at_hand(package: str) -> Any:
    """Import a rival, or return None."""
    try:
        return importlib.import_module({"url-py": "url"}.get(package, package))
    except ImportError:
        return None


def _parsers() -> Work:
    """Parse one URI and read scheme, authority, path, query and fragment."""

    def named(split: Callable[[str], Any], *names: str) -> Callable[[str], object]:
        reads = "; ".join(f"parts.{name}" for name in names)
        code = f"def read(uri):\n    parts = split(uri); {reads}"
        scope: dict[str, Callable[[str], Any]] = {"split": split}
        exec(code, scope)  # noqa: S102 - attribute access as a program has it, for each library
        return scope["read"]

    five = ("scheme", "authority", "path", "query", "fragment")
    work: Work = {
        "permacite": named(parse, *five),
        "permacite, RFC 3986": named(partial(parse, profile="rfc3986"), *five),
        "urllib.parse": named(
            urllib.parse.urlsplit, "scheme", "netloc", "path", "query", "fragment"
        ),
    }
    if module := _at_hand("uritools"):
        work["uritools"] = named(module.urisplit, *five)
    if module := _at_hand("rfc3986"):
        work["rfc3986"] = named(module.uri_reference, *five)
    if module := _at_hand("yarl"):
        names = ("scheme", "raw_authority", "raw_path", "raw_query_string", "raw_fragment")
        work["yarl"] = named(module.URL, *names)
    if module := _at_hand("hyperlink"):
        work["hyperlink"] = named(
            module.URL.from_text, "scheme", "host", "path", "query", "fragment"
        )
    if module := _at_hand("can_ada"):
        work["can_ada"] = named(module.parse, "protocol", "host", "pathname", "search", "hash")
    if module := _at_hand("url-py"):
        work["url-py"] = named(module.URL.parse, "scheme", "host_str", "path", "query", "fragment")
    return work


def _resolvers(base: str) -> Work:
    """Resolve one reference against `base`, prepared where the library can, and take the text.

    can_ada is not among them: it takes no base from Python.
    """
    prepared = Base(base)
    prepared_3986 = Base(base, profile="rfc3986")
    work: Work = {
        "permacite": lambda reference: prepared.resolve(reference).reference.text,
        "permacite, RFC 3986": lambda text: prepared_3986.resolve(text).reference.text,
        "permacite, base as text": lambda text: resolve(text, base).reference.text,
        "urllib.parse": lambda reference: urllib.parse.urljoin(base, reference),
    }
    if module := _at_hand("uritools"):
        join = module.urijoin
        work["uritools"] = lambda reference: join(base, reference)
    if module := _at_hand("rfc3986"):
        uri_reference = module.uri_reference
        ready = uri_reference(base)
        work["rfc3986"] = lambda text: uri_reference(text).resolve_with(ready).unsplit()
    if module := _at_hand("yarl"):
        yarl_url = module.URL
        url = yarl_url(base)
        work["yarl"] = lambda text: str(url.join(yarl_url(text)))
    if module := _at_hand("hyperlink"):
        link = module.URL.from_text(base)
        work["hyperlink"] = lambda reference: link.click(reference).to_text()
    if module := _at_hand("url-py"):
        parsed = module.URL.parse(base)
        work["url-py"] = lambda reference: str(parsed.join(reference))
    return work


def _normalizers() -> Work:
    """Normalise one URI as far as the library goes, from text to text."""
    work: Work = {
        "permacite, syntax": lambda uri: normalize(uri).text,
        "permacite, scheme": lambda uri: normalize(uri, "scheme").text,
        "permacite, RFC 3986 scheme": lambda u: normalize(u, "scheme", profile="rfc3986").text,
    }
    if module := _at_hand("rfc3986"):
        uri_reference = module.uri_reference
        work["rfc3986"] = lambda uri: uri_reference(uri).normalize().unsplit()
    if module := _at_hand("yarl"):
        yarl_url = module.URL
        work["yarl"] = lambda uri: str(yarl_url(uri))
    if module := _at_hand("hyperlink"):
        from_text = module.URL.from_text
        work["hyperlink"] = lambda uri: from_text(uri).normalize().to_text()
    if module := _at_hand("can_ada"):
        ada_parse = module.parse
        work["can_ada"] = lambda uri: ada_parse(uri).href
    if module := _at_hand("url-py"):
        url_parse = module.URL.parse
        work["url-py"] = lambda uri: str(url_parse(uri))
    return work


# ---------------------------------------------------------------- measuring


def _medians(work: Work, items: list[Any]) -> dict[str, float]:
    """Return the median time of each contestant for one item, in microseconds."""
    usable = [item for item in items if all(_works(do, item) for do in work.values())]
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, do in work.items():
            urllib.parse.clear_cache()  # type: ignore[attr-defined]  # unknown to typeshed
            started = time.process_time()
            for item in usable:
                do(item)
            times[name].append((time.process_time() - started) / len(usable) * 1e6)
    return {name: statistics.median(found) for name, found in times.items()}


def _works(do: Callable[[Any], object], item: object) -> bool:
    """Whether a contestant takes this item: only those that all take are measured."""
    try:
        do(item)
    except Exception:  # noqa: BLE001 - each library has errors of its own
        return False
    return True


def _table(title: str, medians: dict[str, float]) -> str:
    """Return a table of medians and of what permacite takes in comparison."""
    ours = next(iter(medians.values()))
    rows = [f"### {title}", "", "| library | median, µs | permacite takes |", "|---|---|---|"]
    for name, median in sorted(medians.items(), key=lambda item: item[1]):
        times = "" if median == ours else f"{ours / median:.2f} x"
        rows.append(f"| {name} | {median:.2f} | {times} |")
    return "\n".join(rows)


def _resolution(pairs: list[tuple[str, list[str]]]) -> str:
    """Measure all references, each against its own base; text is kept prepared by two of them.

    Those that take a base as text do so: urllib.parse and permacite keep the last ones they read.
    """
    by_base = {base: _resolvers(base) for base, _ in pairs}

    def resolver(name: str) -> Callable[[Any], object]:
        return lambda pair: by_base[pair[0]][name](pair[1])

    work: Work = {name: resolver(name) for name in next(iter(by_base.values()))}
    items = [(base, reference) for base, references in pairs for reference in references]
    return _table(f"Resolve {len(items)} references, each against its base", _medians(work, items))


def _score(do: Callable[[Any], object], expected: Iterable[tuple[str, str]]) -> int:
    """Count the lines of App. C that a contestant gets right; a refusal is not right."""
    return sum(_works(do, reference) and do(reference) == answer for reference, answer in expected)


def _ours(profile: Profile) -> Callable[[str], str]:
    """Resolve with permacite, the current document said as App. C says it."""

    def answer(reference: str) -> str:
        resolved = resolve(reference, BASE, profile=profile)
        same = profile == "rfc2396" and resolved.same_document
        return ("(same)" if same else "") + resolved.reference.text

    return answer


def _correctness() -> str:
    """Return how many of the 42 lines each library gets right, by either RFC."""
    lines = [line.partition(" ") for line in APPENDIX_C.strip().replace("\n", "|").split("|")]
    old = [(reference, answer) for reference, _, answer in lines]
    # A library that cannot say "the current document" is right with the URI of the base.
    lenient = [(reference, answer.replace("(same)", BASE)) for reference, answer in old]
    new = [(reference, RFC_3986.get(reference, answer)) for reference, answer in old]
    rows = [
        "### Right of the 42 examples of App. C",
        "",
        "| library | RFC 2396 | RFC 3986 |",
        "|---|---|---|",
        f"| permacite | {_score(_ours('rfc2396'), old)} | {_score(_ours('rfc3986'), new)} |",
    ]
    for name, do in _resolvers(BASE).items():
        if not name.startswith("permacite"):
            rows.append(f"| {name} | {_score(do, lenient)} | {_score(do, new)} |")
    return "\n".join(rows)


def _growth() -> str:
    """Return how the time grows from 100 kB to 1 MB: 10 is linear."""
    prose = "See <http://a.example/b-\nc> and (http://d.example/e_(f)). "
    shapes: dict[str, Callable[[int], object]] = {
        "parse, a long path": lambda size: parse("http://a/" + "b/" * (size // 2)),
        "parse, escapes": lambda size: parse("http://a/" + "%41" * (size // 3)),
        "refuse, at the end": lambda size: _parses("http://a/" + "b/" * (size // 2) + " "),
        "resolve, dot segments": lambda size: resolve("../a/./" * (size // 7), BASE),
        "normalize, dot segments": lambda size: normalize("a:/" + "../a/./" * (size // 7), "path"),
        "find, in prose": lambda size: list(find(prose * (size // len(prose)))),
        "find, unclosed": lambda size: list(find("<http://a-\n" * (size // 11))),
    }
    rows = ["### Growth from 100 kB to 1 MB (10 is linear)", "", "| work | times |", "|---|---|"]
    for name, do in shapes.items():
        small, large = ([_once(do, size) for _ in range(5)] for size in (10**5, 10**6))
        rows.append(f"| {name} | {min(large) / min(small):.1f} |")
    return "\n".join(rows)


def _once(do: Callable[[int], object], size: int) -> float:
    """Return the time of one call, in seconds."""
    started = time.process_time()
    do(size)
    return time.process_time() - started


def _import_time(module: str) -> float:
    """Return the time that importing `module` adds to a bare interpreter, in milliseconds."""
    found = []
    for _ in range(7):
        ran = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", f"import {module}"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.append(sum(_self_times(ran.stderr)) / 1000)
    return min(found)


def _self_times(report: str) -> Iterator[int]:
    """Yield what each module took by itself, in microseconds."""
    for line in report.splitlines():
        digits = line.removeprefix("import time:").partition("|")[0].strip()
        if digits.isdigit():
            yield int(digits)


def _imports() -> str:
    """Compare the import with that of the standard library's module."""
    bare = _import_time("builtins")
    rows = ["### Import, beyond a bare interpreter", "", "| module | ms |", "|---|---|"]
    modules = ("permacite.uri", "permacite.errors", "urllib.parse", "re", "dataclasses")
    rows += [f"| {module} | {_import_time(module) - bare:.1f} |" for module in modules]
    return "\n".join(rows)


def measure(corpus: Path | None = None) -> str:
    """Return the section: speed and correctness beside the rivals that are at hand."""
    uris, pairs = _corpus(corpus)
    missing = [package for package in RIVALS if _at_hand(package) is None]
    about = f"{len(uris)} distinct URIs. One round lets each library do all of them in turn; the "
    about += f"median of {ROUNDS} rounds counts. No result is kept between URIs."
    if missing:
        about += f" Not at hand, and not measured: {', '.join(missing)}."
    return "\n\n".join(
        [
            about,
            _table("Parse a URI and read its five parts", _medians(_parsers(), uris)),
            _resolution(pairs),
            _table("Normalise, text to text", _medians(_normalizers(), uris)),
            _correctness(),
            _growth(),
            _imports(),
        ]
    )


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpus", type=Path, help="real URIs, or base TAB reference, one a line")
    print(measure(options.parse_args().corpus))
