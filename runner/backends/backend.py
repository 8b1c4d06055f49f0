"""The interface of a backend: it deploys a project and serves it at an address until closed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, Self

from runner.workspace import Workspace

BackendKind = Literal["embedded", "local"]
"""The backend: our own, or Convex's binary."""


@dataclass(frozen=True, slots=True)
class Address:
    """The addresses and the key of a deployed project."""

    origin: str
    """The origin of HTTP API, sync protocol and storage, such as ``http://cloud.test``."""
    site_origin: str
    """The origin of HTTP actions."""
    socket: Path | None
    """The Unix socket that serves both origins; None where they are on TCP."""
    admin_key: str
    pids: tuple[int, ...] = ()
    """The ids of the deployment's processes on this machine; empty where unknown."""


@dataclass(frozen=True, slots=True)
class Names:
    """The addresses and the key that a new deployment uses."""

    origin: str
    site_origin: str
    admin_key: str


class Deployment(Protocol):
    """A running deployment, until it is closed. Safe to use from several threads."""

    @property
    def address(self) -> Address:
        """The addresses of the deployment."""
        ...

    def ended(self) -> str | None:
        """Return a description of the end that came by itself; None while the deployment runs."""
        ...

    def was_killed(self) -> bool:
        """Return true if a SIGKILL that we did not send ended it; false while it runs."""
        ...

    def close(self) -> None:
        """End the deployment; further calls have no effect."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class Backend(Protocol):
    """A way to serve Convex projects. Safe to use from several threads."""

    def deploy(self, workspace: Workspace, wall_s: float, names: Names | None = None) -> Deployment:
        """Deploy the project of a workspace in at most ``wall_s`` seconds, with ``names`` if given.

        ``_generated`` is written before (see codegen.py). Raises DeployFailedError when the
        project cannot be deployed, BackendUnsupportedError when the project needs a feature that
        this backend lacks, BackendBrokenError or JailBrokenError when the backend itself fails.
        """
        ...
