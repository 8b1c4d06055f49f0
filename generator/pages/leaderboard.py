"""The page with the main table of a benchmark version, for each condition and for all."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from generator.blocks.benchmark_versions import (
    ElsewhereRow,
    VersionChoice,
    VersionHead,
    Versions,
    build_version_head,
    build_versions,
    describe_graded_again,
    list_elsewhere,
    list_other_benchmarks,
)
from generator.blocks.corrections import hint_at_correction, render_correction_note
from generator.blocks.leaderboard_columns import (
    COST,
    COST_PER_PASSED,
    TIME,
    AmountColumn,
    get_number,
    list_shown_columns,
    list_unknown_columns,
)
from generator.blocks.model_rows import ModelGroup, align_cells, build_model_group, build_model_rows
from generator.blocks.opening_sentences import (
    Answer,
    FurtherFacts,
    Gain,
    Standing,
    Uncounted,
    build_answers,
    describe_asking,
)
from generator.blocks.progress_chart import (
    CostPoint,
    ProgressChart,
    build_cost_points,
    build_progress_chart,
    draw_cost_plot,
)
from generator.charts.plots import draw_difference_bar
from generator.facts.shares import Difference, convert_effect_to_points
from generator.facts.site_data import SiteData, choose_retirement_verb
from generator.facts.titles import build_category, describe_experiment, find_eval_title
from generator.facts.uncounted_runs import (
    explain_empty_table,
    find_awaiting,
    find_left_out,
    render_left_out_note,
)
from generator.facts.urls import Link, build_eval_path, build_page_frame, build_version_path
from generator.read.site_settings import SiteSettings
from generator.render.environment import Frame
from generator.scores.differences.difference import Conclusion
from generator.scores.guidelines_effect import GuidelinesEffect, find_certain_effects
from generator.scores.leaderboards import Entry, Leaderboard
from records.suites.benchmark import ImportedBenchmark
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from records.text.numbers import format_count


class CategoryColumn(NamedTuple):
    """The column of a category."""

    key: str
    label: str
    evals: int


class PartOfVersion(NamedTuple):
    """The part of a version's evals that a table is about."""

    whole: Link
    """The table over all evals of the version."""
    evals: Sequence[Link]


class TablePage(NamedTuple):
    """The page with the main table of a benchmark version."""

    template = "pages/leaderboard.html"

    frame: Frame
    heading: str
    lead: str
    answers: Sequence[Answer]
    """The sentences above the table."""
    version: VersionHead
    versions: Versions
    conditions: Sequence[Link]
    """Links to the table under each condition."""
    columns: Sequence[CategoryColumn]
    categories: Sequence[Link]
    """Links to the pages of categories."""
    part: "PartOfVersion | None"
    """The part of the version's evals that the table is about; None for all."""
    parts: Sequence[Link]
    """Links to the tables over parts of the version's evals."""
    groups: Sequence[ModelGroup]
    correction: str | None
    """A note on later counts of the ranked rows, as HTML; None if there are none."""
    benchmarks: Sequence[VersionChoice]
    """The benchmarks of other tools, each with a board of its own; only on the front page."""
    elsewhere: Sequence[ElsewhereRow]
    """The models that only other versions measured; empty except on the front page."""
    invited: bool
    """Whether this is our own newest version and has no language model yet."""
    gains: bool
    """Whether the table has a column for the gain from the guidelines."""
    amounts: Sequence[AmountColumn]
    unknown: str
    """The names of the optional columns without values, as words in a list; empty for none."""
    empty: str
    """The text that is shown if there are no rows."""
    left_out: str
    """A sentence on the runs that are not in the table, as HTML; empty for none."""
    graded_again: str
    """A sentence on the runs that are older than the version; empty for none."""
    retirements: Mapping[str, str]
    """Words on the day from which models are no longer offered, by slug, if it is known."""
    scatter: str | None
    """The chart of score against cost, as SVG; None with fewer than two known costs."""
    progress: ProgressChart | None
    """None if too few days of release are known."""
    points: Sequence[CostPoint]
    costless: int
    """The number of ranked models without a known cost."""


@dataclass(frozen=True, slots=True)
class TableCondition:
    """A condition: which rows the table has, and its path below the version's."""

    below: str
    link: str
    experiment: str | None
    """The experiment; None for every model once, under the usual experiment if it has that."""
    tab: str
    """The beginning of the page's title."""


BOTH: Final = TableCondition("", "Overview", None, "Leaderboard")
WITH: Final = TableCondition(
    "with-guidelines/", "With guidelines", DEFAULT, "Scores with guidelines"
)
WITHOUT: Final = TableCondition(
    "without-guidelines/", "Without guidelines", NO_GUIDELINES, "Scores without guidelines"
)
CONDITIONS: Final = (BOTH, WITH, WITHOUT)


