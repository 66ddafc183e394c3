"""BagIt reader for third-party bags and our own: each is checked against all that it states.

The BagIt File Packaging Format, RFC 8493, and its drafts back to 0.93:
  §2.1.1 bagit.txt            -> `_BagFiles`
  §2.1.2, §3 payload          -> `Bag.payload`: complete, and nothing beside it
  §2.1.3, §2.2.1 manifests    -> `_BagFiles.manifests`: all known algorithms, all checked
  §2.2.2 bag-info.txt         -> `Bag.info`; Payload-Oxum counts
  §2.2.3 fetch.txt            -> `Bag._check_holes`: nothing is fetched
  §4 serialization            -> `Store`: one folder at the top, or none; nothing is
                                 unpacked

Deviations: a manifest may put `*` before a path, as md5sum does; a path that is not there is looked
for in its composed and decomposed forms (§5.2), and below `./`.
Readings: `%0A`, `%0D` and `%25` stand for characters (§2.1.3), but a file that is called so is
taken first: programs differ. A bag whose files to fetch are all there has no holes.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import json
import lzma
import os
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, Self, cast

from permacite.charsets import codec_of, decode
from permacite.errors import IntegrityError, NotFoundError, ParseError, PermaciteError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["CITATIONS", "VERSIONS", "Bag", "is_packed_bag"]

VERSIONS, CITATIONS = "permacite/versions.jsonl", "permacite/citations.jsonl"
"""Tag files of our own bags."""
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
_MOST_FIELDS, _LONGEST = 50, 1000
_ALGORITHMS = {
    name.replace("_", ""): name
    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512")
}
_HINT = "nothing was archived of it"
_MOST_TIMES = 200
"""How many times larger something may be than what it is packed to."""
_PACKED: dict[bytes, Callable[[Path], object]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
_DAMAGED = (OSError, EOFError, ValueError, RuntimeError, NotImplementedError, LookupError)
_DAMAGED_TOO = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
"""Errors of libraries for damaged files and unknown compression."""


def is_packed_bag(path: Path) -> bool:
    """Whether a zip or tar file holds a bag, by the names in it."""
    try:
        store = opened(path)
    except PermaciteError:
        return False  # it is kept as it is, as anything that is packed
    with contextlib.closing(store):
        return _base(store) is not None


def _base(store: Store) -> str | None:
    """Return the folder of a bag, with its `/`; None where there is none."""
    found = [path for path in store.sizes if PurePosixPath(path).name == _DECLARATION]
    bases = [path.removesuffix(_DECLARATION) for path in found if path.count("/") <= 1]
    return min(bases, default=None)


class Bag:
    """An open bag, complete and as its maker left it; a context manager.

    Raises ParseError for anything else, IntegrityError where it is not what it says.
    """

    def __init__(self, path: Path) -> None:
        self._files = _BagFiles(path)
        self.name, self.version = self._files.name, self._files.version
        try:
            self.info = self._files.fields() if "bag-info.txt" in self._files.sizes else []
            """The fields of bag-info.txt, in order: what its maker claims."""
            tags, _ = self._files.manifests("tag")
            payload, self.checked = self._files.manifests("")
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
        """Close its files."""
        self._files.store.close()

    def read(self, path: str) -> bytes:
        """Read a file."""
        return self._files.read(path)

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the objects in a tag file of JSON lines; none where there is no such file."""
        for line in self.read(path).splitlines() if path in self._files.sizes else ():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value

    def on_record(self, path: str) -> dict[str, Any]:
        """Return what is recorded with a document from a file of the bag."""
        info = [[name[:_LONGEST], value[:_LONGEST]] for name, value in self.info[:_MOST_FIELDS]]
        return {
            "file": self.name,
            "format": f"BagIt {self.version}",
            "path": path,
            "digests_checked": self.checked,
            "info": info,
        }

    def _check_holes(self) -> None:
        """Raise where files are to be fetched (§2.2.3)."""
        if "fetch.txt" not in self._files.sizes:
            return
        lines = self._files.lines("fetch.txt")
        wanted = [self._files.called(line.split(None, 2)[-1]) for line in lines if line.strip()]
        holes = [path for path in wanted if path not in self._files.sizes]
        if holes:
            raise IntegrityError(
                f"the bag has holes: {len(holes)} files are to be fetched, {holes[0]!r} the first",
                expected="a file",
                actual="an address in fetch.txt",
                hint="nothing is fetched: complete the bag with a tool of its maker, and import it",
            )

    def _complete(self, stated: dict[str, dict[str, str]]) -> dict[str, int]:
        """The payload, once all that is listed is there, and all that is there is listed (§3)."""
        held = {path: size for path, size in self._files.sizes.items() if path.startswith("data/")}
        for path in sorted(stated.keys() - held.keys()):
            raise _broken(f"the bag is not complete: {path!r} is not there", "a file", "none")
        is_strict = float(self.version) >= 1
        for path in sorted(held):
            said = stated.get(path, {})
            if not said or (is_strict and said.keys() != set(self.checked)):
                problem = f"{path!r} is in the bag, and not in all of its manifests"
                raise _broken(problem, ", ".join(self.checked), ", ".join(sorted(said)))
            self._check(path, said)
        return dict(sorted(held.items()))

    def _check_tags(self, stated: dict[str, dict[str, str]]) -> None:
        """Check the files beside the payload against their digests, if they have any (§2.2.1)."""
        for path, said in sorted(stated.items()):
            if path not in self._files.sizes:
                problem = f"the bag is not complete: {path!r} is not there"
                raise _broken(problem, "a file", "none")
            self._check(path, said)

    def _check(self, path: str, said: dict[str, str]) -> None:
        """Check a file against all its digests, in one reading."""
        made = {name: hashlib.new(name, usedforsecurity=False) for name in said}
        with reading(self.name), self._files.store.open(self._files.base + path) as file:
            while piece := file.read(_STEP):
                for each in made.values():
                    each.update(piece)
        for name, digest in said.items():
            actual = made[name].hexdigest()
            if actual != digest:
                problem = f"{path!r} is not the file that the {name} manifest lists"
                raise _broken(problem, f"{name}:{digest}", f"{name}:{actual}")

    def _check_oxum(self) -> None:
        """Check the size of the payload and its number of files, where they are stated."""
        actual = f"{sum(self.payload.values())}.{len(self.payload)}"
        for name, value in self.info:
            if name.lower() != "payload-oxum":
                continue
            if not _OXUM.fullmatch(value) or value != actual:
                problem = f"its Payload-Oxum is {value[:40]!r}, and {actual} is in it"
                raise _broken(problem, value[:40], actual)


