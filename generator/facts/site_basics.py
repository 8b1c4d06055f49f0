"""The facts that pages of runs need, which are known before any run is read."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from generator.digests import compute_key
from generator.facts.titles import build_eval_titles
from generator.facts.urls import build_filed_path, build_version_path
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
    canary: str | None
    """The canary's line of the suite; None without a suite."""
    only_imports: bool
    """Whether all results are of benchmarks of other tools, and there is no suite."""
    texts: Mapping[str, EvalTexts]
    """The texts of evals by name."""
    guidelines: GuidelinesText | None
    """The guidelines of the suite; None if it has none."""
    titles: Mapping[str, str]
    """The titles of versions, all different."""
    reports: Mapping[str, Sequence[FiledReport]]
    """The reports by the run that they are on, newest first."""
    cited: Mapping[str, Collection[tuple[str, int]]]
    """The eval and sample of attempts that a report or an audit names, by run: each has a page of
    its own, because others may link to it."""
    suites: Mapping[str, Sequence[str]]
    """The evals of each version."""
    imported_titles: Mapping[str, str]
    """Titles of the evals of benchmarks of other tools, by name."""
    slugs: Collection[str]
    """The slugs of the models in models.toml that can be asked."""
    recorded: Collection[str]
    """The ids of all runs with a record."""

    @property
    def eval_titles(self) -> Mapping[str, str]:
        """The titles of evals by name, all different."""
        return self._eval_titles

    @cached_property
    def _eval_titles(self) -> dict[str, str]:
        names = (name for evals in self.suites.values() for name in evals)
        return build_eval_titles(self.texts, names, self.imported_titles)

    @cached_property
    def _version_digests(self) -> dict[str, str]:
        return {}

    def compute_version_digest(self, version: str) -> str:
        """Return a digest of the facts about a benchmark version that pages of its runs show."""
        digests = self._version_digests
        if version not in digests:
            shown_facts = self.find_version_title(version), self.build_version_href(version)
            evals = self.suites.get(version)
            # Runs of an unknown version may have any eval of the suite.
            titles = {name: self.eval_titles[name] for name in evals or self.texts}
            digests[version] = compute_key(shown_facts, evals, titles)
        return digests[version]

    def find_version_title(self, version: str) -> str:
        """Return the title of a benchmark version; of an unknown version its identity."""
        return self.titles.get(version, version)

    def build_version_href(self, version: str) -> str:
        """Return the permanent address of a version's table.

        For an unknown version, the address of the list of versions.
        """
        return build_version_path(version) if version in self.titles else "benchmarks/"


def build_site_basics(  # noqa: PLR0913, PLR0917 - what pages of runs are made from
    settings: SiteSettings,
    canary: str | None,
    texts: Mapping[str, EvalTexts],
    guidelines: GuidelinesText | None,
    summaries: Summaries,
    recorded: Collection[str],
    *,
    only_imports: bool,
) -> SiteBasics:
    """Return the facts that pages of runs need; the runs of ``summaries`` are not used.

    ``recorded`` has the ids of all runs with a record.
    """
    filed: dict[str, list[FiledReport]] = {}
    cited: dict[str, set[tuple[str, int]]] = {}
    for report in summaries.reports:
        run_id = report.report.run
        filed.setdefault(run_id, []).append(report)
        for failure in (*report.report.failures, *report.report.mended):
            cited.setdefault(run_id, set()).add((failure.eval, failure.sample or 1))
    for audited in summaries.audits:
        for item in audited.audit.items:
            cited.setdefault(item.run_id, set()).add((item.eval, item.sample))
    benchmarks = summaries.benchmarks
    return SiteBasics(
        settings=settings,
        canary=canary,
        only_imports=only_imports,
        texts=texts,
        guidelines=guidelines,
        titles=_build_version_titles(benchmarks),
        reports=filed,
        cited=cited,
        suites={report.version: sorted(report.evals) for report in benchmarks.values()},
        imported_titles={
            name: digests.title
            for benchmark in benchmarks.values()
            for name, digests in (benchmark.evals.items() if benchmark.imported else ())
            if digests.title is not None
        },
        slugs=frozenset(
            slug for slug, report in summaries.registry.items() if isinstance(report, ModelEntry)
        ),
        recorded=frozenset(recorded),
    )


def name_other_benchmarks(benchmarks: Mapping[str, Benchmark]) -> list[str] | None:
    """Return the names of the benchmarks if all are of other tools, sorted; else None."""
    imported = [benchmark.imported for benchmark in benchmarks.values()]
    names = {each.name for each in imported if each is not None}
    return sorted(names) if names and None not in imported else None


def sort_reports(reports: Iterable[FiledReport]) -> list[FiledReport]:
    """Return reports newest first, those of the same day by the paths of their pages."""
    return sorted(
        reports, key=lambda filed: (filed.report.date, build_filed_path(filed)), reverse=True
    )


def _build_version_titles(benchmarks: Mapping[str, Benchmark]) -> dict[str, str]:
    """Return the titles of versions, with the version's identity added to equal titles."""
    titles = {benchmark.version: benchmark.title for benchmark in benchmarks.values()}
    repeated = {title for title, number in Counter(titles.values()).items() if number > 1}
    return {
        version: f"{title} ({version[:8]})" if title in repeated else title
        for version, title in titles.items()
    }
