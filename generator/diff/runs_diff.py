"""The differences between two sides of runs: fixed and broken evals, and other differences.

A side is one run, or several runs of one model under one condition. An eval is compared if both
sides judged it, and if its task and grader are not known to differ.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from generator.scores.differences.difference import (
    PairedDifference,
    compare_sides,
    compute_smallest_effect,
)
from generator.scores.inputs import EvalCounts, SideCounts
from records.grouping import group_values
from records.runs.failure_words import explain_attempt
from records.shapes.attempt import JUDGED, Attempt, Outcome
from records.shapes.run import Run
from records.suites.benchmark import Benchmark


class Side(NamedTuple):
    """One side of a comparison: runs of one model under one condition."""

    label: str
    """The name of the side for readers."""
    runs: Sequence[Run]
    """At least one run."""

    @property
    def slug(self) -> str:
        """The slug of the model."""
        return self.runs[0].model.slug

    def group_attempts(self) -> dict[str, list[tuple[Attempt, str]]]:
        """Return the judged attempts by eval, each with the id of its run."""
        return group_values(
            (attempt.eval, (attempt, run.run_id))
            for run in self.runs
            for attempt in run.attempts
            if attempt.outcome in JUDGED
        )


class Flip(NamedTuple):
    """An eval at which the sides pass different shares of their attempts."""

    eval: str
    run_id: str
    """The run of the second side whose attempt is linked."""
    sample: int
    """The sample of the linked attempt."""
    archived: bool
    """Whether the files of the linked attempt were kept."""
    before: str
    """Passed out of judged attempts, such as ``1/3``."""
    after: str
    step: str | None
    """The failed step of a failed attempt, of the second side if it has one, else of the first.

    None if it was not published."""
    reason: str | None
    """Why the same attempt failed, in plain words; None if it was not published."""


class Inequality(NamedTuple):
    """A difference between the sides other than their answers, such as a parameter."""

    what: str
    before: str
    after: str


class RunsDiff(NamedTuple):
    """The differences of the second side from the first."""

    before: Side
    after: Side
    difference: PairedDifference | None
    """The difference between the scores; None if no eval is compared."""
    smallest_effect: float | None
    """The least share of fixed evals that would be noticed 80 times in 100."""
    scores: tuple[float, float] | None
    """The mean pass rate of each side over the compared evals, from 0 to 1."""
    fixed: Sequence[Flip]
    broken: Sequence[Flip]
    changed_evals: Sequence[str]
    """Evals of both sides that are not compared, because their task or grader changed."""
    only_before: Sequence[str]
    """Evals that only the first side judged."""
    only_after: Sequence[str]
    costs: tuple[float | None, float | None]
    """The mean US dollars per attempt of each side; None if no cost is known."""
    inequalities: Sequence[Inequality]


def diff_runs(before: Side, after: Side, benchmarks: Mapping[str, Benchmark]) -> RunsDiff:
    """Return the differences between two sides; ``benchmarks`` are the defined versions."""
    first, second = before.group_attempts(), after.group_attempts()
    common = sorted(first.keys() & second.keys())
    changed = [name for name in common if _is_changed(name, before, after, benchmarks)]
    compared = [name for name in common if name not in set(changed)]
    paired = scores = smallest = None
    if compared:
        counts = [
            SideCounts.collect({name: _count(side[name]) for name in compared}, compared)
            for side in (first, second)
        ]
        paired = compare_sides(*counts, evals=compared)
        smallest = compute_smallest_effect(*counts)
        scores = float(counts[0].means.mean()), float(counts[1].means.mean())
    fixed, broken = (
        [_build_flip(name, first[name], second[name]) for name in names]
        for names in ((paired.fixed, paired.broken) if paired else ((), ()))
    )
    return RunsDiff(
        before=before,
        after=after,
        difference=paired,
        smallest_effect=smallest,
        scores=scores,
        fixed=fixed,
        broken=broken,
        changed_evals=changed,
        only_before=sorted(first.keys() - second.keys()),
        only_after=sorted(second.keys() - first.keys()),
        costs=(_compute_mean_cost(before), _compute_mean_cost(after)),
        inequalities=_list_inequalities(before, after),
    )


def _is_changed(name: str, before: Side, after: Side, benchmarks: Mapping[str, Benchmark]) -> bool:
    """Return whether an eval's task or grader differs between versions of the two sides.

    An unpublished digest (None) counts as unchanged.
    """
    for part in ("task", "grader"):
        old, new = (
            {
                getattr(benchmarks[run.benchmark_version].evals.get(name), part, None)
                for run in side.runs
                if run.benchmark_version in benchmarks
            }
            - {None}
            for side in (before, after)
        )
        if old and new and len(old | new) > 1:
            return True
    return False


def _build_flip(
    name: str,
    first: Sequence[tuple[Attempt, str]],
    second: Sequence[tuple[Attempt, str]],
) -> Flip:
    """Return a flip, linked to a failed attempt of the second side if any, else to its first."""
    sample, run_id = min(second, key=lambda attempt: attempt[0].outcome is not Outcome.FAILED)
    failed = next(attempt for attempt, _ in (*second, *first) if attempt.outcome is Outcome.FAILED)
    words = explain_attempt(failed)
    return Flip(
        eval=name,
        run_id=run_id,
        sample=sample.sample,
        archived=sample.artifact is not None,
        before="{}/{}".format(*_count(first)),
        after="{}/{}".format(*_count(second)),
        step=failed.failed_step and failed.failed_step.value,
        reason=words and str(words),
    )


def _count(attempts: Sequence[tuple[Attempt, str]]) -> EvalCounts:
    return sum(attempt.outcome is Outcome.PASSED for attempt, _ in attempts), len(attempts)


def _compute_mean_cost(side: Side) -> float | None:
    generations = [each.generation for run in side.runs for each in run.attempts]
    costs = [each.cost_usd for each in generations if each and each.cost_usd is not None]
    return sum(costs) / len(costs) if costs else None


def _list_inequalities(before: Side, after: Side) -> list[Inequality]:
    # Older runs do not record their requests.
    with_sent = all(run.model.sent is not None for run in (*before.runs, *after.runs))
    first = _describe_circumstances(before.runs, with_sent=with_sent)
    second = _describe_circumstances(after.runs, with_sent=with_sent)
    names = [*first, *(name for name in second if name not in first)]
    return [
        Inequality(name, first.get(name, "none"), second.get(name, "none"))
        for name in names
        if first.get(name) != second.get(name)
    ]


def _describe_circumstances(runs: Iterable[Run], *, with_sent: bool) -> dict[str, str]:
    """Return facts that can influence a result beside the answers, by name, as text."""
    by_name: dict[str, set[str]] = {}
    for run in runs:
        guidelines = run.experiment.guidelines
        facts: dict[str, object] = {
            "model": run.model.slug,
            "litellm id": run.model.litellm_id,
            "output limit": run.model.max_output_tokens,
            "experiment": run.experiment.name,
            "guidelines": guidelines[:12] if guidelines else None,
            "suite": run.benchmark_version,
            "samples": run.samples,
            "answers carried over": sum(map(bool, (each.carried_over for each in run.attempts)))
            or None,
        }
        facts |= {f"parameter {name}": value for name, value in run.model.parameters.items()}
        if with_sent:
            facts |= {f"sent {path}": value for path, value in (run.model.sent or {}).items()}
        if run.harness is not None:
            facts |= run.harness.toolchain
            facts["backend"] = run.harness.backend
        for name, value in facts.items():
            if value is not None:
                by_name.setdefault(name, set()).add(str(value))
    return {name: ", ".join(sorted(values)) for name, values in by_name.items()}