class _BagFiles:
    """The files of a bag, and what its tag files state."""

    def __init__(self, path: Path) -> None:
        """Open the folder of a bag. Raises ParseError for anything else."""
        self.name = path.name
        self.store = opened(path)
        try:
            self.base = self._top()
            self.sizes = self._inside()
            self.version, self._codec = self._declared()
        except BaseException:
            self.store.close()
            raise

    def read(self, path: str) -> bytes:
        """Read a file."""
        with reading(self.name), self.store.open(self.base + path) as file:
            return file.read()

    def _fault(self, problem: str) -> ParseError:
        return ParseError(problem, self.name, 0, "RFC 8493", hint=_HINT)

    def _top(self) -> str:
        """Return the folder of the bag."""
        base = _base(self.store)
        if base is None:
            raise self._fault("expected a bag: there is no bagit.txt")
        if self.store.fault is not None:
            raise self.store.fault
        return base

    def _inside(self) -> dict[str, int]:
        """Return the files of the bag; only what macOS packs may be beside its folder."""
        sizes = self.store.sizes
        others = [path for path in sizes if not path.startswith((self.base, "__MACOSX/"))]
        if others:
            raise self._fault(f"{min(others)!r} stands beside the folder of the bag")
        start = len(self.base)
        return {path[start:]: sizes[path] for path in sizes if path.startswith(self.base)}

    def lines(self, path: str, codec: str | None = None) -> list[str]:
        """The lines of a tag file, which end in CR, LF or both, and in nothing else (§2.1.3)."""
        if self.sizes[path] > _MOST:
            raise self._fault(f"{path} is larger than {_MOST:,} octets")
        return _LINE_END.split(decode(self.read(path), codec or self._codec).removeprefix("\ufeff"))

    def _declared(self) -> tuple[str, str]:
        """The version of the format, and the codec of the tag files (§2.1.1)."""
        if self.sizes[_DECLARATION] > _LONGEST:
            raise self._fault("its bagit.txt is no declaration of two lines")
        lines = self.lines(_DECLARATION, "utf-8")
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

    def fields(self) -> list[tuple[str, str]]:
        """Labels and values, which may go on in lines that are indented (§2.2.2)."""
        fields: list[tuple[str, str]] = []
        for line in self.lines("bag-info.txt"):
            if line[:1] in {" ", "\t"} and fields:
                name, value = fields[-1]
                fields[-1] = (name, f"{value} {line.strip()}")
            elif ":" in line:
                name, _, value = line.partition(":")
                fields.append((name.strip(), value.strip()))
        return fields

    def manifests(self, kind: str) -> tuple[dict[str, dict[str, str]], list[str]]:
        """Return what a kind of manifests states: digests of each file by algorithm, and these.

        The payload needs at least one manifest.
        """
        stated: dict[str, dict[str, str]] = {}
        unknown: list[str] = []
        known: set[str] = set()
        for path in sorted(self.sizes):
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
                    raise _broken(f"{path} states two digests of {listed!r}", digest, "two")
        if not known and (unknown or not kind):
            told = (
                f"by {', '.join(unknown)} alone, which is not known" if unknown else "no manifest"
            )
            raise self._fault(f"nothing vouches for its files: {told}")
        return stated, sorted(known)

    def _manifest(self, path: str) -> Iterator[tuple[str, str]]:
        """Digests and paths, a line each (§2.1.3); the path as the file is called."""
        for number, line in enumerate(self.lines(path), 1):
            if not line.strip():
                continue
            found = _LINE.fullmatch(line)
            if found is None:
                raise self._fault(f"line {number} of {path} is no digest with a path")
            parts = found[2].replace("\\", "/").split("/")
            if ".." in parts or found[2].startswith(("/", "~")):
                raise self._fault(f"{path} names {found[2]!r}, which leads out of the bag")
            yield self.called(found[2]), found[1].lower()

    def called(self, listed: str) -> str:
        """The path of a file as it is called, of those that a manifest may mean."""
        plain = listed.replace("%0A", "\n").replace("%0a", "\n").replace("%0D", "\r")
        plain = plain.replace("%0d", "\r").replace("%25", "%")
        for each in (listed, plain):
            for form in (each, *(unicodedata.normalize(f, each) for f in ("NFC", "NFD"))):
                if form in self.sizes:
                    return form
        return listed


