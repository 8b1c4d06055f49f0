"""The data of all pages, read and computed before the first page is rendered.

`SiteBasics` are the data that pages of runs need, too. A part of a version has data of its own.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property
from itertools import islice

from generator import site_links
from generator.read.site_settings import SiteSettings
from generator.read.suite_texts import EvalTexts, GuidelinesText
from generator.read.summaries import FiledReport, RunSummary, Summaries, Why
from generator.render.templates import SITE_CARD
from generator.run_pairs import RunPair, build_run_pairs
from generator.scores import front_version
from generator.scores.grader_audit import AuditFindings, compute_findings
from generator.scores.inputs import FEWEST_ROWS, LATEST, list_evals, list_obstacles
from generator.scores.leaderboards import Entry, Leaderboard, build_leaderboards
from generator.scores.mistakes import VersionMistakes, find_mistakes
from generator.scores.trend import MonthScore, score_by_month
from generator.scores.trial_effects import Ablation, compute_trial_effects
from generator.sources import compute_key
from records.grouping import group_values
from records.runs.standing import leave_hard_out
from records.shapes.registry import ModelEntry
from records.suites.benchmark import Benchmark
from records.suites.experiments import DEFAULT, is_of_a_trial
from records.suites.levels import Level
from records.text.numbers import format_count


@dataclass(frozen=True)
class SiteBasics:
    """The site's settings, the suite's texts, and all records except runs."""

    settings: SiteSettings
    canary: str | None
    """The canary's line of the suite; None without a suite."""
    only_imports: bool
    """Whether all results are of benchmarks of other tools, and there is no suite."""
    for_programs: bool
    """Whether the site has a snapshot, and each page as Markdown."""
    method: str
    """The Markdown of the method page."""
    texts: Mapping[str, EvalTexts]
    """The texts of evals by name."""
    guidelines: GuidelinesText | None
    """The guidelines of the suite; None if it has none."""
    recorded: Collection[str]
    """The ids of all runs with a record."""
    summaries: Summaries
    """The records, and the summaries of runs; without runs until all are read."""

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """The titles of versions, all different."""
        benchmarks = self.summaries.benchmarks.values()
        # The version's identity is added to equal titles.
        numbers = Counter(benchmark.title for benchmark in benchmarks)
        return {
            each.version: each.title
            if numbers[each.title] == 1
            else f"{each.title} ({each.version[:8]})"
            for each in benchmarks
        }

    @cached_property
    def reports(self) -> Mapping[str, Sequence[FiledReport]]:
        """The reports by the run that they are on, newest first."""
        return group_values((filed.report.run, filed) for filed in self.summaries.reports)

    @cached_property
    def cited(self) -> Mapping[str, Collection[tuple[str, int]]]:
        """The eval and sample of attempts that a report or an audit names, by run.

        Each has a page of its own, because others may link to it.
        """
        cited = [
            (filed.report.run, (failure.eval, failure.sample or 1))
            for filed in self.summaries.reports
            for failure in (*filed.report.failures, *filed.report.mended)
        ]
        cited += [
            (item.run_id, (item.eval, item.sample))
            for audited in self.summaries.audits
            for item in audited.audit.items
        ]
        return group_values(dict.fromkeys(cited))

    @cached_property
    def suites(self) -> Mapping[str, Sequence[str]]:
        """The evals of each version."""
        benchmarks = self.summaries.benchmarks
        return {version: sorted(benchmark.evals) for version, benchmark in benchmarks.items()}

    @cached_property
    def imported_titles(self) -> Mapping[str, str]:
        """The titles of the evals of benchmarks of other tools, by name."""
        return {
            name: digests.title
            for benchmark in self.summaries.benchmarks.values()
            for name, digests in (benchmark.evals.items() if benchmark.imported else ())
            if digests.title is not None
        }

    @cached_property
    def slugs(self) -> Collection[str]:
        """The slugs of the models in models.toml that can be asked."""
        registry = self.summaries.registry
        return frozenset(slug for slug, model in registry.items() if isinstance(model, ModelEntry))

    @cached_property
    def eval_titles(self) -> Mapping[str, str]:
        """The titles of evals by name, all different."""
        names = (name for evals in self.suites.values() for name in evals)
        return site_links.build_eval_titles(self.texts, names, self.imported_titles)

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

    def find_eval_title(self, name: str) -> str:
        """Return the title of an eval; if it is not known, a title made from the name."""
        return self.eval_titles.get(name) or site_links.format_eval_label(name)

    @cached_property
    def levels(self) -> Mapping[str, Level]:
        """The levels of evals in the suite of today; empty if it does not tell levels apart."""
        levels = {name: texts.level for name, texts in self.texts.items() if texts.level}
        return levels if len({*levels.values()}) > 1 else {}

    def list_subjects(self, name: str) -> Sequence[str]:
        """Return the subjects of an eval: the sections of the guidelines that it exercises."""
        texts = self.texts.get(name)
        return texts.guidelines if texts else ()

    def find_guidelines_tokens(self, benchmark: Benchmark) -> int | None:
        """Return the tokens of a version's guidelines; None if nobody counted exactly this text."""
        text = self.guidelines
        if benchmark.guidelines_tokens is None and text is not None and text.tokens is not None:
            return text.tokens.tokens if text.digest == benchmark.guidelines else None
        return benchmark.guidelines_tokens

    def find_section_href(self, slug: str) -> str | None:
        """Return the address of a section of the guidelines; None if the text has no such one."""
        if self.guidelines is None or slug not in self.guidelines.sections:
            return None
        return site_links.build_section_href(slug)

    def link_eval(self, name: str) -> site_links.EvalLink:
        """Return an eval with the link to its page."""
        href = site_links.build_eval_path(name)
        return site_links.EvalLink(name, self.find_eval_title(name), href)

    def build_grader_href(self, name: str, commit: str) -> str | None:
        """Return the address of an eval's grader in the repository, at a commit or a branch.

        None if the settings have no repository, or the eval belongs to a suite of another one.
        """
        repository, texts = self.settings.repository, self.texts.get(name)
        if repository is None or (texts is not None and not texts.is_of_project):
            return None
        return f"{f'{repository}'.rstrip('/')}/blob/{commit}/evals/{name}/grader.py"

    def build_recorded_href(self, run_id: str) -> str | None:
        """Return the address of a run; None if it has no record."""
        return site_links.build_run_path(run_id) if run_id in self.recorded else None

    def link_version(self, version: str) -> site_links.Link:
        """Return a benchmark version with the permanent address of its table."""
        return site_links.Link(self.build_version_href(version), self.find_version_title(version))

    def find_version_title(self, version: str) -> str:
        """Return the title of a benchmark version; of an unknown version its identity."""
        return self.titles.get(version, version)

    def build_version_href(self, version: str) -> str:
        """Return the permanent address of a version's table.

        For an unknown version, the address of the list of versions.
        """
        return site_links.build_version_path(version) if version in self.titles else "benchmarks/"


