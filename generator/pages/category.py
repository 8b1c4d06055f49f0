"""The page of a category in a benchmark version: models by evals."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from generator.blocks.benchmark_versions import VersionHead, build_version_head
from generator.blocks.model_rows import ModelGroup, ModelRow, build_model_group, build_plain_row
from generator.blocks.score_cell import build_heat_cell
from generator.facts.shares import RANKED_EVALS, Share, compute_health_share, compute_ranks
from generator.facts.site_data import SiteData
from generator.facts.titles import build_category, describe_experiment, find_eval_title
from generator.facts.uncounted_runs import explain_empty_table, find_left_out
from generator.facts.urls import Category, Link, build_eval_path, build_page_frame
from generator.render.environment import Frame
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_table import RankRange
from records.text.numbers import format_count

_MOST_COLUMNS: Final = 100
"""Evals that have a column each: a table with more is wider than anybody reads."""


class CategoryEval(NamedTuple):
    """The column of an eval in its category's table."""

    name: str
    label: str
    href: str
    number: str
    """The head of the column: the number in the eval's name, such as ``003``."""
    passed: str
    """The share of models with guidelines that pass, such as ``4.7/6``; empty without models."""


class CategoryPage(NamedTuple):
    """The page of a category in a benchmark version."""

    template = "pages/category.html"

    frame: Frame
    category: Category
    version: VersionHead
    table: str
    """The path of the table of all categories."""
    is_part: bool
    """Whether that table is over a part of the version's evals, which no data file has."""
    categories: Sequence[Link]
    evals: Sequence[CategoryEval]
    has_columns: bool
    """The evals are few enough for a column each; benchmarks of other tools may have thousands."""
    groups: Sequence[ModelGroup]
    ranked: bool
    """Whether there are enough evals to rank models."""
    empty: str
    """The text that is shown if there are no rows."""


def build_category_page(site: SiteData, leaderboard: Leaderboard, key: str) -> CategoryPage:
    """Return the page of the category ``key`` of ``leaderboard``."""
    evals = leaderboard.list_eval_names(key)
    folder = site.find_version_folder(leaderboard.version)
    about = build_category(key)
    title = site.titles[leaderboard.version]
    having = [
        version for version, board in site.leaderboards.items() if key in board.list_categories()
    ]
    switch = site.build_switch(f"categories/{key}/", leaderboard.version, having)
    return CategoryPage(
        frame=build_page_frame(
            f"{about.label}: {title}",
            f"{folder}categories/{key}/",
            f"How models do at {format_count(len(evals), 'eval')} of {about.label}: {title}.",
            "leaderboard",
            guidelines=not leaderboard.is_of_other_tool,
        ),
        category=about,
        version=build_version_head(site, leaderboard, "")._replace(evals=len(evals), switch=switch),
        table=folder,
        is_part=bool(site.folder),
        categories=[
            Link(f"{folder}categories/{name}/", build_category(name).label, current=name == key)
            for name in leaderboard.list_categories()
        ],
        evals=[_build_column(site, leaderboard, name) for name in evals],
        has_columns=len(evals) <= _MOST_COLUMNS,
        groups=_build_groups(leaderboard, evals),
        ranked=len(evals) >= RANKED_EVALS,
        empty=explain_empty_table(leaderboard, find_left_out(site, leaderboard, None), None),
    )


def _build_column(site: SiteData, leaderboard: Leaderboard, name: str) -> CategoryEval:
    health = leaderboard.health.get(name)
    share = compute_health_share(health) if health else None
    return CategoryEval(
        name=name,
        label=find_eval_title(site, name),
        href=build_eval_path(name),
        number=name.rpartition("/")[2].partition("-")[0],
        passed=f"{share.passes}/{share.judged}" if share else "",
    )


def _build_groups(leaderboard: Leaderboard, evals: list[str]) -> list[ModelGroup]:
    models = sorted(
        leaderboard.select_models(), key=lambda entry: (-entry.sum_passes(evals), entry.key)
    )
    names = sorted({entry.newest.experiment for entry in models})
    groups = [
        (
            "Models" if leaderboard.is_of_other_tool else describe_experiment(name).capitalize(),
            [entry for entry in models if entry.newest.experiment == name],
        )
        for name in names
    ]
    baselines = leaderboard.list_baselines_once()
    tables = [
        build_model_group(
            title,
            "",
            _build_rows(leaderboard, entries, evals, compute_ranks(leaderboard, entries, evals)),
        )
        for title, entries in groups
    ]
    if baselines:
        unranked = [None] * len(baselines)
        tables.append(
            build_model_group(
                "Baselines", "not ranked", _build_rows(leaderboard, baselines, evals, unranked)
            )
        )
    return tables


def _build_rows(
    leaderboard: Leaderboard,
    entries: Sequence[Entry],
    evals: list[str],
    placed: Sequence[RankRange | None],
) -> list[ModelRow]:
    rows = [
        _build_row(leaderboard, entry, evals, rank)
        for entry, rank in zip(entries, placed, strict=True)
    ]
    return sorted(rows, key=lambda row: (-row.score.share.passed, row.model.slug))


def _build_row(
    leaderboard: Leaderboard, entry: Entry, evals: list[str], rank: RankRange | None
) -> ModelRow:
    pool = entry.row.pool
    indexes = [leaderboard.scored.place[name] for name in evals]
    attempts = [Share(float(pool.passed[at]), int(pool.judged[at])) for at in indexes]
    cells = [build_heat_cell(share, None) for share in attempts]
    return build_plain_row(leaderboard, entry, evals, cells, rank)
