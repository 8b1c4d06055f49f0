"""Clusters that `--cluster` takes: not everybody can use them, or read their certificates."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest
import yaml
from cryptography import x509

from runner.cluster.address import parse_cluster
from runner.cluster.certificates import write_certificates
from runner.errors import BadClusterError, UnusableFileError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("local:4", 4),
        ("tls://10.0.0.7:8786", "tls://10.0.0.7:8786"),
        ("tls://scheduler.internal:8786", "tls://scheduler.internal:8786"),
        ("tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("tcp://[::1]:8786", "tcp://[::1]:8786"),
        ("tls://[2001:db8::7]:8786", "tls://[2001:db8::7]:8786"),
        ("tcp://localhost:8786", "tcp://localhost:8786"),
    ],
)
def test_addresses(text: str, address: str | int) -> None:
    """Local processes are started; a scheduler is asked at its address."""
    assert parse_cluster(text) == address


@pytest.mark.parametrize(
    "text", ["tcp://10.0.0.7:8786", "tcp://scheduler.internal:8786", "tcp://0.0.0.0:8786"]
)
def test_a_scheduler_beyond_loopback_needs_tls(text: str) -> None:
    """The message has the address and the command that makes certificates."""
    with pytest.raises(BadClusterError, match="leaderboard cluster certificates") as refused:
        parse_cluster(text)
    assert text in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "tls://name:word@10.0.0.7:8786",
        "tls://@10.0.0.7:8786",
        "tls://10.0.0.7:8786/status",
        "tls://10.0.0.7:8786?a=b",
        "tls://10.0.0.7:8786#a",
        "tcp://127.0.0.1:8786/@10.0.0.7:8786",
        "TLS://10.0.0.7:8786",
        " tls://10.0.0.7:8786",
        "tls://10.0.0.7:8786\n",
        "tls://2001:db8::7:8786",
        "tls://[10.0.0.7]:8786",
        "tls://[::1:8786",
        "tls://10.0.0.7:65536",
        "tls://10.0.0.7:0",
    ],
)
def test_a_scheduler_is_a_host_and_a_port(text: str) -> None:
    """Users, paths and other parts are refused, and an address of IPv6 has brackets."""
    with pytest.raises(BadClusterError, match=r"give .* and nothing before or after it"):
        parse_cluster(text)


@pytest.mark.parametrize(
    "text",
    ["", "local", "local:0", "local:-1", "local:999", "4", "http://a:1", "tls://a", "tls://a:b"],
)
def test_other_texts_are_refused(text: str) -> None:
    """The message names the option and, unless there are too many processes, both forms."""
    with pytest.raises(BadClusterError, match=r"^--cluster ") as refused:
        parse_cluster(text)
    assert text in str(refused.value)


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
