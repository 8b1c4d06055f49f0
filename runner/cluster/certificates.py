"""The file that lets the machines of a cluster trust one another: Dask's settings, with keys.

All machines have the same file. Who has it can run programs on every machine of the cluster.
"""

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from runner.errors import UnusableFileError

if TYPE_CHECKING:
    from distributed import Security

_HEAD = """\
# Settings of Dask for the machines of one cluster: set DASK_CONFIG to the path of this file. It has
# the key of the cluster. Who has this file can run programs on every machine of the cluster.
"""
_SETTINGS: Mapping[str, object] = {
    "scheduler": {
        # An answer whose worker died twice goes back to the driver, which sends it again.
        "allowed-failures": 1,
        # A worker that is silent for longer has lost its answers to others.
        "worker-ttl": "60s",
        # Answers at a worker for each thread: several threads may end at the same time.
        "worker-saturation": 1.5,
    },
    "worker": {"profile": {"enabled": False}},
}


def write_certificates(path: Path) -> "Security":
    """Write Dask's settings, with a new certificate and its key, into a new file.

    Returns the certificate and the key. The certificate is its own authority.

    Raises:
        UnusableFileError: the file exists, or cannot be written.
    """
    import_module("cryptography")  # Dask's own error would not name the package that is missing
    dask: Any = import_module("distributed")
    security: Security = dask.Security.temporary()
    machine = {"cert": security.tls_client_cert, "key": security.tls_client_key}
    roles: dict[str, object] = {role: dict(machine) for role in ("scheduler", "worker", "client")}
    tls = {"ca-file": security.tls_ca_file, **roles}
    comm = {"require-encryption": True, "tls": tls}
    text = _HEAD + yaml.safe_dump({"distributed": {**_SETTINGS, "comm": comm}}, sort_keys=False)
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
    return security
