"""Backends that deploy an answer and serve it: interchangeable behind Convex's own HTTP API."""

from collections.abc import Generator
from contextlib import contextmanager

from runner.grading.backends.base import Address, Backend, BackendKind, Deployment
from runner.grading.backends.embedded import EmbeddedBackend
from runner.grading.backends.local import LocalBackend
from runner.grading.backends.packed_programs import programs
from runner.grading.toolchain import Toolchain
from runner.jail import Jail

__all__ = ["Address", "Backend", "BackendKind", "Deployment", "open_backend"]


@contextmanager
def open_backend(kind: BackendKind, jail: Jail, toolchain: Toolchain) -> Generator[Backend]:
    """Make a backend ready.

    Raises:
        ToolchainMissingError: the real backend was asked for and its binary is not there.
        ToolchainBrokenError: the embedded backend cannot be made ready.
    """
    if kind == "local":
        yield LocalBackend(toolchain)
    else:
        yield EmbeddedBackend(jail, toolchain, programs(jail, toolchain))
