"""The journeys of data through the house: which functions a page, a citation, a proof goes through.

A test runs each of them and looks whether these functions are entered, in this order.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["JOURNEYS", "Journey"]


class Journey(NamedTuple):
    """What is asked for, and the way to the answer: files of src/permacite, and their functions."""

    name: str
    asked: str
    about: str
    steps: tuple[tuple[str, str], ...]


JOURNEYS = (
    Journey(
        "save",
        "permacite save URI",
        "A page is fetched as it is served, read once, checked for misquotations and committed:"
        " octets first, then its name and its entry of the log in one transaction.",
        (
            ("cli/incoming/save.py", "save"),
            ("service/ingest/pages.py", "PageIngest.save"),
            ("capture/collect.py", "capture_page"),
            ("capture/fetcher.py", "Fetcher.fetch"),
            ("capture/address.py", "parse_target"),
            ("markup/document.py", "Document.__init__"),
            ("markup/charset.py", "sniff_charset"),
            ("capture/collect.py", "Collector.collect"),
            ("mhtml/links.py", "references_of"),
            ("archive/texts.py", "settle"),
            ("markup/plain/render.py", "Renderer.__init__"),
            ("service/quotations/recording.py", "quotations_in"),
            ("mhtml/writing/__init__.py", "build"),
            ("archive/committing.py", "deposit"),
            ("archive/objects/files.py", "FileObjects.put_all"),
            ("archive/engine/catalog.py", "Writer.run_all"),
            ("archive/records/commits.py", "commit"),
            ("archive/entries.py", "seal"),
            ("archive/merkle.py", "leaf_hash"),
        ),
    ),
    Journey(
        "cite",
        "permacite cite NAME --quote WORDS",
        "Words are found in the one text of the document, and their place is recorded.",
        (
            ("cli/cite.py", "cite"),
            ("service/citations/citing.py", "cite"),
            ("service/names.py", "document_of"),
            ("pdi/syntax.py", "parse"),
            ("archive/lookup.py", "VersionLookup.representation"),
            ("archive/texts.py", "document_text"),
            ("fragments/quote.py", "occurrences"),
            ("archive/records/citations.py", "record"),
            ("service/citations/recorded.py", "CitationForms.__init__"),
        ),
    ),
    Journey(
        "resolve",
        "permacite resolve NAME#FRAGMENT",
        "A name is read, its row is held to the log, access is asked, and the part is cut out of"
        " the octets, whose digest is checked.",
        (
            ("cli/resolve.py", "resolve"),
            ("service/resolution/resolving.py", "Resolver.resolve"),
            ("pdi/syntax.py", "parse"),
            ("archive/lookup.py", "VersionLookup.answering"),
            ("archive/records/versions.py", "answering"),
            ("archive/log/agreement.py", "Agreement.check"),
            ("archive/gate.py", "Gate.version"),
            ("archive/texts.py", "Texts.text"),
            ("archive/objects/files.py", "FileObjects.get"),
            ("text/entity.py", "DocumentText.__init__"),
            ("extract/text.py", "characters"),
        ),
    ),
    Journey(
        "verify",
        "permacite verify PROOF.zip",
        "A proof is checked with nothing but itself and a key: members, signature, words, tree.",
        (
            ("cli/proof.py", "verify"),
            ("service/proofs/proofs.py", "check"),
            ("archive/log/bundles/checking.py", "check_proof"),
            ("archive/log/plain_zip.py", "members"),
            ("archive/log/bundles/tlog_proof.py", "signed_part"),
            ("archive/log/note.py", "parse_proof"),
            ("archive/log/keys.py", "Verifier.parse"),
            ("archive/entries.py", "read"),
            ("extract/cut.py", "extract"),
            ("archive/merkle.py", "leaf_hash"),
        ),
    ),
    Journey(
        "read",
        "GET /NAME?fragment=... in a browser",
        "The reader shows a document in a frame of its own, made inert, with the passage marked"
        " and what cites it beside it.",
        (
            ("web/routes/names.py", "resolution"),
            ("web/headers.py", "chosen_view"),
            ("web/routes/reader.py", "document"),
            ("service/reader/reading.py", "Reader.read"),
            ("archive/gate.py", "Gate.version"),
            ("service/citations/recorded.py", "CitationForms.__init__"),
            ("service/quotations/comparing.py", "Quotations.quoter_page"),
            ("web/templates.py", "page"),
            ("web/routes/reader.py", "frame"),
            ("service/reader/pages.py", "view"),
            ("mhtml/export/__init__.py", "single_html"),
        ),
    ),
)
