"""Time to grade a run again after the repair of one grader: 5 s for 70 attempts.

Run with ``python -m tests.benchmarks.bench_regrade [--rounds N] [--filter REGEX]``. The reference
answers to this suite are run and published in a temporary folder; then in each round another grader
is changed, the suite is minted, and ``leaderboard regrade --all`` is timed as a user calls it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from records.files.data_folder import DataFolder
from records.reader import read_run
from runner.evals.discovery import discover

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = Path(sys.executable).with_name("leaderboard")
AIM_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class RegradingTime:
    """Figures of one regrading."""

    attempts: int
    graded: int
    wall_s: float
    processor_s: float
    """Time of the command and its finished children; killed processes of the jail are not in it."""


def main() -> None:
    """Run the references once, then repair one grader after another; print the cost of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--filter", default=".")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-regrade-") as workspace:
        suite, data = _prepare_suite(Path(workspace), options.filter)
        graders = sorted(suite.glob("*/*/grader.py"))
        rounds: int = options.rounds
        for number in range(rounds):
            grader = graders[number * len(graders) // rounds]
            grader.write_text(grader.read_text("utf-8") + f"\n# Mended {number}.\n", "utf-8")
            _run_command(suite, data, "suite", "mint")
            timing = _time_regrade(suite, data)
            if timing.graded != 1:
                raise SystemExit(f"{timing.graded} attempts were graded again, not 1")
            aim = "held" if timing.wall_s <= AIM_S else "missed"
            sys.stdout.write(
                f"{timing.attempts} attempts, {timing.graded} graded again: {timing.wall_s:.1f} s, "
                f"{timing.processor_s:.1f} s of processor time beside the jails; "
                f"the aim of {AIM_S:g} s is {aim}\n"
            )
            sys.stdout.flush()


def _prepare_suite(workspace: Path, pattern: str) -> tuple[Path, Path]:
    """Return a copy of the suite's evals that match, and data with a run of their references."""
    suite, data = workspace / "evals", workspace / "data"
    data.mkdir()
    suite.mkdir()
    for name in ("guidelines.md", "package.json", "package-lock.json"):
        shutil.copy(ROOT / "evals" / name, suite / name)
    (suite / "node_modules").symlink_to(ROOT / "evals" / "node_modules")
    for evaluation in discover(ROOT / "evals").select(pattern, ()):
        shutil.copytree(ROOT / "evals" / evaluation.name, suite / evaluation.name)
    _run_command(suite, data, "suite", "mint")
    _run_command(suite, data, "run", "-m", "oracle", "--publish", "--why", "a benchmark")
    return suite, data


def _time_regrade(suite: Path, data: Path) -> RegradingTime:
    (path,) = DataFolder(data).list_run_files()
    before = {attempt.eval: attempt.graded_at for attempt in read_run(path).attempts}
    used, began = os.times(), time.monotonic()
    _run_command(suite, data, "regrade", "--all", "--why", "a benchmark")
    wall, now = time.monotonic() - began, os.times()
    after = read_run(path).attempts
    return RegradingTime(
        attempts=len(after),
        graded=sum(before[attempt.eval] != attempt.graded_at for attempt in after),
        wall_s=wall,
        processor_s=sum(now[2:4]) - sum(used[2:4]),
    )


def _run_command(suite: Path, data: Path, *arguments: str) -> None:
    subprocess.run(
        [COMMAND, *arguments, "--data", data, "--evals", suite],
        check=True,
        stdout=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main()
