"""Kills runs at the worst moments, and checks that nothing was lost or asked twice.

``python -m tests.programs.kills --kills 100`` starts the real command in a forked process, against
a scripted provider that counts its questions, and kills it by SIGKILL: as its journal, archive or
record is being written, appears, grows or goes, and at random. The killed run is resumed until it
is complete, also a finished run without all verdicts; then the next run begins.

Answers are prose, which fails at the first step: with ``--grading`` they are really graded,
which takes seconds to start and is not the subject of this check.
"""

import argparse
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.journal.journal import Journal, read
from records.reader import read_run
from records.runs.run_lookup import find_run
from records.shapes.attempt import Attempt, AttemptKey, Outcome
from records.shapes.run import Run
from tests.runner.conftest import Host, SlowProvider, write_prose_suite

EVALS = 8
LONGEST_S = 600.0
"""Longest life of a child, in seconds."""

MOST_IDLE = 20
"""Limit of children in turn that end by themselves without ending a run, which is a fault."""

_FAULTY = range(3)
"""Evals whose every second question is refused: runs end without a verdict on them."""

SCRIPT: Mapping[str, object] = {
    "rules": [
        {
            "match": f"<{number}>",
            "steps": [{"kind": "status", "status": 400}, {"text": "Prose, no files."}] * 200,
        }
        for number in _FAULTY
    ],
    "default": {"text": "Prose, no files.", "delay_s": 0.01, "piece": 4},
}
_TOLERATED = ("a run that did not end", "left by a writer that was killed")

Files = Mapping[str, tuple[int, int]]
"""Inode and size of each file of runs and archives, by name."""


def _has(part: str, end: str) -> Callable[[Files, Files], bool]:
    """Return whether a file of this name is new, or is another file than before."""

    def has_appeared(before: Files, now: Files) -> bool:
        return any(
            part in name and name.endswith(end) and before.get(name, (0, 0))[0] != inode
            for name, (inode, _) in now.items()
        )

    return has_appeared


def _is_journal(name: str) -> bool:
    return name.endswith(".journal.jsonl")


def _has_grown(before: Files, now: Files) -> bool:
    """Return whether a journal has more lines."""
    return any(
        _is_journal(name) and size > before.get(name, (0, size))[1]
        for name, (_, size) in now.items()
    )


def _has_gone(before: Files, now: Files) -> bool:
    """Return whether a journal is gone."""
    return any(_is_journal(name) and name not in now for name in before)


MOMENTS: Mapping[str, Callable[[Files, Files], bool] | None] = {
    "a journal is written": _has(".journal.jsonl.", ".tmp"),
    "a journal appears": _has("", ".journal.jsonl"),
    "a journal grows": _has_grown,
    "an archive is written": _has(".zip.", ".tmp"),
    "an archive appears": _has("", ".zip"),
    "a record is written": _has(".json.", ".tmp"),
    "a record appears": _has("", ".json"),
    "a journal goes": _has_gone,
    "at random": None,
}


def is_running(process: int) -> bool:
    """Return whether a process has not ended; one that nobody has waited for has ended."""
    status = Path(f"/proc/{process}/stat")
    with suppress(FileNotFoundError, ProcessLookupError):
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@dataclass(slots=True)
class Findings:
    """Results of a campaign."""

    kills: Counter[str] = field(default_factory=Counter[str])
    """Number of kills by moment."""
    completed: int = 0
    questions: int = 0
    lost: list[str] = field(default_factory=list[str])
    twice: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])
    """Records and files with a fault."""

    @property
    def clean(self) -> bool:
        """True if nothing was lost, asked twice or wrong."""
        return not (self.lost or self.twice or self.wrong)


