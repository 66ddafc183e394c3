"""WACZ files: written and read again, with the same pages; and refused where they are altered."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.archives import Archive
from tests.crawled import HTML, PNG, crawl, packed

from permacite.errors import PermaciteError
from permacite.service.exchange.crawls import Crawl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]
    Key = ec.EllipticCurvePrivateKey

pytestmark = pytest.mark.engines(deep=True)

CITATIONS = "permacite/citations.jsonl"
CREATED = "2021-05-05T05:05:05Z"
LISTED = b"""{"format": "json-pages-1.0", "id": "p"}
{"url": "http://a.example/b.html", "ts": "2020-02-03T04:05:06Z"}
"""


def described(files: dict[str, bytes]) -> bytes:
    """Return the data package of some files."""
    resources = [
        {"path": path, "hash": f"sha256:{hashlib.sha256(octets).hexdigest()}", "bytes": len(octets)}
        for path, octets in files.items()
    ]
    package = {"profile": "data-package", "resources": resources, "created": CREATED}
    return json.dumps(package | {"wacz_version": "1.1.1", "software": "maker 1"}).encode()


def digest_of(package: bytes, **signed: str) -> bytes:
    """Return what vouches for a data package."""
    digest = f"sha256:{hashlib.sha256(package).hexdigest()}"
    said: dict[str, Any] = {"path": "datapackage.json", "hash": digest}
    if signed:
        said["signedData"] = {"hash": digest, "created": CREATED} | signed
    return json.dumps(said).encode()


def whole() -> dict[str, bytes]:
    """Return the files of a WACZ file that is right."""
    files = {"archive/data.warc.gz": packed(crawl()), "pages/pages.jsonl": LISTED}
    package = described(files)
    return {
        **files,
        "datapackage.json": package,
        "datapackage-digest.json": digest_of(package),
    }


def zipped(path: Path, files: dict[str, bytes], way: int = zipfile.ZIP_STORED) -> Path:
    """Write files as one."""
    with zipfile.ZipFile(path, "w", way) as target:
        for name, octets in files.items():
            target.writestr(name, octets)
    return path


def test_the_pages_are_those_that_are_listed(cli: Cli, tmp_path: Path) -> None:
    for way in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        path = zipped(tmp_path / f"{way}.wacz", whole(), way)
        (saved,) = json.loads(cli("import", str(path), "--json").out)
        assert saved["document"]["uri"] == "http://a.example/b.html"
    origin = json.loads(cli("show", saved["pdi"], "--json").out)["provenance"]["imported"]
    assert origin["package"] == {
        "wacz_version": "1.1.1",
        "software": "maker 1",
        "created": CREATED,
        "signature": "none",
    }


def with_file(name: str, octets: bytes, *, again: bool = False) -> dict[str, bytes]:
    """Return the files with one changed or more; described `again` or not."""
    files = whole() | {name: octets}
    if again:
        package = described({n: o for n, o in files.items() if not n.startswith("datapackage")})
        files |= {"datapackage.json": package, "datapackage-digest.json": digest_of(package)}
    return files


def without(name: str) -> dict[str, bytes]:
    return {each: octets for each, octets in whole().items() if each != name}


OTHER = described({"archive/other.warc.gz": b"x"})
REFUSED = [
    # what is altered, the files, what is said
    ("another octet", with_file("archive/data.warc.gz", packed(crawl())[:-1] + b"!"), "is not the"),
    ("no package", without("datapackage.json"), "this is none of them"),
    ("a file is missing", without("pages/pages.jsonl"), "which is not there"),
    ("a file too many", with_file("archive/more.warc", b""), "does not name archive/more.warc"),
    ("a foreign package", with_file("datapackage.json", OTHER), "which is not there"),
    ("a package that is none", with_file("datapackage.json", b"[1]"), "expected an object"),
    ("a package of letters", with_file("datapackage.json", b"\xff{"), "expected JSON"),
    ("another digest", with_file("datapackage-digest.json", digest_of(b"{}")), "its digest is of"),
    ("a path that climbs", with_file("archive/../../x.warc", b""), "leads out of the file"),
    ("a path from the root", with_file("/etc/x.warc", b""), "leads out of the file"),
    ("a drive", with_file("C:/x.warc", b""), "leads out of the file"),
    ("a bomb", with_file("archive/b.warc", bytes(9 << 20), again=True), "too much for what it is"),
]


@pytest.mark.parametrize(
    ("files", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_is_altered_is_refused(tmp_path: Path, files: dict[str, bytes], said: str) -> None:
    way = zipfile.ZIP_DEFLATED if "archive/b.warc" in files else zipfile.ZIP_STORED
    path = zipped(tmp_path / "a.wacz", files, way)
    with pytest.raises(PermaciteError) as error, Crawl([path]):
        pass
    assert said in str(error.value)


def test_nothing_of_a_refused_file_is_archived(cli: Cli, tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.wacz", with_file("archive/data.warc.gz", packed(crawl()) + b"!"))
    outcome = cli("import", str(path))
    assert outcome.status == 1
    assert "archive/data.warc.gz is not the file that the data package describes" in outcome.err
    assert json.loads(cli("list", "--json").out)["total"] == 0


def signed(domain: str, days: int, said: str = "") -> dict[str, bytes]:
    """Return the files of a WACZ file that a domain signed, `days` after its certificate ended."""
    files = whole()
    package = files["datapackage.json"]
    key = ec.generate_private_key(ec.SECP256R1())
    ended = datetime.fromisoformat(CREATED) - timedelta(days=days)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, domain)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(ended - timedelta(days=90))
        .not_valid_after(ended)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(domain)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    digest = f"sha256:{hashlib.sha256(package).hexdigest()}"
    signature = key.sign((said or digest).encode(), ec.ECDSA(hashes.SHA256()))
    files["datapackage-digest.json"] = digest_of(
        package,
        domain="a.example",
        domainCert=certificate.public_bytes(serialization.Encoding.PEM).decode(),
        signature=base64.b64encode(signature).decode(),
    )
    return files


def test_signatures_of_domains_are_checked_and_kept(cli: Cli, tmp_path: Path) -> None:
    for days, verdict in ((-30, "domain"), (30, "expired")):
        path = zipped(tmp_path / f"{verdict}.wacz", signed("a.example", days))
        (saved,) = json.loads(cli("import", str(path), "--json", "--new").out)
        origin = json.loads(cli("show", saved["pdi"], "--json").out)["provenance"]["imported"]
        assert origin["package"]["signature"] == verdict
        assert origin["package"]["domain"] == "a.example"
        assert "BEGIN CERTIFICATE" in origin["package"]["signed"]["domainCert"]
    for files in (signed("b.example", -30), signed("a.example", -30, "another digest")):
        path = zipped(tmp_path / "broken.wacz", files)
        with pytest.raises(PermaciteError, match="signature of the data package is broken"):
            Crawl([path])


def issued(subject: str, issuer: str, signer: Key, key: Key, *, ca: bool) -> x509.Certificate:
    """Return a certificate that was in force when the file was made."""
    made = datetime.fromisoformat(CREATED)
    names = [
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, n)]) for n in (subject, issuer)
    ]
    return (
        x509.CertificateBuilder()
        .subject_name(names[0])
        .issuer_name(names[1])
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(made - timedelta(days=1))
        .not_valid_after(made + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(subject)]), critical=False)
        .sign(signer, hashes.SHA256())
    )


def test_a_chain_is_followed_and_held_to_no_root(tmp_path: Path) -> None:
    root, other, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
    leaf = issued("a.example", "ca.example", root, own, ca=False)
    files = whole()
    digest = f"sha256:{hashlib.sha256(files['datapackage.json']).hexdigest()}"
    signature = base64.b64encode(own.sign(digest.encode(), ec.ECDSA(hashes.SHA256()))).decode()
    for key, name, verdict, chain in (
        (root, "ca.example", "domain", "not held to roots"),
        (other, "ca.example", "wrong chain", "certificate 1 is not issued by the next one"),
        (root, "cb.example", "wrong chain", "certificate 1 is not issued by the next one"),
    ):
        issuer = issued(name, name, key, key, ca=True)
        pem = b"".join(c.public_bytes(serialization.Encoding.PEM) for c in (leaf, issuer)).decode()
        files["datapackage-digest.json"] = digest_of(
            files["datapackage.json"], domain="a.example", domainCert=pem, signature=signature
        )
        with Crawl([zipped(tmp_path / "a.wacz", files)]) as crawl:
            vouched = crawl.packages[0].vouched
        assert vouched["signature"] == verdict
        assert str(vouched["chain"]).startswith(chain)


def test_a_list_of_nothing_is_left_out(archive: Path, cli: Cli, tmp_path: Path) -> None:
    with Archive.open(archive) as service:
        service.add(HTML, name="a.html")
    assert cli("export", "--wacz", str(tmp_path / "a.wacz")).status == 0
    with zipfile.ZipFile(tmp_path / "a.wacz") as made:
        assert CITATIONS not in made.namelist(), "frictionless takes no empty file"


def described_in(archive: Archive) -> list[tuple[str | None, str, dict[str, str | None]]]:
    """Return the address, the time and the digests of each document."""
    return [
        (each.uri, str(each.retrieved_at)[:19], {item.format: item.digest for item in each.formats})
        for each in archive.documents.list().documents
    ]


def test_an_archive_comes_back_from_what_it_wrote(
    archive: Path, cli: Cli, site: Site, tmp_path: Path
) -> None:
    site.put("/s.css", "text/css", "p { color: red }")
    site.put("/a.png", "image/png", PNG)
    assert cli("save", site.put("/", "text/html", HTML), "--allow-private").status == 0
    other = site.put("/b", "text/html", "<title>B</title>words")
    assert cli("save", other, "--allow-private").status == 0
    with Archive.open(archive) as service:
        name = service.documents.list().documents[0].pdi
        there = service.cite(name, quote="tide is high", note="high water").reference
    first, second = tmp_path / "first.wacz", tmp_path / "second.wacz"
    assert cli("export", "--wacz", str(first)).status == 0
    assert cli("export", "--wacz", str(first)).status == 1, "it is there already"
    anew = tmp_path / "anew"
    assert cli("init", anew, "--series", "anew.zz").status == 0
    outcome = cli("--archive", anew, "import", str(first))
    assert outcome.status == 0, outcome.err
    assert f"(there {there})" in outcome.err
    assert cli("--archive", anew, "export", "--wacz", str(second)).status == 0
    with Archive.open(archive) as before, Archive.open(anew) as after:
        held, again = described_in(before), described_in(after)
    assert [(uri, digests) for uri, _, digests in held] == [(u, d) for u, _, d in again]
    indexes = [zipfile.ZipFile(path).read("indexes/index.cdx") for path in (first, second)]
    assert [index.count(b"\n") for index in indexes] == [4, 4]
    pages = [
        zipfile.ZipFile(path).read("pages/pages.jsonl").splitlines() for path in (first, second)
    ]
    texts = [[json.loads(line).get("text") for line in lines[1:]] for lines in pages]
    assert texts[0] == texts[1]
    cited = [json.loads(zipfile.ZipFile(path).read(CITATIONS)) for path in (first, second)]
    assert [[each[name] for name in ("quote", "before", "after", "note")] for each in cited] == [
        ["tide is high", "The ", ".\r\n", "high water"]
    ] * 2
    assert [each["reference"].partition("#")[2] for each in cited] == ["char=4,16"] * 2
    with zipfile.ZipFile(first) as packed_again:
        assert all(each.extra for each in packed_again.infolist()[:4]), "wabac.js looks there"
    package = json.loads(zipfile.ZipFile(first).read("datapackage-digest.json"))
    assert set(package["signedData"]) >= {"signature", "publicKey", "hash", "created"}
    assert datetime.fromisoformat(package["signedData"]["created"]).tzinfo == UTC
