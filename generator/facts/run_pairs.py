"""Pairs of runs of one model that have a page of their own."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from generator.read.summaries import EvalResult, RunSummary
from records.suites.experiments import DEFAULT, NO_GUIDELINES


@dataclass(frozen=True, slots=True)
class RunPair:
    """Two runs of one model that a page compares."""

    before: RunSummary
    after: RunSummary

    @property
    def runs(self) -> tuple[RunSummary, RunSummary]:
        """Both runs, the earlier first."""
        return self.before, self.after

    @property
    def path(self) -> str:
        """The path of the pair's page."""
        return f"diff/{self.before.run_id}/{self.after.run_id}/"

    @property
    def words(self) -> str:
        """The first run in words, such as `without guidelines`, as seen from the second run."""
        if self.before.experiment == self.after.experiment:
            return "the run before"
        return "without guidelines"

    @property
    def shows_answers(self) -> bool:
        """Whether there is an eval at which the runs differ and all answers of both were kept."""
        evals_kept = [_find_kept_whole(run) for run in self.runs]
        return any(
            _results_differ(self.before.results[name], self.after.results[name])
            for name in evals_kept[0] & evals_kept[1]
        )


def _find_kept_whole(run: RunSummary) -> set[str]:
    """Return the evals for which the files of all planned attempts were kept."""
    if run.artifact is None:
        return set()
    counts = Counter(name for name, _ in run.kept)
    return {name for name, number in counts.items() if number == run.results[name].planned}


def _results_differ(before: EvalResult, after: EvalResult) -> bool:
    """Return whether the shares of passed attempts differ; false if a side has no verdict."""
    return before.passed * after.judged != after.passed * before.judged


def build_run_pairs(runs: Iterable[RunSummary]) -> list[RunPair]:
    """Return the pairs among ``runs``, which are sorted newest first.

    Only completed runs of language models that were not withdrawn are paired.
    """
    alike: dict[tuple[str, str], list[RunSummary]] = {}
    for run in runs:
        if run.status == "completed" and run.withdrawn is None and not run.baseline:
            alike.setdefault((run.slug, run.experiment), []).append(run)
    return [
        pair
        for (slug, _), own in alike.items()
        for pair in _build_pairs(own, alike.get((slug, NO_GUIDELINES), ()))
    ]


def _build_pairs(own: Sequence[RunSummary], without: Sequence[RunSummary]) -> Iterable[RunPair]:
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
