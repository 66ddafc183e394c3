"""permacite: cite any part of any document, for good.

`create` makes an archive, `open` opens one; what can be done with it are the methods of `Archive`.
The packages serve alone: `uri` (RFC 2396), `fragments` (RFC 5147), `mhtml` (RFC 2557), `pdi`
(Persistent Document Identifiers), `markup` (HTML as text) and `extract` (parts of any media). Each
is imported when it is first asked for.
"""

from permacite.exports import on_demand
from permacite.version import __version__

TYPE_CHECKING = False  # to import typing would take longer than all the rest
if TYPE_CHECKING:
    from permacite import errors, extract, fragments, markup, mhtml, pdi, uri
    from permacite.archive.model.answered import Finding
    from permacite.service.archive import Archive, create, open  # noqa: A004 - the word for it
    from permacite.service.checking import Checked
    from permacite.service.citations.recorded import CitationForms, Cited
    from permacite.service.documents import Document, Format
    from permacite.service.drift.comparison import PassageDrift
    from permacite.service.drift.versions import InVersion, Through
    from permacite.service.findings import Report
    from permacite.service.holdings import Listing
    from permacite.service.ingest.saved import LostResource, Saved
    from permacite.service.quotations.comparing import Quotation
    from permacite.service.resolution.resolving import Resolved

__all__ = [
    "Archive",
    "Checked",
    "CitationForms",
    "Cited",
    "Document",
    "Finding",
    "Format",
    "InVersion",
    "Listing",
    "LostResource",
    "PassageDrift",
    "Quotation",
    "Report",
    "Resolved",
    "Saved",
    "Through",
    "__version__",
    "create",
    "errors",
    "extract",
    "fragments",
    "markup",
    "mhtml",
    "open",
    "pdi",
    "uri",
]

on_demand(
    __name__,
    {
        "permacite": "errors, extract, fragments, markup, mhtml, pdi, uri",
        "permacite.archive.model.answered": "Finding",
        "permacite.service.archive": "Archive, create, open",
        "permacite.service.citations.recorded": "CitationForms, Cited",
        "permacite.service.documents": "Document, Format",
        "permacite.service.checking": "Checked",
        "permacite.service.drift.comparison": "PassageDrift",
        "permacite.service.drift.versions": "InVersion, Through",
        "permacite.service.findings": "Report",
        "permacite.service.ingest.saved": "LostResource, Saved",
        "permacite.service.quotations.comparing": "Quotation",
        "permacite.service.holdings": "Listing",
        "permacite.service.resolution.resolving": "Resolved",
    },
)
