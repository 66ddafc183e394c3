"""Signatures of WACZ packages: signer, key, time, and whether the user trusts them.

WACZ-auth 0.1.0:
  §4.1 anonymous signatures -> `_of_key`: a key, of which nobody says whose it is
  §4.2 domain-ownership     -> `_of_domain`: a certificate, its chain, and a time stamp
  §4.2 timeSignature        -> `_stamped` (RFC 3161, on the signature as it stands in base64)

| verdict | by whom it is signed |
|---|---|
| `anonymous` | a key that nobody named |
| `domain` | whoever held the certificate: held to no root, or at a time that nobody bears out |
| `trusted` | a key, or a domain under a root, that the user named; in force now or when stamped |
| `wrong chain` | a key: the certificates do not vouch for each other |
| `expired` | likewise: the certificate was not in force at the time that is claimed or stamped |

A signature that is not of the data package is broken, and refuses the package.

Deviations: who is trusted is no list of fingerprints: certificates of roots in a file, or those of
the system for domains that are named.
Readings: a time stamp counts where its authority is under a root that the user named; without, it
is told who stamped. A stamp that is on something else is as none, and told.
"""

from __future__ import annotations

import base64
import hashlib
import warnings
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.errors import IntegrityError, NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["Trust", "check"]

_WRONG = (ValueError, TypeError, AttributeError, LookupError)
"""What comes of a key, a signature or a certificate that is none."""
_DOMAIN = compile_pattern(r"(?i)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,20}")
_UNHELD = "not held to roots"


@dataclass(frozen=True, slots=True)
class Trust:
    """Whom the user trusts: nobody, unless said."""

    roots: tuple[Any, ...] = ()
    """Certificates, of domains and of time stamps."""
    keys: frozenset[str] = frozenset()
    """SHA-256 of keys (SubjectPublicKeyInfo), in hexadecimal."""
    domains: tuple[str, ...] = ()
    """Those that may sign; all that are under the roots where none is named."""
    now: datetime | None = None
    """The time of checking; None: that of the clock."""

    @classmethod
    def of(cls, named: Iterable[str]) -> Trust:
        """Read what the user named: files of certificates and keys (PEM), and domains.

        Where domains are named and no roots, those of this system count. Raises ParseError,
        NotFoundError.
        """
        roots: list[Any] = []
        keys: list[str] = []
        domains: list[str] = []
        for each in named:
            if Path(each).is_file():
                found, others = _in_file(Path(each))
                roots += found
                keys += others
            elif _DOMAIN.fullmatch(each):
                domains.append(each.lower())
            else:
                raise ParseError("expected a domain, or a file of certificates or keys", each, 0)
        if domains and not roots:
            roots = _of_system()
        return cls(tuple(roots), frozenset(keys), tuple(domains))

    def covers(self, domain: str) -> bool:
        """Whether a domain is one of those that may sign."""
        known = (domain == each or domain.endswith(f".{each}") for each in self.domains)
        return not self.domains or any(known)


def _in_file(path: Path) -> tuple[list[Any], list[str]]:
    """Certificates, and digests of keys, in a PEM file. Raises ParseError."""
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization

    octets = path.read_bytes()
    try:
        roots = x509.load_pem_x509_certificates(octets) if b"BEGIN CERT" in octets else []
        keys = []
        for block in octets.split(b"-----BEGIN PUBLIC KEY-----")[1:]:
            key = serialization.load_pem_public_key(b"-----BEGIN PUBLIC KEY-----" + block)
            keys.append(_fingerprint(key))
    except ValueError as error:
        raise ParseError(f"expected PEM: {error}", path.name, 0, "RFC 7468") from error
    if not roots and not keys:
        raise ParseError("expected certificates or public keys in PEM", path.name, 0, "RFC 7468")
    return list(roots), keys


def _of_system() -> list[Any]:
    """The roots of this system. Raises NotFoundError."""
    import ssl

    from cryptography import x509

    context = ssl.create_default_context()
    found = context.get_ca_certs(binary_form=True)
    if not found:
        problem = "this system has no roots; name a file of certificates beside the domain"
        raise NotFoundError(problem, "roots")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some roots that are in use break rules of today
        return [x509.load_der_x509_certificate(each) for each in found]


