"""A run that is killed at any moment loses nothing it reported, and pays for nothing twice."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from records.checks import check
from records.folder import DataFolder
from records.journal import read
from records.reader import read_run
from records.run import Outcome, Run

KILLS = 50
EVALS = 10
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of evals whose tasks tell them apart; nothing is deployed for an answer of prose."""
    root = tmp_path_factory.mktemp("suite")
    (root / "guidelines.md").write_text("# Guidelines\n\n## Kinds\n\nChoose the right kind.\n")
    for name in ("node_modules", "package.json"):
        (root / name).symlink_to(ROOT / "evals" / name)
    for number in range(EVALS):
        _write_eval(root / "000-fundamentals" / f"{number:03}-task", number)
    return root


def _write_eval(folder: Path, number: int) -> None:
    (folder / "answer" / "convex").mkdir(parents=True)
    (folder / "TASK.txt").write_text(f"Write answer number <{number}>.\n")
    (folder / "grader.py").write_text('def test_it() -> None:\n    """It is there."""\n')
    (folder / "answer" / "package.json").write_text("{}\n")
    (folder / "answer" / "convex" / "a.ts").write_text("export const a = 1;\n")
    (folder / "eval.toml").write_text(
        'title = "T"\nconcept = "C"\nwhy = "W"\nguidelines = ["kinds"]\npipeline = "full"\n'
    )


class Provider:
    """A scripted provider in a process of its own, slow enough to be interrupted."""

    def __init__(self, folder: Path) -> None:
        """Start it."""
        self.log = folder / "requests.jsonl"
        script = folder / "script.json"
        script.write_text(
            json.dumps({"default": {"text": "Prose, no files.", "delay_s": 0.12, "piece": 4}})
        )
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.runner.generation.provider"),
                *("--script", str(script), "--log", str(self.log)),
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


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[Provider]:
    """A provider that is ended with the test."""
    started = Provider(tmp_path)
    yield started
    started.process.kill()
    started.process.wait()
    assert started.process.stdout is not None
    started.process.stdout.close()


class Host:
    """Runs the command in children that can be killed."""

    def __init__(self) -> None:
        """Import everything once."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.runner.killable"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._line() == "ready"

    def start(self, arguments: list[str]) -> int:
        """Start the command; return its process id."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(arguments) + "\n")
        self._process.stdin.flush()
        return int(self._line())

    def wait(self) -> int:
        """Return how the command ended: its exit code, or minus the signal."""
        return int(self._line())

    def close(self) -> None:
        """End the host."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@pytest.fixture
def host() -> Iterator[Host]:
    """A host that is closed with the test."""
    started = Host()
    yield started
    started.close()


def test_killed_at_any_moment(suite: Path, provider: Provider, host: Host, tmp_path: Path) -> None:
    """After 50 kills every eval is there exactly once, and no finished answer was asked again."""
    data = DataFolder(tmp_path / "data")
    moments = random.Random(20261121)  # noqa: S311 - a seeded choice of moments
    kills = completed = 0
    run_id: str | None = None
    answered: dict[int, int] = {}
    while kills < KILLS or run_id is not None:
        child = host.start(_arguments(suite, data, provider, run_id))
        lives = kills >= KILLS
        killed = not lives and _killed_after(child, moments.uniform(0.05, 1.1), data)
        kills += killed
        ended = host.wait()
        _assert_valid(data)
        run_id = run_id or _unfinished(data)
        if run_id is None:
            continue
        path = data.local.find_run(run_id)
        answered = _assert_not_asked_again(path, answered, provider)
        if ended == 0:
            _assert_complete(read_run(path))
            run_id, answered, completed = None, {}, completed + 1
    assert kills == KILLS
    assert completed >= 1


def _arguments(suite: Path, data: DataFolder, provider: Provider, run_id: str | None) -> list[str]:
    what = ["--resume", run_id] if run_id else ["-m", "openai/scripted", "--concurrency", "2"]
    return [
        *("run", *what, "--api-base", provider.address, "--graders", "1"),
        *("--evals", str(suite), "--data", str(data.root)),
    ]


def _killed_after(child: int, seconds: float, data: DataFolder) -> bool:
    """Kill the child unless it ends before; meanwhile every record must read at every moment."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        _assert_readable(data)
        if not _is_running(child):
            return False
        time.sleep(0.01)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
        return True
    return False


def _is_running(child: int) -> bool:
    status = Path(f"/proc/{child}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def _assert_readable(data: DataFolder) -> None:
    for path in data.local.run_files():
        read_run(path)


def _assert_valid(data: DataFolder) -> None:
    problems = check(data.local, shared=data)
    assert [one for one in problems if "resume it" not in one.reason] == []


def _unfinished(data: DataFolder) -> str | None:
    """Return the run that has a record and is not complete; a kill may come before the record."""
    for path in data.local.run_files():
        if (run := read_run(path)).status != "completed":
            return run.run_id
    return None


def _assert_not_asked_again(
    record: Path, answered: dict[int, int], provider: Provider
) -> dict[int, int]:
    """Compare with what was answered at the kill before; return what is answered now.

    ``answered`` maps an eval's number to how often it had been asked when its answer was first
    seen on the disk.
    """
    asked = provider.asked()
    for number, times in answered.items():
        assert asked.count(number) == times, f"answer {number} was on the disk and asked again"
    journal = record.with_name(record.name.replace(".json", ".journal.jsonl"))
    if not journal.exists():
        return answered
    state = read(journal)
    numbers = [
        int(place.eval.rpartition("/")[2].partition("-")[0])
        for place in [*state.ungraded(), *state.attempts]
    ]
    return {number: answered.get(number, asked.count(number)) for number in numbers}


def _assert_complete(run: Run) -> None:
    assert run.status == "completed"
    assert [attempt.eval for attempt in run.attempts] == list(run.planned)
    assert {attempt.outcome for attempt in run.attempts} == {Outcome.FAILED}
