"""The page of a category in a benchmark version: models by evals."""

from typing import Final

from generator.blocks.benchmark_versions import build_version_head
from generator.blocks.model_rows import build_model_group, build_plain_row
from generator.blocks.score_cell import build_heat_cell
from generator.facts.shares import RANKED_EVALS, Share, compute_health_share, compute_ranks
from generator.facts.site_data import SiteData
from generator.facts.titles import build_category, describe_experiment, find_eval_title
from generator.facts.uncounted_runs import explain_empty_table, find_left_out
from generator.facts.urls import Link, build_eval_path, build_page_frame
from generator.render.environment import PageContext, Row
from generator.scores.leaderboards import Entry, Leaderboard
from records.text.numbers import format_count

_MOST_COLUMNS: Final = 100
"""Evals that have a column each: a table with more is wider than anybody reads."""


def build_category_page(site: SiteData, leaderboard: Leaderboard, key: str) -> PageContext:
    """Return the page of the category ``key`` of ``leaderboard``."""
    evals = leaderboard.list_eval_names(key)
    folder = site.find_version_folder(leaderboard.version)
    about = build_category(key)
    title = site.titles[leaderboard.version]
    having = [
        version for version, board in site.leaderboards.items() if key in board.list_categories()
    ]
    switch = site.build_switch(f"categories/{key}/", leaderboard.version, having)
    columns: list[Row] = []
    for name in evals:
        health = leaderboard.health.get(name)
        share = compute_health_share(health) if health else None
        columns.append(
            Row(
                name=name,
                label=find_eval_title(site, name),
                href=build_eval_path(name),
                number=name.rpartition("/")[2].partition("-")[0],
                passed=f"{share.passes}/{share.judged}" if share else "",
            )
        )
    version = build_version_head(site, leaderboard, "")
    version.evals, version.switch = len(evals), switch
    return PageContext(
        "pages/category.html",
        frame=build_page_frame(
            f"{about.label}: {title}",
            f"{folder}categories/{key}/",
            f"How models do at {format_count(len(evals), 'eval')} of {about.label}: {title}.",
            "leaderboard",
            guidelines=not leaderboard.is_of_other_tool,
        ),
        category=about,
        version=version,
        table=folder,
        is_part=bool(site.folder),
        categories=[
            Link(f"{folder}categories/{name}/", build_category(name).label, current=name == key)
            for name in leaderboard.list_categories()
        ],
        evals=columns,
        has_columns=len(evals) <= _MOST_COLUMNS,
        groups=_build_groups(leaderboard, evals),
        ranked=len(evals) >= RANKED_EVALS,
        empty=explain_empty_table(leaderboard, find_left_out(site, leaderboard, None), None),
    )


def _build_groups(leaderboard: Leaderboard, evals: list[str]) -> list[Row]:
    """Return a group of rows for each experiment, and one of baselines, which are not ranked."""
    models = sorted(
        leaderboard.select_models(), key=lambda entry: (-entry.sum_passes(evals), entry.key)
    )
    groups: list[tuple[str, str, list[Entry]]] = []
    for name in sorted({entry.newest.experiment for entry in models}):
        title = "Models" if leaderboard.is_of_other_tool else describe_experiment(name).capitalize()
        groups.append((title, "", [each for each in models if each.newest.experiment == name]))
    baselines = leaderboard.list_baselines_once()
    if baselines:
        groups.append(("Baselines", "not ranked", baselines))
    indexes = [leaderboard.scored.place[name] for name in evals]
    tables: list[Row] = []
    for title, note, entries in groups:
        ranks = [None] * len(entries) if note else compute_ranks(leaderboard, entries, evals)
        rows: list[Row] = []
        for entry, rank in zip(entries, ranks, strict=True):
            pool = entry.row.pool
            shares = [Share(float(pool.passed[at]), int(pool.judged[at])) for at in indexes]
            cells = [build_heat_cell(share, None) for share in shares]
            rows.append(build_plain_row(leaderboard, entry, evals, cells, rank))
        rows.sort(key=lambda row: (-row.score.share.passed, row.model.slug))
        tables.append(build_model_group(title, note, rows))
    return tables
