"""One category of one benchmark version: models by evals."""

from collections.abc import Sequence

from generator.contexts.shared import HeatCell, Link
from generator.contexts.tables import CategoryEval, CategoryPage, Group, Row
from generator.pages.boards import Board, Standing
from generator.pages.figures import interval, ranks
from generator.pages.lines import heat_cell, linked, mean_of, score, standing_share
from generator.pages.material import Material
from generator.pages.names import category, eval_label, eval_path, experiment, frame, run_path
from generator.pages.table import version


def category_page(material: Material, board: Board, key: str) -> CategoryPage:
    """Gather the page of the category ``key`` of ``board``."""
    evals = board.evals(key)
    place = material.place(board.version)
    about = category(key)
    title = material.titles[board.version]
    having = [one for one, other in material.boards.items() if key in other.categories()]
    switch = material.switch(f"categories/{key}/", board.version, having)
    return CategoryPage(
        frame=frame(
            about.label,
            f"{place}categories/{key}/",
            f"How models do at the {len(evals)} evals of {about.label}: {title}.",
        ),
        category=about,
        version=version(material, board, "")._replace(evals=len(evals), switch=switch),
        categories=[
            Link(f"{place}categories/{one}/", category(one).label, current=one == key)
            for one in board.categories()
        ],
        evals=[_column(material, board, name) for name in evals],
        groups=_groups(board, evals),
    )


def _column(material: Material, board: Board, name: str) -> CategoryEval:
    texts = material.texts.get(name)
    return CategoryEval(
        name=name,
        label=texts.title if texts else eval_label(name),
        href=eval_path(name),
        share=mean_of(board.models(), name),
    )


def _groups(board: Board, evals: list[str]) -> list[Group]:
    models = sorted(board.models(), key=lambda one: (-one.passed(evals), one.key))
    names = sorted({one.newest.experiment for one in models})
    groups = [
        (experiment(name).capitalize(), [one for one in models if one.newest.experiment == name])
        for name in names
    ]
    baselines = [one for one in board.standings if one.newest.baseline]
    found = [
        _group(title, "", _rows(board, standings, evals, ranks(board, standings, evals)))
        for title, standings in groups
    ]
    if baselines:
        unranked = [None] * len(baselines)
        found.append(_group("Baselines", "not ranked", _rows(board, baselines, evals, unranked)))
    return found


def _group(title: str, note: str, rows: list[Row]) -> Group:
    return Group(title, note, all(row.source is not None for row in rows), rows)


def _rows(
    board: Board, standings: Sequence[Standing], evals: list[str], placed: Sequence[int | None]
) -> list[Row]:
    rows = [
        _row(board, one, evals, rank, tied=rank is not None and placed.count(rank) > 1)
        for one, rank in zip(standings, placed, strict=True)
    ]
    # By rank, then score: the order in which no row stands above one of a better rank.
    return sorted(rows, key=lambda row: (row.rank or 0, -row.score.share.passed, row.model.slug))


def _row(
    board: Board, standing: Standing, evals: list[str], rank: int | None, *, tied: bool
) -> Row:
    newest = standing.newest
    cells: list[HeatCell | None] = [
        heat_cell(standing_share(standing, [name]), None) for name in evals
    ]
    return Row(
        model=linked(newest),
        rank=rank,
        tied=tied,
        score=score(standing_share(standing, evals), *interval(board, standing, evals)),
        attributed=None,
        tests_percent=None,
        cells=cells,
        without=None,
        effect=None,
        cost_usd=standing.row.cost_usd.mean,
        generation_s=standing.row.generation_s.mean,
        runs=len(standing.runs),
        latest=newest.date,
        latest_href=run_path(newest.run_id),
        source=newest.source,
        local=any(run.local for run in standing.runs),
    )
