"""Facts that the pages of every run share, known before any run is read."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from generator.digests import key_of
from generator.facts.titles import eval_titles
from generator.facts.urls import filed_path, version_path
from generator.read.guidelines_text import GuidelinesText
from generator.read.site_settings import SiteSettings
from generator.read.suite_texts import EvalTexts
from generator.read.summaries import FiledReport, Summaries
from records.shapes.registry import ModelEntry
from records.suites.benchmark import Benchmark


@dataclass(frozen=True)
class SiteBasics:
    """The site's settings, the suite's texts, the versions' titles and the reports."""

    settings: SiteSettings
    texts: Mapping[str, EvalTexts]
    """Texts of our own evals, by name."""
    guidelines: GuidelinesText | None
    """The suite's; None where it has none."""
    titles: Mapping[str, str]
    """Titles of versions; no two the same."""
    reports: Mapping[str, Sequence[FiledReport]]
    """By the run they are about, newest first."""
    suites: Mapping[str, Sequence[str]]
    """The evals of each version."""
    slugs: Collection[str]
    """Slugs of the models that models.toml can have asked."""
    recorded: Collection[str]
    """Ids of all runs with a record."""

    @property
    def eval_titles(self) -> Mapping[str, str]:
        """Titles of evals by name; no two the same."""
        return self._eval_titles

    @cached_property
    def _eval_titles(self) -> dict[str, str]:
        return eval_titles(self.texts, (name for evals in self.suites.values() for name in evals))

    @cached_property
    def _version_digests(self) -> dict[str, str]:
        return {}

    def version_digest(self, version: str) -> str:
        """Return a digest of the facts about benchmark versions on pages of runs."""
        digests = self._version_digests
        if version not in digests:
            shown_facts = self.version_title(version), self.version_href(version)
            evals = self.suites.get(version)
            # Runs of a version that is not known may hold any eval of the suite.
            titles = {name: self.eval_titles[name] for name in evals or self.texts}
            digests[version] = key_of(shown_facts, evals, titles)
        return digests[version]

    def version_title(self, version: str) -> str:
        """Return the title of a benchmark version."""
        return self.titles.get(version, version)

    def version_href(self, version: str) -> str:
        """Return where a version's table stands, on the front page or not.

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
    """Gather the data of the pages of a run; the runs in ``summaries`` are not asked.

    ``recorded`` has the ids of all runs with a record.
    """
    filed: dict[str, list[FiledReport]] = {}
    for report in summaries.reports:
        filed.setdefault(report.report.run, []).append(report)
    benchmarks = summaries.benchmarks
    return SiteBasics(
        settings=settings,
        texts=texts,
        guidelines=guidelines,
        titles=_titles(benchmarks),
        reports=filed,
        suites={report.version: sorted(report.evals) for report in benchmarks.values()},
        slugs=frozenset(
            slug for slug, report in summaries.registry.items() if isinstance(report, ModelEntry)
        ),
        recorded=frozenset(recorded),
    )


def newest_first(reports: Iterable[FiledReport]) -> list[FiledReport]:
    """Sort reports by day, those of one day by the addresses of their pages."""
    return sorted(reports, key=lambda one: (one.report.date, filed_path(one)), reverse=True)


def _titles(benchmarks: Mapping[str, Benchmark]) -> dict[str, str]:
    """Take titles from the definitions, and add the version to equal titles."""
    titles = {benchmark.version: benchmark.title for benchmark in benchmarks.values()}
    repeated = {title for title, number in Counter(titles.values()).items() if number > 1}
    return {
        version: f"{title} ({version[:8]})" if title in repeated else title
        for version, title in titles.items()
    }
