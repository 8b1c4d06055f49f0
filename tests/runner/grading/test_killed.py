"""A program killed from outside its jail, or a runner that was stopped, fails no honest answer."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest

from records.shapes.attempt import Outcome
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingService
from runner.jail.kernel import processes
from tests.runner.small_eval import EVALS, SUITE, make_value_answer, write_question
from tests.support.texts import read_texts
from tests.support.tiers import leave_to_night

pytestmark = pytest.mark.integration
TEXTS = read_texts(__file__)

GRADER = TEXTS["grader"]
PAGE = TEXTS["page"]
WRITTEN = '''
def test_tests(written_tests):
    """The tests pass."""
    run = written_tests.run({"as given": {}})["as given"]
    assert run.outcome == "passed", run.reason
'''
MORE = {
    "src/App.tsx": "export default function App() { return <p>42</p>; }",
    "convex/notes.test.ts": """
        import { expect, test } from "vitest";
        test("a test", async () => {
          await new Promise((resolve) => setTimeout(resolve, 500));
          expect(42).toBe(42);
        });""",
}
PROGRAMS = {
    "bundler": (("esbuild", "--format=iife"), GRADER),
    "deployment": (("server.cjs",), GRADER),
    "linter": (("lint_worker.blob",), GRADER),
    "types": (("lib/tsc",), GRADER),
    "renderer": (("renderer.cjs",), PAGE),
    "page": (("window.cjs",), PAGE),
    "vitest": (("run_suites.mjs",), WRITTEN),
    "tests": (("vitest", "forks"), WRITTEN),
    "worker": (("runner.grading.worker.process",), GRADER),
}
"""Words of a program's command, and a grader that uses the program."""


class Killer:
    """Kills the first process below this process whose command has all of these words."""

    def __init__(self, *words: str, bystanders: Container[int] = ()) -> None:
        """Set the words and bystanders; no process is killed before the block."""
        self._words = [word.encode() for word in words]
        self._bystanders = bystanders
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.killed: int | None = None

    def __enter__(self) -> Self:
        """Start the search."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the search."""
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while self.killed is None and not self._over.wait(0.001):
            for pid in processes.walk_members(os.getpid()):
                if pid not in self._bystanders and self._is_meant(pid):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                        self.killed = pid
                        return

    def _is_meant(self, pid: int) -> bool:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False
        program = command.partition(b"\0")[0]
        held = program.endswith((b"bwrap", b"sh", b"prlimit", b"setpriv"))
        return not held and all(word in command for word in self._words)


@pytest.fixture(scope="module")
def bystanders() -> frozenset[int]:
    """The processes below this process that other tests keep warm."""
    return frozenset(processes.walk_members(os.getpid()))


@pytest.fixture(scope="module")
def grading(bystanders: frozenset[int]) -> Iterator[GradingService]:
    """A grading service of this module's own, with one warm process of each kind."""
    del bystanders  # they are listed before this service starts its own
    with GradingService(SUITE, GradingSettings(graders=1)) as grading:
        yield grading


@pytest.mark.more
@pytest.mark.parametrize(
    ("words", "grader"),
    leave_to_night(PROGRAMS, but=("deployment", "linter", "worker")),
)
def test_an_honest_answer_passes_though_a_program_was_killed(
    grading: GradingService,
    bystanders: frozenset[int],
    tmp_path: Path,
    words: tuple[str, ...],
    grader: str,
) -> None:
    """The answer is graded once more, and its verdict is the same as without the kill."""
    for _ in range(5):
        with Killer(*words, bystanders=bystanders) as killer:
            graded = grading.grade(write_question(tmp_path, grader), make_value_answer(42, MORE))
        assert (graded.outcome, graded.reason) == (Outcome.PASSED, None)
        if killer.killed is not None:
            return
    raise AssertionError(f"nothing was killed of {words}: it is called otherwise, or too quick")


@pytest.mark.more
def test_an_answer_that_kills_itself_has_failed(grading: GradingService, tmp_path: Path) -> None:
    """From outside this looks the same, but it happens each time, and never to the reference."""
    kills = TEXTS["kills"]
    grader = 'def test_it(convex):\n    convex.action("kills:end")\n'
    graded = grading.grade(
        write_question(tmp_path, grader), make_value_answer(42, {"convex/kills.ts": kills})
    )
    assert graded.outcome is Outcome.FAILED
    assert graded.reason is not None
    assert "the deployment died: it ended with exit code 137" in graded.reason


LIMIT_S = 10


@pytest.mark.night
def test_a_runner_that_was_stopped_for_longer_than_a_limit(tmp_path: Path) -> None:
    """Tests that waited for the runner past their limit run again, and the right answer passes."""
    began = tmp_path / "began"
    (tmp_path / "grader.txt").write_text(TEXTS["grader_that_waits"].format(began=str(began)))
    with subprocess.Popen(
        [sys.executable, "-c", TEXTS["runner"], str(tmp_path), str(LIMIT_S)],
        cwd=EVALS.parent,
        stdout=subprocess.PIPE,
        text=True,
    ) as runner:
        while not began.exists():
            assert runner.poll() is None, "it ended before the tests began"
            time.sleep(0.02)
        os.kill(runner.pid, signal.SIGSTOP)
        # Tests may take four times the limit at most, on a machine of any load.
        time.sleep(4 * LIMIT_S + 2)
        os.kill(runner.pid, signal.SIGCONT)
        output, _ = runner.communicate()
    assert output.strip() == "passed None"
    assert began.read_text().count("graded") == 2
