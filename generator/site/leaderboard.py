"""The leaderboard of one benchmark version, whole or under one condition."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from generator.charts.bars import around_zero
from generator.charts.plots import Dot, scatter
from generator.read.summaries import RequestTally
from generator.render.environment import Frame
from generator.render.filters import dollars
from generator.scores.estimates import PerAttempt
from generator.scores.frontier import Offer, frontier
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.ranks import RankRange
from generator.site.answers import Answer, Standing, answers
from generator.site.awaiting import awaiting
from generator.site.data import SiteData
from generator.site.labels import category, experiment
from generator.site.parts import (
    FEWEST,
    Difference,
    HeatCell,
    Link,
    ModelLink,
    Score,
    Share,
    entry_share,
    frame,
    heat_cell,
    score,
)
from generator.site.progress import progress
from generator.site.run_lines import linked
from generator.site.statistics import attributed, difference, interval
from generator.site.urls import model_path, run_path
from generator.site.versions import ElsewhereRow, Versions, elsewhere, version_words, versions
from records.benchmark import Benchmark
from records.experiments import DEFAULT, NO_GUIDELINES


class ModelRow(NamedTuple):
    """A model under an experiment, in a table."""

    model: ModelLink
    rank: RankRange | None
    """The places that the model may have; None where the row is not ranked."""
    score: Score
    attributed: Share | None
    """The score without the failures that reports lay on the grader or the task."""
    tests_percent: float | None
    """Mean share of tests passed; None where tests were not published."""
    cells: Sequence[HeatCell | None]
    """In the order of the table's columns; None where nothing was judged."""
    without: Share | None
    """The same model's share without guidelines."""
    effect: Difference | None
    """Of the guidelines; None unless the model ran with and without them."""
    effect_chart: str | None
    """The effect as a bar from zero, SVG, on one scale for the whole table."""
    cost_usd: PerAttempt
    cost_per_pass: float | None
    """US dollars for each eval passed; None where it is not known or nothing passes."""
    generation_s: PerAttempt
    output_tokens: PerAttempt
    rerun: float | None
    """Points by which another set of attempts at these evals moves the score, at 95%; None where
    an eval has one attempt only."""
    all_of_three: float | None
    """How likely three attempts at an eval all pass, in percent; None with fewer attempts."""
    requests: RequestTally | None
    """How asking went, runs that do not count included; None where that was not published."""
    runs: int
    latest: date
    latest_href: str
    source: str | None
    """Where the results were published, for imported runs."""
    local: bool


class ModelGroup(NamedTuple):
    """Rows that are compared with one another."""

    title: str
    note: str
    imported: bool
    """Whether every row's results were published elsewhere."""
    rows: Sequence[ModelRow]


class CostPoint(NamedTuple):
    """A model in the scatter of score against cost."""

    model: ModelLink
    cost_usd: float
    """Per attempt; 0 for one that is free."""
    percent: float
    frontier: bool
    """Whether no model of the plot is both cheaper and better."""


class CategoryColumn(NamedTuple):
    """A category as a column of a table."""

    key: str
    label: str
    evals: int


class VersionHead(NamedTuple):
    """The benchmark version that a page is about."""

    version: str
    title: str
    source: str | None
    """Where its definition was published, for imported ones."""
    publisher: str | None
    """By whom; None for our own."""
    evals: int
    switch: Sequence[Link]
    """The same page for every version."""
    unfixed: str
    """What is not known to be the same in all runs of the version, as a list of words."""


class TablePage(NamedTuple):
    """The leaderboard of one benchmark version."""

    template = "leaderboard.html"

    frame: Frame
    heading: str
    lead: str
    answers: Sequence[Answer]
    """What the table says, in words."""
    version: VersionHead
    versions: Versions
    conditions: Sequence[Link]
    """The same table under other conditions."""
    columns: Sequence[CategoryColumn]
    categories: Sequence[Link]
    """Their pages."""
    groups: Sequence[ModelGroup]
    elsewhere: Sequence[ElsewhereRow]
    """Models that only other versions measured; on the front page alone."""
    invited: bool
    """Whether the suite that `leaderboard run` asks has no language model yet."""
    amounts: Sequence[str]
    """Which optional columns some row has a value for, such as effect, tests and cost."""
    troubles: Sequence[str]
    """Columns of `RequestTally` that are not 0 in some row."""
    unknown: str
    """The optional columns that no row has a value for, as a list of words; empty for none."""
    incomplete: int
    """Runs of this version that are shown on their model's page only."""
    scatter: str | None
    """Score against cost, SVG; None where no row's cost is known."""
    progress: str | None
    """Score by day of release, SVG; None where too few days are known."""
    points: Sequence[CostPoint]
    costless: int
    """Models under the plot's condition without a known cost."""


