"""Media types of files, by their names and by what they begin with.

| section | function |
|---|---|
| RFC 6838 §4.12 file extensions | by_name, ending_of |
| WHATWG MIME Sniffing §6, §7 | sniff, content_type_of |

A media type is part of a permanent name, so the table stands here, and not in what a machine has
installed. This is its edition 2026-11. What is registered at IANA has the name that it has there,
with the endings of its registration; the rest has that of Debian 12, of shared-mime-info 2.2 or of
MIME Sniffing. Endings that say too little are left out (`.asc`, `.org`): such a file is plain text
if it is UTF-8. A later edition may add rows; it changes none.

Deviations: what a server declares counts more than in MIME Sniffing §7: no text is taken for
another text, and no picture for another picture.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from permacite.media_types import PDF, essence, is_field
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["by_name", "content_type_of", "ending_of", "media_type_of_file", "sniff"]


def _endings(table: Mapping[str, str]) -> dict[str, str]:
    rows = ((major, *row.split(":")) for major, rows in table.items() for row in rows.split())
    return {
        ending: f"{major}/{minor}" for major, minor, known in rows for ending in known.split(",")
    }


_BY_ENDING = _endings(
    {
        "application": """
atom+xml:atom dicom:dcm epub+zip:epub geo+json:geojson gml+xml:gml gzip:gz,tgz,svgz,emz,wmz
java-archive:jar jats+xml:jats,nxml json:json ld+json:jsonld manifest+json:webmanifest
mathematica:nb mathml+xml:mathml,mml mbox:mbox msword:doc mxf:mxf octet-stream:bin ogg:ogx pdf:pdf
postscript:ps,eps rdf+xml:rdf,owl rss+xml:rss rtf:rtf tei+xml:tei ttml+xml:ttml
vnd.amazon.ebook:azw vnd.amazon.mobi8-ebook:azw3 vnd.android.package-archive:apk
vnd.apache.parquet:parquet vnd.apple.mpegurl:m3u8 vnd.comicbook+zip:cbz vnd.comicbook-rar:cbr
vnd.debian.binary-package:deb vnd.google-earth.kml+xml:kml vnd.google-earth.kmz:kmz
vnd.ms-excel:xls,xlt vnd.ms-excel.sheet.binary.macroenabled.12:xlsb
vnd.ms-excel.sheet.macroenabled.12:xlsm vnd.ms-fontobject:eot vnd.ms-outlook:msg
vnd.ms-powerpoint:ppt,pps vnd.ms-powerpoint.presentation.macroenabled.12:pptm vnd.ms-project:mpp
vnd.ms-word.document.macroenabled.12:docm vnd.ms-xpsdocument:xps vnd.oasis.opendocument.base:odb
vnd.oasis.opendocument.chart:odc vnd.oasis.opendocument.formula:odf
vnd.oasis.opendocument.graphics:odg vnd.oasis.opendocument.presentation:odp
vnd.oasis.opendocument.spreadsheet:ods vnd.oasis.opendocument.text:odt
vnd.oasis.opendocument.text-master:odm vnd.oasis.opendocument.text-template:ott
vnd.openxmlformats-officedocument.presentationml.presentation:pptx
vnd.openxmlformats-officedocument.presentationml.slideshow:ppsx
vnd.openxmlformats-officedocument.presentationml.template:potx
vnd.openxmlformats-officedocument.spreadsheetml.sheet:xlsx
vnd.openxmlformats-officedocument.spreadsheetml.template:xltx
vnd.openxmlformats-officedocument.wordprocessingml.document:docx
vnd.openxmlformats-officedocument.wordprocessingml.template:dotx vnd.rar:rar
vnd.sqlite3:sqlite,sqlite3,db3 vnd.tcpdump.pcap:pcap,cap vnd.visio:vsd,vsdx vnd.wordperfect:wpd
wasm:wasm x-7z-compressed:7z x-bittorrent:torrent x-bzip2:bz2 x-hdf:hdf x-hdf5:h5,hdf5
x-ipynb+json:ipynb x-iso9660-image:iso x-mobipocket-ebook:mobi,prc x-netcdf:nc x-subrip:srt
x-tar:tar x-xz:xz xhtml+xml:xhtml,xht xml:xml,xsd,fodt,fods,fodp,fodg xslt+xml:xslt,xsl zip:zip
zstd:zst
""",
        "audio": """
aac:aac,adts aiff:aif,aiff amr:amr basic:au,snd flac:flac midi:mid,midi mp4:m4a,m4b mpeg:mp3,mp2
ogg:oga,ogg,opus,spx x-wav:wav x-ms-wma:wma
""",
        "font": """
collection:ttc otf:otf ttf:ttf woff:woff woff2:woff2
""",
        "image": """
