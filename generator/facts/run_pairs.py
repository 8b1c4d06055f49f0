"""Pairs of runs that have a page: few, however many runs there are.

The newest run of each model, experiment and benchmark version stands against the run that it
followed, and against the newest without guidelines of the same version.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from generator.read.summaries import EvalResult, RunSummary
from records.suites.experiments import DEFAULT, NO_GUIDELINES


@dataclass(frozen=True, slots=True)
class RunPair:
    """Two runs of one model that have a page together."""

    before: RunSummary
    after: RunSummary

    @property
    def runs(self) -> tuple[RunSummary, RunSummary]:
        """Both, before and after."""
        return self.before, self.after

    @property
    def path(self) -> str:
        """Where the page stands."""
        return f"diff/{self.before.run_id}/{self.after.run_id}/"

    @property
    def words(self) -> str:
        """Comparison of the second run."""
        if self.before.experiment == self.after.experiment:
            return "the run before"
        return "without guidelines"

    @property
    def shows_answers(self) -> bool:
        """Both answers to some eval at which the shares of passed attempts differ were kept."""
        evals_kept = [_kept_whole(run) for run in self.runs]
        return any(
            _results_differ(self.before.results[name], self.after.results[name])
            for name in evals_kept[0] & evals_kept[1]
        )


def _kept_whole(run: RunSummary) -> set[str]:
    """Return the evals of which every planned attempt was kept."""
    if run.artifact is None:
        return set()
    counts = Counter(name for name, _ in run.kept)
    return {name for name, number in counts.items() if number == run.results[name].planned}


def _results_differ(before: EvalResult, after: EvalResult) -> bool:
    """Return whether the shares of passed attempts differ; those without a verdict never do."""
    return before.passed * after.judged != after.passed * before.judged


def run_pairs(runs: Iterable[RunSummary]) -> list[RunPair]:
    """Return the pairs among ``runs``, which come newest first.

    Runs that were withdrawn, are going or were given up, and those of baselines, are in none.
    """
    alike: dict[tuple[str, str], list[RunSummary]] = {}
    for run in runs:
        if run.status == "completed" and run.withdrawn is None and not run.baseline:
            alike.setdefault((run.slug, run.experiment), []).append(run)
    return [
        pair
        for (slug, _), own in alike.items()
        for pair in _pairs(own, alike.get((slug, NO_GUIDELINES), ()))
    ]


def _pairs(own: Sequence[RunSummary], without: Sequence[RunSummary]) -> Iterable[RunPair]:
    """Yield the pairs of one model and experiment; ``without`` are its runs without guidelines."""
    seen: set[str] = set()
    for number, run in enumerate(own):
        if run.version in seen:
            continue
        seen.add(run.version)
        earlier = own[number + 1 :]
        followed = [
            candidate for candidate in earlier if candidate.version == run.version
        ] or earlier
        if followed:
            yield RunPair(followed[0], run)
        bare = [candidate for candidate in without if candidate.version == run.version]
        if run.experiment == DEFAULT and bare:
            yield RunPair(bare[0], run)
