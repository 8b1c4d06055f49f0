"""Benchmark versions: their heads, the choice among them, and models that only others measured."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final, NamedTuple

from generator.blocks.score_cell import Score, build_entry_score
from generator.facts.run_lines import link_model
from generator.facts.site_data import SiteData
from generator.facts.titles import describe_experiment, list_in_prose
from generator.facts.urls import Link, ModelLink, build_run_path
from generator.scores.front_version import FrontReason
from generator.scores.leaderboards import Entry, Leaderboard
from records.suites.benchmark import Benchmark
from records.suites.experiments import DEFAULT, NO_GUIDELINES, is_of_a_trial


class VersionHead(NamedTuple):
    """The benchmark version that a page is about."""

    version: str
    title: str
    source: str | None
    """The address at which an imported version's definition was published; None for our own."""
    publisher: str | None
    """Who published an imported version; None for our own."""
    tool: str | None
    """The tool or format that results of another benchmark were read from; None for others."""
    evals: int
    switch: Sequence[Link]
    """Links to the same page of every version."""
    unfixed: str
    """The parts that may differ among runs of the version, as words in a list; empty for none."""


class VersionChoice(NamedTuple):
    """A benchmark version that a reader can choose."""

    href: str
    title: str
    origin: str
    """Publisher and month, such as ``published by Convex, February 2026``."""
    models: int
    """The number of language models in its table."""
    bare: int
    """The number of these models that were asked only without guidelines."""


class Versions(NamedTuple):
    """The choice of versions on a page of one version."""

    current: VersionChoice
    why: str
    """Why `/` shows this version; empty on pages of other versions."""
    latest: date | None
    """The day of this version's newest run that counts; None if no run counts."""
    near: Sequence[VersionChoice]
    """The versions that a reader most likely wants next: the front page's and our own newest."""
    others: Sequence[VersionChoice]


class ElsewhereRow(NamedTuple):
    """A model without a row in this version, and its score in another version."""

    model: ModelLink
    where: str
    """The version's title and the condition."""
    href: str
    score: Score | None
    """None if none of its runs counts."""
    runs: int
    latest: date
    day_of_import: bool
    """Whether ``latest`` is the day of the import, because the source names none."""
    latest_href: str


def build_version_head(site: SiteData, leaderboard: Leaderboard, below: str) -> VersionHead:
    """Return the head of a version's page; ``below`` is the page's path below the version's."""
    return VersionHead(
        version=leaderboard.version,
        title=site.titles[leaderboard.version],
        source=leaderboard.benchmark.source,
        publisher=site.settings.find_publisher(leaderboard.benchmark.source),
        tool=imported.format.tool if (imported := leaderboard.benchmark.imported) else None,
        evals=len(leaderboard.benchmark.evals),
        switch=site.build_switch(below, leaderboard.version),
        unfixed=_list_unfixed(leaderboard.benchmark),
    )


def _list_unfixed(benchmark: Benchmark) -> str:
    """Return the parts of which a version's definition has no digest, as words in a list."""
    evals = benchmark.evals.values()
    is_fixed = {
        "tasks": all(digests.task for digests in evals),
        "graders": all(digests.grader for digests in evals),
        "prompt": benchmark.system_prompt is not None,
        "guidelines": benchmark.guidelines is not None or benchmark.imported is not None,
    }
    unknown = [part for part, fixed in is_fixed.items() if not fixed]
    return list_in_prose(unknown) if unknown else ""


def build_versions(site: SiteData, current: str, below: str) -> Versions:
    """Return the choice of versions on a page of the version ``current``.

    ``below`` is the page's path below the version's.
    """
    offered = site.list_offered_versions(current)
    near = {version for version in (site.front, site.own_version) if version in offered} - {current}
    choices = {version: _describe_choice(site, version, below) for version in offered}
    entries = site.leaderboards[current].select_models()
    return Versions(
        current=choices[current],
        why=_explain_front(site, current) if current == site.front else "",
        latest=max(
            (entry.newest.date for entry in entries if not entry.newest.day_of_import),
            default=None,
        ),
        near=[choices[offer] for offer in offered if offer in near],
        others=[choices[offer] for offer in offered if offer not in near and offer != current],
    )


def list_other_benchmarks(site: SiteData, current: str) -> list[VersionChoice]:
    """Return the benchmarks of other tools, for the front page; none if it shows the only one."""
    others = [version for version, board in site.leaderboards.items() if board.is_of_other_tool]
    alternatives = [version for version in others if version != current]
    return [_describe_choice(site, version, "") for version in others] if alternatives else []


def _describe_origin(site: SiteData, benchmark: Benchmark) -> str:
    """Return the publisher and month of a version, which the page shows after its title."""
    days = [run.date for run in site.summaries.runs if run.version == benchmark.version]
    day = benchmark.minted_at.date() if benchmark.minted_at else max(days, default=None)
    publisher = site.settings.find_publisher(benchmark.source)
    if benchmark.imported is not None:
        whose = f"imported from {benchmark.imported.format.tool}"
        return f"{whose}, {day:%B %Y}" if day else whose
    whose = "own suite" if publisher is None else f"published by {publisher}"
    words = f"{whose}, {day:%B %Y}" if day else whose
    replaced = benchmark.minted_at is not None and benchmark.version != site.own_version
    return f"{words}, replaced since" if replaced else words


def find_guidelines_tokens(site: SiteData, benchmark: Benchmark) -> int | None:
    """Return the tokens of a version's guidelines; None if nobody counted exactly this text."""
    text = site.guidelines
    if benchmark.guidelines_tokens is None and text is not None and text.tokens is not None:
        return text.tokens.tokens if text.digest == benchmark.guidelines else None
    return benchmark.guidelines_tokens


