"""The data of all pages, read and computed before the first page is rendered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property
from itertools import islice

from generator.facts.links import Link
from generator.facts.run_pairs import RunPair, build_run_pairs
from generator.facts.site_basics import SiteBasics
from generator.facts.urls import SITE_CARD, build_card_path, build_version_path
from generator.read.summaries import FiledReport, RunSummary, Summaries
from generator.scores.front_version import (
    FrontChoice,
    VersionStanding,
    choose_front,
    choose_version_day,
    describe_pin_behind,
)
from generator.scores.grader_audit import AuditFindings, compute_findings
from generator.scores.leaderboards import Leaderboard
from generator.scores.run_selection import LATEST
from records.suites.experiments import DEFAULT, is_of_a_trial


@dataclass(frozen=True)
class SiteData(SiteBasics):
    """All records and texts, with values that several pages need."""

    summaries: Summaries
    leaderboards: Mapping[str, Leaderboard]
    """The leaderboards by benchmark version, newest first."""
    evals: frozenset[str]
    """The names of evals that have a page."""
    folder: str = ""
    """The folder of the pages, if these are the data of a part of a version; empty for a site."""
    parts: "Sequence[SiteData]" = ()
    """The data of boards over a part of a version's evals; only of a site that shows local runs."""

    @cached_property
    def runs(self) -> Mapping[str, RunSummary]:
        """All runs by id."""
        return {run.run_id: run for run in self.summaries.runs}

    @cached_property
    def reported_runs(self) -> Sequence[tuple[FiledReport, RunSummary]]:
        """The reports whose run has a record, each with the run, newest first."""
        runs = self.runs
        return [
            (filed, runs[filed.report.run])
            for filed in self.summaries.reports
            if filed.report.run in runs
        ]

    @cached_property
    def counted(self) -> frozenset[str]:
        """The ids of the runs that count in any version."""
        entries = (entry for board in self.leaderboards.values() for entry in board.entries)
        return frozenset(run.run_id for entry in entries for run in entry.runs)

    @cached_property
    def newest_day(self) -> date | None:
        """The day of the newest run; None without runs."""
        return max((run.date for run in self.summaries.runs), default=None)

    @cached_property
    def by_model(self) -> Mapping[str, Sequence[RunSummary]]:
        """All runs by the model's slug, newest first."""
        by_slug: dict[str, list[RunSummary]] = {}
        for run in self.summaries.runs:
            by_slug.setdefault(run.slug, []).append(run)
        return by_slug

    @cached_property
    def pairs(self) -> Mapping[str, Sequence[RunPair]]:
        """The pairs of runs that have a page, by the id of the second run."""
        by_run: dict[str, list[RunPair]] = {}
        for pair in build_run_pairs(self.summaries.runs):
            by_run.setdefault(pair.after.run_id, []).append(pair)
        return by_run

    @cached_property
    def pairs_of_ids(self) -> Mapping[frozenset[str], RunPair]:
        """The pairs of runs that have a page, by the ids of both runs."""
        return {
            frozenset((pair.before.run_id, pair.after.run_id)): pair
            for pairs in self.pairs.values()
            for pair in pairs
        }

    @cached_property
    def audits(self) -> Sequence[AuditFindings]:
        """The findings of audits of the graders, newest first."""
        return [compute_findings(audit.audit, audit.logs) for audit in self.summaries.audits]

    @cached_property
    def reports_by_eval(self) -> Mapping[str, Sequence[FiledReport]]:
        """The reports by the evals whose failures they list, newest first."""
        by_eval: dict[str, list[FiledReport]] = {}
        for filed in self.summaries.reports:
            for name in dict.fromkeys(failure.eval for failure in filed.report.failures):
                by_eval.setdefault(name, []).append(filed)
        return by_eval

    @cached_property
    def met(self) -> Mapping[str, Sequence[tuple[RunSummary, ...]]]:
        """The newest runs that planned an eval, by eval; a group for each model and condition.

        A group has at most `LATEST` runs, newest first; groups of baselines are last. Withdrawn
        runs and runs of trials of the guidelines are left out.
        """
        by_eval: dict[str, list[tuple[RunSummary, ...]]] = {}
        for runs in self._group_runs():
            if len({run.results.plan for run in runs}) == 1:
                newest = tuple(runs[:LATEST])
                for name in newest[0].results:
                    by_eval.setdefault(name, []).append(newest)
            else:
                for name in {name: None for run in runs for name in run.results}:
                    met = (run for run in runs if name in run.results)
                    by_eval.setdefault(name, []).append(tuple(islice(met, LATEST)))
        return by_eval

    def _group_runs(self) -> Sequence[Sequence[RunSummary]]:
        """Return a list of runs for each model, version and condition, newest first.

        Withdrawn runs and runs of trials of the guidelines are left out.
        """
        by_field: dict[tuple[bool, str, str, str], list[RunSummary]] = {}
        for run in self.summaries.runs:
            if run.withdrawn is None and not is_of_a_trial(run.experiment):
                key = run.baseline, run.version, run.experiment, run.slug
                by_field.setdefault(key, []).append(run)
        return [by_field[key] for key in sorted(by_field)]

    @cached_property
    def carded(self) -> frozenset[str]:
        """The slugs of models with their own card: those with an entry with guidelines."""
        entries = [
            entry for leaderboard in self.leaderboards.values() for entry in leaderboard.entries
        ]
        return frozenset(
            entry.newest.slug for entry in entries if entry.newest.experiment == DEFAULT
        )

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages about faults in the sources that do not stop the build."""
        pinned = self.settings.current_version
        lost = sorted(
            f"{filed.path}: run: there is no run {filed.report.run}, so its page is not made"
            for filed in self.summaries.reports
            if filed.report.run not in self.runs
        )
        if pinned is None or not self.leaderboards:
            return tuple(lost)
        if pinned not in self.leaderboards:
            unknown = f"{pinned} is not defined in benchmarks/, so / shows another"
            return f"site.toml: current_version: {unknown}", *lost
        behind = describe_pin_behind(pinned, self.standings)
        return (behind, *lost) if behind else tuple(lost)

    def choose_card_path(self, slug: str) -> str:
        """Return the path of the picture for link previews of pages about a model."""
        return build_card_path(slug) if slug in self.carded else SITE_CARD

    @cached_property
    def standings(self) -> Sequence[VersionStanding]:
        """The facts about each version by which the front version is chosen."""
        return [
            VersionStanding(
                version=version,
                minted_at=leaderboard.benchmark.minted_at,
                ranked=count_ranked(leaderboard),
                day=_find_version_day(self.summaries, version),
                evals=len(leaderboard.benchmark.evals),
            )
            for version, leaderboard in self.leaderboards.items()
        ]

    @cached_property
    def chosen(self) -> FrontChoice | None:
        """The front version by the data alone, without the setting; None without versions.

        A benchmark of another tool is the front version only if there is no other version.
        """
        own = [
            standing
            for standing in self.standings
            if not self.leaderboards[standing.version].is_of_other_tool
        ]
        return choose_front(own or self.standings)

    @cached_property
    def front(self) -> str | None:
        """The version that `/` shows: the setting of site.toml, else the choice by the data.

        None for the data of a part, which `/` never shows.
        """
        if self.folder:
            return None
        pinned = self.settings.current_version
        if pinned in self.leaderboards:
            return pinned
        return self.chosen.version if self.chosen else None

    def find_version_folder(self, version: str) -> str:
        """Return the path of the folder of a version's pages: empty for the front version."""
        return self.folder or ("" if version == self.front else build_version_path(version))

    @cached_property
    def own_version(self) -> str | None:
        """The newest version of our own suite; None if none was minted."""
        minted = {
            version: leaderboard.benchmark.minted_at
            for version, leaderboard in self.leaderboards.items()
            if leaderboard.benchmark.minted_at is not None
        }
        return max(minted, key=lambda version: (minted[version], version), default=None)

    def list_offered_versions(self, current: str) -> list[str]:
        """Return the versions that a page of the version ``current`` offers.

        Replaced versions of our own without language models are offered only on their own pages
        and in the list of all versions.
        """
        return [
            version
            for version, leaderboard in self.leaderboards.items()
            if version in (current, self.own_version, self.front)
            or leaderboard.benchmark.minted_at is None
            or leaderboard.select_models()
        ]

    def build_switch(
        self, below: str, current: str, having: Sequence[str] | None = None
    ) -> list[Link]:
        """Return links to the page ``below`` each version that is offered and in ``having``.

        Without ``having``, every offered version has the page.
        """
        return [
            Link(
                self.find_version_folder(version) + below,
                self.titles[version],
                current=version == current,
            )
            for version in self.list_offered_versions(current)
            if having is None or version in having
        ]


