"""A worker of a cluster: one warm grading service for each process, opened by a plugin of Dask."""

import asyncio
import hashlib
import os
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, cast, get_args

from distributed import WorkerPlugin, get_worker

from runner.cluster import messages
from runner.errors import RunnerError
from runner.evals.discovery import Eval, discover
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingService, Submission
from runner.jail import Kind
from runner.models.api_keys import find_key_variables
from runner.python_toolchain import find_grading_toolchain
from runner.toolchain import Toolchain, read_digest, read_toolchain

SUITE = "LEADERBOARD_EVALS"
"""The variable with the folder of the worker's suite; ``evals`` by default."""
SANDBOX = "LEADERBOARD_SANDBOX"
"""The variable with the jail that the worker's owner allows; ``bwrap`` by default."""


class WorkerGrader:
    """The grading service of this process under one order, or the reason why there is none."""

    def __init__(self, order: messages.GradingOrder, threads: int, address: str) -> None:
        """Open the grading service for ``threads`` at once, unless something speaks against it."""
        self._order = order
        self._address = address
        self._evals = dict[str, Eval]()
        self._service: GradingService | None = None
        self._open = ExitStack()
        self.refusal: str | None = None
        """The reason why this process does not grade."""
        try:
            self._open_service(threads)
        except (RunnerError, OSError) as error:
            self.refusal = str(error)
        except Exception as error:  # noqa: BLE001 - a worker without a reason would only be silent
            self.refusal = f"{type(error).__name__}: {error}"

    def grade(self, message: bytes) -> messages.SentVerdict:
        """Grade a submission; no verdict counts if the files of this machine differ afterwards."""
        submission = messages.SentSubmission.model_validate_json(message)
        result = None
        if self.refusal is None and self._service is not None:
            evaluation = self._evals[submission.eval]
            reply, files = submission.reply, submission.files
            result = self._service.judge(
                Submission(evaluation, submission.selection, reply=reply, files=files)
            )
            self.refusal = self._find_change()
        return messages.SentVerdict(
            worker=self._address,
            result=None if self.refusal else result,
            refusal=self.refusal,
        )

    def close(self) -> None:
        """End the grading service."""
        self._open.close()
        self._service = None

    def _open_service(self, threads: int) -> None:
        if keys := find_key_variables():
            raise RunnerError(f"its environment has {', '.join(keys)}: start it without keys")
        root = Path(self._order.suite_root or os.environ.get(SUITE, "evals"))
        suite, toolchain = discover(root), find_grading_toolchain(root)
        allowed = os.environ.get(SANDBOX, "bwrap")
        if allowed not in get_args(Kind):
            raise RunnerError(f"{SANDBOX}={allowed}: there is no such jail")
        sandbox = cast("Kind", allowed)
        own = messages.write_order(suite, toolchain, self._order.backend, sandbox, is_local=False)
        if (refusal := messages.find_difference(self._order, own)) is not None:
            raise RunnerError(refusal)
        self._evals = {evaluation.name: evaluation for evaluation in suite.evals}
        # Graders that are programs of a suite's authors run with copies of their packages.
        self._root = root if isinstance(toolchain, Toolchain) else None
        settings = GradingSettings(
            backend=self._order.backend, sandbox=self._order.sandbox, graders=threads
        )
        self._service = self._open.enter_context(GradingService(suite, settings))

    def _find_change(self) -> str | None:
        """Return what of the toolchain changed on the disk since the start; None if nothing did.

        The driver sees by the key of a verdict whether the eval changed.
        """
        if self._root is None:
            return None
        try:
            if read_digest(read_toolchain(self._root)) != self._order.toolchain:
                return "its toolchain has changed since it started"
        except (RunnerError, OSError) as error:
            return f"its toolchain has changed since it started: {error}"
        return None


_OPENING_S = 300.0
_TICK_S = 0.1
_graders: Final[dict[str, WorkerGrader]] = {}
"""The graders of this process, by the digests of their orders."""
_opening: Final = asyncio.Lock()


class GradingPlugin(WorkerPlugin):
    """Opens the grader of a worker process, and reports whether it can grade."""

    def __init__(self, order: bytes) -> None:
        """Have workers grade under ``order``, a `GradingOrder`."""
        self._order = order

    async def setup(self, worker: Any) -> None:  # noqa: ANN401 - Dask's worker has no types
        """Open the grader, unless an earlier driver had it opened."""
        digest = compute_order_digest(self._order)
        threads: int = worker.state.nthreads
        async with _opening:
            if digest not in _graders:
                loop = asyncio.get_running_loop()
                order = messages.GradingOrder.model_validate_json(self._order)
                opening = loop.run_in_executor(None, WorkerGrader, order, threads, worker.address)
                _graders[digest] = await opening
        host = socket.gethostname()
        ready = messages.WorkerReady(
            order=digest,
            worker=worker.address,
            # The same after a restart if the worker has a name.
            name=f"{'a worker' if worker.name == worker.address else worker.name} on {host}",
            threads=threads,
            refusal=_graders[digest].refusal,
        )
        worker.log_event(messages.TOPIC, ready.model_dump_json())

    def teardown(self, worker: Any) -> None:  # noqa: ANN401 - as above
        """Close the graders with the worker, but not where only a driver leaves."""
        if worker.status.name != "running":
            for grader in _graders.values():
                grader.close()
            _graders.clear()


def compute_order_digest(order: bytes) -> str:
    """Return the name of an order: its SHA-256, in hex."""
    return hashlib.sha256(order).hexdigest()


def grade_message(order: str, message: bytes) -> bytes:
    """Grade a submission under an order, once its grader is open."""
    ends_at = time.monotonic() + _OPENING_S
    # The scheduler sends submissions while the plugin still opens the grader.
    while order not in _graders and time.monotonic() < ends_at:
        time.sleep(_TICK_S)
    if order in _graders:
        verdict = _graders[order].grade(message)
    else:
        address: str = get_worker().address
        refusal = f"its graders did not open within {_OPENING_S:g} s"
        verdict = messages.SentVerdict(worker=address, result=None, refusal=refusal)
    return verdict.model_dump_json().encode()
