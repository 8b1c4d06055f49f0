"""Speed of grading: the reference answers of all evals, all six steps.

Run with ``python -m tests.benchmarks.bench_grading [--evals SUITE] [--rounds N] [--workers N]
[--json FILE]``; the default of SUITE is this project's own, ``tests/runner/typescript_suite`` has
graders in TypeScript.
Every attempt has a cold workspace; the toolchain, the linter and the grading worker are warm.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import repeat
from pathlib import Path

from records.shapes.attempt import Outcome, StepName
from runner.evals.discovery import Eval, discover
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingResult, GradingService

EVALS = Path(__file__).parents[2] / "evals"


@dataclass(frozen=True, slots=True)
class Aims:
    """The figures that grading should reach."""

    median_s: float
    """Most seconds of the median, one attempt at a time."""
    attempts_per_s: float
    """Fewest attempts per second, two at once."""


OWN_AIMS = Aims(median_s=1.0, attempts_per_s=1.8)
TYPESCRIPT_AIMS = Aims(median_s=1.6, attempts_per_s=1.2)


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one round over all evals; times in seconds."""

    attempts: int
    workers: int
    passed: int
    loop_s: float
    """Mean time of a fixed loop of Python before and after the round: the speed of the machine."""
    median_s: float
    slowest_s: float
    attempts_per_s: float
    median_by_step: dict[str, float]
    by_eval: dict[str, float]


def main() -> None:
    """Measure rounds of one attempt at a time and of several at once; print text, and JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evals", type=Path, default=EVALS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    suite = discover(options.evals)
    began = time.monotonic()
    with GradingService(suite, GradingSettings(graders=options.workers)) as grading:
        sys.stdout.write(f"grading open after {time.monotonic() - began:.1f} s\n")
        cold = _measure(grading, suite.evals, options.workers)
        sys.stdout.write(
            f"{cold.passed} of {cold.attempts} references passed from cold, {options.workers} at "
            f"once, in {time.monotonic() - began:.1f} s\n"
        )
        # In turn, since a shared machine changes its speed from minute to minute.
        measured = [
            _measure(grading, suite.evals, workers)
            for _ in range(options.rounds)
            for workers in (1, options.workers)
        ]
    for figures in measured:
        _print(figures)
    aims = TYPESCRIPT_AIMS if suite.evals[0].grader.suffix == ".ts" else OWN_AIMS
    for workers in (1, options.workers):
        _sum_up([each for each in measured if each.workers == workers], aims)
    _print_details(measured[-2])
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in measured], indent=2) + "\n")


def _measure(grading: GradingService, evals: Sequence[Eval], workers: int) -> Figures:
    before = _time_loop()
    began = time.monotonic()
    with ThreadPoolExecutor(workers) as threads:
        results = list(threads.map(_grade, repeat(grading), evals))
    elapsed = time.monotonic() - began
    walls = [wall for wall, _ in results]
    graded = [each for _, each in results]
    return Figures(
        attempts=len(evals),
        workers=workers,
        passed=sum(each.outcome is Outcome.PASSED for each in graded),
        loop_s=round((before + _time_loop()) / 2, 4),
        median_s=round(statistics.median(walls), 3),
        slowest_s=round(max(walls), 3),
        attempts_per_s=round(len(evals) / elapsed, 2),
        median_by_step={step.value: _compute_median(step, graded) for step in StepName},
        by_eval={
            evaluation.name: round(wall, 3) for evaluation, wall in zip(evals, walls, strict=True)
        },
    )


def _time_loop() -> float:
    began = time.process_time()
    total = 0
    for number in range(3_000_000):
        total += number * number
    return time.process_time() - began


def _grade(grading: GradingService, evaluation: Eval) -> tuple[float, GradingResult]:
    began = time.monotonic()
    graded = grading.grade(evaluation, evaluation.read_answer())
    return time.monotonic() - began, graded


def _compute_median(step: StepName, graded: Sequence[GradingResult]) -> float:
    durations = [
        each.duration_s
        for result in graded
        for each in result.steps
        if each.name is step and each.duration_s is not None
    ]
    return round(statistics.median(durations), 4) if durations else 0.0


def _print(figures: Figures) -> None:
    sys.stdout.write(
        f"{figures.attempts} attempts, {figures.workers} at once: {figures.passed} passed, "
        f"median {figures.median_s:.3f} s, slowest {figures.slowest_s:.3f} s, "
        f"{figures.attempts_per_s:.2f} a second; the loop took {figures.loop_s:.3f} s\n"
    )


def _sum_up(rounds: Sequence[Figures], aims: Aims) -> None:
    medians = sorted(each.median_s for each in rounds)
    rates = sorted(each.attempts_per_s for each in rounds)
    sys.stdout.write(
        f"{rounds[0].workers} at once, {len(rounds)} rounds: "
        f"median attempt {medians[0]:.2f} to {medians[-1]:.2f} s (at most {aims.median_s:g}, one "
        f"at a time), {rates[0]:.2f} to {rates[-1]:.2f} a second "
        f"(at least {aims.attempts_per_s:g}, two at once)\n"
    )


def _print_details(figures: Figures) -> None:
    for name, seconds in {**figures.median_by_step, **figures.by_eval}.items():
        sys.stdout.write(f"  {name:<40} {seconds:8.3f} s\n")


if __name__ == "__main__":
    main()
