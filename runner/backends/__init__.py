"""Backends that deploy an answer and serve it: interchangeable behind Convex's own HTTP API."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.backends.base import Address, Backend, BackendKind, Deployment
from runner.backends.embedded import EmbeddedBackend, pack
from runner.backends.local import LocalBackend
from runner.jail import Jail
from runner.toolchain import Toolchain

__all__ = ["Address", "Backend", "BackendKind", "Deployment", "open_backend"]


@contextmanager
def open_backend(kind: BackendKind, jail: Jail, toolchain: Toolchain) -> Generator[Backend]:
    """Make a backend ready.

    Raises:
        ToolchainMissingError: the real backend was asked for and its binary is not there.
        BackendBrokenError, JailBrokenError: the embedded backend cannot be made ready.
    """
    if kind == "local":
        yield LocalBackend(toolchain)
        return
    with TemporaryDirectory(prefix="convex-leaderboard-backend-") as folder:
        # Whoever a jail's kernel takes its user for must be able to write, and to read.
        Path(folder).chmod(0o777)
        pack(jail, toolchain, Path(folder))
        yield EmbeddedBackend(jail, toolchain, Path(folder))