avif:avif bmp:bmp emf:emf fits:fits,fit gif:gif heic:heic heif:heif jp2:jp2 jpeg:jpg,jpeg,jpe,jfif
jpx:jpx,jpf jxl:jxl png:png svg+xml:svg tiff:tif,tiff vnd.adobe.photoshop:psd vnd.djvu:djvu,djv
vnd.dwg:dwg vnd.dxf:dxf webp:webp wmf:wmf x-adobe-dng:dng x-canon-cr2:cr2 x-icon:ico
x-nikon-nef:nef x-portable-anymap:pnm x-portable-bitmap:pbm x-portable-graymap:pgm
x-portable-pixmap:ppm x-sony-arw:arw
""",
        "message": """
rfc822:eml
""",
        "model": """
gltf+json:gltf gltf-binary:glb obj:obj stl:stl
""",
        "multipart": """
related:mhtml,mht
""",
        "text": """
calendar:ics css:css csv:csv html:html,htm javascript:js,mjs markdown:md,markdown plain:txt
sgml:sgml,sgm tab-separated-values:tsv turtle:ttl vcard:vcf vtt:vtt x-bibtex:bib x-diff:diff,patch
x-tex:tex,ltx,sty,cls
""",
        "video": """
3gpp:3gp 3gpp2:3g2 mp2t:ts,m2ts,mts mp4:mp4,m4v mpeg:mpeg,mpg,mpe ogg:ogv quicktime:mov,qt
webm:webm x-flv:flv x-matroska:mkv x-ms-wmv:wmv x-msvideo:avi
""",
    }
)
_CODE_BY_ENDING = _endings(
    {
        "text": """
