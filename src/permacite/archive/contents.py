"""Contents of formats: bytes, texts and excerpts; whatever is read is checked.

| method | compared |
|---|---|
| `read`, `octets`, `sidecar` | the digest of all bytes, with the recorded one |
| `pieces` | the digest of each piece that is read, with the recorded one |
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from permacite.archive.records import octets
from permacite.archive.records.versions import sidecars

if TYPE_CHECKING:
    from permacite.archive.gate import Gate
    from permacite.archive.model.answered import Representation
    from permacite.archive.objects.source import ContentReader
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.texts.pieces import CheckedPieces
    from permacite.extract import Excerpt
    from permacite.text.document import DocumentText

__all__ = ["DocumentContents"]


class DocumentContents:
    """Reads the contents of one archive, as far as an audience may."""

    def __init__(self, parts: ArchiveParts, gate: Gate) -> None:
        self._parts = parts
        self._catalog = parts.catalog
        self._objects = parts.objects
        self._pieces = parts.pieces
        self._texts = parts.texts
        self._gate = gate

    def read(self, representation: Representation) -> bytes:
        """Return the octets, checked against their digest.

        Raises IntegrityError where they are altered, NotFoundError where they are missing,
        WithdrawnError.
        """
        self._gate.check(representation)
        return self._objects.get(representation.digest)

    def pieces(self, representation: Representation) -> CheckedPieces:
        """The octets, to be read by ranges; each piece that is read is checked. Raises as `read`.

        Nothing is read here, unless the digests of the pieces are to be made.
        """
        self._gate.check(representation)
        from permacite.archive.texts.pieces import CheckedPieces

        opened = partial(self._objects.open, representation.digest)
        return CheckedPieces(opened, self._pieces.of(representation))

    def source(self, representation: Representation) -> ContentReader:
        """The octets, to be read by ranges as they are stored; close it. Raises RestrictedError."""
        self._gate.check(representation)
        return self._objects.open(representation.digest)

    def check_access(self, representation: Representation) -> None:
        """Raise RestrictedError where the octets are not given out."""
        self._gate.check(representation)

    def octets(self, digest: str) -> bytes:
        """Return kept octets, checked likewise, be they withdrawn or not: for copies of it all."""
        return self._objects.get(digest)

    def sidecar(self, representation: Representation, name: str) -> bytes | None:
        """A sidecar, checked likewise; None where there is none of this name."""
        digest = self.sidecar_digest(representation, name)
        return None if digest is None else self._objects.get(digest)

    def sidecar_digest(self, representation: Representation, name: str) -> str | None:
        """The digest of a sidecar, None where there is none. Raises RestrictedError."""
        self._gate.check(representation)
        return self._catalog.read(sidecars, representation).get(name)

    def text(self, representation: Representation, *, whole: bool = True) -> DocumentText:
        """Return the text of a format that has one; a large one by its index.

        Every piece of that which is read is checked against the digest recorded for it. With
        `whole`, and without an index, the digest of all octets is recomputed first. Raises
        IntegrityError where octets are altered, NotFoundError where they are missing,
        WithdrawnError, StorageError.
        """
        self._gate.check(representation)
        return self._texts.text(representation, whole=whole)

    def excerpt(
        self,
        representation: Representation,
        specifier: str,
        *,
        whole: bool = True,
        preview: bool = False,
    ) -> Excerpt:
        """Return the part of a format that the specifier of a fragment names, of whatever kind.

        `whole` as in `text`, `preview` as in `extract`. Raises as `extract` and `text` do.
        """
        from permacite import extract

        media_type = representation.media_type
        if extract.is_of_text(specifier, media_type) and not preview:
            return extract.extract_from(
                self.text(representation, whole=whole), media_type, specifier
            )
        if specifier.startswith("byte=") and not preview:
            if whole:
                with self._objects.open(representation.digest) as source:
                    source.check()
            return extract.octets_from(self.pieces(representation), media_type, specifier)
        if self._parts.decoder_of is None or not extract.is_decoded(specifier, media_type):
            content = self.read(representation)
            return extract.extract(content, media_type, specifier, preview=preview)
        with self.source(representation) as source:
            source.check()
            decode = self._parts.decoder_of(representation.digest)
            return decode(source, media_type, specifier, preview=preview)

    def staged_bytes(self) -> int:
        """Return how many bytes are committed and have no file yet."""
        return self._catalog.read(octets.staged_bytes)