def build_table_page(
    site: SiteData, leaderboard: Leaderboard, condition: TableCondition, *, path: str | None = None
) -> TablePage:
    """Return the page of a table under ``condition``; ``path`` replaces its usual path."""
    keys = leaderboard.list_categories()
    groups = _draw_effects(_build_groups(site, leaderboard, condition))
    rows = [row for group in groups for row in group.rows]
    main = [row for row in rows if row.rank is not None]
    points = build_cost_points(main)
    gains = condition is BOTH and any(row.effect for row in rows)
    amounts = [row.amounts for row in rows]
    lacks_effect = condition is BOTH and not gains and not leaderboard.is_of_other_tool
    unknown = ["effect of the guidelines"] if lacks_effect else []
    folder = site.find_version_folder(leaderboard.version)
    path = folder + condition.below if path is None else path
    front = leaderboard.version == site.front and condition is BOTH
    others = list_elsewhere(site, leaderboard) if front else []
    scores = [(row.model, row.score.share.percent) for row in main]
    chart = build_progress_chart(site, leaderboard, scores, condition.experiment or DEFAULT, path)
    further = replace(
        _build_further_facts(site, leaderboard, condition, others),
        newer="" if chart is None else f"{chart.newer}.",
    )
    sentences = _build_table_answers(site, leaderboard, condition, groups, further)
    without_row = find_left_out(site, leaderboard, condition.experiment)
    return TablePage(
        frame=_build_frame(site, leaderboard, condition, path, sentences, len(rows)),
        heading=_choose_heading(site, leaderboard, condition),
        lead=_describe_rows(site.settings, leaderboard, condition),
        answers=sentences,
        version=build_version_head(site, leaderboard, condition.below),
        versions=build_versions(site, leaderboard.version, condition.below),
        conditions=_link_tabs(folder, leaderboard, condition),
        columns=[
            CategoryColumn(*build_category(key), len(leaderboard.list_eval_names(key)))
            for key in keys
        ],
        categories=[Link(f"{folder}categories/{key}/", build_category(key).label) for key in keys],
        part=_describe_part(site, leaderboard) if site.folder else None,
        parts=[
            Link(part.folder, part.titles[leaderboard.version])
            for part in site.parts
            if leaderboard.version in part.leaderboards
        ],
        groups=groups,
        correction=render_correction_note(
            leaderboard, _list_ranked_entries(leaderboard, condition)
        ),
        benchmarks=list_other_benchmarks(site, leaderboard.version) if front else (),
        elsewhere=others,
        invited=leaderboard.version == site.own_version
        and not site.folder
        and not leaderboard.select_models(),
        gains=gains,
        amounts=list_shown_columns(amounts, site.summaries.prices.version),
        unknown=", ".join([*unknown, *list_unknown_columns(amounts)]),
        empty=explain_empty_table(leaderboard, without_row, condition.experiment),
        left_out=render_left_out_note(site, without_row, condition.experiment),
        graded_again=describe_graded_again(site, leaderboard.benchmark),
        scatter=draw_cost_plot(points, path) if len(points) > 1 else None,
        retirements=_describe_retirements(site),
        progress=chart,
        points=points,
        costless=len(main) - len(points),
    )


def _describe_part(site: SiteData, leaderboard: Leaderboard) -> PartOfVersion:
    return PartOfVersion(
        Link(build_version_path(leaderboard.version), "Table over all evals"),
        [
            Link(build_eval_path(name), find_eval_title(site, name))
            for name in leaderboard.list_eval_names()
        ],
    )


def _build_frame(  # noqa: PLR0913, PLR0917 - what the page is called after
    site: SiteData,
    leaderboard: Leaderboard,
    condition: TableCondition,
    path: str,
    sentences: Sequence[Answer],
    rows: int,
) -> Frame:
    """Return the values for the layout; the first sentence above the table describes the page."""
    title = site.titles[leaderboard.version]
    evals = format_count(_count_evals(leaderboard), "eval")
    size = f"{format_count(rows, 'row')}, {evals}: {title}."
    return build_page_frame(
        f"{condition.tab}: {title}" if path else condition.tab,
        path,
        sentences[0].text if sentences else size,
        "leaderboard",
        guidelines=not leaderboard.is_of_other_tool,
    )


def _link_tabs(folder: str, leaderboard: Leaderboard, condition: TableCondition) -> list[Link]:
    """Return the links to the same table under each condition, if it is asked under several."""
    tabs = () if leaderboard.is_of_other_tool else CONDITIONS
    return [Link(folder + tab.below, tab.link, current=tab is condition) for tab in tabs]


