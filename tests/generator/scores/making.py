"""Runs and versions for tests, built from pass counts."""

from collections.abc import Sequence

import numpy as np
import pytest
from _pytest.mark import ParameterSet

from generator.read.summaries import EvalResult
from generator.scores.inputs import (
    Amounts,
    RunResults,
    ScoredVersion,
    SideCounts,
    build_run_results,
)


def make_scored_version(evals: int, *, categories: int = 1) -> ScoredVersion:
    """Return a version of that many evals, dealt to the categories in turn."""
    names = [f"{number % categories:03d}-part/{number:03d}-task" for number in range(evals)]
    return ScoredVersion.from_evals("made-up", names)


def make_run_results(  # noqa: PLR0913 - what a test may want to set
    of: ScoredVersion,
    passed: Sequence[int],
    *,
    samples: int = 1,
    slug: str = "a/model",
    experiment: str = "default",
    order: str = "2026-01-01",
    baseline: bool = False,
    classes: dict[int, tuple[str, ...]] | None = None,
    amounts: Amounts | None = None,
) -> RunResults:
    """Return a run that passed each eval so many times out of ``samples``."""
    results = {
        name: EvalResult(int(times), samples, samples, None, None)
        for name, times in zip(of.evals, passed, strict=True)
    }
    return build_run_results(
        of,
        results,
        run_id=f"{slug.replace('/', '')}{experiment}{order}",
        slug=slug,
        experiment=experiment,
        baseline=baseline,
        classes=None
        if classes is None
        else {of.evals[number]: some for number, some in classes.items()},
        amounts=amounts,
    )


def make_side(passed: Sequence[int], judged: Sequence[int]) -> SideCounts:
    """Return the counts of a side at each eval."""
    return SideCounts(np.array(passed, dtype=np.int32), np.array(judged, dtype=np.int32))


def make_rng(seed: int = 1) -> np.random.Generator:
    """Return the same random numbers every time."""
    return np.random.default_rng(seed)


def mark_at_night(
    cases: Sequence[tuple[object, ...]], *, but: Sequence[tuple[object, ...]]
) -> list[ParameterSet]:
    """Return the parameters of a simulation: all cases except ``but`` run only at night."""
    assert set(but) <= set(cases)
    return [pytest.param(*case, marks=() if case in but else pytest.mark.night) for case in cases]
