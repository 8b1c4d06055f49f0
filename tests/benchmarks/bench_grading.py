"""How long grading takes: the reference answers of all evals, all six steps.

Run with ``python -m tests.benchmarks.bench_grading [--rounds N] [--workers N] [--json FILE]``.
Every attempt has a cold workspace; the toolchain, the linter and the grading worker are warm.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import repeat
from pathlib import Path

from records.run import Outcome, StepName
from runner.grading import Desk, Graded
from runner.suite import Eval, discover

EVALS = Path(__file__).parents[2] / "evals"
MEDIAN_S = 1.0
RATE = 2.0


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured; times in seconds."""

    attempts: int
    workers: int
    cores: int
    load_before: float
    passed: int
    median_s: float
    slowest_s: float
    attempts_per_s: float
    open_s: float
    median_by_step: dict[str, float]
    median_by_eval: dict[str, float]


def main() -> None:
    """Measure one attempt at a time, then several at once; print text, and JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    evals = discover(EVALS).evals
    began = time.monotonic()
    with Desk(suite_root=EVALS, workers=options.workers) as desk:
        opened = time.monotonic() - began
        _measure(desk, evals, 1, 1, opened)
        measured = [
            _measure(desk, evals, options.rounds, workers, opened)
            for workers in (1, options.workers)
        ]
    for figures in measured:
        _print(figures)
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in measured], indent=2) + "\n")


def _measure(
    desk: Desk, evals: Sequence[Eval], rounds: int, workers: int, opened: float
) -> Figures:
    jobs = [evaluation for _ in range(rounds) for evaluation in evals]
    load = os.getloadavg()[0]
    began = time.monotonic()
    with ThreadPoolExecutor(workers) as threads:
        results = list(threads.map(_grade, repeat(desk), jobs))
    elapsed = time.monotonic() - began
    walls = [wall for wall, _ in results]
    graded = [each for _, each in results]
    return Figures(
        attempts=len(jobs),
        workers=workers,
        cores=os.cpu_count() or 1,
        load_before=round(load, 2),
        passed=sum(each.outcome is Outcome.PASSED for each in graded),
        median_s=round(statistics.median(walls), 3),
        slowest_s=round(max(walls), 3),
        attempts_per_s=round(len(jobs) / elapsed, 2),
        open_s=round(opened, 2),
        median_by_step={step.value: _median_of(step, graded) for step in StepName},
        median_by_eval={
            evaluation.name: round(
                statistics.median(
                    wall for job, wall in zip(jobs, walls, strict=True) if job is evaluation
                ),
                3,
            )
            for evaluation in evals
        },
    )


def _grade(desk: Desk, evaluation: Eval) -> tuple[float, Graded]:
    began = time.monotonic()
    graded = desk.grade(evaluation, evaluation.answer())
    return time.monotonic() - began, graded


def _median_of(step: StepName, graded: Sequence[Graded]) -> float:
    found = [
        each.duration_s
        for one in graded
        for each in one.steps
        if each.name is step and each.duration_s is not None
    ]
    return round(statistics.median(found), 4) if found else 0.0


def _print(figures: Figures) -> None:
    write = sys.stdout.write
    write(
        f"{figures.attempts} attempts, {figures.workers} at once, {figures.cores} cores "
        f"(load before: {figures.load_before}), {figures.passed} passed\n"
        f"  median {figures.median_s:.3f} s (at most {MEDIAN_S:g}), "
        f"slowest {figures.slowest_s:.3f} s, {figures.attempts_per_s:.2f} attempts/s "
        f"(at least {RATE:g} with two), desk open after {figures.open_s:.1f} s\n"
    )
    for name, seconds in {**figures.median_by_step, **figures.median_by_eval}.items():
        write(f"  {name:<40} {seconds:8.3f} s\n")


if __name__ == "__main__":
    main()
