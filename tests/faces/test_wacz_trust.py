"""Whose signatures of WACZ files count: keys, roots and domains that are named; time stamps."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID
from tests.crawled import crawl, packed
from tests.faces.test_wacz import CREATED, LISTED, described, zipped
from tests.spec.test_rfc3161_timestamps import make_authority, openssl

from permacite.capture.crawls.signatures import Trust, check
from permacite.errors import NotFoundError, ParseError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

DIGEST = "sha256:" + "0" * 64
NOW = datetime.now(UTC).replace(microsecond=0)
PEM = serialization.Encoding.PEM


class Holder(NamedTuple):
    """The key of a domain, its certificate and those above it."""

    key: ec.EllipticCurvePrivateKey
    chain: tuple[x509.Certificate, ...]


def certified(domain: str = "crawls.a.example", *, days: int = 30, name: str = "Root") -> Holder:
    """Return a key with a certificate in force since yesterday and for `days`, under a root."""
    root, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    above = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    made = []
    for owner, subject, is_ca in ((key, x509.Name([]), False), (root, above, True)):
        begun, until = NOW - timedelta(days=1), NOW + timedelta(days=3650 if is_ca else days)
        own = x509.SubjectKeyIdentifier.from_public_key(owner.public_key())
        by = x509.AuthorityKeyIdentifier.from_issuer_public_key(root.public_key())
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(above)
            .public_key(owner.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begun)
            .not_valid_after(until)
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
            .add_extension(own, critical=False)
            .add_extension(by, critical=False)
        )
        if is_ca:
            builder = builder.add_extension(usage, critical=True)
        else:
            names = x509.SubjectAlternativeName([x509.DNSName(domain)])
            server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
            builder = builder.add_extension(names, critical=True).add_extension(server, False)  # noqa: FBT003 - not critical
        made.append(builder.sign(root, hashes.SHA256()))
    return Holder(key, tuple(made))


def signed(holder: Holder, digest: str = DIGEST, **more: str) -> dict[str, Any]:
    """Return what a domain says of a digest."""
    octets = holder.key.sign(digest.encode(), ec.ECDSA(hashes.SHA256()))
    return {
        "hash": digest,
        "created": NOW.isoformat(),
        "domain": "crawls.a.example",
        "domainCert": "".join(each.public_bytes(PEM).decode() for each in holder.chain),
        "signature": base64.b64encode(octets).decode(),
    } | more


def stamped(said: dict[str, Any], folder: Path, on: str = "") -> dict[str, Any]:
    """Return the same with a time stamp of an authority, of now."""
    (folder / "data").write_text(on or said["signature"])
    for command in (
        "ts -query -data data -sha256 -no_nonce -out query.tsq",
        "ts -reply -config tsa.cnf -section one -queryfile query.tsq -out reply.tsr",
    ):
        assert openssl(*command.split(), cwd=folder).returncode == 0
    chain = (folder / "tsa.pem").read_text() + (folder / "ca.pem").read_text()
    reply = base64.b64encode((folder / "reply.tsr").read_bytes()).decode()
    return said | {"timeSignature": reply, "timestampCert": chain}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where an authority for time stamps keeps its keys."""
    return make_authority(tmp_path_factory.mktemp("tsa") / "one")


def trusting(folder: Path, *chains: x509.Certificate, domains: tuple[str, ...] = ()) -> Trust:
    """Return trust in certificates, read from a file as a user names it."""
    path = folder / "roots.pem"
    path.write_bytes(b"".join(each.public_bytes(PEM) for each in chains))
    return Trust.of([str(path), *domains])


def test_a_domain_is_held_to_the_roots_that_are_named(tmp_path: Path) -> None:
    holder, other = certified(), certified(name="Other")
    said, root = signed(holder), holder.chain[1]
    assert check(said, DIGEST, Trust())["signature"] == "domain"
    assert check(said, DIGEST, Trust())["chain"] == "not held to roots"
    told = check(said, DIGEST, trusting(tmp_path, root))
    assert (told["signature"], told["chain"]) == ("trusted", "held to a root that is trusted")
    told = check(said, DIGEST, trusting(tmp_path, other.chain[1]))
    assert told["signature"] == "domain"
    assert str(told["chain"]).startswith("not under a root that is trusted")
    for domain, verdict in (
        ("a.example", "trusted"),
        ("crawls.a.example", "trusted"),
        ("b.example", "domain"),
        ("ls.a.example", "domain"),
    ):
        trust = trusting(tmp_path, root, domains=(domain,))
        assert check(said, DIGEST, trust)["signature"] == verdict