def _fingerprint(key: Any) -> str:
    from cryptography.hazmat.primitives import serialization

    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return hashlib.sha256(key.public_bytes(serialization.Encoding.DER, form)).hexdigest()


def check(signed: Mapping[str, Any], digest: str, trust: Trust) -> dict[str, object]:
    """Who signed a digest. Raises IntegrityError where the signature is broken."""
    try:
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
    except ModuleNotFoundError:
        return {"signature": "not checked: cryptography is not installed"}
    try:
        signature = base64.b64decode(str(signed.get("signature", "")), validate=True)
        key, told = (_of_domain if "domainCert" in signed else _of_key)(signed, trust)
        # A key of another kind has no curve, and takes other arguments.
        verify: Callable[..., None] = key.verify
        verify(_der(signature, key.curve.key_size), digest.encode(), ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, UnsupportedAlgorithm, *_WRONG) as error:
        raise IntegrityError(
            "the signature of the data package is broken",
            expected="a signature of " + digest,
            actual=str(error) or "another one",
            hint="nothing was archived; the files of records in it can be imported by themselves",
        ) from error
    return told


def _der(signature: bytes, bits: int) -> bytes:
    """A signature in the form of X9.62, whichever of two it has."""
    from cryptography.hazmat.primitives.asymmetric import utils

    half = (bits + 7) // 8
    if len(signature) != 2 * half:
        return signature
    numbers = (int.from_bytes(each) for each in (signature[:half], signature[half:]))
    return utils.encode_dss_signature(*numbers)


def _of_key(signed: Mapping[str, Any], trust: Trust) -> tuple[Any, dict[str, object]]:
    """A key that stands beside the signature, and whether it is trusted."""
    from cryptography.hazmat.primitives import serialization

    public = base64.b64decode(str(signed.get("publicKey", "")), validate=True)
    key = serialization.load_der_public_key(public)
    fingerprint = _fingerprint(key)
    verdict = "trusted" if fingerprint in trust.keys else "anonymous"
    return key, {"signature": verdict, "key": f"sha256:{fingerprint}"}


class _Stamp(NamedTuple):
    """What a time stamp says."""

    at: datetime | None
    """When it was made; None where there is none on this signature."""
    told: str
    is_held: bool
    """Whether its authority is under a root that the user named."""


def _of_domain(signed: Mapping[str, Any], trust: Trust) -> tuple[Any, dict[str, object]]:
    """The key of a domain's certificate, and what the certificate says. Raises ValueError."""
    from cryptography import x509

    certificate, *issuers = x509.load_pem_x509_certificates(str(signed["domainCert"]).encode())
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
        domains = names.value.get_values_for_type(x509.DNSName)
    except x509.ExtensionNotFound:
        domains = []
    domain = str(signed.get("domain", ""))
    if domain not in domains:
        raise ValueError(f"the certificate is not that of {domain!r}")
    created = datetime.fromisoformat(str(signed.get("created", "")))
    begun, ended = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    stamp = _stamped(signed, trust)
    now = trust.now or datetime.now(UTC)
    at = stamp.at or (created if created.tzinfo is not None else None)
    fault = _fault_of_chain([certificate, *issuers])
    is_borne_out = stamp.is_held or begun <= now <= ended
    when = stamp.at if stamp.is_held and stamp.at else now
    held = _held([certificate, *issuers], domain, when, trust)
    if fault:
        verdict = "wrong chain"
    elif at is None or not begun <= at <= ended:
        verdict = "expired"
    else:
        verdict = "trusted" if not held and is_borne_out else "domain"
    told: dict[str, object] = {
        "signature": verdict,
        "domain": domain,
        "chain": fault or (held if verdict != "trusted" else "held to a root that is trusted"),
        "in_force": f"{begun:%Y-%m-%d} to {ended:%Y-%m-%d}",
    }
    if stamp.told:
        told["time_stamp"] = stamp.told
    if now > ended and verdict in {"domain", "trusted"}:
        bears = "was in force when it was stamped" if stamp.at else "nothing bears out the time"
        told["since_then"] = f"the certificate expired; {bears}"
    return certificate.public_key(), told