def _build_table_answers(
    site: SiteData,
    leaderboard: Leaderboard,
    condition: TableCondition,
    groups: Sequence[ModelGroup],
    further: FurtherFacts,
) -> list[Answer]:
    """Return the sentences above the table."""
    bare = _build_groups(site, leaderboard, WITHOUT) if condition is BOTH else ()
    certain = find_certain_effects(leaderboard.effects)
    return build_answers(
        _build_standings(leaderboard, groups, certain),
        _build_overall_gain(leaderboard),
        _build_standings(leaderboard, bare, certain),
        further,
    )


def _build_further_facts(
    site: SiteData,
    leaderboard: Leaderboard,
    condition: TableCondition,
    others: Sequence[ElsewhereRow],
) -> FurtherFacts:
    """Return facts for the sentences that are not in rows, without the trend by day of release."""
    return FurtherFacts(
        elsewhere=[
            (row.model.name, row.score.share.percent) for row in others if row.score is not None
        ],
        uncounted_bare=_find_uncounted(site, leaderboard, NO_GUIDELINES),
        corrected=hint_at_correction(leaderboard, _list_ranked_entries(leaderboard, condition)),
        asked=describe_asking(
            [
                run.date
                for entry in _list_entries_in_sentences(leaderboard, condition)
                for run in entry.runs
                if not run.day_of_import
            ],
            once=not leaderboard.is_of_other_tool
            and site.settings.asks_once(leaderboard.benchmark.source),
        ),
        imported=leaderboard.benchmark.source is not None,
    )


def _find_uncounted(site: SiteData, leaderboard: Leaderboard, under: str) -> list[Uncounted]:
    """Return the models without a score under an experiment because verdicts are missing."""
    counting = {e.newest.slug for e in leaderboard.entries if e.newest.experiment == under}
    runs = {
        run.slug: run
        for run in find_left_out(site, leaderboard, under)
        if run.slug not in counting and not run.baseline
    }
    waiting = [
        (run.name, find_awaiting(site, leaderboard.version, slug, under))
        for slug, run in runs.items()
    ]
    return [Uncounted(name, run.unjudged, run.planned) for name, run in waiting if run is not None]


def _list_entries_in_sentences(leaderboard: Leaderboard, condition: TableCondition) -> list[Entry]:
    """Return the entries for the sentences above the table: ranked, else without guidelines."""
    ranked = _list_ranked_entries(leaderboard, condition)
    return ranked or (_list_ranked_entries(leaderboard, WITHOUT) if condition is BOTH else [])


def _list_ranked_entries(leaderboard: Leaderboard, condition: TableCondition) -> list[Entry]:
    """Return the ranked entries of the table, in its order."""
    return leaderboard.select_models(condition.experiment or DEFAULT)


def _describe_retirements(site: SiteData) -> dict[str, str]:
    """Return by slug words on the day from which a model is no longer offered, if it is known."""
    entries = site.summaries.registry.items()
    return {
        slug: f"{choose_retirement_verb(site, entry.retires)} {entry.retires}"
        for slug, entry in entries
        if entry.retires is not None
    }


_LEADS: Final = {
    "": "Each answer is {graded}; the score is the share of evals"
    " that pass. Models were asked with the {guidelines} in their prompt, unless the heading"
    " of the group says otherwise.",
    "with-guidelines/": "Every model that was asked with the {guidelines} in its prompt.",
    "without-guidelines/": "Every model that was asked without the {guidelines}",
}


def _describe_rows(
    settings: SiteSettings, leaderboard: Leaderboard, condition: TableCondition
) -> str:
    """Return a sentence on the rows of the table; of imported versions the prompt is not known."""
    benchmark = leaderboard.benchmark
    if benchmark.imported is not None:
        return _describe_import(benchmark.imported)
    lead = _LEADS[condition.below].format(
        graded=settings.graded, guidelines=settings.guidelines_named
    )
    if condition is not WITHOUT:
        return lead
    imported = benchmark.source is not None
    return f"{lead}{'.' if imported else '; all else in the prompt is the same.'}"


def _describe_import(imported: ImportedBenchmark) -> str:
    """Return how results of another tool became a score."""
    decided = f" by its score {imported.score}" if imported.score else ""
    lowest = "" if imported.passes_at is None else f", a pass from {imported.passes_at:g} on"
    return (
        f"The score is the share of the samples that pass{decided}{lowest}. The verdicts are those"
        f" in the imported files ({imported.format.tool})."
    )


def _count_evals(leaderboard: Leaderboard) -> int:
    return len(leaderboard.benchmark.evals)


