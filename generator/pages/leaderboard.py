"""The page with the main table of a benchmark version, for each condition and for all."""

from collections.abc import Sequence
from typing import NamedTuple

from generator import site_links
from generator.blocks import (
    benchmark_versions,
    first_screen,
    model_rows,
    progress_chart,
    table_sentences,
    uncounted_runs,
)
from generator.blocks.leaderboard_columns import list_shown_columns, list_unknown_columns
from generator.blocks.shares import build_heat_cell, compute_ranks
from generator.read.summaries import get_category_key
from generator.render.templates import PageContext, Row
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import Share
from generator.scores.score_table import RANKED_EVALS
from generator.site_data import SiteData
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from records.text.numbers import format_count


class TableCondition(NamedTuple):
    """A condition: which rows the table has, and its path below the version's."""

    below: str
    experiment: str | None
    """The experiment; None for every model once, under the usual experiment if it has that."""
    tab: str
    """The beginning of the page's title."""


BOTH = TableCondition("", None, "Leaderboard")
WITH = TableCondition("with-guidelines/", DEFAULT, "Scores with guidelines")
WITHOUT = TableCondition("without-guidelines/", NO_GUIDELINES, "Scores without guidelines")
CONDITIONS = (BOTH, WITH, WITHOUT)


def build_table_page(
    site: SiteData, leaderboard: Leaderboard, condition: TableCondition, *, path: str | None = None
) -> PageContext:
    """Return the page of a table under ``condition``; ``path`` replaces its usual path."""
    version, benchmark = leaderboard.version, leaderboard.benchmark
    title, folder = site.titles[version], site.find_version_folder(version)
    path = folder + condition.below if path is None else path
    front = version == site.front and condition is BOTH
    entries = leaderboard.select_models(condition.experiment or DEFAULT)
    groups = _build_groups(site, leaderboard, condition, entries)
    rows = [row for group in groups for row in group.rows]
    ranked = [row for row in rows if row.rank is not None]
    gains = condition is BOTH and any(row.effect for row in rows)
    lacks_effect = condition is BOTH and not gains and not leaderboard.is_of_other_tool
    amounts = [row.amounts for row in rows]
    unknown = ["effect of the guidelines"] if lacks_effect else []
    scores = [(row.model, row.score.share.percent) for row in ranked]
    chart = progress_chart.build_progress_chart(
        site, leaderboard, scores, condition.experiment or DEFAULT, path
    )
    bare_entries = leaderboard.select_models(NO_GUIDELINES) if condition is BOTH else []
    bare = model_rows.build_model_rows(site, leaderboard, bare_entries, best=True)
    days = [
        day
        for entry in entries or bare_entries
        for run in entry.runs
        if not run.head.day_of_import
        for day in (run.asked_from, run.date)
    ]
    once = not leaderboard.is_of_other_tool and site.settings.asks_once(benchmark.source)
    measured_entries = [row.entry for row in ranked or bare]
    sentences = table_sentences.build_sentences(
        ranked,
        bare,
        {
            "Guidelines": table_sentences.describe_gains(leaderboard, ranked),
            "Newer": "" if chart is None else f"{chart.newer}.",
            "Hardest": table_sentences.describe_categories(leaderboard, measured_entries),
            "Asked": table_sentences.describe_asking(days, once=once),
        },
    )
    left_out = uncounted_runs.find_left_out(site, leaderboard, condition.experiment)
    measured = ranked or bare
    root = "../" * path.count("/")
    headline = first_screen.build_headline(
        site, leaderboard, measured, without=condition is WITHOUT or (not ranked and bool(bare))
    )
    floor = first_screen.mark_leaders(rows, ranked)
    return PageContext(
        "pages/leaderboard.html",
        f"{condition.tab}: {title}" if path else condition.tab,
        path,
        f"{headline.text}.",
        "leaderboard",
        guidelines=not leaderboard.is_of_other_tool,
        headline=headline.html,
        about=first_screen.describe_table(
            site,
            leaderboard,
            len(measured),
            days,
        ),
        tie=len(first_screen.find_leaders(measured)) > 1,
        answers=first_screen.build_answers(measured, imported=benchmark.source is not None),
        maps=first_screen.draw_maps(measured, root),
        alone=first_screen.draw_categories(leaderboard, measured[0].entry.row)
        if len(measured) == 1
        else [],
        benchmark=benchmark,
        condition=condition,
        sentences=sentences,
        version=benchmark_versions.build_version_head(site, leaderboard, condition.below),
        versions=benchmark_versions.build_versions(site, version, condition.below),
        views=benchmark_versions.build_views(site, leaderboard, condition.below),
        columns=[
            Row(
                link=site.link_category(version, key),
                key=key,
                evals=leaderboard.list_eval_names(key),
            )
            for key in leaderboard.list_categories()
        ],
        evals=leaderboard.list_eval_names(),
        parts=[part for part in site.parts if version in part.leaderboards],
        groups=groups,
        floor=floor,
        correction=model_rows.render_correction_note(leaderboard, entries),
        benchmarks=benchmark_versions.list_other_benchmarks(site, version) if front else (),
        elsewhere=benchmark_versions.list_elsewhere(site, leaderboard) if front else [],
        invited=version == site.own_version and not site.folder and not leaderboard.select_models(),
        gains=gains,
        amounts=list_shown_columns(amounts),
        unknown=", ".join([*unknown, *list_unknown_columns(amounts)]),
        empty=uncounted_runs.explain_empty_table(leaderboard, left_out, condition.experiment),
        left_out=uncounted_runs.render_left_out_note(site, left_out, condition.experiment),
        graded_again=benchmark_versions.describe_graded_again(site, benchmark),
        basics=site,
        progress=chart,
        months=f"{folder}guidelines/#months"
        if groups and site.settings.guidelines and not (site.folder or leaderboard.is_of_other_tool)
        else None,
        months_unknown=progress_chart.explain_missing_months(site, leaderboard),
    )


