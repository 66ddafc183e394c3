"""Signatures of a PDF (PAdES, ISO 32000-2 12.8): whether they are valid, and what they cover.

What is checked: that the signed octets are all of the file but the signature itself, their digest,
and the signature with the key of the certificate in it. Not checked: who issued that certificate,
whether it was revoked, and whether the time is right that the signer states.

| section | function |
|---|---|
| RFC 5652 §5 SignedData | `_signed_data` |
| RFC 5652 §5.3 SignerInfo | `_signer` |
| RFC 5652 §5.4, §5.6 digest, signature | `_holds` |
| ISO 32000-2 12.8.1 ByteRange | `_covered` |

Readings: the encoding must be DER, as PAdES (ETSI EN 319 142-1) asks for it.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

from permacite.errors import ParseError
from permacite.renditions.model import Notice
from permacite.renditions.pdf.library import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.renditions import Rendered
    from permacite.renditions.model import Octets
    from permacite.renditions.pdf.library import PdfiumLibrary

__all__ = ["preload", "with_signatures"]

_NOT_CHECKED = "signed"
_MOST, _LARGEST = 20, 1 << 20
_SEQUENCE, _SET, _OCTETS, _OBJECT, _NUMBER = 0x30, 0x31, 0x04, 0x06, 0x02
_FIRST, _LONG_TAG, _LONG, _LENGTHS = 0xA0, 0x1F, 0x80, 4
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_MESSAGE_DIGEST = bytes.fromhex("2a864886f70d010904")
_PSS = bytes.fromhex("2a864886f70d01010a")
_DIGESTS: dict[bytes, hashes.HashAlgorithm] = {
    bytes.fromhex("2b0e03021a"): hashes.SHA1(),  # noqa: S303 - old documents are signed so
    bytes.fromhex("608648016503040201"): hashes.SHA256(),
    bytes.fromhex("608648016503040202"): hashes.SHA384(),
    bytes.fromhex("608648016503040203"): hashes.SHA512(),
}
_DETACHED = frozenset({"adbe.pkcs7.detached", "ETSI.CAdES.detached"})
_UNVOUCHED = "who vouches for the certificate was not checked"


class _Element(NamedTuple):
    """An element of DER: its tag, its content, and all of it."""

    tag: int
    content: bytes
    whole: bytes


class _Signer(NamedTuple):
    """What a SignerInfo says."""

    certificate: x509.Certificate
    digest: hashes.HashAlgorithm
    attributes: bytes
    """As they are signed; empty where there are none."""
    stated: bytes
    """The digest of the document among them."""
    is_pss: bool
    signature: bytes


def preload() -> None:
    """Start the library, by checking a signature of each kind."""
    key = ec.generate_private_key(ec.SECP256R1())
    scheme = ec.ECDSA(hashes.SHA256())
    key.public_key().verify(key.sign(b"", scheme), b"", scheme)
    other = ed25519.Ed25519PrivateKey.generate()
    other.public_key().verify(other.sign(b""), b"")


def with_signatures(rendered: Rendered, content: Octets) -> Rendered:
    """The same, with what is to be known of each signature instead of that none was checked."""
    others = [notice for notice in rendered.notices if notice.code != _NOT_CHECKED]
    if len(others) == len(rendered.notices):
        return rendered
    with opened(content) as (pdfium, document):
        return replace(rendered, notices=(*others, *_signatures(pdfium, document, content)))


def _signatures(pdfium: PdfiumLibrary, document: int, content: Octets) -> Iterator[Notice]:
    count = pdfium.FPDF_GetSignatureCount(document)
    for index in range(min(max(count, 0), _MOST)):
        handle = pdfium.FPDF_GetSignatureObject(document, index)
        if handle:
            yield _told(pdfium, handle, content)
    if count > _MOST:
        yield Notice("signature-unchecked", f"of {count} signatures {_MOST} were looked at")


def _told(pdfium: PdfiumLibrary, handle: int, content: Octets) -> Notice:
    form = _octets(pdfium, "FPDFSignatureObj_GetSubFilter", handle).rstrip(b"\0")
    if form.decode("latin-1") not in _DETACHED:
        name = form.decode("ascii", "replace")[:60] or "unknown"
        return Notice("signature-unchecked", f"a signature of the form {name} was not checked")
    signature = _octets(pdfium, "FPDFSignatureObj_GetContents", handle)
    try:
        covered, added = _covered(pdfium, handle, content, signature)
        signer = _signed_data(signature)
        name = _name(signer.certificate)
        holds = _holds(signer, covered)
    except (ParseError, ValueError, UnsupportedAlgorithm) as error:
        problem = error.problem if isinstance(error, ParseError) else "it cannot be read"
        return Notice("signature-unchecked", f"a signature was not checked: {problem}")
    stated = _octets(pdfium, "FPDFSignatureObj_GetTime", handle).rstrip(b"\0")
    day = _time(stated.decode("latin-1"))
    by = f"signed by {name}" + (f", at {day} as the signer states" if day else "")
    weak = "; its digest is SHA-1, which can be forged" if signer.digest.name == "sha1" else ""
    if not holds:
        return Notice("signature-broken", f"{by}: the signature does not hold, it was changed")
    if added:
        told = f"the signature holds for what stood there before {added} octets were added"
        return Notice("signature-before-changes", f"{by}: {told}{weak}; {_UNVOUCHED}")
    told = f"the signature holds for all of it{weak}"
    return Notice("signature-holds", f"{by}: {told}; {_UNVOUCHED}")


def _octets(pdfium: PdfiumLibrary, name: str, handle: int) -> bytes:
    """What a function writes of a signature."""
    ask = getattr(pdfium, name)
    length = int(ask(handle, None, 0))
    if not 0 < length <= _LARGEST:
        return b""
    room = ctypes.create_string_buffer(length)
    ask(handle, ctypes.addressof(room), length)
    return room.raw


def _covered(
    pdfium: PdfiumLibrary, handle: int, content: Octets, signature: bytes
) -> tuple[tuple[bytes, bytes], int]:
    """The octets that are signed, and how many came later. Raises ParseError.

    Between both parts stands the signature, in hexadecimal digits, and nothing else.
    """
    room = (ctypes.c_int * 4)()
    if pdfium.FPDFSignatureObj_GetByteRange(handle, ctypes.addressof(room), 4) != len(room):
        raise ParseError("expected a range of two parts", "", 0)
    start, length, after, rest = room
    size = len(content)
    if start != 0 or not 0 < length < after <= after + rest <= size:
        raise ParseError("its range is not one of this file", str(list(room)), 0)
    between = bytes(content[length:after])
    digits = between[1:-1].strip()
    try:
        same = between[:1] + between[-1:] == b"<>" and bytes.fromhex(digits.decode()) == signature
    except ValueError:
        same = False
    if not same:
        raise ParseError("other things than the signature are left out of it", "", 0)
    parts = bytes(content[:length]), bytes(content[after : after + rest])
    return parts, size - after - rest


def _elements(octets: bytes) -> list[_Element]:
    """The elements that stand one behind the other (X.690, DER). Raises ParseError."""
    found, at = [], 0
    while at < len(octets):
        start = at
        tag, length = octets[at], octets[at + 1] if at + 1 < len(octets) else _LONG
        at += 2
        if length & _LONG:
            count = length & ~_LONG
            length = int.from_bytes(octets[at : at + count], "big")
            at += count
            if not 0 < count <= _LENGTHS or at > len(octets):
                length = len(octets)
        if tag & _LONG_TAG == _LONG_TAG or at + length > len(octets):
            raise ParseError("expected DER", octets[start : start + 20].hex(), 0)
        at += length
        found.append(_Element(tag, octets[at - length : at], octets[start:at]))
    return found


def _first(octets: bytes) -> _Element:
    """The first element; what pads a signature stands behind it."""
    head = octets[:6]
    length = head[1] if len(head) > 1 else 0
    count = length & ~_LONG if length & _LONG else 0
    if count > _LENGTHS:
        raise ParseError("expected DER", head.hex(), 0)
    whole = 2 + count + (int.from_bytes(head[2 : 2 + count], "big") if count else length)
    return _one(_elements(octets[:whole]), 0, _SEQUENCE)


def _one(elements: list[_Element], index: int, tag: int) -> _Element:
    """The element there, which has this tag. Raises ParseError."""
    if index >= len(elements) or elements[index].tag != tag:
        raise ParseError("expected SignedData of CMS (RFC 5652)", "", 0)
    return elements[index]


def _signed_data(octets: bytes) -> _Signer:
    """ContentInfo with SignedData of one signer (RFC 5652 §5.1). Raises ParseError."""
    info = _elements(_first(octets).content)
    if _one(info, 0, _OBJECT).content != _SIGNED_DATA:
        raise ParseError("expected SignedData of CMS (RFC 5652)", "", 0)
    fields = _elements(_one(_elements(_one(info, 1, _FIRST).content), 0, _SEQUENCE).content)
    listed = [field.content for field in fields[3:] if field.tag == _FIRST]
    certificates = [
        x509.load_der_x509_certificate(each.whole)
        for part in listed
        for each in _elements(part)
        if each.tag == _SEQUENCE
    ]
    signers = _elements(_one(fields, len(fields) - 1, _SET).content)
    return _signer(_elements(_one(signers, 0, _SEQUENCE).content), certificates)


def _signer(fields: list[_Element], certificates: list[x509.Certificate]) -> _Signer:
    """SignerInfo (RFC 5652 §5.3). Raises ParseError."""
    certificate = _of_signer(fields[1:2], certificates)
    digest = _DIGESTS.get(_one(_elements(_one(fields, 2, _SEQUENCE).content), 0, _OBJECT).content)
    if digest is None:
        raise ParseError("its digest is none that is known here", "", 0)
    attributes, stated, at = b"", b"", 3
    if len(fields) > at and fields[at].tag == _FIRST:
        attributes = bytes([_SET]) + fields[at].whole[1:]
        for attribute in _elements(fields[at].content):
            parts = _elements(attribute.content)
            if _one(parts, 0, _OBJECT).content == _MESSAGE_DIGEST:
                stated = _one(_elements(_one(parts, 1, _SET).content), 0, _OCTETS).content
        at += 1
    kind = _one(_elements(_one(fields, at, _SEQUENCE).content), 0, _OBJECT).content
    signature = _one(fields, at + 1, _OCTETS).content
    return _Signer(certificate, digest, attributes, stated, kind == _PSS, signature)


def _of_signer(
    identifier: list[_Element], certificates: list[x509.Certificate]
) -> x509.Certificate:
    """The certificate that SignerIdentifier names. Raises ParseError."""
    if identifier and identifier[0].tag == _SEQUENCE:
        issuer, number = (_elements(identifier[0].content) + [_Element(0, b"", b"")] * 2)[:2]
        serial = int.from_bytes(_one([number], 0, _NUMBER).content, "big", signed=True)
        for each in certificates:
            if each.serial_number == serial and each.issuer.public_bytes() == issuer.whole:
                return each
    elif identifier:
        for each in certificates:
            digest = x509.SubjectKeyIdentifier.from_public_key(each.public_key()).digest
            if digest == identifier[0].content:
                return each
    raise ParseError("the certificate of its signer is not in it", "", 0)


def _holds(signer: _Signer, covered: tuple[bytes, bytes]) -> bool:
    """Whether digest and signature are right (RFC 5652 §5.4, §5.6). Raises ParseError."""
    hashed = hashes.Hash(signer.digest)
    for part in covered:
        hashed.update(part)
    if signer.attributes and hashed.finalize() != signer.stated:
        return False
    signed = signer.attributes or b"".join(covered)
    key = signer.certificate.public_key()
    try:
        if isinstance(key, rsa.RSAPublicKey):
            pss = padding.PSS(padding.MGF1(signer.digest), padding.PSS.AUTO)
            scheme = pss if signer.is_pss else padding.PKCS1v15()
            key.verify(signer.signature, signed, scheme, signer.digest)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signer.signature, signed, ec.ECDSA(signer.digest))
        elif isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signer.signature, signed)
        else:
            raise ParseError("its key is of a kind that is not known here", "", 0)
    except InvalidSignature:
        return False
    return True


def _name(certificate: x509.Certificate) -> str:
    """The name in a certificate, as it states it."""
    for kind in (x509.NameOID.COMMON_NAME, x509.NameOID.ORGANIZATION_NAME):
        for attribute in certificate.subject.get_attributes_for_oid(kind):
            return " ".join(str(attribute.value).split())[:200]
    return "somebody without a name"


def _time(stated: str) -> str:
    """A date of PDF (ISO 32000-2 7.9.4) as it is read; "" for none."""
    digits = stated.removeprefix("D:")[:14]
    if len(digits) < len("yyyymmdd") or not (digits.isascii() and digits.isdigit()):
        return ""
    day = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
    return f"{day} {digits[8:10]}:{digits[10:12]}" if len(digits) >= len("yyyymmddhhmm") else day
