"""Signatures of PDFs, checked by the workers that read them: what holds, what was changed."""

from __future__ import annotations

import datetime as dt
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import pkcs7

from permacite.decoding.workers import DecodingPool
from permacite.renditions import Original, rendition_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.renditions import Notice

pytest.importorskip("pypdfium2_raw", reason="needs the extra pdf")

ROOM = 6000
WORDS = "BT/F 12 Tf 20 60 Td(The words stand here)Tj ET"
UNVOUCHED = "who vouches for the certificate was not checked"


@pytest.fixture(scope="module")
def workers() -> Iterator[DecodingPool]:
    with closing(DecodingPool("pdf", most=1)) as made:
        yield made


@cache
def keys(kind: str) -> tuple[rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, x509.Certificate]:
    key = (
        rsa.generate_private_key(65537, 2048)
        if kind == "rsa"
        else ec.generate_private_key(ec.SECP256R1())
    )
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Ada Notary")])
    begins = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 5)
        .not_valid_before(begins)
        .not_valid_after(begins + dt.timedelta(days=900))
        .sign(key, hashes.SHA256())
    )
    return key, certificate


def unsigned(form: str = "adbe.pkcs7.detached") -> bytes:
    signature = f"/Type/Sig/Filter/Adobe.PPKLite/SubFilter/{form}/M(D:20260301120000Z)"
    return (
        "%PDF-1.7\n"
        "1 0 obj<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]/SigFlags 3>>>>endobj\n"
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 99]/Contents 4 0 R"
        "/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
        f"4 0 obj<</Length {len(WORDS)}>>stream\n{WORDS}\nendstream endobj\n"
        "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
        "6 0 obj<</FT/Sig/T(a)/V 7 0 R/Type/Annot/Subtype/Widget/Rect[0 0 0 0]>>endobj\n"
        f"7 0 obj<<{signature}/ByteRange[0 AAAAAAAA BBBBBBBB CCCCCCCC]"
        f"/Contents<{'0' * ROOM}>>>endobj\n"
        "trailer<</Root 1 0 R/Size 8>>\n%%EOF\n"
    ).encode()


def signed(kind: str = "rsa", form: str = "adbe.pkcs7.detached") -> bytes:
    made = unsigned(form)
    start = made.index(b"/Contents<0") + len("/Contents")
    end = start + ROOM + 2
    for word, number in (("A", start), ("B", end), ("C", len(made) - end)):
        made = made.replace(word.encode() * 8, b"%8d" % number)
    key, certificate = keys(kind)
    builder = pkcs7.PKCS7SignatureBuilder().set_data(made[:start] + made[end:])
    builder = builder.add_signer(certificate, key, hashes.SHA256())
    options = [pkcs7.PKCS7Options.DetachedSignature, pkcs7.PKCS7Options.Binary]
    signature = builder.sign(serialization.Encoding.DER, options).hex().encode()
    return made[: start + 1] + signature.ljust(ROOM, b"0") + made[end - 1 :]


def told(workers: DecodingPool, content: bytes) -> list[Notice]:
    rendition = rendition_named("pdf-text/1")
    text = workers.render(Original(content, "application/pdf"), rendition)
    assert text.text == "The words stand here\r\n"
    return [notice for notice in text.notices if notice.code.startswith("sign")]


@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_a_valid_signature_is_reported_with_its_signer(workers: DecodingPool, kind: str) -> None:
    (notice,) = told(workers, signed(kind))
    assert notice.code == "signature-holds"
    assert notice.text == (
        "signed by Ada Notary, at 2026-03-01 12:00 as the signer states: "
        f"the signature holds for all of it; {UNVOUCHED}"
    )


def test_later_additions_are_reported(workers: DecodingPool) -> None:
    (notice,) = told(workers, signed() + b"% added\n")
    assert notice.code == "signature-before-changes"
    assert "before 8 octets were added" in notice.text


def test_a_changed_document_is_reported(workers: DecodingPool) -> None:
    (notice,) = told(workers, signed().replace(b"(a)", b"(b)"))
    assert notice.code == "signature-broken"


def ranged(numbers: str) -> bytes:
    return unsigned().replace(b"0 AAAAAAAA BBBBBBBB CCCCCCCC", numbers.encode())


UNCHECKED = [
    ("other form", lambda: signed(form="adbe.x509.rsa_sha1"), "of the form adbe.x509.rsa_sha1"),
    ("no range", unsigned, "two parts"),
    ("range backwards", lambda: ranged("0 99 50 4"), "its range"),
    ("range beyond", lambda: ranged("0 99 500 99999"), "its range"),
    ("range too small", lambda: ranged("0 99 500 4"), "other things than the signature"),
    ("no CMS", lambda: signed().replace(b"/Contents<30", b"/Contents<31"), "SignedData"),
]


@pytest.mark.parametrize(
    ("content", "problem"), [row[1:] for row in UNCHECKED], ids=[row[0] for row in UNCHECKED]
)
def test_unsupported_signatures_are_reported(
    workers: DecodingPool, content: Callable[[], bytes], problem: str
) -> None:
    (notice,) = told(workers, content())
    assert notice.code == "signature-unchecked"
    assert problem in notice.text
