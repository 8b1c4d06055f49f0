"""The file that lets the machines of a cluster trust one another: Dask's settings, with keys.

All machines have the same file. Who has it can run programs on every machine of the cluster.
"""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from runner.errors import UnusableFileError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import Certificate, Name

_DAYS: Final = 365
_CLOCKS: Final = timedelta(hours=1)
"""The most by which the clock of another machine may be behind."""
_HEAD: Final = """\
# Settings of Dask for the machines of one cluster: set DASK_CONFIG to the path of this file. It has
# the key of the cluster. Who has this file can run programs on every machine of the cluster.
"""


def write_certificates(path: Path) -> None:
    """Write Dask's settings, with a certificate, its key and its authority, into a new file.

    Nothing keeps the key of the authority, so nobody can make a second certificate of it.

    Raises:
        UnusableFileError: the file exists, or cannot be written.
    """
    text = _HEAD + yaml.safe_dump(_make_settings(), sort_keys=False)
    try:
        # No other user can read the file, from its first byte on.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise UnusableFileError(f"{path}: exists already; name a new file") from error
    except OSError as error:
        raise UnusableFileError(f"{path}: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise UnusableFileError(f"{path}: {error.strerror}") from error


def _make_settings() -> dict[str, object]:
    authority, certificate, key = _make_pair()
    machine = {"cert": _encode_certificate(certificate), "key": _encode_key(key)}
    roles = {role: dict(machine) for role in ("scheduler", "worker", "client")}
    return {
        "distributed": {
            "scheduler": {
                # An answer whose worker died twice goes back to the driver, which sends it again.
                "allowed-failures": 1,
                # A worker that is silent for longer has lost its answers to others.
                "worker-ttl": "60s",
                # Answers at a worker for each thread: several threads may end at the same time.
                "worker-saturation": 1.5,
            },
            "worker": {"profile": {"enabled": False}},
            "comm": {
                "require-encryption": True,
                "tls": {"ca-file": _encode_certificate(authority), **roles},
            },
        }
    }


def _make_pair() -> "tuple[Certificate, Certificate, EllipticCurvePrivateKey]":
    """Return an authority, a certificate that it signed, and the certificate's key."""
    from cryptography import x509  # noqa: PLC0415 - an optional part
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
    from cryptography.x509.oid import NameOID  # noqa: PLC0415

    def make_name(text: str) -> "Name":
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    signing_key = ec.generate_private_key(ec.SECP256R1())
    key = ec.generate_private_key(ec.SECP256R1())
    authority = _sign(
        make_name("authority"), make_name("authority"), signing_key, signing_key, signs=True
    )
    certificate = _sign(make_name("machine"), make_name("authority"), key, signing_key, signs=False)
    return authority, certificate, key


def _sign(
    subject: "Name",
    issuer: "Name",
    key: "EllipticCurvePrivateKey",
    signing_key: "EllipticCurvePrivateKey",
    *,
    signs: bool,
) -> "Certificate":
    """Return a certificate of a key; ``signs`` allows it to sign others."""
    from cryptography import x509  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415

    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS)
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.BasicConstraints(ca=signs, path_length=None), critical=True)
        .sign(signing_key, hashes.SHA256())
    )


def _encode_certificate(certificate: "Certificate") -> str:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - as above

    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _encode_key(key: "EllipticCurvePrivateKey") -> str:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - as above

    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