def test_an_expired_certificate_counts_where_it_was_stamped_in_time(
    authority: Path, tmp_path: Path
) -> None:
    holder = certified()
    anchors = x509.load_pem_x509_certificates((authority / "ca.pem").read_bytes())
    both = dataclasses.replace(
        trusting(tmp_path, holder.chain[1], *anchors), now=NOW + timedelta(days=60)
    )
    plain = check(signed(holder), DIGEST, both)
    assert plain["signature"] == "domain"
    assert plain["since_then"] == "the certificate expired; nothing bears out the time"
    said = stamped(signed(holder), authority)
    told = check(said, DIGEST, both)
    assert told["signature"] == "trusted"
    assert "by an authority that is trusted" in str(told["time_stamp"])
    assert told["since_then"] == "the certificate expired; was in force when it was stamped"
    alone = dataclasses.replace(both, roots=(holder.chain[1],))
    told = check(said, DIGEST, alone)
    assert (told["signature"], "held to no root" in str(told["time_stamp"])) == ("domain", True)
    late = signed(holder, created="2019-01-01T00:00:00Z")
    assert check(late, DIGEST, both)["signature"] == "expired"
    assert check(stamped(late, authority), DIGEST, both)["signature"] == "trusted"


def test_a_certificate_of_no_authority_stamps_nothing(authority: Path, tmp_path: Path) -> None:
    holder = certified()
    root, tsa = (authority / "ca.pem").read_bytes(), (authority / "tsa.pem").read_bytes()
    said = stamped(signed(holder), authority)
    anchors = x509.load_pem_x509_certificates(root)
    later = NOW + timedelta(days=60)
    trust = dataclasses.replace(trusting(tmp_path, holder.chain[1], *anchors), now=later)
    for chain in (tsa, tsa + root):
        told = check(said | {"timestampCert": chain.decode()}, DIGEST, trust)
        assert told["signature"] == "trusted", told
    made_up = make_authority(tmp_path / "other")
    told = check(stamped(signed(holder), made_up), DIGEST, trust)
    assert told["signature"] == "domain"
    mixed = (made_up / "tsa.pem").read_text() + root.decode()
    told = check(stamped(signed(holder), made_up) | {"timestampCert": mixed}, DIGEST, trust)
    assert told["signature"] == "domain"


def test_a_stamp_that_is_wrong_does_not_count(authority: Path, tmp_path: Path) -> None:
    holder = certified()
    later = dataclasses.replace(trusting(tmp_path, holder.chain[1]), now=NOW + timedelta(days=60))
    right = stamped(signed(holder), authority)
    for wrong in (
        stamped(signed(holder), authority, on="something else"),
        right | {"timeSignature": "AAAA"},
        right | {"timeSignature": right["timeSignature"][:-40]},
        right | {"timestampCert": ""},
        right | {"timestampCert": right["domainCert"]},
    ):
        told = check(wrong, DIGEST, later)
        assert told["signature"] == "domain"
        assert "does not hold" in str(told["time_stamp"]), told


def test_whom_a_user_names(tmp_path: Path) -> None:
    (tmp_path / "none.pem").write_text("nothing")
    (tmp_path / "bad.pem").write_text("-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----")
    for wrong in ("none.pem", "bad.pem", "missing.pem/x", "no domain"):
        named = str(tmp_path / wrong) if wrong.endswith("pem") else wrong
        with pytest.raises(ParseError):
            Trust.of([named])
    with contextlib.suppress(NotFoundError):  # a system may have no roots
        assert Trust.of(["a.example"]).roots


def test_a_key_that_is_named_is_told_by_the_command(cli: Cli, tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP384R1())
    files = {"archive/data.warc.gz": packed(crawl()), "pages/pages.jsonl": LISTED}
    files["datapackage.json"] = described(files)
    digest = f"sha256:{hashlib.sha256(files['datapackage.json']).hexdigest()}"
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    public = key.public_key().public_bytes(serialization.Encoding.DER, form)
    octets = key.sign(digest.encode(), ec.ECDSA(hashes.SHA256()))
    said = {
        "hash": digest,
        "created": CREATED,
        "publicKey": base64.b64encode(public).decode(),
        "signature": base64.b64encode(octets).decode(),
    }
    whole = {"path": "datapackage.json", "hash": digest, "signedData": said}
    files["datapackage-digest.json"] = json.dumps(whole).encode()
    path = zipped(tmp_path / "a.wacz", files)
    (tmp_path / "key.pem").write_bytes(key.public_key().public_bytes(PEM, form))
    assert "signature of a.wacz: anonymous, sha256:" in cli("import", str(path)).err
    outcome = cli("import", str(path), "--new", "--json", "--trust", str(tmp_path / "key.pem"))
    assert f"a.wacz: trusted, sha256:{hashlib.sha256(public).hexdigest()}" in outcome.err
    (saved,) = json.loads(outcome.out)
    origin = json.loads(cli("show", saved["pdi"], "--json").out)["provenance"]["imported"]
    assert origin["package"]["signature"] == "trusted"
    assert cli("import", str(path), "--trust", "no one").status == 2
