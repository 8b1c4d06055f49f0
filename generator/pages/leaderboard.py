"""The page with the main table of a benchmark version, for each condition and for all."""

from collections.abc import Sequence
from typing import NamedTuple

from generator import site_links
from generator.blocks import first_screen, progress_chart, table_sentences, uncounted_runs
from generator.blocks.leaderboard_columns import build_amount_cells, split_columns
from generator.blocks.shares import (
    compute_corrected_share,
    compute_ranks,
    render_correction_note,
)
from generator.read.summaries import RunSummary, get_category_key
from generator.render.score_map import choose_floor
from generator.render.template_filters import choose_percent_writer
from generator.render.templates import PageContext, Row
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import Share
from generator.scores.score_table import RANKED_EVALS
from generator.site_data import SiteData
from records.suites.experiments import DEFAULT, NO_GUIDELINES, is_of_a_trial
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
    folder = site.find_version_folder(version)
    path = folder + condition.below if path is None else path
    front = version == site.front and condition is BOTH
    entries = leaderboard.select_models(condition.experiment or DEFAULT)
    usual = condition.experiment or DEFAULT
    named_groups: list[tuple[str, list[str], Sequence[Entry]]] = [("Models", [], entries)]
    if condition is BOTH:
        seen = {entry.newest.slug for entry in entries}
        alone = [entry for entry in leaderboard.select_models() if entry.newest.slug not in seen]
        for name in sorted({entry.newest.experiment for entry in alone}):
            under = [entry for entry in alone if entry.newest.experiment == name]
            notes = ["not comparable with the rows above"] if entries else []
            for newest in (entry.newest for entry in under):
                run = uncounted_runs.find_awaiting(site, newest.version, newest.slug, usual)
                if run is not None:
                    verb = "has" if run.unjudged == 1 else "have"
                    notes.append(
                        f"{newest.name}: {run.unjudged} of {run.planned} attempts"
                        f" {site_links.describe_experiment(usual)} {verb} no verdict yet"
                    )
            named_groups.append(
                (f"Measured {site_links.describe_experiment(name)} only", notes, under)
            )
    below = [entry for entry in leaderboard.unranked if entry.newest.experiment == usual]
    lacking = "without some of the shared evals, so no score compares with another"
    named_groups.append(("Not ranked", [lacking], below))
    baselines = leaderboard.list_baselines_once()
    if condition is not BOTH:
        under = [entry for entry in leaderboard.entries if entry.newest.experiment == usual]
        baselines = [entry for entry in under if entry.newest.baseline]
    slugs = {entry.newest.slug for entry in baselines}
    explained = [text for slug, text in BASELINE_NOTES.items() if slug in slugs]
    named_groups.append(("Baselines", ["not language models, not ranked", *explained], baselines))
    groups = [
        # Only rows of the first group are ranked.
        Row(title=title, note="; ".join(notes), entries=members, ranked=members is entries)
        for title, notes, members in named_groups
        if members
    ]
    shown = [entry for group in groups for entry in group.entries]
    cells = build_amount_cells(site, leaderboard, shown)
    columns, unknown = split_columns(cells.values())
    gains = {
        entry.key: effect.difference
        for entry in (shown if condition is BOTH else ())
        if not entry.newest.baseline and (effect := leaderboard.find_effect(entry))
    }
    lacks_effect = condition is BOTH and not gains and not leaderboard.is_of_other_tool
    unknown = ["effect of the guidelines", *unknown] if lacks_effect else unknown
    chart = progress_chart.build_progress_chart(site, leaderboard, entries)
    bare = leaderboard.select_models(NO_GUIDELINES) if condition is BOTH else []
    measured = entries or bare
    days = [
        day
        for entry in measured
        for run in entry.runs
        if not run.head.day_of_import
        for day in (run.asked_from, run.date)
    ]
    once = not leaderboard.is_of_other_tool and site.settings.asks_once(benchmark.source)
    sentences = table_sentences.build_sentences(
        entries,
        bare,
        {
            "Guidelines": table_sentences.describe_gains(leaderboard, entries),
            "Newer": "" if chart is None else f"{chart.newer}.",
            "Hardest": table_sentences.describe_categories(leaderboard, measured),
            "Asked": table_sentences.describe_asking(days, once=once),
        },
    )
    left_out = uncounted_runs.find_left_out(site, leaderboard, condition.experiment)
    headline = first_screen.build_headline(
        site, leaderboard, measured, without=condition is WITHOUT or (not entries and bool(bare))
    )
    leaders = first_screen.find_leaders(measured)
    # A model without a rank may have few evals, and a range as wide as the axis.
    on_axis = [entry for entry in shown if entry.row.rank]
    return PageContext(
        "pages/leaderboard.html",
        f"{condition.tab}: {site.titles[version]}" if path else condition.tab,
        path,
        f"{headline.text}.",
        "leaderboard",
        guidelines=not leaderboard.is_of_other_tool,
        headline=headline.html,
        measured=measured,
        days=days,
        tie=len(leaders) > 1,
        leaders={entry.key for entry in leaders} if len(entries) > 1 else (),
        answers=first_screen.build_answers(measured, imported=benchmark.source is not None),
        maps=first_screen.draw_maps(measured),
        board=leaderboard,
        condition=condition,
        front=front,
        sentences=sentences,
        columns=[
            Row(
                link=site.link_category(version, key),
                key=key,
                evals=leaderboard.list_eval_names(key),
                best=_find_best_percent(entries, key),
                write=choose_percent_writer(
                    entry.row.categories[key].share.percent
                    for entry in shown
                    if key in entry.row.categories
                ),
            )
            for key in leaderboard.list_categories()
        ],
        parts=[part for part in site.parts if version in part.leaderboards],
        groups=groups,
        floor=choose_floor(entry.row.score.interval for entry in on_axis or shown),
        corrected={entry.key: compute_corrected_share(leaderboard, entry) for entry in entries},
        correction=render_correction_note(leaderboard, entries),
        elsewhere=_list_elsewhere(site, leaderboard) if front else [],
        invited=version == site.own_version and not site.folder and not leaderboard.select_models(),
        gains=gains,
        cells=cells,
        amounts=columns,
        unknown=", ".join(unknown),
        uncounted=len(left_out),
        left_out=uncounted_runs.render_left_out_note(site, left_out, condition.experiment),
        basics=site,
        progress=chart,
        months=f"{folder}guidelines/#months"
        if groups and site.settings.guidelines and not (site.folder or leaderboard.is_of_other_tool)
        else None,
        months_unknown=progress_chart.explain_missing_months(site, leaderboard),
    )


