"""Backends that deploy an answer and serve it: interchangeable behind Convex's own HTTP API."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from runner.errors import DeployFailedError, ToolchainBrokenError
from runner.grading.backends.base import Address, Backend, BackendKind, Deployment
from runner.grading.backends.embedded import EmbeddedBackend
from runner.grading.backends.packed_programs import programs
from runner.grading.toolchain import Toolchain
from runner.grading.workspace import create_workspace
from runner.jail import Jail

__all__ = ["Address", "Backend", "BackendKind", "Deployment", "open_backend"]

_EMPTY_PROJECT: Final = {"convex/empty.ts": "export {};\n"}
_EMPTY_DEPLOY_S: Final = 60.0


@contextmanager
def open_backend(kind: BackendKind, jail: Jail, toolchain: Toolchain) -> Generator[Backend]:
    """Prepare a backend, and check the embedded backend with an empty project.

    Raises:
        ToolchainMissingError: the real backend was requested and its binary is missing.
        ToolchainBrokenError: the embedded backend does not work.
    """
    if kind == "local":
        from runner.grading.backends.local import (  # noqa: PLC0415 - its HTTP client takes 0.1 s
            LocalBackend,
        )

        yield LocalBackend(toolchain)
    else:
        backend = EmbeddedBackend(jail, toolchain, programs(jail, toolchain))
        _deploy_empty_project(backend)
        yield backend


def _deploy_empty_project(backend: Backend) -> None:
    """Check that the backend deploys: otherwise each answer would be blamed for a failed deploy."""
    with create_workspace() as workspace:
        workspace.write(_EMPTY_PROJECT)
        try:
            backend.deploy(workspace, _EMPTY_DEPLOY_S).close()
        except DeployFailedError as error:
            raise ToolchainBrokenError(f"the backend deploys no empty project: {error}") from error