@dataclass(frozen=True, slots=True)
class TableCondition:
    """Which rows a table has, and where it stands below its version."""

    below: str
    link: str
    experiment: str | None
    """None for every model once, under the usual experiment where it ran under that."""


BOTH: Final = TableCondition("", "Overview", None)
WITH: Final = TableCondition("with-guidelines/", "With guidelines", DEFAULT)
WITHOUT: Final = TableCondition("without-guidelines/", "Without guidelines", NO_GUIDELINES)
CONDITIONS: Final = (BOTH, WITH, WITHOUT)


def table_page(
    site: SiteData, leaderboard: Leaderboard, condition: TableCondition, *, path: str | None = None
) -> TablePage:
    """Gather the table of ``leaderboard`` under ``condition``, at ``path`` if not at its own."""
    keys = leaderboard.categories()
    groups = _with_charts(_groups(site, leaderboard, condition))
    rows = [row for group in groups for row in group.rows]
    main = [row for row in rows if row.rank is not None]
    points = _points(main)
    amounts = _amounts(rows, condition)
    place = site.place(leaderboard.version)
    path = place + condition.below if path is None else path
    title = site.titles[leaderboard.version]
    heading = _heading(site, leaderboard, condition)
    bare = _groups(site, leaderboard, WITHOUT) if condition is BOTH else ()
    said = answers(_standings(groups), _overall(leaderboard), _standings(bare))
    front = leaderboard.version == site.front and condition is BOTH
    return TablePage(
        frame=frame(
            heading if path else "Leaderboard",
            path,
            said[0].text if said else f"{len(rows)} rows, {_evals(leaderboard)} evals: {title}.",
            "leaderboard",
        ),
        heading=heading,
        lead=_LEADS[condition.below],
        answers=said,
        version=version(site, leaderboard, condition.below),
        versions=versions(site, leaderboard.version, condition.below),
        conditions=[
            Link(place + one.below, one.link, current=one is condition) for one in CONDITIONS
        ],
        columns=[CategoryColumn(*category(key), len(leaderboard.evals(key))) for key in keys],
        categories=[Link(f"{place}categories/{key}/", category(key).label) for key in keys],
        groups=groups,
        elsewhere=elsewhere(site, leaderboard) if front else (),
        invited=leaderboard.version == site.own and not leaderboard.models(),
        amounts=[key for key, (known, _) in amounts.items() if known],
        troubles=[key for key in TROUBLES if any(_happened(row, key) for row in rows)],
        unknown=", ".join(label for known, label in amounts.values() if not known),
        incomplete=leaderboard.others,
        scatter=_scatter(points, path),
        progress=progress(site, [(row.model, row.score.share.percent) for row in main], path),
        points=points,
        costless=sum(row.cost_usd.mean is None for row in main),
    )


_MANY: Final = 3
"""Rows that share the best of a column: from so many on it is not marked."""

_LEADS: Final = {
    "": "Each answer is deployed, type-checked, linted and tested; the score is the share of evals"
    " that pass. Models were asked with the Convex guidelines in their prompt, but for those of a"
    " group that says otherwise.",
    "with-guidelines/": "Every model that was asked with the Convex guidelines in its prompt.",
    "without-guidelines/": "Every model that was asked with the task alone: what it knows of"
    " Convex by itself.",
}


def _evals(leaderboard: Leaderboard) -> int:
    return len(leaderboard.benchmark.evals)


def _standings(groups: Sequence[ModelGroup]) -> list[Standing]:
    """Return the ranked rows as sentences take them."""
    return [
        Standing(
            name=row.model.name,
            percent=row.score.share.percent,
            low=row.score.low or 0.0,
            high=100.0 if row.score.high is None else row.score.high,
            rank=row.rank,
            cost_per_pass=row.cost_per_pass,
            gain=row.effect,
        )
        for group in groups
        for row in group.rows
        if row.rank is not None
    ]


def _overall(leaderboard: Leaderboard) -> Difference | None:
    if leaderboard.overall is None:
        return None
    return difference(leaderboard.overall.whole, leaderboard.overall.whole.conclusion)


def _with_charts(groups: Sequence[ModelGroup]) -> list[ModelGroup]:
    """Draw the effects of a table on one scale."""
    effects = [row.effect for group in groups for row in group.rows if row.effect]
    reach = max((abs(end) for one in effects for end in _ends(one)), default=0.0)
    return [
        group._replace(
            rows=[
                row._replace(effect_chart=around_zero(row.effect.points, *row.effect[1:3], reach))
                if row.effect
                else row
                for row in group.rows
            ]
        )
        for group in groups
    ]