def _held(chain: Sequence[Any], domain: str, at: datetime, trust: Trust) -> str:
    """Why a certificate is not held to the roots that the user named; "" where it is."""
    from cryptography import x509
    from cryptography.x509 import verification

    if not trust.roots:
        return _UNHELD
    if not trust.covers(domain):
        return f"{domain} is none of the domains that are trusted"
    try:
        store = verification.Store(list(trust.roots))
        policy = verification.PolicyBuilder().store(store).time(at)
        verifier = policy.build_server_verifier(x509.DNSName(domain))
        verifier.verify(chain[0], list(chain[1:]))
    except (verification.VerificationError, *_WRONG) as error:
        return f"not under a root that is trusted: {error}"[:300]
    return ""


def _stamped(signed: Mapping[str, Any], trust: Trust) -> _Stamp:
    """The time stamp on a signature. Whatever is wrong with it, it is told and does not count."""
    if not signed.get("timeSignature"):
        return _Stamp(None, "", is_held=False)
    try:
        import rfc3161_client as tsp
        from cryptography import x509
    except ModuleNotFoundError:
        return _Stamp(None, "not checked: rfc3161-client is not installed", is_held=False)
    try:
        octets = base64.b64decode(str(signed["timeSignature"]), validate=True)
        answer = tsp.decode_timestamp_response(octets)
        chain = x509.load_pem_x509_certificates(str(signed.get("timestampCert", "")).encode())
        at = answer.tst_info.gen_time.astimezone(UTC)
        text, roots = str(signed["signature"]), [*trust.roots, chain[-1]]
        fault = _fault_of_chain(chain) or _fault_of_stamp(answer, text, chain, roots)
        if not fault:
            is_held = _is_under(chain, trust.roots, at)
            by = "an authority that is trusted" if is_held else "an authority held to no root"
            return _Stamp(at, f"stamped at {at:%Y-%m-%dT%H:%M:%SZ} by {by}", is_held=is_held)
    except Exception as error:  # noqa: BLE001 - hostile stamps raise of every kind there
        fault = str(error) or type(error).__name__
    return _Stamp(None, f"the time stamp does not hold: {fault}"[:300], is_held=False)


def _fault_of_stamp(answer: Any, text: str, chain: Sequence[Any], roots: list[Any]) -> str:
    """Why a stamp is none on a text by the first certificate of a chain, whoever is trusted."""
    import rfc3161_client as tsp

    builder = tsp.VerifierBuilder(
        tsa_certificate=chain[0], intermediates=list(chain[1:]), roots=roots
    )
    try:
        builder.build().verify_message(answer, text.encode())
    except Exception as error:  # noqa: BLE001 - as above
        return str(error) or type(error).__name__
    return ""


def _is_under(chain: Sequence[Any], roots: Sequence[Any], at: datetime) -> bool:
    """Whether a chain whose members vouch for each other ends at a root, all in force at a time.

    This is not left to rfc3161-client: it takes what it is given as between for a root as well.
    """
    from cryptography import x509

    top = chain[-1]
    above = [each for each in roots if each == top or not _fault_of_chain([top, each])]
    if not above:
        return False
    for each in (*chain, above[0]):
        if not each.not_valid_before_utc <= at <= each.not_valid_after_utc:
            return False
    issuers = [each for each in (*chain[1:], above[0]) if each != chain[0]]
    try:
        known = (each.extensions.get_extension_for_class(x509.BasicConstraints) for each in issuers)
        return all(each.value.ca for each in known)
    except x509.ExtensionNotFound:
        return False


def _fault_of_chain(chain: Sequence[Any]) -> str:
    """Which certificate of a chain is not issued by the one behind it; "" where all are."""
    from cryptography.exceptions import InvalidSignature

    for place, (issued, issuer) in enumerate(pairwise(chain), 1):
        try:
            issued.verify_directly_issued_by(issuer)
        except (InvalidSignature, *_WRONG) as error:
            told = str(error) or "its signature is another's"
            return f"certificate {place} is not issued by the next one: {told}"
    return ""