x-ada:adb,ada,ads x-asm:s,asm x-c++hdr:hpp,h++,hh,hxx x-c++src:cpp,c++,cc,cxx x-chdr:h
x-clojure:clj,cljc,cljs x-cmake:cmake x-csharp:cs x-csrc:c x-dart:dart x-dsrc:d x-elixir:ex,exs
x-erlang:erl,hrl x-fortran:f90,f,f77,f95,for x-fsharp:fs,fsx x-go:go x-groovy:groovy,gradle
x-haskell:hs x-ini:ini,cfg,conf x-java:java x-julia:jl x-kotlin:kt,kts x-lisp:lisp,cl,el x-lua:lua
x-nim:nim x-objcsrc:m x-ocaml:ml,mli x-pascal:pas,pp x-perl:pl,pm x-php:php x-powershell:ps1,psm1
x-protobuf:proto x-python:py,pyi x-r:r x-ruby:rb x-rust:rs x-scala:scala x-scheme:scm
x-sh:sh,bash,zsh x-sql:sql x-swift:swift x-tcl:tcl x-terraform:tf x-toml:toml
x-typescript:ts,cts,mts,tsx x-verilog:v,sv x-vhdl:vhd,vhdl x-yaml:yaml,yml x-zig:zig
"""
    }
)
"""Texts, whatever else has their endings: a video (`.ts`), a recorded screen (`.scm`)."""


class _Signature(NamedTuple):
    """What files of a type begin with."""

    pattern: re.Pattern[bytes]
    media_type: str
    others: tuple[str, ...]
    """The beginnings of types that are kept in the same form: their names tell them apart."""
    is_certain: bool
    """Whether octets that begin so are nothing else, whatever they are called."""


def _signature(octets: bytes, media_type: str, *others: str, is_certain: bool = True) -> _Signature:
    return _Signature(compile_pattern(octets, re.DOTALL), media_type, others, is_certain)


_SIGNATURES = (
    _signature(rb"\x89PNG\r\n\x1a\n", "image/png"),
    _signature(rb"\xff\xd8\xff", "image/jpeg"),
    _signature(rb"GIF8[79]a", "image/gif"),
    _signature(rb"RIFF....WEBPVP", "image/webp"),
    _signature(rb"II\*\0|MM\0\*", "image/tiff", "image/x-"),
    _signature(rb"....ftyp(?:avif|avis)", "image/avif"),
    _signature(rb"....ftyp(?:hei[cx]|hev[cx])", "image/heic", "image/hei"),
    _signature(rb"....ftyp(?:mif1|msf1)", "image/heif", "image/"),
    _signature(rb"BM", "image/bmp", is_certain=False),
    _signature(rb"\x00\x00\x01\x00", "image/x-icon", is_certain=False),
    _signature(rb"wOF2", "font/woff2", is_certain=False),
    _signature(rb"wOFF", "font/woff", is_certain=False),
    _signature(rb"OTTO", "font/otf", is_certain=False),
    _signature(rb"\x00\x01\x00\x00", "font/ttf", is_certain=False),
    _signature(rb"RIFF....WAVE", "audio/wav", "audio/"),
    _signature(rb"OggS\x00", "application/ogg", "audio/", "video/"),
    _signature(rb"fLaC\x00", "audio/flac"),
    _signature(rb"ID3[\x02-\x04]", "audio/mpeg", "audio/"),
    _signature(rb"ID3|\xff\xfb", "audio/mpeg", is_certain=False),
    _signature(rb"\x1aE\xdf\xa3.{0,60}webm", "video/webm", "audio/", "video/"),
    _signature(rb"\x1aE\xdf\xa3", "video/webm", is_certain=False),
    _signature(rb"....ftypM4[AB] ", "audio/mp4", "audio/"),
    _signature(rb"....ftypqt  ", "video/quicktime", "video/"),
    _signature(rb"....ftyp", "video/mp4", "audio/", "video/"),
    _signature(rb"\s{0,64}%PDF-\d", PDF),
)
_MARKUP = compile_pattern(
    rb"(?:\xef\xbb\xbf)?[ \t\r\n\f]*+(?:<\?xml[^>]{0,200}>[ \t\r\n\f]*+)?"
    rb"(?:<!--.{0,800}?-->[ \t\r\n\f]*+)?"
    rb"<(?P<name>!doctype html|!doctype svg|html|head|body|title|script|h1|p|div|table|a|svg)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEAD = 1024
"""Octets that are inspected."""
_TEXTUAL = (
    *("text/", "message/", "multipart/", "model/", "image/x-portable", "image/vnd.dxf"),
    *("application/postscript", "application/rtf", "application/mbox", "application/mathematica"),
    *("application/x-subrip", "application/vnd.apple.mpegurl", "application/octet-stream"),
)
"""Media types of files that may be nothing but text."""
_UTF_16 = ("\ufeff".encode("utf-16-le"), "\ufeff".encode("utf-16-be"))
_OCTETS = "application/octet-stream"
_SAYING_NOTHING = frozenset(
    f"{major}/{minor}"
    for major in ("application", "binary", "unknown", "*")
    for minor in ("octet-stream", "unknown", "x-unknown", "force-download", "x-download", "*")
)


def by_name(name: str, content: bytes | None = None) -> str | None:
    """The media type of a file by the ending of its name; None for an unknown one.

    Source code is known by its endings where `content` is given, and may be text.
    """
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if content is None or _is_octets(content):
        return _BY_ENDING.get(ending)
    return _CODE_BY_ENDING.get(ending) or _BY_ENDING.get(ending)


def media_type_of_file(named: str | None, content: bytes) -> str:
    """The media type of a file: by what it begins with, else by its name, else whether it is text.

    `named` is the type by its name. Where all is text that should be a picture, a PDF or packed,
    the name is wrong: it is a page that was saved under it, or plain text.
    """
    if found := _certain(content, named):
        return found
    if named and (named.startswith(_TEXTUAL) or named.endswith(("xml", "json")) or not content):
        return named
    if _is_text(content):
        return (_markup(content) if named else None) or "text/plain"
    return named or _OCTETS


def content_type_of(
    field: str, content: bytes, likely: str | None = None, *, uri: str = ""
) -> tuple[str, bool]:
    """The Content-Type of an answer, and whether it was sniffed.

    What a server declares counts, but where it says nothing, or calls a picture, a sound, a video
    or a PDF a text. `likely` is the type of what looks like plain text, by its use in the page.
    """
    declared = essence(field) if is_field(field) else ""
    if declared and declared not in _SAYING_NOTHING:
        found = _certain(content, None) if declared.startswith("text/") else None
        if found is None or (found == PDF and _is_text(content)):
            return field, False
        return found, True
    named = by_name(uri.partition("#")[0].partition("?")[0].rpartition("/")[2])
    found = _certain(content, named)
    if declared:
        return found or named or field, (found or named) is not None
    found = found or sniff(content)
    if found in {"text/plain", _OCTETS}:
        found = (likely if found == "text/plain" else None) or named or found
    return found, True


def sniff(content: bytes) -> str:
    """The media type that `content` looks like, "application/octet-stream" if like none."""
    head = content[:_HEAD]
    for signature in _SIGNATURES:
        if signature.pattern.match(head):
            return signature.media_type
    return _markup(head) or ("text/plain" if head and b"\0" not in head else _OCTETS)


def ending_of(media_type: str) -> str | None:
    """How the names of files of a media type end, with the dot; None for an unknown type."""
    table = _BY_ENDING | _CODE_BY_ENDING
    return next((f".{ending}" for ending, known in table.items() if known == media_type), None)


def _certain(content: bytes, named: str | None) -> str | None:
    """The media type that octets have for sure, whatever they are called; None for others.

    Of what is text all through, that is a PDF alone.
    """
    head = content[:_HEAD]
    found = next(
        (each for each in _SIGNATURES if each.is_certain and each.pattern.match(head)), None
    )
    if found is None or (found.media_type != PDF and _is_text(content)):
        return None
    return named if named and named.startswith(found.others) else found.media_type


def _markup(content: bytes) -> str | None:
    found = _MARKUP.match(content[:_HEAD])
    if found is None:
        return None
    return "image/svg+xml" if found["name"].lower().endswith(b"svg") else "text/html"


def _is_octets(content: bytes) -> bool:
    return b"\0" in content[:4096] and not content.startswith(_UTF_16)


def _is_text(content: bytes) -> bool:
    """Whether octets are text by their looks: UTF-8, or UTF-16 that says so."""
    if _is_octets(content):
        return False
    try:
        return content.startswith(_UTF_16) or content.decode() is not None
    except UnicodeDecodeError:
        return False
