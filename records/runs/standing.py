"""The standing of a run in a benchmark version: the evals of which it has answers there."""

from collections import Counter
from collections.abc import Collection

from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from records.suites.experiments import DEFAULT
from records.suites.levels import Level

PERCENT_OF_VERSION = 90
"""The least share of a version's evals over which runs are ranked."""
PERCENT_OF_CATEGORY = 80
"""The least share of the evals of each category."""


def is_enough(evals: Collection[str], benchmark: Benchmark) -> bool:
    """Return whether ``evals`` are enough of a version to rank runs over them."""
    present = Counter(map(_get_category, benchmark.evals.keys() & set(evals)))
    sizes = Counter(map(_get_category, benchmark.evals))
    return 100 * present.total() >= PERCENT_OF_VERSION * sizes.total() and all(
        100 * present[category] >= PERCENT_OF_CATEGORY * size for category, size in sizes.items()
    )


def leave_hard_out(benchmark: Benchmark) -> Benchmark:
    """Return a version with the evals of the levels before hard ones; the same without others."""
    without_hard = {
        name: digests
        for name, digests in benchmark.evals.items()
        if benchmark.levels.get(name) is not Level.HARD
    }
    return benchmark.model_copy(update={"evals": without_hard}) if without_hard else benchmark


def is_enough_of_levels(evals: Collection[str], benchmark: Benchmark) -> bool:
    """Return whether ``evals`` are enough of a version, or of its levels before hard ones."""
    return any(is_enough(evals, of) for of in (benchmark, leave_hard_out(benchmark)))


def list_same_questions(run: Run, asked: Benchmark, now: Benchmark) -> tuple[str, ...]:
    """Return the evals of ``run`` that the version ``now`` asks in the same words, sorted.

    ``asked`` is the version by which the run asked. An unknown text counts as another one.
    """
    if run.experiment.name == DEFAULT and asked.guidelines != now.guidelines:
        return ()
    names = {*run.planned, *(attempt.eval for attempt in run.outdated)}
    digests = {name: asked.compute_prompt_digest(name) for name in sorted(names)}
    return tuple(
        name
        for name, digest in digests.items()
        if digest is not None and digest == now.compute_prompt_digest(name)
    )


def _get_category(name: str) -> str:
    return name.partition("/")[0]
