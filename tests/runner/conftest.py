"""A command to interrupt: a suite that is quick to grade, a slow provider, a host of processes."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.warm_command import ROOT, WarmCommand

EVALS = 10
FIRST_STEP_ONLY = "tests.runner.first_step_only:grade_first_step_only"


@pytest.fixture(scope="session")
def prose_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of evals whose tasks tell them apart; nothing is deployed for an answer of prose."""
    root = tmp_path_factory.mktemp("suite")
    write_prose_suite(root, EVALS)
    return root


def write_prose_suite(root: Path, evals: int) -> None:
    """Write a suite of that many evals into ``root``, with this suite's toolchain."""
    (root / "guidelines.md").write_text("# Guidelines\n\n## Kinds\n\nChoose the right kind.\n")
    for name in ("node_modules", "package.json"):
        (root / name).symlink_to(ROOT / "evals" / name)
    for number in range(evals):
        _write_eval(root / "000-fundamentals" / f"{number:03}-task", number)


def _write_eval(folder: Path, number: int) -> None:
    (folder / "answer" / "convex").mkdir(parents=True)
    (folder / "TASK.txt").write_text(f"Write answer number <{number}>.\n")
    (folder / "grader.py").write_text('def test_it() -> None:\n    """It is there."""\n')
    (folder / "answer" / "package.json").write_text("{}\n")
    (folder / "answer" / "convex" / "a.ts").write_text("export const a = 1;\n")
    (folder / "eval.toml").write_text(
        'title = "T"\nconcept = "C"\nwhy = "W"\nguidelines = ["kinds"]\npipeline = "full"\n'
    )


class SlowProvider:
    """A scripted provider in a process of its own, slow enough to be interrupted."""

    def __init__(self, folder: Path, script: Mapping[str, object] | None = None) -> None:
        """Start it; without a ``script`` it answers everything with prose, after a while."""
        self.log = folder / "requests.jsonl"
        slow = {"default": {"text": "Prose, no files.", "delay_s": 0.12, "piece": 4}}
        file = folder / "script.json"
        file.write_text(json.dumps(script or slow))
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.runner.models.provider"),
                *("--script", str(file), "--log", str(self.log)),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def asked(self) -> list[int]:
        """Return the number of the eval of each request so far, in order."""
        if not self.log.exists():
            return []
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        received = [line["ends"] for line in lines if line["event"] == "received"]
        return [int(ends.rpartition("<")[2].partition(">")[0]) for ends in received]

    def end(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def slow_provider(tmp_path: Path) -> Iterator[SlowProvider]:
    """A provider that is ended with the test."""
    started = SlowProvider(tmp_path)
    yield started
    started.end()


class Host:
    """Runs the command in warm children that can be killed, one after the other."""

    def __init__(self, *, first_step_only: bool = False) -> None:
        """Run it; where ``first_step_only``, nothing is opened that grades."""
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
def host() -> Iterator[Host]:
    """A host that is closed with the test."""
    started = Host()
    yield started
    started.close()
