"""A warm grading service, and a command to interrupt: a quick suite, a slow provider, a host."""

import asyncio
import json
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.texts import write_files
from tests.support.waiting import wait_until
from tests.support.warm_command import ROOT, WarmCommand

if TYPE_CHECKING:
    from runner.evals.discovery import Eval
    from runner.grading.grade import GradingService
    from runner.jail import Jail
    from runner.toolchain import Toolchain

EVALS = 10
FIRST_STEP_ONLY = "tests.runner.first_step_only:grade_first_step_only"


@pytest.fixture(scope="session")
def attempt_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the warm grading service for its attempts."""
    return tmp_path_factory.mktemp("attempts")


@pytest.fixture(scope="session")
def grading(attempt_folders: Path) -> Iterator["GradingService"]:
    """A grading service of this suite, warm for all tests of the process, as it is for a run."""
    # Tests that grade nothing do not pay for these imports.
    from runner.grading.answer_steps import GradingSettings  # noqa: PLC0415
    from runner.grading.grade import GradingService  # noqa: PLC0415
    from tests.runner.small_eval import SUITE  # noqa: PLC0415

    settings = GradingSettings(workspaces=attempt_folders)
    with GradingService(SUITE, settings) as grading:
        yield grading


@pytest.fixture(scope="session")
def toolchain() -> "Toolchain":
    """The pinned toolchain."""
    from runner.toolchain import find_toolchain  # noqa: PLC0415

    return find_toolchain(ROOT / "evals")


@pytest.fixture(scope="session")
def jail() -> "Jail":
    """The default jail; a test is skipped where this machine does not have it."""
    from runner.errors import SandboxUnavailableError  # noqa: PLC0415
    from runner.jail import open_jail  # noqa: PLC0415

    try:
        return open_jail("bwrap")
    except SandboxUnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of a suite of two small evals."""
    from tests.runner.small_suite import write_suite  # noqa: PLC0415

    return write_suite(tmp_path / "evals")


@pytest.fixture
def ponds(root: Path) -> "Eval":
    """The first eval of that suite."""
    from runner.evals.discovery import discover  # noqa: PLC0415

    return discover(root).evals[0]


@pytest.fixture(scope="session")
def prose_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of evals with distinct tasks; nothing is deployed for an answer of prose."""
    return write_prose_suite(tmp_path_factory.mktemp("suite"), EVALS)


def write_prose_suite(root: Path, evals: int) -> Path:
    """Write a suite of that many evals into ``root``, with this suite's toolchain; return it."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "guidelines.md").write_text("# Guidelines\n\n## Kinds\n\nChoose the right kind.\n")
    for name in ("node_modules", "package.json"):
        (root / name).symlink_to(ROOT / "evals" / name)
    for number in range(evals):
        write_prose_eval(root / "000-fundamentals" / f"{number:03}-task", number)
    return root


def write_prose_eval(folder: Path, number: int) -> None:
    """Write an eval whose task has this number; its name is that of the folder."""
    files = {
        "TASK.txt": f"Write answer number <{number}>.\n",
        "grader.py": 'def test_it() -> None:\n    """It is there."""\n',
        "answer/package.json": "{}\n",
        "answer/convex/a.ts": "export const a = 1;\n",
        "eval.toml": (
            'title = "T"\nconcept = "C"\nwhy = "W"\nguidelines = ["kinds"]\npipeline = "full"\n'
        ),
    }
    write_files(folder, files)


class SlowProvider:
    """A scripted provider in a thread of its own, slow enough to be interrupted."""

    def __init__(
        self, folder: Path, script: Mapping[str, object] | None = None, port: int = 0
    ) -> None:
        """Start it, at a free port if ``port`` is 0.

        Without a ``script`` it answers everything with prose, after a while.
        """
        # Tests without a provider do not pay for these imports.
        from tests.runner.models.provider import Provider, Script, serve_provider  # noqa: PLC0415

        self.log = folder / "requests.jsonl"
        slow = {"default": {"text": "Prose, no files.", "delay_s": 0.12, "piece": 4}}
        provider = Provider(Script.model_validate_json(json.dumps(script or slow)), self.log)
        started: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

        async def serve() -> None:
            over = asyncio.Event()
            async with serve_provider(provider, port=port) as address:
                started.set_result((address, asyncio.get_running_loop(), over))
                await over.wait()

        self._thread = Thread(target=lambda: asyncio.run(serve()))
        self._thread.start()
        self.address, self._loop, self._over = started.result(60)

    def read_received(self) -> list[dict[str, Any]]:
        """Return the requests so far, as the log has them."""
        if not self.log.exists():
            return []
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in lines if line["event"] == "received"]

    def list_asked(self) -> list[int]:
        """Return the number of the eval of each request so far, in order."""
        received = [line["ends"] for line in self.read_received()]
        return [int(ends.rpartition("<")[2].partition(">")[0]) for ends in received]

    def wait_until_asked(self, requests: int) -> None:
        """Wait until that many requests came."""
        wait_until(
            lambda: len(self.list_asked()) >= requests,
            600,
            lambda: f"{requests} requests did not come in time",
        )

    def end(self) -> None:
        """End the provider."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    @contextmanager
    def pause(self) -> Generator[None]:
        """Stop the provider for the time of the block: it reads and answers nothing."""
        goes_on = Event()
        self._loop.call_soon_threadsafe(goes_on.wait)
        try:
            yield
        finally:
            goes_on.set()


@pytest.fixture
def slow_provider(tmp_path: Path) -> Iterator[SlowProvider]:
    """A provider that is ended with the test."""
    started = SlowProvider(tmp_path)
    yield started
    started.end()


class Host:
    """Runs the command in warm children that can be killed, one after the other."""

    def __init__(self, *, first_step_only: bool = False) -> None:
        """Start the host; with ``first_step_only``, no part of the grading opens."""
        self._before = FIRST_STEP_ONLY if first_step_only else None
        self._running: WarmCommand | None = None

    def start(self, arguments: list[str]) -> int:
        """Start the command; return its process id."""
        assert self._running is None
        self._running = WarmCommand(arguments, before=self._before)
        return self._running.pid

    def wait(self) -> int:
        """Return how the command ended: its exit code, or minus the signal."""
        assert self._running is not None
        code = self._running.wait()
        self._running = None
        return code

    def close(self) -> None:
        """Kill the command that was left running."""
        if self._running is not None:
            self._running.kill()
            self.wait()


@pytest.fixture
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    """A host that is closed with the test; it starts no grading without the parameter "all steps".

    A reply of prose fails at the first step, which needs no part of the grading service.
    """
    started = Host(first_step_only=getattr(request, "param", "first step") == "first step")
    yield started
    started.close()


Serve = Callable[[Mapping[str, object]], SlowProvider]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start providers by script, and end them with the test."""
    started: list[SlowProvider] = []

    def start(script: Mapping[str, object]) -> SlowProvider:
        started.append(SlowProvider(tmp_path, script))
        return started[-1]

    yield start
    for provider in started:
        provider.end()
