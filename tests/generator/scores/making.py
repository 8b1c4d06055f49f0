"""Runs and versions for tests, built from pass counts."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from _pytest.mark import ParameterSet

from generator.read.run_summaries import summarize_run
from generator.read.summaries import Amount, EvalResult, Results, RunSummary, share_plan
from generator.scores import inputs
from generator.scores.differences.model_pairs import Against
from generator.scores.intervals import Interval
from records.shapes.report import ClassedFailure
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from tests.records import examples


def make_scored_version(evals: int, *, categories: int = 1) -> inputs.ScoredVersion:
    """Return a version of that many evals, dealt to the categories in turn."""
    names = [f"{number % categories:03d}-part/{number:03d}-task" for number in range(evals)]
    return inputs.ScoredVersion.from_evals("made-up", names)


_Classes = dict[int, tuple[str, ...]]
"""The classes of the failures of a run, by the number of their eval."""

_NONE = Amount(0.0, 0)
_RUN = replace(
    summarize_run(examples.make_run()), cost_usd=_NONE, generation_s=_NONE, input_tokens=_NONE
)
"""A run of which no amount is known."""


def change_head(run: RunSummary, **fields: object) -> RunSummary:
    """Return the summary of a run whose record has these values."""
    return replace(run, head=run.head.model_copy(update=fields))


def make_run_results(  # noqa: PLR0913 - what a test may want to set
    of: inputs.ScoredVersion,
    passed: Sequence[int],
    *,
    samples: int = 1,
    slug: str = "a/model",
    experiment: str = "default",
    order: str = "2026-01-01",
    baseline: bool = False,
    classes: _Classes | None = None,
    cost: tuple[float, int] = (0.0, 0),
) -> inputs.RunResults:
    """Return a run that passed each eval so many times out of ``samples``.

    ``cost`` has the dollars, and the number of attempts for which they are known.
    """
    results = [EvalResult(int(times), samples, samples, None, None) for times in passed]
    planned = samples * len(results)
    head = _RUN.head
    kind = "baseline" if baseline else "llm"
    run = replace(
        change_head(
            _RUN,
            run_id=f"{slug.replace('/', '')}{experiment}{order}",
            model=head.model.model_copy(update={"slug": slug, "kind": kind}),
            experiment=head.experiment.model_copy(update={"name": experiment}),
        ),
        results=Results(share_plan(of.evals), tuple(results)),
        tally=_RUN.tally._replace(planned=planned, judged=planned),
        cost_usd=Amount(*cost),
    )
    failures = (
        None
        if classes is None
        else [
            ClassedFailure.model_validate(
                {"eval": of.evals[number], "sample": at, "class": name, "note": ""}
            )
            for number, some in classes.items()
            for at, name in enumerate(some, 1)
        ]
    )
    return inputs.build_run_results(of, run, failures)


def make_pair(  # noqa: PLR0913 - what a test may want to set
    of: inputs.ScoredVersion,
    with_them: Sequence[int],
    without: Sequence[int],
    *,
    samples: int = 1,
    slug: str = "a/model",
    classes: tuple[_Classes | None, _Classes | None] = (None, None),
) -> list[inputs.RunResults]:
    """Return runs with and without guidelines that passed each eval so many times."""
    sides = ((DEFAULT, with_them), (NO_GUIDELINES, without))
    return [
        make_run_results(
            of, passed, samples=samples, slug=slug, experiment=experiment, classes=classes_of_run
        )
        for (experiment, passed), classes_of_run in zip(sides, classes, strict=True)
    ]


def make_side(passed: Sequence[int], judged: Sequence[int]) -> inputs.SideCounts:
    """Return the counts of a side at each eval."""
    return inputs.SideCounts(np.array(passed, dtype=np.int32), np.array(judged, dtype=np.int32))


def make_rng(seed: int = 1) -> np.random.Generator:
    """Return the same random numbers every time."""
    return np.random.default_rng(seed)


def mark_at_night(
    cases: Sequence[tuple[object, ...]], *, but: Sequence[tuple[object, ...]]
) -> list[ParameterSet]:
    """Return the parameters of a simulation: all cases except ``but`` run only at night."""
    assert set(but) <= set(cases)
    return [pytest.param(*case, marks=() if case in but else pytest.mark.night) for case in cases]


def make_against(  # noqa: PLR0913 - the figures of a pair
    value: float,
    ends: tuple[float, float],
    *,
    better: int = 1,
    worse: int = 1,
    p_value: float = 1.0,
    uncorrected: float = 1.0,
    evals: int = 66,
) -> Against:
    """Return the difference between two models."""
    return Against(
        value=value,
        interval=Interval(*ends),
        evals=evals,
        p_value=p_value,
        uncorrected=uncorrected,
        better=better,
        worse=worse,
    )
