"""The interface of a backend: it deploys a project and serves it at an address until closed."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, Self

from runner.workspace import Workspace

BackendKind = Literal["embedded", "local"]
"""The kind of backend: our emulator (embedded), or Convex's own binary (local)."""


class Address(NamedTuple):
    """The addresses and the key of a deployed project."""

    origin: str
    """The origin of HTTP API, sync protocol and storage, such as ``http://cloud.test``."""
    site_origin: str
    """The origin of HTTP actions."""
    socket: Path | None
    """The Unix socket that serves both origins; None if TCP does."""
    admin_key: str
    site_socket: Path | None = None
    """The Unix socket of the second origin, if it has one of its own."""
    pids: tuple[int, ...] = ()
    """The ids of the deployment's processes on this machine; empty if unknown."""
    is_key_of_suite: bool = False
    """True if graders have this key in their code, so that no other will do."""


class Deployment(ABC):
    """A running deployment, until it is closed. Safe to use from several threads."""

    def __init__(self, address: Address) -> None:
        """Keep the addresses of the deployment."""
        self.address = address

    @abstractmethod
    def describe_end(self) -> str | None:
        """Return how the deployment ended by itself, such as "ended with exit code 1".

        None while it runs.
        """

    @abstractmethod
    def was_killed(self) -> bool:
        """Return true if a SIGKILL that we did not send ended the deployment.

        False while it runs.
        """

    @abstractmethod
    def close(self) -> None:
        """End the deployment; further calls have no effect."""

    def __enter__(self) -> Self:
        """Return this deployment; the end of the `with` block closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the deployment."""
        self.close()


class Backend(Protocol):
    """A program that serves Convex projects. Safe to use from several threads."""

    def deploy(
        self, workspace: Workspace, wall_s: float, names: Address | None = None
    ) -> Deployment:
        """Deploy the project of a workspace in at most ``wall_s`` seconds.

        The deployment gets the origins and the key of ``names``, else some of its own.

        Also writes the project's files in ``_generated`` (see codegen.py). Raises DeployFailedError
        if the project cannot be deployed, BackendBrokenError or JailBrokenError if the backend
        itself fails.
        """
        ...