def describe_graded_again(site: SiteData, benchmark: Benchmark) -> str:
    """Return a sentence on runs older than their version, graded again for it; empty for none."""
    if benchmark.minted_at is None:
        return ""
    minted = benchmark.minted_at.date()
    days = [
        run.date
        for run in site.summaries.runs
        if run.version == benchmark.version and run.regraded and run.date < minted
    ]
    if not days:
        return ""
    span = f"{min(days)}" if min(days) == max(days) else f"{min(days)} to {max(days)}"
    runs = "1 run is" if len(days) == 1 else f"{len(days)} runs are"
    return (
        f"{runs} older ({span}) than this version of the suite ({minted}): the stored answers"
        " were graded again by its graders, and no model was asked again."
    )


def list_elsewhere(site: SiteData, here: Leaderboard) -> list[ElsewhereRow]:
    """Return every model without a row in ``here``: newest versions first, unscored models last.

    Benchmarks of other tools are left out, because their scores have nothing in common with others.
    """
    if here.is_of_other_tool:
        return []
    seen = {entry.newest.slug for entry in here.select_models()}
    rows: list[ElsewhereRow] = []
    for leaderboard, entry in _list_best_known(site):
        is_other = leaderboard is here or leaderboard.is_of_other_tool
        if entry.newest.slug not in seen and not is_other:
            seen.add(entry.newest.slug)
            rows.append(_build_elsewhere_row(site, leaderboard, entry))
    return rows + list(_list_uncounted(site, seen))


def _describe_choice(site: SiteData, version: str, below: str) -> VersionChoice:
    leaderboard = site.leaderboards[version]
    entries = leaderboard.select_models()
    having = {entry.newest.slug for entry in entries if entry.newest.experiment != NO_GUIDELINES}
    return VersionChoice(
        href=site.find_version_folder(version) + below,
        title=site.titles[version],
        origin=_describe_origin(site, leaderboard.benchmark),
        models=leaderboard.count_models(),
        bare=leaderboard.count_models() - len(having),
    )


_WHY: Final = {
    FrontReason.OWN: "This table is shown first: the newest version of this site's own suite.",
    FrontReason.MOST: "This table is shown first because it ranks more models than any other.",
    FrontReason.NEWEST: "This table is shown first: the newest of those that rank the most models.",
}


def _explain_front(site: SiteData, current: str) -> str:
    """Return a sentence on why the version ``current`` is shown first."""
    if site.settings.current_version == current:
        return "The maintainers chose this version to be shown first."
    choice = site.chosen
    if choice is None or choice.ranked == 0:
        usual = " with the guidelines" if site.settings.guidelines else ""
        return f"No model is ranked{usual} yet; this is the newest version."
    return _WHY[choice.reason]


def _list_best_known(site: SiteData) -> Iterator[tuple[Leaderboard, Entry]]:
    """Yield the entries of models; newest version first, in each version with guidelines first."""
    for leaderboard in site.leaderboards.values():
        models = leaderboard.select_models()
        models.sort(key=lambda entry: entry.newest.experiment != DEFAULT)
        yield from ((leaderboard, entry) for entry in models)


def find_best_known(site: SiteData, slug: str) -> tuple[Leaderboard, Entry] | None:
    """Return a model's entry in the newest version that counts a run of it, if any does."""
    return next((pair for pair in _list_best_known(site) if pair[1].newest.slug == slug), None)


def list_entries_of_model(site: SiteData, slug: str) -> list[tuple[Leaderboard, Entry]]:
    """Return the entries of a model or baseline, newest version first."""
    return [
        (leaderboard, entry)
        for leaderboard in site.leaderboards.values()
        for entry in leaderboard.entries
        if entry.newest.slug == slug
    ]


def choose_usual_entry(
    entries: Sequence[tuple[Leaderboard, Entry]],
) -> tuple[Leaderboard, Entry] | None:
    """Return the first of ``entries`` with guidelines, else the first; None without entries."""
    usual = [pair for pair in entries if pair[1].newest.experiment == DEFAULT]
    return next(iter([*usual, *entries]), None)


def _build_elsewhere_row(site: SiteData, leaderboard: Leaderboard, entry: Entry) -> ElsewhereRow:
    newest = entry.newest
    condition = (
        "" if newest.experiment == DEFAULT else f", {describe_experiment(newest.experiment)}"
    )
    return ElsewhereRow(
        model=link_model(newest),
        where=f"{site.titles[leaderboard.version]}{condition}",
        href=site.find_version_folder(leaderboard.version),
        score=build_entry_score(leaderboard, entry),
        runs=len(entry.runs),
        latest=newest.date,
        day_of_import=newest.day_of_import,
        latest_href=build_run_path(newest.run_id),
    )


def _list_uncounted(site: SiteData, seen: set[str]) -> Iterator[ElsewhereRow]:
    for slug, runs in site.by_model.items():
        ordinary = [
            run for run in runs if not is_of_a_trial(run.experiment) and not run.of_other_tool
        ]
        if slug in seen or not ordinary or ordinary[0].baseline:
            continue
        newest = ordinary[0]
        yield ElsewhereRow(
            model=link_model(newest),
            where="no score yet",
            href=site.build_version_href(newest.version),
            score=None,
            runs=len(ordinary),
            latest=newest.date,
            day_of_import=newest.day_of_import,
            latest_href=build_run_path(newest.run_id),
        )
