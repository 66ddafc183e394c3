"""PDFium by its C interface: the functions that are called, with plain numbers as arguments.

Handles and addresses are integers: a call costs a third of what it does with typed pointers, and
is made by `map` over columns of addresses, a glyph each.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from permacite.errors import ParseError, PermaciteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["PdfiumLibrary", "library", "opened"]

_PLACE, _INT, _SIZE = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
_LONG, _UNSIGNED = ctypes.c_ulong, ctypes.c_uint
_FLOAT, _DOUBLE = ctypes.c_float, ctypes.c_double
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    # the result, then the arguments
    "FPDF_InitLibraryWithConfig": (None, _PLACE),
    "FPDF_GetLastError": (_LONG,),
    "FPDF_LoadMemDocument64": (_PLACE, _PLACE, _SIZE, ctypes.c_char_p),
    "FPDF_CloseDocument": (None, _PLACE),
    "FPDF_GetPageCount": (_INT, _PLACE),
    "FPDF_GetPageLabel": (_LONG, _PLACE, _INT, _PLACE, _LONG),
    "FPDF_GetMetaText": (_LONG, _PLACE, ctypes.c_char_p, _PLACE, _LONG),
    "FPDF_GetFormType": (_INT, _PLACE),
    "FPDF_GetSignatureCount": (_INT, _PLACE),
    "FPDF_GetSignatureObject": (_PLACE, _PLACE, _INT),
    "FPDFSignatureObj_GetContents": (_LONG, _PLACE, _PLACE, _LONG),
    "FPDFSignatureObj_GetByteRange": (_LONG, _PLACE, _PLACE, _LONG),
    "FPDFSignatureObj_GetSubFilter": (_LONG, _PLACE, _PLACE, _LONG),
    "FPDFSignatureObj_GetTime": (_LONG, _PLACE, _PLACE, _LONG),
    "FPDF_GetSecurityHandlerRevision": (_INT, _PLACE),
    "FPDFDoc_GetJavaScriptActionCount": (_INT, _PLACE),
    "FPDFDoc_GetAttachmentCount": (_INT, _PLACE),
    "FPDFDoc_GetAttachment": (_PLACE, _PLACE, _INT),
    "FPDFAttachment_GetName": (_LONG, _PLACE, _PLACE, _LONG),
    "FPDFCatalog_IsTagged": (_INT, _PLACE),
    "FPDF_LoadPage": (_PLACE, _PLACE, _INT),
    "FPDF_ClosePage": (None, _PLACE),
    "FPDF_GetPageBoundingBox": (_INT, _PLACE, _PLACE),
    "FPDFPage_GetRotation": (_INT, _PLACE),
    "FPDFPage_CountObjects": (_INT, _PLACE),
    "FPDFPage_GetObject": (_PLACE, _PLACE, _INT),
    "FPDFPageObj_GetType": (_INT, _PLACE),
    "FPDFPageObj_GetBounds": (_INT, _PLACE, _PLACE, _PLACE, _PLACE, _PLACE),
    "FPDFPageObj_GetMarkedContentID": (_INT, _PLACE),
    "FPDFLink_Enumerate": (_INT, _PLACE, _PLACE, _PLACE),
    "FPDFLink_GetAction": (_PLACE, _PLACE),
    "FPDFAction_GetType": (_LONG, _PLACE),
    "FPDFAction_GetFilePath": (_LONG, _PLACE, _PLACE, _LONG),
    "FPDF_StructTree_GetForPage": (_PLACE, _PLACE),
    "FPDF_StructTree_Close": (None, _PLACE),
    "FPDF_StructTree_CountChildren": (_INT, _PLACE),
    "FPDF_StructTree_GetChildAtIndex": (_PLACE, _PLACE, _INT),
    "FPDF_StructElement_CountChildren": (_INT, _PLACE),
    "FPDF_StructElement_GetChildAtIndex": (_PLACE, _PLACE, _INT),
    "FPDF_StructElement_GetChildMarkedContentID": (_INT, _PLACE, _INT),
    "FPDF_StructElement_GetType": (_LONG, _PLACE, _PLACE, _LONG),
    "FPDFText_LoadPage": (_PLACE, _PLACE),
    "FPDFText_ClosePage": (None, _PLACE),
    "FPDFText_CountChars": (_INT, _PLACE),
    "FPDFText_GetText": (_INT, _PLACE, _INT, _INT, _PLACE),
    "FPDFText_GetTextIndexFromCharIndex": (_INT, _PLACE, _INT),
    "FPDFText_GetUnicode": (_UNSIGNED, _PLACE, _INT),
    "FPDFText_IsGenerated": (_INT, _PLACE, _INT),
    "FPDFText_GetCharOrigin": (_INT, _PLACE, _INT, _PLACE, _PLACE),
    "FPDFText_GetLooseCharBox": (_INT, _PLACE, _INT, _PLACE),
    "FPDFText_GetFontInfo": (_LONG, _PLACE, _INT, _PLACE, _LONG, _PLACE),
    "FPDFText_GetFontSize": (_DOUBLE, _PLACE, _INT),
    "FPDFText_GetMatrix": (_INT, _PLACE, _INT, _PLACE),
    "FPDFText_GetTextObject": (_PLACE, _PLACE, _INT),
    "FPDFText_GetCharBox": (_INT, _PLACE, _INT, _PLACE, _PLACE, _PLACE, _PLACE),
    "FPDFTextObj_GetTextRenderMode": (_INT, _PLACE),
    "FPDFTextObj_GetFont": (_PLACE, _PLACE),
    "FPDFFont_GetGlyphWidth": (_INT, _PLACE, _UNSIGNED, _FLOAT, _PLACE),
    "FPDFFont_GetAscent": (_INT, _PLACE, _FLOAT, _PLACE),
    "FPDFFont_GetDescent": (_INT, _PLACE, _FLOAT, _PLACE),
    "FPDFFont_GetBaseFontName": (_LONG, _PLACE, _PLACE, _LONG),
    "FPDFFont_GetIsEmbedded": (_INT, _PLACE),
    "FPDFFont_GetGlyphPath": (_PLACE, _PLACE, _UNSIGNED, _FLOAT),
    "FPDFGlyphPath_CountGlyphSegments": (_INT, _PLACE),
    "FPDFGlyphPath_GetGlyphPathSegment": (_PLACE, _PLACE, _INT),
    "FPDFPathSegment_GetPoint": (_INT, _PLACE, _PLACE, _PLACE),
    "FPDFBitmap_CreateEx": (_PLACE, _INT, _INT, _INT, _PLACE, _INT),
    "FPDFBitmap_Destroy": (None, _PLACE),
    "FPDFBitmap_FillRect": (_INT, _PLACE, _INT, _INT, _INT, _INT, _LONG),
    "FPDF_RenderPageBitmap": (None, _PLACE, _PLACE, _INT, _INT, _INT, _INT, _INT, _INT),
}
_LATER = frozenset(
    {"FPDFText_GetTextObject", "FPDFPageObj_GetMarkedContentID", "FPDFFont_GetBaseFontName"}
)
"""What older builds lack."""
_RUNS_PROGRAMS = frozenset({"V8", "XFA"})


class _Config(ctypes.Structure):
    """FPDF_LIBRARY_CONFIG, version 2."""

    _fields_ = (
        ("version", _INT),
        ("font_paths", ctypes.POINTER(ctypes.c_char_p)),
        ("isolate", _PLACE),
        ("slot", _UNSIGNED),
    )


class PdfiumLibrary:
    """The functions by their names, and the build that they come from."""

    def __init__(self) -> None:
        """Load and start it. Raises PermaciteError where it is missing, or could run programs."""
        try:
            import pypdfium2_raw as raw
        except ImportError as error:
            hint = "pip install 'permacite[pdf]'"
            raise PermaciteError("the words of PDFs need the extra pdf", hint=hint) from error
        version = json.loads(resources.files(raw).joinpath("version.json").read_bytes())
        if _RUNS_PROGRAMS & set(version["flags"]):
            raise PermaciteError("expected a PDFium that cannot run programs, found one with V8")
        self.build = str(version["build"])
        for name, (result, *arguments) in _FUNCTIONS.items():
            if name in _LATER and not hasattr(raw, name):
                continue
            address = ctypes.cast(getattr(raw, name), _PLACE).value
            self.__dict__[name] = ctypes.PYFUNCTYPE(result, *arguments)(address or 0)
        no_fonts = (ctypes.c_char_p * 1)(None)  # of the system: they are not the same everywhere
        config = _Config(2, no_fonts, None, 0)
        self.FPDF_InitLibraryWithConfig(ctypes.addressof(config))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]: ...

    def has(self, name: str) -> bool:
        """Whether this build has it."""
        return name in self.__dict__

    @property
    def tells_objects(self) -> bool:
        """Whether it reports the object that draws a glyph; older builds do not."""
        return self.has("FPDFText_GetTextObject")

    def words(self, name: str, *arguments: object) -> str:
        """What a function writes as UTF-16 into room that is given it."""
        ask = self.__dict__[name]
        length = min(int(ask(*arguments, None, 0)), 1 << 16)
        if length <= 1:  # its final zero alone
            return ""
        room = ctypes.create_string_buffer(length)
        ask(*arguments, ctypes.addressof(room), length)
        return room.raw[:length].decode("utf-16-le", "replace").rstrip("\0")


@cache
def library() -> PdfiumLibrary:
    """The library, started once."""
    return PdfiumLibrary()


_PASSWORD, _SECURITY = 4, 5


@contextlib.contextmanager
def opened(content: Any) -> Iterator[tuple[PdfiumLibrary, int]]:
    """Open octets: the library, and its handle of the document. Raises ParseError."""
    import numpy as np

    pdfium = library()
    octets = np.frombuffer(content, np.uint8)
    document = pdfium.FPDF_LoadMemDocument64(octets.ctypes.data, octets.size, None)
    if not document:
        fault = pdfium.FPDF_GetLastError()
        start = bytes(octets[:40]).decode("latin-1")
        if fault == _PASSWORD:
            raise ParseError("expected a PDF that opens without a password", start, 0)
        if fault == _SECURITY:
            raise ParseError("it is encrypted in a way that is not known here", start, 0)
        raise ParseError("expected a PDF, found none that can be read", start, 0)
    try:
        yield pdfium, document
    finally:
        pdfium.FPDF_CloseDocument(document)
