"""Bags of others and of our own: read as they stand, and held to all that they say of themselves.

The BagIt File Packaging Format, RFC 8493, and its drafts back to 0.93:
  §2.1.1 bagit.txt            -> `_declared`
  §2.1.2, §3 payload          -> `Bag.payload`: complete, and nothing beside it
  §2.1.3, §2.2.1 manifests    -> `_manifest`: of all algorithms that are known here, all held to
  §2.2.2 bag-info.txt         -> `Bag.info`; Payload-Oxum counts
  §2.2.3 fetch.txt            -> `_check_holes`: nothing is fetched
  §4 serialization            -> `stores`: one folder at the top, or none

Deviations: a manifest may put `*` before a path, as md5sum does; a path that is not there is looked
for in its composed and decomposed forms (§5.2), and below `./`.
Readings: `%0A`, `%0D` and `%25` stand for characters (§2.1.3), but a file that is called so is
taken first: programs differ. A bag whose files to fetch are all there has no holes.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Self

from permacite.charsets import codec_of, decode
from permacite.errors import IntegrityError, ParseError, PermaciteError
from permacite.scan import compile_pattern
from permacite.service.libraries.stores import ENDINGS, opened, reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.service.libraries.stores import Store

__all__ = ["Bag", "is_bag"]

_SPEC = "RFC 8493"
_DECLARATION = "bagit.txt"
_FIRST = compile_pattern(r"BagIt-Version:[ \t]*+([0-9]{1,3}\.[0-9]{1,3})[ \t]*")
_SECOND = compile_pattern(r"Tag-File-Character-Encoding:[ \t]*+([!-~]{1,40})[ \t]*")
_MANIFEST = compile_pattern(r"(tag)?manifest-([A-Za-z0-9_-]{1,20})\.txt")
_LINE = compile_pattern(r"([0-9A-Fa-f]{1,256})[ \t]++\*?(?:\./)*(\S[^\r\n]*)")
_LINE_END = compile_pattern(r"\r\n|\r|\n")
_OXUM = compile_pattern(r"([0-9]{1,18})\.([0-9]{1,18})")
_MOST = 1 << 28
"""A tag file that is larger describes no bag."""
_STEP = 1 << 20
_MOST_FIELDS = 50
_LONGEST = 1000
_ALGORITHMS = {
    name.replace("_", ""): name
    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512")
}
_HINT = "nothing was archived of it"


def is_bag(path: Path) -> bool:
    """Whether a folder or a packed one is a bag, as its names say."""
    if path.is_dir():
        return (path / _DECLARATION).is_file()
    if not path.name.lower().endswith(ENDINGS) or not path.is_file():
        return False
    try:
        store = opened(path)
    except PermaciteError:
        return False  # it is kept as it is, as anything that is packed
    try:
        return _base(store) is not None
    finally:
        store.close()


def _base(store: Store) -> str | None:
    """The folder in which a bag stands, with its `/`; None where there is none."""
    found = [path for path in store.sizes if PurePosixPath(path).name == _DECLARATION]
    bases = [path.removesuffix(_DECLARATION) for path in found if path.count("/") <= 1]
    return min(bases, default=None)


class Bag:
    """An open bag that is whole and as its maker left it; a context manager.

    Raises ParseError for what is none, IntegrityError for one that is not what it says.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._store = opened(path)
        try:
            self._base = self._top()
            self._sizes = self._inside()
            self.version, self._codec = self._declared()
            self.info = self._fields() if "bag-info.txt" in self._sizes else []
            """The fields of bag-info.txt, in their order: what its maker claims."""
            tags, _ = self._manifests("tag")
            payload, self.checked = self._manifests("")
            """The algorithms by which its files were checked."""
            self._check_holes()
            self.payload = self._complete(payload)
            """Its files below `data/`, in the order of their paths."""
            self._check_oxum()
            self._check_tags(tags)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of it."""
        self._store.close()

    def read(self, path: str) -> bytes:
        """The octets of a file."""
        with reading(self.name), self._store.open(self._base + path) as file:
            return file.read()

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        """The objects in a tag file of lines; none where there is no such file."""
        for line in self.read(path).splitlines() if path in self._sizes else ():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value

    def on_record(self, path: str) -> dict[str, Any]:
        """What is put on record with what came out of a file of the bag."""
        info = [[name[:_LONGEST], value[:_LONGEST]] for name, value in self.info[:_MOST_FIELDS]]
        return {
            "file": self.name,
            "format": f"BagIt {self.version}",
            "path": path,
            "digests_checked": self.checked,
            "info": info,
        }

    # ------------------------------------------------------------ what it says of itself
    def _fault(self, problem: str) -> ParseError:
        return ParseError(problem, self.name, 0, _SPEC, hint=_HINT)

    def _top(self) -> str:
        """The folder in which the bag stands."""
        base = _base(self._store)
        if base is None:
            raise self._fault("expected a bag: there is no bagit.txt")
        if self._store.fault is not None:
            raise self._store.fault
        return base

    def _inside(self) -> dict[str, int]:
        """The files of the bag; beside its folder nothing may stand but what macOS packs."""
        sizes = self._store.sizes
        others = [path for path in sizes if not path.startswith((self._base, "__MACOSX/"))]
        if others:
            raise self._fault(f"{min(others)!r} stands beside the folder of the bag")
        start = len(self._base)
        return {path[start:]: sizes[path] for path in sizes if path.startswith(self._base)}

    def _lines(self, path: str, codec: str) -> list[str]:
        """The lines of a tag file, which end in CR, LF or both, and in nothing else (§2.1.3)."""
        if self._sizes[path] > _MOST:
            raise self._fault(f"{path} is larger than {_MOST:,} octets")
        return _LINE_END.split(decode(self.read(path), codec).removeprefix("\ufeff"))

    def _declared(self) -> tuple[str, str]:
        """The version of the format, and the codec of the tag files (§2.1.1)."""
        if self._sizes[_DECLARATION] > _LONGEST:
            raise self._fault("its bagit.txt is no declaration of two lines")
        lines = self._lines(_DECLARATION, "utf-8")
        first, second = (
            pattern.fullmatch(line) if line is not None else None
            for pattern, line in zip((_FIRST, _SECOND), [*lines, None, None], strict=False)
        )
        if first is None or second is None:
            raise self._fault("its bagit.txt is no declaration of two lines")
        if float(first[1]) > 1:
            raise self._fault(f"it is a bag of version {first[1]}, which nobody has described")
        codec = codec_of(second[1])
        if codec is None:
            raise self._fault(f"its tag files are in {second[1]!r}, which is no charset")
        return first[1], codec

    def _fields(self) -> list[tuple[str, str]]:
        """Labels and values, which may go on in lines that are indented (§2.2.2)."""
        fields: list[tuple[str, str]] = []
        for line in self._lines("bag-info.txt", self._codec):
            if line[:1] in {" ", "\t"} and fields:
                name, value = fields[-1]
                fields[-1] = (name, f"{value} {line.strip()}")
            elif ":" in line:
                name, _, value = line.partition(":")
                fields.append((name.strip(), value.strip()))
        return fields

    def _manifests(self, kind: str) -> tuple[dict[str, dict[str, str]], list[str]]:
        """What the manifests of a kind state: digests of each file by their algorithms, and which.

        One kind has to vouch for the payload.
        """
        stated: dict[str, dict[str, str]] = {}
        unknown: list[str] = []
        known: set[str] = set()
        for path in sorted(self._sizes):
            named = _MANIFEST.fullmatch(path)
            if named is None or (named[1] or "") != kind:
                continue
            algorithm = _ALGORITHMS.get(named[2].lower().replace("-", "").replace("_", ""))
            if algorithm is None:
                unknown.append(named[2])
                continue
            known.add(algorithm)
            for listed, digest in self._manifest(path):
                if stated.setdefault(listed, {}).setdefault(algorithm, digest) != digest:
                    raise self._broken(f"{path} states two digests of {listed!r}", digest, "two")
        if not known and (unknown or not kind):
            told = (
                f"by {', '.join(unknown)} alone, which is not known" if unknown else "no manifest"
            )
            raise self._fault(f"nothing vouches for its files: {told}")
        return stated, sorted(known)

    def _manifest(self, path: str) -> Iterator[tuple[str, str]]:
        """Digests and paths, a line each (§2.1.3); the path as the file is called."""
        for number, line in enumerate(self._lines(path, self._codec), 1):
            if not line.strip():
                continue
            found = _LINE.fullmatch(line)
            if found is None:
                raise self._fault(f"line {number} of {path} is no digest with a path")
            parts = found[2].replace("\\", "/").split("/")
            if ".." in parts or found[2].startswith(("/", "~")):
                raise self._fault(f"{path} names {found[2]!r}, which leads out of the bag")
            yield self._called(found[2]), found[1].lower()

    def _called(self, listed: str) -> str:
        """The path of a file as it is called, of those that a manifest may mean."""
        plain = listed.replace("%0A", "\n").replace("%0a", "\n").replace("%0D", "\r")
        plain = plain.replace("%0d", "\r").replace("%25", "%")
        for each in (listed, plain):
            for form in (each, *(unicodedata.normalize(f, each) for f in ("NFC", "NFD"))):
                if form in self._sizes:
                    return form
        return listed

    # ------------------------------------------------------------ whether it is so
    def _broken(self, problem: str, expected: str, actual: str) -> IntegrityError:
        return IntegrityError(problem, expected=expected, actual=actual, hint=_HINT)

    def _check_holes(self) -> None:
        """Raise where files are to be had from elsewhere (§2.2.3)."""
        if "fetch.txt" not in self._sizes:
            return
        lines = self._lines("fetch.txt", self._codec)
        wanted = [self._called(line.split(None, 2)[-1]) for line in lines if line.strip()]
        holes = [path for path in wanted if path not in self._sizes]
        if holes:
            raise IntegrityError(
                f"the bag has holes: {len(holes)} files are to be fetched, {holes[0]!r} the first",
                expected="a file",
                actual="an address in fetch.txt",
                hint="nothing is fetched: complete the bag with a tool of its maker, and import it",
            )

    def _complete(self, stated: dict[str, dict[str, str]]) -> dict[str, int]:
        """The payload, once all that is listed is there, and all that is there is listed (§3)."""
        held = {path: size for path, size in self._sizes.items() if path.startswith("data/")}
        for path in sorted(stated.keys() - held.keys()):
            raise self._broken(f"the bag is not complete: {path!r} is not there", "a file", "none")
        is_strict = float(self.version) >= 1
        for path in sorted(held):
            said = stated.get(path, {})
            if not said or (is_strict and said.keys() != set(self.checked)):
                problem = f"{path!r} is in the bag, and not in all of its manifests"
                raise self._broken(problem, ", ".join(self.checked), ", ".join(sorted(said)))
            self._check(path, said)
        return dict(sorted(held.items()))

    def _check_tags(self, stated: dict[str, dict[str, str]]) -> None:
        """Hold the files beside the payload to their digests, as far as there are any (§2.2.1)."""
        for path, said in sorted(stated.items()):
            if path not in self._sizes:
                problem = f"the bag is not complete: {path!r} is not there"
                raise self._broken(problem, "a file", "none")
            self._check(path, said)

    def _check(self, path: str, said: dict[str, str]) -> None:
        """Hold a file to all digests that are stated of it, in one reading."""
        made = {name: hashlib.new(name, usedforsecurity=False) for name in said}
        with reading(self.name), self._store.open(self._base + path) as file:
            while piece := file.read(_STEP):
                for each in made.values():
                    each.update(piece)
        for name, digest in said.items():
            actual = made[name].hexdigest()
            if actual != digest:
                problem = f"{path!r} is not the file that the {name} manifest lists"
                raise self._broken(problem, f"{name}:{digest}", f"{name}:{actual}")

    def _check_oxum(self) -> None:
        """Hold the payload to its octets and its number of files, where they are stated."""
        actual = f"{sum(self.payload.values())}.{len(self.payload)}"
        for name, value in self.info:
            if name.lower() != "payload-oxum":
                continue
            if not _OXUM.fullmatch(value) or value != actual:
                problem = f"its Payload-Oxum is {value[:40]!r}, and {actual} is in it"
                raise self._broken(problem, value[:40], actual)
