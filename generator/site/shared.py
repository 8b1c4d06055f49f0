"""Facts that the pages of every run share, known before any run is read."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from generator.digests import key_of
from generator.read.guidelines_text import GuidelinesText
from generator.read.settings import SiteSettings
from generator.read.suite_texts import EvalTexts
from generator.read.summaries import FiledReport, Summaries
from generator.site.labels import eval_titles
from generator.site.urls import filed_path, version_path
from records.benchmark import Benchmark
from records.registry import ModelEntry


@dataclass(frozen=True)
class SiteBasics:
    """The site's settings, the suite's texts, the versions' titles and the reports."""

    settings: SiteSettings
    texts: Mapping[str, EvalTexts]
    """Of our own evals, by name."""
    guidelines: GuidelinesText | None
    """The suite's; None where it has none."""
    titles: Mapping[str, str]
    """What a reader calls each version; no two the same."""
    reports: Mapping[str, Sequence[FiledReport]]
    """By the run they are about, newest first."""
    suites: Mapping[str, Sequence[str]]
    """The evals of each version."""
    slugs: Collection[str]
    """Of the models that models.toml says how to ask."""
    recorded: Collection[str]
    """Ids of all runs with a record."""

    @property
    def eval_titles(self) -> Mapping[str, str]:
        """What a reader calls each eval, by name; no two the same."""
        return self._eval_titles

    @cached_property
    def _eval_titles(self) -> dict[str, str]:
        return eval_titles(self.texts, (name for evals in self.suites.values() for name in evals))

    @cached_property
    def _version_digests(self) -> dict[str, str]:
        return {}

    def version_digest(self, version: str) -> str:
        """Return a digest of what pages of runs show of their benchmark version."""
        known = self._version_digests
        if version not in known:
            told = self.version_title(version), self.version_href(version)
            evals = self.suites.get(version)
            # Runs of a version that is not known may hold any eval of the suite.
            named = {one: self.eval_titles[one] for one in evals or self.texts}
            known[version] = key_of(told, evals, named)
        return known[version]

    def version_title(self, version: str) -> str:
        """Return what a reader calls a benchmark version."""
        return self.titles.get(version, version)

    def version_href(self, version: str) -> str:
        """Return where a version's table stands, whichever version the front page shows.

        The list of all versions where the version is not known.
        """
        return version_path(version) if version in self.titles else "benchmarks/"


def site_basics(
    settings: SiteSettings,
    texts: Mapping[str, EvalTexts],
    guidelines: GuidelinesText | None,
    summaries: Summaries,
    recorded: Collection[str],
) -> SiteBasics:
    """Gather what the pages of a run need; the runs in ``summaries`` are not asked.

    ``recorded`` has the ids of all runs with a record.
    """
    filed: dict[str, list[FiledReport]] = {}
    for one in summaries.reports:
        filed.setdefault(one.report.run, []).append(one)
    benchmarks = summaries.benchmarks
    return SiteBasics(
        settings=settings,
        texts=texts,
        guidelines=guidelines,
        titles=_titles(benchmarks),
        reports=filed,
        suites={one.version: sorted(one.evals) for one in benchmarks.values()},
        slugs=frozenset(
            slug for slug, one in summaries.registry.items() if isinstance(one, ModelEntry)
        ),
        recorded=frozenset(recorded),
    )


def newest_first(reports: Iterable[FiledReport]) -> list[FiledReport]:
    """Sort reports by day, those of one day by the addresses of their pages."""
    return sorted(reports, key=lambda one: (one.report.date, filed_path(one)), reverse=True)


def _titles(benchmarks: Mapping[str, Benchmark]) -> dict[str, str]:
    """Take titles from the definitions, and tell those that are the same apart by identity."""
    known = {one.version: one.title for one in benchmarks.values()}
    repeated = {title for title, number in Counter(known.values()).items() if number > 1}
    return {
        version: f"{title} ({version[:8]})" if title in repeated else title
        for version, title in known.items()
    }
