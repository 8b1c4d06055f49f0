"""Warm deployments of reference answers, for graders that compare answers with the reference."""

import threading
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from records.archives.archive import compute_answer_digest
from runner.backends.backend import Address, Backend, Deployment, Names
from runner.errors import DeployFailedError, InvalidEvalError
from runner.evals.discovery import Eval
from runner.workspace import create_workspace

_MOST_IDLE: Final = 4
"""The most idle deployments that are kept; each has two Node processes."""


@dataclass(slots=True)
class _ReferenceDeployment:
    key: str
    """The name of the eval and the digest of its reference answer."""
    deployment: Deployment
    stack: ExitStack


class References:
    """Lends deployments of reference answers, each to a single grading at a time."""

    def __init__(self, backend: Backend, workspaces: Path | None) -> None:
        """Prepare without a deployment: the first grader that needs one starts it."""
        self._backend = backend
        self._workspaces = workspaces
        self._lock = threading.Lock()
        self._idle: list[_ReferenceDeployment] = []

    def __enter__(self) -> Self:
        """Return this object; deployments start when they are first needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all idle deployments. No deployment may be lent now."""
        while self._idle:
            self._idle.pop().stack.close()

    @contextmanager
    def lend(self, evaluation: Eval, names: Names | None = None) -> Generator[Address]:
        """Lend a deployment of an eval's reference answer; start a deployment if none is idle.

        A new deployment uses ``names``. If the reference answer was edited, it is deployed again.

        Raises InvalidEvalError if the reference does not deploy, InfrastructureError if the backend
        fails.
        """
        files = evaluation.read_answer()
        key = f"{evaluation.name} {compute_answer_digest(files)}"
        reference = self._take(key) or self._start(key, evaluation, files, names)
        try:
            yield reference.deployment.address
        finally:
            self._give_back(reference)

    def _take(self, key: str) -> _ReferenceDeployment | None:
        with self._lock:
            for reference in self._idle:
                if reference.key == key and reference.deployment.describe_end() is None:
                    self._idle.remove(reference)
                    return reference
        return None

    def _start(
        self, key: str, evaluation: Eval, files: Mapping[str, str], names: Names | None
    ) -> _ReferenceDeployment:
        with ExitStack() as stack:
            workspace = stack.enter_context(create_workspace(self._workspaces))
            workspace.write(files)
            try:
                deployment = self._backend.deploy(
                    workspace, evaluation.config.limits.deploy_s, names
                )
            except DeployFailedError as error:
                raise InvalidEvalError(
                    f"{evaluation.folder / 'answer'}: does not deploy: {error}"
                ) from error
            stack.enter_context(deployment)
            return _ReferenceDeployment(key, deployment, stack.pop_all())

    def _give_back(self, reference: _ReferenceDeployment) -> None:
        with self._lock:
            self._idle.append(reference)
            excess = self._idle.pop(0) if len(self._idle) > _MOST_IDLE else None
        if excess is not None:
            excess.stack.close()
