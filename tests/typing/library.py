"""A user's script over an archive: run by a test, and checked by mypy --strict."""

from __future__ import annotations

import sys
from pathlib import Path

import permacite
from permacite import Archive, Cited, Report, Resolved, Saved


def cite_words(archive: Archive, name: str, content: bytes, words: str) -> Cited:
    """Add a document and cite words of it."""
    saved: Saved = archive.add(content, name=name)
    return archive.cite(saved.pdi, quote=words)


def words_of(archive: Archive, reference: str) -> str:
    """The words under a name; none where it is no text."""
    resolved: Resolved = archive.resolve(reference)
    return resolved.text or ""


def main(folder: Path) -> str:
    """Make an archive, cite, resolve, verify, list."""
    with permacite.create(folder, series="lab.example.us") as archive:
        cited = cite_words(archive, "report.txt", b"The gauge read 214 cm.\n", "214 cm")
        report: Report = archive.verify(cited.reference)
        problems: list[str] = [f"{finding.name}: {finding.kind}" for finding in report.bad]
        if problems:
            raise SystemExit("\n".join(problems))
        titles: list[str | None] = [
            document.title for document in archive.documents.list().documents
        ]
        try:
            archive.resolve("nonsense")
        except permacite.errors.ParseError as error:
            offset: int = error.offset
            return f"{words_of(archive, cited.reference)} {titles} {offset}"
    return ""


if __name__ == "__main__":
    sys.stdout.write(main(Path(sys.argv[1])) + "\n")
