"""The file of a cluster: certificates and Dask's settings, for its owner alone."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest
import yaml
from cryptography import x509

from runner.cluster.certificates import write_certificates
from runner.errors import UnusableFileError

pytestmark = pytest.mark.unit


def test_one_file_is_enough_for_every_machine(tmp_path: Path) -> None:
    """All roles have certificates that its own authority signed; only its owner can read it."""
    path = tmp_path / "cluster.yaml"
    write_certificates(path)
    write_certificates(tmp_path / "other.yaml")
    other = yaml.safe_load((tmp_path / "other.yaml").read_text())["distributed"]["comm"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    comm = yaml.safe_load(path.read_text())["distributed"]["comm"]
    assert comm["require-encryption"] is True
    assert comm["tls"]["ca-file"] != other["tls"]["ca-file"]
    authority = x509.load_pem_x509_certificate(comm["tls"]["ca-file"].encode())
    for role in ("scheduler", "worker", "client"):
        certificate = x509.load_pem_x509_certificate(comm["tls"][role]["cert"].encode())
        certificate.verify_directly_issued_by(authority)
        assert comm["tls"][role]["key"].startswith("-----BEGIN PRIVATE KEY-----")


def test_a_full_disk_leaves_no_half_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message has the file and the reason, and the next try does not find a file."""
    path = tmp_path / "cluster.yaml"

    def open_on_full_disk(descriptor: int, *_: object, **_options: object) -> object:
        os.close(descriptor)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fdopen", open_on_full_disk)
    with pytest.raises(UnusableFileError, match=r"cluster\.yaml: No space left on device"):
        write_certificates(path)
    assert not path.exists()


def test_without_the_extra_no_file_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the missing package, of which the command names the extra."""
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ModuleNotFoundError) as missing:
        write_certificates(tmp_path / "cluster.yaml")
    assert missing.value.name == "cryptography"
    assert not (tmp_path / "cluster.yaml").exists()


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    """Machines that have the first file would no longer be let in."""
    path = tmp_path / "cluster.yaml"
    path.write_text("mine\n")
    with pytest.raises(UnusableFileError, match=str(path)):
        write_certificates(path)
    with pytest.raises(UnusableFileError, match="No such file"):
        write_certificates(tmp_path / "missing" / "cluster.yaml")
    assert path.read_text() == "mine\n"