_MANY = 3
"""If so many models or more share the best value of a column, it is not marked."""


def _find_best_percent(entries: Sequence[Entry], key: str) -> float | None:
    """Return the best percentage of a category; None if it is not marked.

    That is so for a single model, for too few evals, and if `_MANY` models or more share it.
    """
    shares = [entry.row.categories[key].share for entry in entries]
    percents = [share.percent for share in shares]
    if len(shares) < 2 or shares[0].few or percents.count(max(percents)) >= _MANY:  # noqa: PLR2004 - one has no other
        return None
    return max(percents)


BASELINE_NOTES = {
    "baseline/oracle": "Oracle hands in the reference answers",
    "baseline/empty": "Empty hands in nothing",
    "baseline/stub": "Stub hands in the right files, which do nothing",
}


def _list_elsewhere(site: SiteData, here: Leaderboard) -> list[tuple[RunSummary, Entry | None]]:
    """Return the newest run of every model without a row in ``here``, with its entry elsewhere.

    Newest versions are first, unscored models last. Benchmarks of other tools are left out, because
    their scores have nothing in common with others.
    """
    if here.is_of_other_tool:
        return []
    shown = {entry.newest.slug for entry in (*here.select_models(), *here.unranked)}
    elsewhere: dict[str, tuple[RunSummary, Entry | None]] = {}
    for board in site.leaderboards.values():
        for entry in board.select_models() if not board.is_of_other_tool else ():
            elsewhere.setdefault(entry.newest.slug, (entry.newest, entry))
    for slug, runs in site.by_model.items():
        for run in runs:
            if not (is_of_a_trial(run.experiment) or run.of_other_tool or run.baseline):
                elsewhere.setdefault(slug, (run, None))
    return [each for slug, each in elsewhere.items() if slug not in shown]


_MOST_COLUMNS = 100
"""Evals that have a column each: a table with more is wider than anybody reads."""


def build_category_page(site: SiteData, leaderboard: Leaderboard, key: str) -> PageContext:
    """Return the page of the category ``key`` of ``leaderboard``."""
    evals = leaderboard.list_eval_names(key)
    folder = site.find_version_folder(leaderboard.version)
    label = site_links.label_category(key)
    title = site.titles[leaderboard.version]
    having = [
        version for version, board in site.leaderboards.items() if key in board.list_categories()
    ]
    # A group of rows for each experiment, and one of baselines, which are not ranked.
    models = leaderboard.select_models()
    listed: list[tuple[str, str, list[Entry]]] = []
    for name in sorted({entry.newest.experiment for entry in models}):
        words = site_links.describe_experiment(name)
        heading = "Models" if leaderboard.is_of_other_tool else words.capitalize()
        listed.append((heading, "", [each for each in models if each.newest.experiment == name]))
    baselines = leaderboard.list_baselines_once()
    if baselines:
        listed.append(("Baselines", "not ranked", baselines))
    indexes = [leaderboard.scored.place[name] for name in evals]
    groups: list[Row] = []
    for heading, note, entries in listed:
        ranks = [None] * len(entries) if note else compute_ranks(leaderboard, entries, evals)
        rows = [
            (
                entry,
                rank,
                [Share(float(pool.passed[at]), int(pool.judged[at])) for at in indexes],
            )
            for entry, rank in zip(entries, ranks, strict=True)
            for pool in (entry.row.pool,)
        ]
        rows.sort(key=lambda row: (-row[0].row.categories[key].share.passed, row[0].newest.slug))
        groups.append(Row(title=heading, note=note, rows=rows))
    return PageContext(
        "pages/category.html",
        f"{label}: {title}",
        f"{folder}categories/{key}/",
        f"How models do at {format_count(len(evals), 'eval')} of {label}: {title}.",
        "leaderboard",
        guidelines=not leaderboard.is_of_other_tool,
        category=key,
        board=leaderboard,
        board_switch=site.build_switch(f"categories/{key}/", leaderboard.version, having),
        evals_beside=[name for name in leaderboard.scored.beside if get_category_key(name) == key],
        basics=site,
        categories=[
            site.link_category(leaderboard.version, name, current=name == key)
            for name in leaderboard.list_categories()
        ],
        evals=evals,
        has_columns=len(evals) <= _MOST_COLUMNS,
        groups=groups,
        ranked=len(evals) >= RANKED_EVALS,
        uncounted=len(uncounted_runs.find_left_out(site, leaderboard, None)),
    )