def build_site_data(
    basics: SiteBasics, summaries: Summaries, computed: Mapping[str, Leaderboard]
) -> SiteData:
    """Return the data of all pages, from basics, summaries and computed leaderboards."""
    order = sorted(computed, key=lambda version: _build_age_key(summaries, version), reverse=True)
    planned = {run.results.plan for run in summaries.runs}
    names = {name for plan in planned for name in plan.evals}
    listed = {name for leaderboard in computed.values() for name in leaderboard.benchmark.evals}
    return SiteData(
        **{field.name: getattr(basics, field.name) for field in fields(basics)},
        summaries=summaries,
        leaderboards={version: computed[version] for version in order},
        evals=frozenset(names | listed | basics.texts.keys()),
    )


def count_ranked(leaderboard: Leaderboard) -> int:
    """Return the number of language models that are ranked with the guidelines."""
    return sum(entry.row.rank is not None for entry in leaderboard.select_models(DEFAULT))


def _build_age_key(summaries: Summaries, version: str) -> tuple[str, str, str]:
    """Return a sort key that is greater for a newer version, also on the same day."""
    minted_at = summaries.benchmarks[version].minted_at
    return _find_version_day(summaries, version), str(minted_at or ""), version


def _find_version_day(summaries: Summaries, version: str) -> str:
    """Return the day of a version, as `choose_version_day` defines it."""
    days = (run.date for run in summaries.runs if run.version == version)
    return choose_version_day(summaries.benchmarks[version].minted_at, days)