def _build_standings(
    leaderboard: Leaderboard, groups: Sequence[ModelGroup], certain: Container[str]
) -> list[Standing]:
    """Return the ranked rows as standings; ``certain`` has the models with certain effects."""
    effects = {effect.slug: effect for effect in leaderboard.effects}
    return [
        Standing(
            name=row.model.name,
            percent=row.score.share.percent,
            low=row.score.low,
            high=row.score.high,
            rank=row.rank,
            cost_per_pass=get_number(row.amounts[COST_PER_PASSED]),
            gain=row.effect
            and _build_gain(effects[row.model.slug], row.effect, certain=row.model.slug in certain),
            cost=get_number(row.amounts[COST]),
            seconds=get_number(row.amounts[TIME]),
            attempts=row.attempts,
        )
        for group in groups
        for row in group.rows
        if row.rank is not None
    ]


def _build_gain(effect: GuidelinesEffect, change_in_points: Difference, *, certain: bool) -> Gain:
    change = effect.change
    return Gain(
        change_in_points,
        None if effect.conclusion is Conclusion.TOO_FEW else effect.p_value,
        len(change.fixed),
        len(change.broken),
        certain=certain,
    )


def _build_overall_gain(leaderboard: Leaderboard) -> Gain | None:
    if leaderboard.overall is None:
        return None
    whole = leaderboard.overall.whole
    few = whole.conclusion is Conclusion.TOO_FEW
    return Gain(convert_effect_to_points(whole, whole.conclusion), None if few else whole.p_value)


def _draw_effects(groups: Sequence[ModelGroup]) -> list[ModelGroup]:
    """Return the groups with the guidelines' effects drawn on one scale."""
    effects = [row.effect for group in groups for row in group.rows if row.effect]
    ends = [
        end
        for effect in effects
        for end in (effect.points, effect.low, effect.high)
        if end is not None
    ]
    reach = max(map(abs, ends), default=0.0)
    return [
        group._replace(
            rows=[
                row._replace(
                    effect_chart=draw_difference_bar(row.effect.points, *row.effect[1:3], reach)
                )
                if row.effect
                else row
                for row in group.rows
            ]
        )
        for group in groups
    ]


def _choose_heading(site: SiteData, leaderboard: Leaderboard, condition: TableCondition) -> str:
    if condition is not BOTH:
        return f"Scores {condition.link.lower()}"
    front = leaderboard.version == site.front
    return site.settings.tagline if front else site.titles[leaderboard.version]


def _build_groups(
    site: SiteData, leaderboard: Leaderboard, condition: TableCondition
) -> list[ModelGroup]:
    usual = condition.experiment or DEFAULT
    models = leaderboard.select_models()
    main = _list_ranked_entries(leaderboard, condition)
    groups = [("Models", "", main)]
    if condition is BOTH:
        seen = {entry.newest.slug for entry in main}
        otherwise = [entry for entry in models if entry.newest.experiment != usual]
        alone = [entry for entry in otherwise if entry.newest.slug not in seen]
        for name in sorted({entry.newest.experiment for entry in alone}):
            under = [entry for entry in alone if entry.newest.experiment == name]
            note = _describe_group(site, under, usual, compared=bool(main))
            groups.append((f"Measured {describe_experiment(name)} only", note, under))
    baselines = leaderboard.list_baselines_once()
    if condition is not BOTH:
        under = [entry for entry in leaderboard.entries if entry.newest.experiment == usual]
        baselines = [entry for entry in under if entry.newest.baseline]
    groups.append(("Baselines", _describe_baselines(baselines), baselines))
    # Only rows of the main group are ranked.
    return align_cells(
        [
            build_model_group(
                title, note, build_model_rows(site, leaderboard, entries, best=entries is main)
            )
            for title, note, entries in groups
            if entries
        ]
    )


BASELINE_NOTES: Final = {
    "baseline/oracle": "Oracle hands in the reference answers",
    "baseline/empty": "Empty hands in nothing",
    "baseline/stub": "Stub hands in the right files, which do nothing",
}


def _describe_baselines(entries: Sequence[Entry]) -> str:
    """Return the note that explains the baselines of the table."""
    notes = [
        text for slug, text in BASELINE_NOTES.items() if slug in {e.newest.slug for e in entries}
    ]
    return "; ".join(["not language models, not ranked", *notes])


def _describe_group(site: SiteData, entries: Sequence[Entry], usual: str, *, compared: bool) -> str:
    """Return the note of a group under another condition than ``usual``.

    It names the models with an unfinished run under ``usual``. With ``compared``, there are rows
    above with which these rows are not comparable.
    """
    pending = [
        (entry.newest.name, find_awaiting(site, entry.newest.version, entry.newest.slug, usual))
        for entry in entries
    ]
    notes = [
        f"{name}: {run.unjudged} of {run.planned} attempts {describe_experiment(usual)}"
        f" {'has' if run.unjudged == 1 else 'have'} no verdict yet"
        for name, run in pending
        if run is not None
    ]
    return "; ".join([*(["not comparable with the rows above"] if compared else []), *notes])
