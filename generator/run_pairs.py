"""Pairs of runs of one model: the runs that a page compares."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from generator.read.summaries import RunSummary
from records.grouping import group_values
from records.suites.experiments import DEFAULT, NO_GUIDELINES


class RunPair(NamedTuple):
    """Two runs of one model that a page compares."""

    before: RunSummary
    after: RunSummary

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
        counts = [Counter(name for name, _ in run.kept if run.artifact) for run in self]
        for name in counts[0].keys() & counts[1].keys():
            before, after = self.before.results[name], self.after.results[name]
            is_whole = [number[name] for number in counts] == [before.planned, after.planned]
            # Shares of passed attempts; a side without a verdict does not differ.
            if is_whole and before.passed * after.judged != after.passed * before.judged:
                return True
        return False


def build_run_pairs(runs: Iterable[RunSummary]) -> Iterator[RunPair]:
    """Yield the pairs among ``runs``, which are sorted newest first.

    Only completed runs of language models that were not withdrawn are paired.
    """
    alike = group_values(
        ((run.slug, run.experiment), run)
        for run in runs
        if run.head.status == "completed" and run.head.withdrawn is None and not run.baseline
    )
    for (slug, experiment), own in alike.items():
        seen: set[str] = set()
        for number, run in enumerate(own):
            if run.version in seen:
                continue
            seen.add(run.version)
            earlier = own[number + 1 :]
            followed = [each for each in earlier if each.version == run.version] or earlier
            if followed:
                yield RunPair(followed[0], run)
            without = alike.get((slug, NO_GUIDELINES), ())
            bare = [each for each in without if each.version == run.version]
            if experiment == DEFAULT and bare:
                yield RunPair(bare[0], run)