def _ends(one: Difference) -> list[float]:
    return [end for end in (one.points, one.low, one.high) if end is not None]


def _heading(site: SiteData, leaderboard: Leaderboard, condition: TableCondition) -> str:
    if condition is not BOTH:
        return f"Scores {condition.link.lower()}"
    front = leaderboard.version == site.front
    return site.settings.tagline if front else version_words(site, leaderboard.benchmark)


def version(site: SiteData, leaderboard: Leaderboard, below: str) -> VersionHead:
    """Return a version as the head of a page that stands ``below`` each version's place."""
    return VersionHead(
        version=leaderboard.version,
        title=site.titles[leaderboard.version],
        source=leaderboard.benchmark.source,
        publisher=site.settings.publisher(leaderboard.benchmark.source),
        evals=len(leaderboard.benchmark.evals),
        switch=site.switch(below, leaderboard.version),
        unfixed=_unfixed(leaderboard.benchmark),
    )


def _unfixed(benchmark: Benchmark) -> str:
    """List what the definition of a version gives no digest of, as imported ones do not."""
    evals = benchmark.evals.values()
    known = {
        "tasks": all(one.task for one in evals),
        "graders": all(one.grader for one in evals),
        "prompt": benchmark.system_prompt is not None,
        "guidelines": benchmark.guidelines is not None,
    }
    return ", ".join(what for what, fixed in known.items() if not fixed)


TROUBLES: Final = ("refused", "cut_off", "retried", "spoiled")
"""What may happen to an attempt, as `RequestTally` counts it."""


def _happened(row: ModelRow, trouble: str) -> bool:
    return row.requests is not None and getattr(row.requests, trouble) > 0


def _amounts(rows: Sequence[ModelRow], condition: TableCondition) -> dict[str, tuple[bool, str]]:
    """Say for each optional column whether some row has a value, and what it is called."""
    amounts = {
        "attributed": (any(row.attributed for row in rows), "attributed score"),
        "tests": (any(row.tests_percent is not None for row in rows), "share of tests passed"),
        "cost": (any(row.cost_usd.mean is not None for row in rows), "cost"),
        "pass_cost": (any(row.cost_per_pass is not None for row in rows), "cost per eval passed"),
        "time": (any(row.generation_s.mean is not None for row in rows), "generation time"),
        "tokens": (any(row.output_tokens.mean is not None for row in rows), "tokens"),
        "rerun": (any(row.rerun is not None for row in rows), "rerun noise"),
        "all_of_three": (any(row.all_of_three is not None for row in rows), "pass^3"),
    }
    if condition is BOTH:
        effect = any(row.effect for row in rows)
        return {"effect": (effect, "effect of the guidelines")} | amounts
    return amounts


def _groups(
    site: SiteData, leaderboard: Leaderboard, condition: TableCondition
) -> list[ModelGroup]:
    usual = condition.experiment or DEFAULT
    models = leaderboard.models()
    main = [one for one in models if one.newest.experiment == usual]
    groups = [("Models", "", main)]
    if condition is BOTH:
        seen = {one.newest.slug for one in main}
        rest = [one for one in models if one.newest.experiment != usual]
        alone = [one for one in rest if one.newest.slug not in seen]
        for name in sorted({one.newest.experiment for one in alone}):
            under = [one for one in alone if one.newest.experiment == name]
            groups.append((f"Complete {experiment(name)} only", _apart(site, under, usual), under))
    baselines = [one for one in leaderboard.entries if one.newest.baseline]
    shown = [one for one in baselines if one.newest.experiment == usual]
    groups.append(("Baselines", baselines_note(shown), shown))
    # In a group that stands alone beside the main one nothing is ranked.
    return [
        group_of(title, note, rows_of(leaderboard, entries, best=entries is main))
        for title, note, entries in groups
        if entries
    ]


_BASELINES: Final = {
    "baseline/oracle": "Oracle hands in the reference answers",
    "baseline/empty": "Empty hands in nothing",
    "baseline/stub": "Stub hands in the right exports, which do nothing",
}


def baselines_note(entries: Sequence[Entry]) -> str:
    """Say in one line what baselines are, of those that stand there."""
    known = [text for slug, text in _BASELINES.items() if slug in {e.newest.slug for e in entries}]
    return "; ".join(["not language models, not ranked", *known])


def _apart(site: SiteData, entries: Sequence[Entry], usual: str) -> str:
    """Say why rows stand apart, and of which an unfinished run under ``usual`` is there."""
    found = {
        one.newest.name: awaiting(site, one.newest.version, one.newest.slug, usual)
        for one in entries
    }
    said = [
        f"{name}: {run.unjudged} of {run.planned} attempts {experiment(usual)} have no verdict yet"
        for name, run in found.items()
        if run is not None
    ]
    return "; ".join(["not comparable with the rows above", *said])