def name_other_benchmarks(benchmarks: Mapping[str, Benchmark]) -> list[str] | None:
    """Return the names of the benchmarks if all are of other tools, sorted; else None."""
    imported = [benchmark.imported for benchmark in benchmarks.values()]
    names = {each.name for each in imported if each is not None}
    return sorted(names) if names and None not in imported else None


def sort_reports(reports: Iterable[FiledReport]) -> list[FiledReport]:
    """Return reports newest first, those of the same day by the paths of their pages."""
    return sorted(
        reports,
        key=lambda filed: (filed.report.date, site_links.build_filed_path(filed)),
        reverse=True,
    )


@dataclass(frozen=True)
class SiteData(SiteBasics):
    """All records and texts, with values that several pages need."""

    leaderboards: Mapping[str, Leaderboard]
    """The leaderboards by benchmark version, newest first."""
    evals: frozenset[str]
    """The names of evals that have a page."""
    folder: str = ""
    """The folder of the pages, if these are the data of a part of a version; empty for a site."""
    parts: "Sequence[SiteData]" = ()
    """The data of boards over a part of a version's evals: of the runs made here that planned
    exactly these, and of the levels that the version's own board is not over."""
    levels_shown: str = ""
    """The levels of the board, if these are the data of one over other levels; else empty."""

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
        """The ids of the runs that count in any version, also in rows that are not ranked."""
        boards = self.leaderboards.values()
        entries = (entry for board in boards for entry in (*board.entries, *board.unranked))
        return frozenset(run.run_id for entry in entries for run in entry.runs)

    def find_first_reason(self, run: RunSummary) -> Why:
        """Return `counted`, or the first reason why a run does not count."""
        return "counted" if run.run_id in self.counted else self.list_reasons(run)[0]

    def list_reasons(self, run: RunSummary) -> list[Why]:
        """Return all reasons why a run does not count, in the order in which they are checked."""
        if is_of_a_trial(run.experiment):
            return ["edition_of_the_guidelines"]
        benchmark = self.summaries.benchmarks.get(run.version)
        if benchmark is None:
            return ["version_not_defined"]
        if obstacles := list_obstacles(run, benchmark):
            return [*obstacles]
        counted = (self.runs[run_id] for run_id in self.counted if run.head.asked_version)
        if any(run.run_id in each.carried_from for each in counted if each.version == run.version):
            return ["taken_over"]
        is_whole = len(list_evals(run, benchmark)) == len(benchmark.evals)
        return ["older" if is_whole else "lacks_evals"]

    @cached_property
    def ablations(self) -> Sequence[Ablation]:
        """All ablations with their effects, newest first; withdrawn runs have no effect."""
        ablations: list[Ablation] = []
        for trial in self.summaries.trials:
            if trial.kind == "ablation":
                recorded = (self.runs.get(planned.run_id) for planned in trial.runs)
                runs = {run.run_id: run for run in recorded if run and run.head.withdrawn is None}
                results = {
                    run_id: {name: (each.passed, each.judged) for name, each in run.results.items()}
                    for run_id, run in runs.items()
                }
                effects = compute_trial_effects(trial.runs, results)
                ablations.append(Ablation(trial, runs, effects))
        return sorted(
            ablations, key=lambda each: (each.trial.began_at, each.trial.trial_id), reverse=True
        )

    @cached_property
    def newest_day(self) -> date | None:
        """The day of the newest run; None without runs."""
        return max((run.date for run in self.summaries.runs), default=None)

    @cached_property
    def by_model(self) -> Mapping[str, Sequence[RunSummary]]:
        """All runs by the model's slug, newest first."""
        return group_values((run.slug, run) for run in self.summaries.runs)

    @cached_property
    def pairs(self) -> Mapping[frozenset[str], RunPair]:
        """The pairs of runs that have a page, by the ids of both runs."""
        pairs = build_run_pairs(self.summaries.runs)
        return {frozenset(run.run_id for run in pair): pair for pair in pairs}

    def find_newest_pair(self, entry: Entry, other: Entry) -> RunPair | None:
        """Return the pair of the newest runs of two entries; None if the pair has no page."""
        return self.pairs.get(frozenset((entry.newest.run_id, other.newest.run_id)))

    @cached_property
    def audits(self) -> Sequence[AuditFindings]:
        """The findings of audits of the graders, newest first."""
        return [compute_findings(audit.audit, audit.logs) for audit in self.summaries.audits]

    @cached_property
    def reports_by_eval(self) -> Mapping[str, Sequence[FiledReport]]:
        """The reports by the evals whose failures they list, newest first."""
        return group_values(
            (name, filed)
            for filed in self.summaries.reports
            for name in dict.fromkeys(failure.eval for failure in filed.report.failures)
        )

    @cached_property
    def mistakes(self) -> Mapping[str, VersionMistakes]:
        """The mistakes of models by version."""
        return {
            version: find_mistakes(leaderboard, self.texts, self.reports)
            for version, leaderboard in self.leaderboards.items()
        }

    @cached_property
    def scores_by_month(self) -> Mapping[str, Sequence[MonthScore]]:
        """The scores of models by month and version."""
        boards = self.leaderboards
        return {
            version: score_by_month(board, boards.values()) for version, board in boards.items()
        }

    @cached_property
    def met(self) -> Mapping[str, Sequence[tuple[RunSummary, ...]]]:
        """The newest runs that planned an eval, by eval; a group for each model and condition.

        A group has at most `LATEST` runs, newest first; groups of baselines are last. Withdrawn
        runs and runs of trials of the guidelines are left out.
        """
        by_eval: dict[str, list[tuple[RunSummary, ...]]] = {}
        by_field = group_values(
            ((run.baseline, run.version, run.experiment, run.slug), run)
            for run in self.summaries.runs
            if run.head.withdrawn is None and not is_of_a_trial(run.experiment)
        )
        for _, runs in sorted(by_field.items(), key=lambda item: item[0]):
            if len({run.results.plan for run in runs}) == 1:
                newest = tuple(runs[:LATEST])
                for name in newest[0].results:
                    by_eval.setdefault(name, []).append(newest)
            else:
                for name in {name: None for run in runs for name in run.results}:
                    met = (run for run in runs if name in run.results)
                    by_eval.setdefault(name, []).append(tuple(islice(met, LATEST)))
        return by_eval

    @cached_property
    def newest_entries(self) -> Mapping[str, Entry]:
        """The entry of each model that ran with guidelines in its newest version, by slug."""
        newest: dict[str, Entry] = {}
        for leaderboard in self.leaderboards.values():
            for entry in leaderboard.entries:
                if entry.newest.experiment == DEFAULT:
                    newest.setdefault(entry.newest.slug, entry)
        return newest

    def choose_retirement_verb(self, day: date) -> str:
        """Return ``retired`` if ``day`` is before the day of the newest run, else ``retires``.

        The present day is not used, because the same records would then give other pages.
        """
        return "retired" if self.newest_day is not None and day < self.newest_day else "retires"

    def describe_retirement(self, slug: str) -> str:
        """Return in words from which day on a model is no longer offered; empty if not known."""
        model = self.summaries.registry.get(slug)
        day = model and model.retires
        return "" if day is None else f"{self.choose_retirement_verb(day)} {day}"

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
        behind = front_version.describe_pin_behind(pinned, self.standings)
        return (behind, *lost) if behind else tuple(lost)

    def choose_card_path(self, slug: str) -> str:
        """Return the path of the picture for link previews of pages about a model."""
        return site_links.build_card_path(slug) if slug in self.newest_entries else SITE_CARD

    @cached_property
    def standings(self) -> Sequence[front_version.VersionStanding]:
        """The facts about each version by which the front version is chosen."""
        return [
            front_version.VersionStanding(
                version=version,
                minted_at=leaderboard.benchmark.minted_at,
                ranked=sum(
                    entry.row.rank is not None for entry in leaderboard.select_models(DEFAULT)
                ),
                rows=len(leaderboard.entries),
                day=_find_version_day(self.summaries, version),
                evals=len(leaderboard.benchmark.evals),
            )
            for version, leaderboard in self.leaderboards.items()
        ]

    @cached_property
    def chosen(self) -> front_version.VersionStanding | None:
        """The front version by the data alone, without the setting; None without versions.

        A benchmark of another tool is the front version only if there is no other version.
        """
        own = [
            standing
            for standing in self.standings
            if not self.leaderboards[standing.version].is_of_other_tool
        ]
        return front_version.choose_front(own or self.standings)

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

    @property
    def front_board(self) -> Leaderboard | None:
        """The leaderboard that `/` shows; None without versions."""
        return None if self.front is None else self.leaderboards[self.front]

    def find_version_folder(self, version: str) -> str:
        """Return the path of the folder of a version's pages: empty for the front version."""
        return self.folder or (
            "" if version == self.front else site_links.build_version_path(version)
        )

    def link_board(
        self, version: str, below: str = "", *, current: bool = False
    ) -> site_links.Link:
        """Return a version with the link to its page ``below`` its folder."""
        folder = self.find_version_folder(version)
        return site_links.Link(folder + below, self.titles[version], current)

    def link_category(self, version: str, key: str, *, current: bool = False) -> site_links.Link:
        """Return a category with the link to its page in a version."""
        href = f"{self.find_version_folder(version)}categories/{key}/"
        return site_links.Link(href, site_links.label_category(key), current)

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
    ) -> list[site_links.Link]:
        """Return links to the page ``below`` each version that is offered and in ``having``.

        Without ``having``, every offered version has the page.
        """
        return [
            self.link_board(version, below, current=version == current)
            for version in self.list_offered_versions(current)
            if having is None or version in having
        ]


