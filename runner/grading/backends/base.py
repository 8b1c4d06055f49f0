"""The interface of a backend: it takes a project and serves it at an address until it is closed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, Self

from runner.grading.workspace import Workspace

BackendKind = Literal["embedded", "local"]
"""Which backend serves: our own, or Convex's binary."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a deployed project answers."""

    origin: str
    """Of the HTTP API, the sync protocol and storage, such as ``http://cloud.test``."""
    site_origin: str
    """Of HTTP actions."""
    socket: Path | None
    """The Unix socket through which both origins are reached; None where they are on TCP."""
    admin_key: str
    pids: tuple[int, ...] = ()
    """The processes that hold the deployment, on this machine; none where they are not known."""


@dataclass(frozen=True, slots=True)
class Names:
    """The addresses and the key that a deployment takes for its own."""

    origin: str
    site_origin: str
    admin_key: str


class Deployment(Protocol):
    """A deployment that is served until it is closed. Safe to use from several threads."""

    @property
    def address(self) -> Address:
        """Where it answers."""
        ...

    def ended(self) -> str | None:
        """Say how it came to its end by itself; None while it runs."""
        ...

    def was_killed(self) -> bool:
        """Tell whether it died of a SIGKILL that we did not send; false while it runs."""
        ...

    def close(self) -> None:
        """End it; it may be called again."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class Backend(Protocol):
    """A way to serve Convex projects. Safe to use from several threads."""

    def deploy(self, workspace: Workspace, wall_s: float, names: Names | None = None) -> Deployment:
        """Deploy the project of a workspace, in at most ``wall_s`` seconds, under its own names.

        ``_generated`` is written before (see codegen.py). Raises DeployFailedError when the
        project cannot be deployed, BackendUnsupportedError when this backend does not do what it
        asks for, BackendBrokenError or JailBrokenError when the backend itself fails.
        """
        ...