def group_of(title: str, note: str, rows: Sequence[ModelRow]) -> ModelGroup:
    """Return rows as a group of a table."""
    return ModelGroup(title, note, all(row.source is not None for row in rows), rows)


def rows_of(leaderboard: Leaderboard, entries: Sequence[Entry], *, best: bool) -> list[ModelRow]:
    """Return entries as rows, a cell per category; ``best`` marks the best of each column."""
    columns = [leaderboard.evals(key) for key in leaderboard.categories()]
    placed = [one.row.rank if best else None for one in entries]
    tops = tops_of(entries, columns) if best else [None] * len(columns)
    return [
        _row(leaderboard, entry, rank, _cells(entry, columns, tops))
        for entry, rank in zip(entries, placed, strict=True)
    ]


def tops_of(entries: Sequence[Entry], columns: Sequence[Sequence[str]]) -> list[float | None]:
    """Return the best percentage of each column; None with nobody to be better than.

    None too where a column has too few evals, or too many share the best, for that to say anything.
    """
    if len(entries) < 2:  # noqa: PLR2004 - one row is not the best of anything
        return [None] * len(columns)
    tops: list[float | None] = []
    for column in columns:
        shares = [entry_share(one, column).percent for one in entries]
        best = max(shares)
        telling = len(column) >= FEWEST and shares.count(best) < _MANY
        tops.append(best if telling else None)
    return tops


def _cells(
    entry: Entry, columns: Sequence[Sequence[str]], tops: Sequence[float | None]
) -> list[HeatCell | None]:
    return [
        heat_cell(entry_share(entry, column), top)
        for column, top in zip(columns, tops, strict=True)
    ]


def _row(
    leaderboard: Leaderboard,
    entry: Entry,
    rank: RankRange | None,
    cells: Sequence[HeatCell | None],
) -> ModelRow:
    newest = entry.newest
    evals = leaderboard.evals()
    bare = leaderboard.find(newest.slug, NO_GUIDELINES)
    effects = {one.slug: one for one in leaderboard.effects}
    compared = newest.experiment == DEFAULT and not newest.baseline
    effect = effects.get(newest.slug) if compared else None
    return plain_row(leaderboard, entry, evals, cells, rank)._replace(
        attributed=attributed(entry),
        tests_percent=100 * entry.row.tests.value if entry.row.tests else None,
        without=entry_share(bare, evals) if bare else None,
        effect=difference(effect.change, effect.conclusion) if effect else None,
    )


def plain_row(
    leaderboard: Leaderboard,
    entry: Entry,
    evals: Sequence[str],
    cells: Sequence[HeatCell | None],
    rank: RankRange | None,
) -> ModelRow:
    """Return an entry's row over ``evals``, without what is known of whole versions only."""
    newest = entry.newest
    return ModelRow(
        model=linked(newest),
        rank=rank,
        score=score(entry_share(entry, evals), *interval(leaderboard, entry, evals)),
        attributed=None,
        tests_percent=None,
        cells=cells,
        without=None,
        effect=None,
        effect_chart=None,
        cost_usd=entry.row.cost_usd,
        cost_per_pass=entry.row.cost_per_pass,
        generation_s=entry.row.generation_s,
        output_tokens=entry.row.output_tokens,
        rerun=None if entry.row.rerun is None else 100 * entry.row.rerun,
        all_of_three=100 * entry.row.passes_all[3] if 3 in entry.row.passes_all else None,  # noqa: PLR2004 - as the column says
        requests=entry.requests,
        runs=len(entry.runs),
        latest=newest.date,
        latest_href=run_path(newest.run_id),
        source=newest.source,
        local=any(run.local for run in entry.runs),
    )


def _points(rows: Sequence[ModelRow]) -> list[CostPoint]:
    known = [(row, row.cost_usd.mean) for row in rows if row.cost_usd.mean is not None]
    offers = [Offer(row.model.slug, cost, row.score.share.percent) for row, cost in known]
    best = {one.slug for one in frontier(offers)}
    return [
        CostPoint(row.model, cost, row.score.share.percent, frontier=row.model.slug in best)
        for row, cost in known
    ]


def _scatter(points: Sequence[CostPoint], path: str) -> str | None:
    if not points:
        return None
    root = "../" * path.count("/")
    return scatter(
        [
            Dot(
                label=one.model.name,
                href=root + model_path(one.model.slug),
                x=one.cost_usd,
                y=one.percent,
                low=None,
                high=None,
                marked=one.frontier,
                note=f"{dollars(one.cost_usd)} per attempt, {one.model.provider}",
            )
            for one in points
        ]
    )