def build_site_data(
    basics: SiteBasics, summaries: Summaries, computed: Mapping[str, Leaderboard]
) -> SiteData:
    """Return the data of all pages, from basics, summaries and computed leaderboards."""
    # A newer version comes first, also of those of the same day.
    order = sorted(
        computed,
        key=lambda version: (
            _find_version_day(summaries, version),
            str(summaries.benchmarks[version].minted_at or ""),
            version,
        ),
        reverse=True,
    )
    planned = {run.results.plan for run in summaries.runs}
    names = {name for plan in planned for name in plan.evals}
    listed = {name for leaderboard in computed.values() for name in leaderboard.benchmark.evals}
    facts = replace(basics, summaries=summaries)
    return SiteData(
        **{field.name: getattr(facts, field.name) for field in fields(facts)},
        leaderboards={version: computed[version] for version in order},
        evals=frozenset(names | listed | basics.texts.keys()),
    )


def _find_version_day(summaries: Summaries, version: str) -> str:
    """Return the day of a version, as `choose_version_day` defines it."""
    days = (run.date for run in summaries.runs if run.version == version)
    return front_version.choose_version_day(summaries.benchmarks[version].minted_at, days)


def build_site_parts(site: SiteData, earlier: Sequence[SiteData]) -> list[SiteData]:
    """Return the data of the board over each part of a version's evals, newest run first.

    A part has the runs made here that planned exactly its evals, and no others: a whole run took
    other time and money. Boards of ``earlier`` with the same inputs are reused.
    """
    alike = group_values(
        ((run.version, frozenset(run.results)), run)
        for run in site.summaries.runs
        if run.source is None and run.head.asked_version is None
        if run.results.keys() < {*site.suites.get(run.version, ())}
        if not is_of_a_trial(run.experiment)
    )
    sizes = Counter((version, len(evals)) for version, evals in alike)
    parts: list[SiteData] = []
    for (version, evals), runs in alike.items():
        whole = site.leaderboards[version].benchmark
        folder = site_links.build_part_path(version, evals)
        digests = {name: digest for name, digest in whole.evals.items() if name in evals}
        is_alone = sizes[version, len(evals)] == 1
        mark = "" if is_alone else f" ({folder.rstrip('/').rpartition('-')[2]})"
        title = f"{format_count(len(evals), 'eval')}{mark} of “{site.titles[version]}”"
        benchmark = whole.model_copy(update={"evals": digests, "title": title})
        summaries = replace(site.summaries, benchmarks={version: benchmark}, runs=runs)
        parts.append(_score_part(replace(site, summaries=summaries, folder=folder), earlier))
    return parts