class Campaign:
    """Kills of runs until their number is reached."""

    def __init__(self, folder: Path, *, grading: bool, seed: int) -> None:
        """Prepare the campaign in ``folder``."""
        self._suite = write_prose_suite(folder / "suite", EVALS)
        self._data = DataFolder(folder / "data")
        self._provider = SlowProvider(folder, SCRIPT)
        self._host = Host(first_step_only=not grading)
        self._chance = random.Random(seed)  # noqa: S311 - a seeded choice of moments
        self._kept: dict[AttemptKey, tuple[Attempt | None, str | None, int]] = {}
        """By answer on the disk: its verdict, its digest, and its number of questions."""
        self._counted = 0
        """Questions of this run that were counted."""
        self.findings = Findings()

    def close(self) -> None:
        """End provider and host."""
        self._provider.end()
        self._host.close()

    def execute(self, kills: int) -> Findings:
        """Kill ``kills`` times, finish the last run, and return the results."""
        run_id: str | None = None
        moments = list(MOMENTS)
        idle = 0
        while idle < MOST_IDLE and (self.findings.kills.total() < kills or run_id is not None):
            killed = self.findings.kills.total()
            before = self._list_files()
            child = self._host.start(self._build_arguments(run_id))
            if self.findings.kills.total() < kills:
                self._kill(child, before, moments[self.findings.kills.total() % len(moments)])
            ended = self._host.wait()
            idle = 0 if ended == 0 or killed < self.findings.kills.total() else idle + 1
            run_id = run_id or self._find_unfinished()
            if run_id is not None:
                self._look(run_id)
            if ended == 0:
                self.findings.completed += 1
                run_id = None
                self._kept.clear()
                self._provider.log.unlink()
                self._counted = 0
        if idle == MOST_IDLE:
            self.findings.wrong.append(f"{idle} times in turn the command ended by itself")
        return self.findings

    def _build_arguments(self, run_id: str | None) -> list[str]:
        run_options = ["--resume", run_id] if run_id else ["-m", "openai/scripted"]
        return [
            *("run", *run_options, "--api-base", self._provider.address, "--graders", "1"),
            *("--evals", str(self._suite), "--data", str(self._data.root)),
        ]

    def _kill(self, child: int, before: Files, moment: str) -> None:
        """Kill the child at the next moment of this kind; never if it ends first."""
        came, seen = MOMENTS[moment], dict(before)
        ends_at = time.monotonic() + (LONGEST_S if came else self._chance.uniform(0, 1.5))
        while time.monotonic() < ends_at and is_running(child):
            now = self._list_files()
            if came is not None and came(seen, now):
                break
            # A journal of this child's own may grow and go as well.
            seen = {**{name: state for name, state in now.items() if _is_journal(name)}, **seen}
            time.sleep(0.0003)
        time.sleep(self._chance.choice((0, 0, 0.0005, 0.002)))
        if is_running(child):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
                self.findings.kills[moment] += 1

    def _list_files(self) -> Files:
        files: dict[str, tuple[int, int]] = {}
        for kind in ("runs", "artifacts"):
            with suppress(FileNotFoundError):
                for entry in os.scandir(self._data.local.root / kind / "local" / "scripted"):
                    with suppress(FileNotFoundError):
                        stat = entry.stat()
                        files[entry.name] = (stat.st_ino, stat.st_size)
        return files

    def _find_unfinished(self) -> str | None:
        """Return the run to go on with; a kill may come before the run has a file."""
        for path in self._data.local.list_journal_files():
            return read(path).header.run.run_id
        for path in self._data.local.list_run_files():
            if not _is_judged(run := read_run(path)):
                return run.run_id
        return None

    def _look(self, run_id: str) -> None:
        """Compare the files on the disk with their earlier state."""
        findings = self.findings
        for problem in check_data(self._data.local, shared=self._data):
            if not problem.reason.startswith(_TOLERATED):
                findings.wrong.append(str(problem))
        requests = Counter(self._provider.list_asked())
        now = self._read_answers(run_id)
        for key, (verdict, digest, times) in self._kept.items():
            if key not in now or now[key][1] != digest:
                findings.lost.append(f"the answer to {key.eval} of {run_id}")
            elif verdict is not None and now[key][0] != verdict:
                findings.lost.append(f"the verdict on {key.eval} of {run_id}")
            if requests[_parse_number(key)] != times:
                findings.twice.append(f"{key.eval} of {run_id}")
        self._kept = {
            key: (verdict, digest, requests[_parse_number(key)])
            for key, (verdict, digest) in now.items()
        }
        findings.questions += requests.total() - self._counted
        self._counted = requests.total()

    def _read_answers(self, run_id: str) -> dict[AttemptKey, tuple[Attempt | None, str | None]]:
        """Return the answers on the disk, with their verdicts, by the place that a resume reads."""
        with suppress(StopIteration):
            return _list_journal_answers(read(next(self._data.local.list_journal_files())))
        run = find_run(self._data.local, run_id).read()
        return {
            attempt.place: (attempt, attempt.generation.reply_digest)
            for attempt in run.attempts
            if attempt.generation is not None and attempt.outcome is Outcome.FAILED
        }


def _list_journal_answers(
    state: Journal,
) -> dict[AttemptKey, tuple[Attempt | None, str | None]]:
    answers: dict[AttemptKey, tuple[Attempt | None, str | None]] = {}
    for name in state.header.run.planned:
        entry = state.find_generation(AttemptKey(name, 1))
        if entry is not None and entry.generation is not None:
            verdict = state.attempts.get(AttemptKey(name, 1))
            answers[AttemptKey(name, 1)] = (verdict, entry.generation.reply_digest)
    return answers


def _is_judged(run: Run) -> bool:
    return run.status == "completed" and all(a.outcome is Outcome.FAILED for a in run.attempts)


def _parse_number(place: AttemptKey) -> int:
    return int(place.eval.rpartition("/")[2].partition("-")[0])


def main() -> int:
    """Kill as often as the command line asks for, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--grading", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), grading=options.grading, seed=options.seed)
        try:
            result = campaign.execute(options.kills)
        finally:
            campaign.close()
    for moment, count in result.kills.items():
        print(f"{count:>4} kills: {moment}")  # noqa: T201 - what the script is for
    print(  # noqa: T201
        f"{result.completed} runs complete, {result.questions} questions, {len(result.lost)} lost, "
        f"{len(result.twice)} asked twice, {len(result.wrong)} problems"
    )
    for line in dict.fromkeys((*result.lost, *result.twice, *result.wrong[:20])):
        print(line)  # noqa: T201
    return 0 if result.clean else 1


if __name__ == "__main__":
    raise SystemExit(main())
