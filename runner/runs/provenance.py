"""The provenance of a record: this program, its toolchain, the model's server.

The address of a server is recorded as a digest, so that records can be compared and reveal no
address.
"""

import ipaddress
import os
import shutil
import socket
import subprocess
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from records.shapes.base import compute_text_digest
from records.shapes.registry import ModelEntry
from records.shapes.run import CHANGES, Harness
from records.text.visible import make_one_line
from runner.errors import BadAddressError
from runner.jail import Kind
from runner.models.requests.routes import describe_route, find_proxy
from runner.python_toolchain import PythonToolchain, find_grading_toolchain
from runner.toolchain import INSTALL

CONNECT_S = 10.0
"""The most seconds in which a server must take the connection that is tried before a run."""

_PORTS = {"http": 80, "https": 443}
_SUFFIXES = ("API_BASE", "BASE_URL")
_NAMED_OTHERWISE = {
    "bedrock": ("AWS_BEDROCK_RUNTIME_ENDPOINT",),
    "bedrock_converse": ("AWS_BEDROCK_RUNTIME_ENDPOINT",),
    "fireworks_ai": ("FIREWORKS_API_BASE",),
    "huggingface": ("HF_API_BASE",),
    "ollama_chat": ("OLLAMA_API_BASE",),
    "vertex_ai": ("VERTEXAI_API_BASE", "VERTEX_API_BASE"),
    "watsonx": ("WATSONX_URL", "WX_URL", "WML_URL"),
}
"""Variables with addresses by litellm's name of the provider, if it does not begin their names."""


def find_address(entry: ModelEntry) -> str | None:
    """Return the address for requests to ``entry``; None for the provider's own address.

    It is the address of the entry, else of litellm's variables in the environment, such as
    OPENAI_BASE_URL.

    Raises:
        BadAddressError: the address is invalid, or the environment holds two different addresses.
    """
    if entry.api_base is not None:
        _split(entry.api_base)
        return entry.api_base
    provider = entry.litellm_provider
    names = [f"{provider.upper()}_{suffix}" for suffix in _SUFFIXES]
    names += _NAMED_OTHERWISE.get(provider, ())
    addresses = {name: value for name in names if (value := os.environ.get(name))}
    for name, value in addresses.items():
        _split(value, name)
    if len(set(addresses.values())) > 1:
        raise BadAddressError(
            f"{' and '.join(addresses)} send {entry.slug} to different addresses: unset all but one"
        )
    return next(iter(addresses.values()), None)


def compute_origin(address: str) -> str:
    """Return the SHA-256 of an address's scheme, host and port, in hex.

    User, password, path and query are left out, because they may hold a secret.
    """
    parts = _split(address)
    port = parts.port or _PORTS[parts.scheme]
    return compute_text_digest(f"{parts.scheme}://{parts.hostname}:{port}")


def check_host(entry: ModelEntry, host: str) -> None:
    """Check that the ``host`` of a request is the host of the address that the record gets.

    Raises:
        BadAddressError: litellm ignored the address, which comes from the environment.
    """
    address = find_address(entry)
    if address is not None and _split(address).hostname != host.lower():
        raise BadAddressError(
            f"{entry.slug} would be asked at {host}, and not at {format_address(address)}: unset "
            "the variable that holds this address, or give it with --api-base or as api_base in "
            "models.toml"
        )


def is_near(address: str) -> bool:
    """Return whether ``address`` is on this machine or in a private network."""
    host = _split(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal"))


def check_listening(address: str) -> None:
    """Check that a server takes connections at ``address``; does nothing if a proxy is in use.

    Raises:
        BadAddressError: no server takes a connection there.
    """
    parts = _split(address)
    if find_proxy(address) is not None:
        return
    try:
        place = (parts.hostname, parts.port or _PORTS[parts.scheme])
        socket.create_connection(place, CONNECT_S).close()
    except OSError as error:
        reason = error.strerror or f"no answer within {CONNECT_S:g} s"
        raise BadAddressError(
            f"no server listens at {format_address(address)}: {reason}; start it, or change "
            f"the address; {describe_route(address)}"
        ) from error


def format_address(address: str) -> str:
    """Return an address for messages, without user, password and query."""
    parts = _split(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _split(address: str, source: str = "api_base") -> SplitResult:
    """Return the parts of an address; ``source`` names its option, field or variable in errors."""
    try:
        parts = urlsplit(address)
        whole = parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bracket without its other half, a port that is no number
        whole = False
    if not whole or any(sign.isspace() or not sign.isprintable() for sign in address):
        raise BadAddressError(
            f"{source}: not an address: give it whole, such as http://127.0.0.1:8080/v1"
        )
    return urlsplit(address)


def make_harness(suite_root: Path, backend: Literal["embedded", "local"], sandbox: Kind) -> Harness:
    """Return the versions of this program and its graders, and their sandbox, for a record.

    Suites with ``suite.toml`` have no backend, and nothing is installed for their answers.
    """
    toolchain = find_grading_toolchain(suite_root)
    is_deployed = not isinstance(toolchain, PythonToolchain)
    return Harness(
        version=read_harness_version(),
        git_commit=find_commit()[0],
        toolchain=toolchain.get_versions(),
        backend=backend if is_deployed else None,
        sandbox=sandbox,
        install=INSTALL if is_deployed else None,
    )


_NO_PROGRAM = ("data", "docs")
"""Folders at the repository's root that are not part of the program."""


_BUILT_FROM = "built_from.txt"
_LONGEST_REFUSAL = 400
"""The most characters of git's words in a message."""


def find_commit() -> tuple[str | None, str]:
    """Return the commit of this program, or None and why records cannot name it, with the remedy.

    The commit has a mark if files differ from it; changed records and documents add no mark,
    because they are not part of the program. An installed program has the commit from which
    `scripts/build-wheel` built it.
    """
    git, home = shutil.which("git"), Path(__file__).parent
    if not (home.parents[1] / ".git").exists():
        # Installed: the repository around it, if any, is somebody else's.
        with suppress(FileNotFoundError):
            if built_from := (home.parent / _BUILT_FROM).read_text("ascii").strip():
                return built_from, ""
        return None, "install the wheel of a release or of scripts/build-wheel, which notes it"
    if git is None:
        return None, "git is not installed"
    # Without locks: the lock of a killed git would stop every other git command in this clone.
    status = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"]
    status += ["--", ":(top)", *(f":(top,exclude){folder}" for folder in _NO_PROGRAM)]
    head, changed = (
        subprocess.run([git, *words], cwd=home, capture_output=True, text=True, check=False)
        for words in (["rev-parse", "HEAD"], status)
    )
    if head.returncode != 0:
        # All of git's words: the remedy for a folder of another owner is in the last line.
        words = make_one_line(head.stderr.removeprefix("fatal: "), _LONGEST_REFUSAL)
        return None, f"git refuses: {words}"
    return head.stdout.strip() + (CHANGES if changed.stdout.strip() else ""), ""


def read_harness_version() -> str:
    """Return the version of this program."""
    return version("convex-leaderboard")
