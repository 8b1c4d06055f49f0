"""The leaderboard of one benchmark version, whole or under one condition."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from generator.charts.plots import Dot, scatter
from generator.contexts.shared import HeatCell, Link
from generator.contexts.tables import Group, Point, Row, TablePage, Version
from generator.pages.boards import Board, Standing
from generator.pages.figures import attributed, difference, interval
from generator.pages.lines import heat_cell, linked, score, standing_share
from generator.pages.material import Material
from generator.pages.names import (
    DEFAULT,
    NO_GUIDELINES,
    category,
    experiment,
    frame,
    model_path,
    run_path,
)
from generator.scores.frontier import Offer, frontier


@dataclass(frozen=True, slots=True)
class Condition:
    """Which rows a table has, and where it stands below its version."""

    below: str
    link: str
    experiment: str | None
    """None for every model once, under the usual experiment where it ran under that."""


BOTH: Final = Condition("", "Overview", None)
WITH: Final = Condition("with-guidelines/", "With guidelines", DEFAULT)
WITHOUT: Final = Condition("without-guidelines/", "Without guidelines", NO_GUIDELINES)
CONDITIONS: Final = (BOTH, WITH, WITHOUT)


def table_page(
    material: Material, board: Board, condition: Condition, *, path: str | None = None
) -> TablePage:
    """Gather the table of ``board`` under ``condition``; ``path`` says where, if not as usual."""
    keys = board.categories()
    groups = _groups(board, condition)
    rows = [row for group in groups for row in group.rows]
    points = _points(rows)
    amounts = _amounts(rows, condition)
    place = material.place(board.version)
    path = place + condition.below if path is None else path
    title = material.titles[board.version]
    heading = _heading(material, board, condition)
    return TablePage(
        frame=frame(
            heading if path else "Leaderboard",
            path,
            f"{len(rows)} rows over {len(board.benchmark.evals)} evals: {title}.",
            "" if place else "leaderboard",
        ),
        heading=heading,
        lead=_LEADS[condition.below],
        version=version(material, board, condition.below),
        conditions=[
            Link(place + one.below, one.link, current=one is condition) for one in CONDITIONS
        ],
        columns=[category(key) for key in keys],
        categories=[Link(f"{place}categories/{key}/", category(key).label) for key in keys],
        groups=groups,
        amounts=[key for key, (known, _) in amounts.items() if known],
        unknown=", ".join(label for known, label in amounts.values() if not known),
        incomplete=board.others,
        scatter=_scatter(points, path),
        points=points,
        costless=sum(row.cost_usd is None for row in rows),
    )


_LEADS: Final = {
    "": "Each answer is deployed, type-checked, linted and tested; the score is the share of evals"
    " that pass. Models were asked with the guidelines in their prompt; where they were asked"
    " without, too, the guidelines column says what those did.",
    "with-guidelines/": "Every model that was asked with the Convex guidelines in its prompt.",
    "without-guidelines/": "Every model that was asked with the task alone: what it knows of"
    " Convex by itself.",
}


def _heading(material: Material, board: Board, condition: Condition) -> str:
    if condition is not BOTH:
        return f"Scores {condition.link.lower()}"
    front = board.version == material.front
    return material.settings.tagline if front else material.titles[board.version]


def version(material: Material, board: Board, below: str) -> Version:
    """Return a version as the head of a page that stands ``below`` each version's place."""
    return Version(
        version=board.version,
        title=material.titles[board.version],
        source=board.benchmark.source,
        evals=len(board.benchmark.evals),
        switch=material.switch(below, board.version),
    )


def _amounts(rows: Sequence[Row], condition: Condition) -> dict[str, tuple[bool, str]]:
    """Say for each optional column whether some row has a value, and what it is called."""
    amounts = {
        "attributed": (any(row.attributed for row in rows), "attributed score"),
        "tests": (any(row.tests_percent is not None for row in rows), "share of tests passed"),
        "cost": (any(row.cost_usd is not None for row in rows), "cost"),
        "time": (any(row.generation_s is not None for row in rows), "generation time"),
    }
    if condition is BOTH:
        effect = any(row.effect for row in rows)
        return {"effect": (effect, "effect of the guidelines")} | amounts
    return amounts


