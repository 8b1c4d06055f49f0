"""The number of calls from a command to the request to a model, and to the grading of an answer."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import aiohttp
import pytest

from leaderboard.commands.running import run_command
from runner.grading.grade import GradingResult, GradingService, Submission
from tests.leaderboard.commanding import serve_provider
from tests.runner.models.conftest import LITELLM_WARNS

pytestmark = pytest.mark.more

ROOT = Path(__file__).parents[3]
PACKAGES = ("generator", "leaderboard", "records", "review", "runner")
MOST_TO_GRADING = 6
"""The most calls below the command, the grading included."""
MOST_TO_REQUEST = 9
"""The same for the request; calls of litellm's own functions do not count."""


class _CallChains:
    """Probes that record the functions of the project that led to each request and grading.

    A task goes on with the chain of the function that created it, and a call in another thread
    with the chain of the function that submitted it.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.of_requests: list[list[str]] = []
        self.of_gradings: list[list[str]] = []
        self._of_tasks: WeakKeyDictionary[asyncio.Task[Any], list[str]] = WeakKeyDictionary()
        self._of_thread = threading.local()
        create_task, submit = asyncio.TaskGroup.create_task, ThreadPoolExecutor.submit
        judge, request = GradingService.judge, aiohttp.ClientSession.request

        def record_create(
            group: asyncio.TaskGroup, work: Coroutine[Any, Any, Any]
        ) -> asyncio.Task[Any]:
            task = create_task(group, work)
            self._of_tasks[task] = self.list_callers()
            return task

        def record_submit(
            pool: ThreadPoolExecutor, function: Callable[..., object], /, *args: object
        ) -> Future[object]:
            chain = self.list_callers()

            def call() -> object:
                self._of_thread.chain = chain
                return function(*args)

            return submit(pool, call)

        def record_judge(service: GradingService, submission: Submission) -> GradingResult:
            self.of_gradings.append([*self.list_callers(), "judge"])
            return judge(service, submission)

        def record_request(session: aiohttp.ClientSession, *url: Any, **options: Any) -> object:  # noqa: ANN401 - as aiohttp declares
            self.of_requests.append(self.list_callers())
            return request(session, *url, **options)

        monkeypatch.setattr(asyncio.TaskGroup, "create_task", record_create)
        monkeypatch.setattr(ThreadPoolExecutor, "submit", record_submit)
        monkeypatch.setattr(GradingService, "judge", record_judge)
        monkeypatch.setattr(aiohttp.ClientSession, "request", record_request)

    def list_callers(self) -> list[str]:
        """Return the functions from the command to the caller; the command stands first."""
        frame, names = inspect.currentframe(), list[str]()
        while frame is not None:
            code = frame.f_code
            path = Path(code.co_filename)
            if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PACKAGES:
                names.insert(0, code.co_name)
            frame = frame.f_back
        if threading.current_thread() is not threading.main_thread():
            return [*getattr(self._of_thread, "chain", []), *names]
        created = self._of_tasks.get(task) if (task := _find_current_task()) else None
        if created is None:
            return names
        # The frames of the event loop, and those that started it, lie below those of the task.
        inner = names[names.index("launch") + 1 :] if "launch" in names else names
        return [*created, *inner]


def _find_current_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def test_a_grading_is_few_calls_below_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`run` reaches the grading of an answer within six calls of its callback, tasks included."""
    chains = _CallChains(monkeypatch)
    data = tmp_path / "data"
    (data / "models.toml").parent.mkdir()
    folders = ["--evals", str(ROOT / "evals"), "--data", str(data)]
    run_command.main(["-m", "empty", "-f", "000-dome", *folders], standalone_mode=False)
    (chain,) = chains.of_gradings
    assert chain[0] == "run_command"
    assert chain[-1] == "judge"
    assert len(chain) - 1 <= MOST_TO_GRADING, chain


@pytest.mark.filterwarnings(*LITELLM_WARNS)
def test_a_request_is_few_calls_below_the_command(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`run` reaches each request to a model within nine calls of its callback."""
    chains = _CallChains(monkeypatch)
    folders = ["--evals", str(suite), "--data", str(tmp_path / "data")]
    with serve_provider(tmp_path / "provider", {"default": {"text": "Prose."}}) as address:
        asked = ["-m", "openai/scripted", "--api-base", address, "-f", "000-task"]
        run_command.main([*asked, *folders], standalone_mode=False)
    (chain,) = chains.of_requests
    assert chain[0] == "run_command"
    assert len(chain) - 1 <= MOST_TO_REQUEST, chain