BASELINE_NOTES = {
    "baseline/oracle": "Oracle hands in the reference answers",
    "baseline/empty": "Empty hands in nothing",
    "baseline/stub": "Stub hands in the right files, which do nothing",
}


def _build_groups(
    site: SiteData, leaderboard: Leaderboard, condition: TableCondition, main: Sequence[Entry]
) -> list[Row]:
    """Return the groups of a table: ranked models, models under other conditions, baselines."""
    usual = condition.experiment or DEFAULT
    groups: list[tuple[str, list[str], Sequence[Entry]]] = [("Models", [], main)]
    if condition is BOTH:
        seen = {entry.newest.slug for entry in main}
        alone = [entry for entry in leaderboard.select_models() if entry.newest.slug not in seen]
        for name in sorted({entry.newest.experiment for entry in alone}):
            under = [entry for entry in alone if entry.newest.experiment == name]
            notes = ["not comparable with the rows above"] if main else []
            for newest in (entry.newest for entry in under):
                run = uncounted_runs.find_awaiting(site, newest.version, newest.slug, usual)
                if run is not None:
                    verb = "has" if run.unjudged == 1 else "have"
                    notes.append(
                        f"{newest.name}: {run.unjudged} of {run.planned} attempts"
                        f" {site_links.describe_experiment(usual)} {verb} no verdict yet"
                    )
            groups.append((f"Measured {site_links.describe_experiment(name)} only", notes, under))
    below = [entry for entry in leaderboard.unranked if entry.newest.experiment == usual]
    lacking = "without some of the shared evals, so no score compares with another"
    groups.append(("Not ranked", [lacking], below))
    baselines = leaderboard.list_baselines_once()
    if condition is not BOTH:
        under = [entry for entry in leaderboard.entries if entry.newest.experiment == usual]
        baselines = [entry for entry in under if entry.newest.baseline]
    slugs = {entry.newest.slug for entry in baselines}
    explained = [text for slug, text in BASELINE_NOTES.items() if slug in slugs]
    groups.append(("Baselines", ["not language models, not ranked", *explained], baselines))
    return model_rows.align_cells(
        [
            # Only rows of the main group are ranked.
            model_rows.build_model_group(
                title,
                "; ".join(notes),
                model_rows.build_model_rows(site, leaderboard, entries, best=entries is main),
            )
            for title, notes, entries in groups
            if entries
        ]
    )


_MOST_COLUMNS = 100
"""Evals that have a column each: a table with more is wider than anybody reads."""


def build_category_page(site: SiteData, leaderboard: Leaderboard, key: str) -> PageContext:
    """Return the page of the category ``key`` of ``leaderboard``."""
    evals = leaderboard.list_eval_names(key)
    folder = site.find_version_folder(leaderboard.version)
    about = site_links.build_category(key)
    title = site.titles[leaderboard.version]
    having = [
        version for version, board in site.leaderboards.items() if key in board.list_categories()
    ]
    switch = site.build_switch(f"categories/{key}/", leaderboard.version, having)
    # A group of rows for each experiment, and one of baselines, which are not ranked.
    models = sorted(
        leaderboard.select_models(),
        key=lambda entry: (-entry.row.categories[key].share.passed, entry.key),
    )
    listed: list[tuple[str, str, list[Entry]]] = []
    for name in sorted({entry.newest.experiment for entry in models}):
        heading = (
            "Models"
            if leaderboard.is_of_other_tool
            else site_links.describe_experiment(name).capitalize()
        )
        listed.append((heading, "", [each for each in models if each.newest.experiment == name]))
    baselines = leaderboard.list_baselines_once()
    if baselines:
        listed.append(("Baselines", "not ranked", baselines))
    indexes = [leaderboard.scored.place[name] for name in evals]
    groups: list[Row] = []
    for heading, note, entries in listed:
        ranks = [None] * len(entries) if note else compute_ranks(leaderboard, entries, evals)
        rows: list[Row] = []
        for entry, rank in zip(entries, ranks, strict=True):
            pool = entry.row.pool
            shares = [Share(float(pool.passed[at]), int(pool.judged[at])) for at in indexes]
            cells = [build_heat_cell(share, None) for share in shares]
            rows.append(model_rows.build_plain_row(entry, entry.row.categories[key], cells, rank))
        rows.sort(key=lambda row: (-row.score.share.passed, row.model.slug))
        groups.append(model_rows.build_model_group(heading, note, rows))
    version = benchmark_versions.build_version_head(site, leaderboard, "")
    version.evals, version.switch = len(evals), switch
    version.beside = [each for each in version.beside if get_category_key(each.name) == key]
    return PageContext(
        "pages/category.html",
        f"{about.label}: {title}",
        f"{folder}categories/{key}/",
        f"How models do at {format_count(len(evals), 'eval')} of {about.label}: {title}.",
        "leaderboard",
        guidelines=not leaderboard.is_of_other_tool,
        category=about,
        version=version,
        basics=site,
        categories=[
            site.link_category(leaderboard.version, name, current=name == key)
            for name in leaderboard.list_categories()
        ],
        evals=evals,
        health=leaderboard.health,
        has_columns=len(evals) <= _MOST_COLUMNS,
        groups=groups,
        ranked=len(evals) >= RANKED_EVALS,
        empty=uncounted_runs.explain_empty_table(
            leaderboard, uncounted_runs.find_left_out(site, leaderboard, None), None
        ),
    )