def _score_part(part: SiteData, earlier: Sequence[SiteData], fewest: int = FEWEST_ROWS) -> SiteData:
    """Return the data of a part with its boards, which are ``earlier`` ones for equal inputs."""
    boards = {each.folder: each.leaderboards for each in earlier}.get(part.folder, {})
    computed = build_leaderboards(part.summaries, part.texts, boards, fewest)
    return replace(part, leaderboards=computed, parts=())


def build_level_boards(site: SiteData, earlier: Sequence[SiteData]) -> list[SiteData]:
    """Return the data of the board over other levels of each version with hard evals and rows.

    If the version's board is over all levels, it is without hard evals, else it has all. Boards of
    ``earlier`` with the same inputs are reused.
    """
    parts: list[SiteData] = []
    for version, board in site.leaderboards.items():
        whole = board.benchmark
        without = leave_hard_out(whole)
        # Without hard evals, and without others.
        if len(without.evals) == len(whole.evals) or not board.select_models():
            continue
        has_hard = any(name not in without.evals for name in board.scored.evals)
        benchmark, fewest = (without, FEWEST_ROWS) if has_hard else (whole, 0)
        runs = [run for run in site.summaries.runs if run.version == version]
        levels = "the levels before hard" if has_hard else "all levels"
        evals = format_count(len(benchmark.evals), "eval")
        title = f"{evals} of {levels} of “{site.titles[version]}”"
        titled = {version: benchmark.model_copy(update={"title": title})}
        part = replace(
            site,
            summaries=replace(site.summaries, benchmarks=titled, runs=runs),
            folder=f"{site_links.build_version_path(version)}levels/",
            levels_shown=levels,
        )
        parts.append(_score_part(part, earlier, fewest))
    return parts