def _groups(board: Board, condition: Condition) -> list[Group]:
    usual = condition.experiment or DEFAULT
    models = board.models()
    main = [one for one in models if one.newest.experiment == usual]
    groups = [("Models", "", main)]
    if condition is BOTH:
        seen = {one.newest.slug for one in main}
        rest = [one for one in models if one.newest.experiment != usual]
        alone = [one for one in rest if one.newest.slug not in seen]
        for name in sorted({one.newest.experiment for one in alone}):
            under = [one for one in alone if one.newest.experiment == name]
            note = "not comparable with the rows above"
            groups.append((f"Measured {experiment(name)} only", note, under))
    baselines = [one for one in board.standings if one.newest.baseline]
    shown = [one for one in baselines if one.newest.experiment == usual]
    groups.append(("Baselines", "not language models, not ranked", shown))
    return [
        _group(board, title, note, standings, alone=standings is not main)
        for title, note, standings in groups
        if standings
    ]


def _group(
    board: Board, title: str, note: str, standings: Sequence[Standing], *, alone: bool
) -> Group:
    """Gather a group; in one that stands ``alone`` beside the main one nothing is ranked."""
    rows = rows_of(board, standings, best=not alone)
    return Group(title, note, all(row.source is not None for row in rows), rows)


def rows_of(board: Board, standings: Sequence[Standing], *, best: bool) -> list[Row]:
    """Return standings as rows, a cell per category; ``best`` marks the best of each column."""
    columns = [board.evals(key) for key in board.categories()]
    placed = [one.row.rank if best else None for one in standings]
    tops = tops_of(standings, columns) if best else [None] * len(columns)
    return [
        _row(board, standing, rank, _cells(standing, columns, tops), tied=placed.count(rank) > 1)
        for standing, rank in zip(standings, placed, strict=True)
    ]


def tops_of(standings: Sequence[Standing], columns: Sequence[Sequence[str]]) -> list[float | None]:
    """Return the best percentage of each column; None with nobody to be better than."""
    if len(standings) < 2:  # noqa: PLR2004 - one row is not the best of anything
        return [None] * len(columns)
    return [max(standing_share(one, column).percent for one in standings) for column in columns]


def _cells(
    standing: Standing, columns: Sequence[Sequence[str]], tops: Sequence[float | None]
) -> list[HeatCell | None]:
    return [
        heat_cell(standing_share(standing, column), top)
        for column, top in zip(columns, tops, strict=True)
    ]


def _row(
    board: Board,
    standing: Standing,
    rank: int | None,
    cells: Sequence[HeatCell | None],
    *,
    tied: bool,
) -> Row:
    newest = standing.newest
    evals = board.evals()
    bare = board.find(newest.slug, NO_GUIDELINES)
    effects = {one.slug: one.paired for one in board.effects}
    effect = effects.get(newest.slug) if newest.experiment == DEFAULT else None
    return Row(
        model=linked(newest),
        rank=rank,
        tied=tied,
        score=score(standing_share(standing, evals), *interval(board, standing, evals)),
        attributed=attributed(standing),
        tests_percent=100 * standing.row.tests.value if standing.row.tests else None,
        cells=cells,
        without=standing_share(bare, evals) if bare else None,
        effect=difference(effect.change, effect.evidence) if effect else None,
        cost_usd=standing.row.cost_usd.mean,
        generation_s=standing.row.generation_s.mean,
        runs=len(standing.runs),
        latest=newest.date,
        latest_href=run_path(newest.run_id),
        source=newest.source,
        local=any(run.local for run in standing.runs),
    )


def _points(rows: Sequence[Row]) -> list[Point]:
    known = [(row, row.cost_usd) for row in rows if row.cost_usd]
    offers = [Offer(row.model.slug, cost, row.score.share.percent) for row, cost in known]
    best = {one.slug for one in frontier(offers)}
    return [
        Point(row.model, cost, row.score.share.percent, frontier=row.model.slug in best)
        for row, cost in known
    ]


def _scatter(points: Sequence[Point], path: str) -> str | None:
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
            )
            for one in points
        ]
    )