def _broken(problem: str, expected: str, actual: str) -> IntegrityError:
    return IntegrityError(problem, expected=expected, actual=actual, hint=_HINT)


class Store(Protocol):
    """Files by their paths, `/` between folders."""

    sizes: dict[str, int]
    """In octets, by the path."""
    fault: ParseError | None
    """The reason why nothing of it may be read."""

    def open(self, path: str) -> BinaryIO:
        """A file, to be read from its beginning."""

    def close(self) -> None:
        """Close it."""


def opened(path: Path) -> Store:
    """A folder, or what is packed in a file; close it. Raises ParseError, NotFoundError."""
    with reading(path.name):
        if path.is_dir():
            return _BagFolder(path)
        return _Zip(path) if path.name.lower().endswith(".zip") else _Tar(path)


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn the errors of libraries for a damaged file into ParseError or NotFoundError."""
    try:
        yield
    except PermaciteError:
        raise
    except (*_DAMAGED, *_DAMAGED_TOO) as error:
        if isinstance(error, OSError) and error.strerror:
            raise NotFoundError(f"it cannot be read: {error.strerror}", name) from error
        raise _fault(f"the file is damaged: {error}", name) from error


def _fault(problem: str, path: str) -> ParseError:
    return ParseError(problem, path, 0, hint=_HINT)


def _fault_of(path: str, *, is_link: bool, is_twice: bool) -> ParseError | None:
    """Return the fault of a path in a bag, if it has one."""
    parts = path.replace("\\", "/").split("/")
    climbs = ".." in parts or path.startswith(("/", "\\", "~")) or ":" in parts[0]
    if climbs or "\0" in path:
        return _fault(f"the path {path!r} leads out of the folder", path)
    if is_twice:
        return _fault(f"{path!r} stands twice in it", path)
    return _fault(f"{path!r} is a link, or no file", path) if is_link else None


class _BagFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.sizes: dict[str, int] = {}
        self.fault: ParseError | None = None
        waiting = [("", folder)]
        while waiting:
            prefix, here = waiting.pop()
            for entry in sorted(os.scandir(here), key=lambda each: each.name):
                path = f"{prefix}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((f"{path}/", here / entry.name))
                    continue
                is_link = not entry.is_file(follow_symlinks=False)
                self.fault = self.fault or _fault_of(path, is_link=is_link, is_twice=False)
                self.sizes[path] = entry.stat(follow_symlinks=False).st_size

    def open(self, path: str) -> BinaryIO:
        return (self._folder / path).open("rb")

    def close(self) -> None:
        """Nothing is open."""


class _Zip:
    def __init__(self, file: Path) -> None:
        self._zip = zipfile.ZipFile(file)
        self.sizes: dict[str, int] = {}
        self.fault: ParseError | None = None
        for each in self._zip.infolist():
            path = each.filename
            is_link = stat.S_ISLNK(each.external_attr >> 16)
            fault = _fault_of(path, is_link=is_link, is_twice=path in self.sizes)
            self.fault = self.fault or fault or _ratio(path, each.file_size, each.compress_size)
            if not each.is_dir():
                self.sizes[path] = each.file_size

    def open(self, path: str) -> BinaryIO:
        return cast("BinaryIO", self._zip.open(path))

    def close(self) -> None:
        self._zip.close()


class _Tar:
    """A tar file; a compressed one is decompressed once, into an unnamed file."""

    def __init__(self, file: Path) -> None:
        self._file = _plain(file)
        self._members: dict[str, tarfile.TarInfo] = {}
        self.fault: ParseError | None = None
        try:
            self._tar = tarfile.open(fileobj=self._file, mode="r:")  # noqa: SIM115 - see `close`
            for each in self._tar:
                path = each.name.removeprefix("./")
                is_link = not (each.isdir() or (each.isreg() and not each.issparse()))
                fault = _fault_of(path, is_link=is_link, is_twice=path in self._members)
                self.fault = self.fault or fault
                if not each.isdir():
                    self._members[path] = each
        except BaseException:
            self._file.close()
            raise
        self.sizes = {path: each.size for path, each in self._members.items()}

    def open(self, path: str) -> BinaryIO:
        return cast("BinaryIO", self._tar.extractfile(self._members[path]))

    def close(self) -> None:
        self._tar.close()
        self._file.close()


def _plain(file: Path) -> BinaryIO:
    """Open a tar file, decompressed."""
    with file.open("rb") as packed:
        head = packed.read(8)
    open_ = next((way for mark, way in _PACKED.items() if head.startswith(mark)), None)
    if open_ is None:
        return file.open("rb")
    size, done = file.stat().st_size, 0
    target = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - `close` closes it
    try:
        with cast("BinaryIO", open_(file)) as unpacked:
            while piece := unpacked.read(_STEP):
                done += len(piece)
                _check_ratio(file.name, done, size)
                target.write(piece)
    except BaseException:
        target.close()
        raise
    target.seek(0)
    return target


def _check_ratio(path: str, size: int, packed: int) -> None:
    fault = _ratio(path, size, packed)
    if fault is not None:
        raise fault


def _ratio(path: str, size: int, packed: int) -> ParseError | None:
    if size <= _MOST_TIMES * packed + _STEP:
        return None
    return _fault(f"{path!r} unpacks to {size:,} octets or more: too much for what it is", path)
