"""The choice of the backend that deploys answers: the emulator or the real backend."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from runner.backends.backend import Backend, BackendKind
from runner.emulator.embedded import EmbeddedBackend
from runner.emulator.packed_programs import prepare_programs
from runner.errors import DeployFailedError, ToolchainBrokenError
from runner.jail import Jail
from runner.toolchain import Toolchain
from runner.workspace import create_workspace

_EMPTY_PROJECT: Final = {"convex/empty.ts": "export {};\n"}
_EMPTY_DEPLOY_S: Final = 60.0


@contextmanager
def open_backend(kind: BackendKind, jail: Jail, toolchain: Toolchain) -> Generator[Backend]:
    """Open a backend for a `with` block, and check the embedded backend with an empty project.

    Raises:
        ToolchainMissingError: ``kind`` is the real backend and its binary is missing.
        ToolchainBrokenError: the embedded backend does not work.
    """
    if kind == "local":
        from runner.backends.local import (  # noqa: PLC0415 - its HTTP client takes 0.1 s
            LocalBackend,
        )

        yield LocalBackend(toolchain)
    else:
        backend = EmbeddedBackend(jail, toolchain, prepare_programs(jail, toolchain))
        _deploy_empty_project(backend)
        yield backend


def _deploy_empty_project(backend: Backend) -> None:
    """Check that the backend can deploy, so that a broken backend is not blamed on answers.

    Raises ToolchainBrokenError.
    """
    with create_workspace() as workspace:
        workspace.write(_EMPTY_PROJECT)
        try:
            backend.deploy(workspace, _EMPTY_DEPLOY_S).close()
        except DeployFailedError as error:
            raise ToolchainBrokenError(f"the backend deploys no empty project: {error}") from error
