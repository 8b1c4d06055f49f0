"""The page of a model: rank, strengths, failures, and all its runs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from generator.blocks.benchmark_versions import choose_usual_entry, list_entries_of_model
from generator.blocks.corrections import compute_corrected_share
from generator.blocks.fact_list import Fact
from generator.blocks.failure_bars import Bar, build_attempt_class_bars
from generator.blocks.score_cell import Score, build_entry_score
from generator.charts.plots import Dot, draw_count_bar, draw_history, draw_marked_bar
from generator.facts.attributions import Attribution, collect_attributions, find_eval_attribution
from generator.facts.run_lines import build_run_line, link_model
from generator.facts.shares import (
    Difference,
    RunLine,
    Share,
    add_shares,
    compute_difference_from_field,
    compute_entry_attributed_share,
    compute_entry_share,
    compute_run_share,
    compute_share_at_eval,
    convert_effect_to_points,
)
from generator.facts.site_data import SiteData, choose_retirement_verb
from generator.facts.titles import build_category, describe_run_condition, find_eval_title
from generator.facts.uncounted_runs import describe_reasons
from generator.facts.urls import (
    Category,
    Link,
    ModelLink,
    build_eval_path,
    build_model_path,
    build_page_frame,
    build_run_path,
)
from generator.read.summaries import RequestTally, RunSummary
from generator.render.environment import Frame
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import PerAttempt
from generator.scores.score_table import RankRange
from records.shapes.registry import ModelEntry
from records.suites.experiments import DEFAULT, is_of_a_trial
from records.text.numbers import format_count
from records.text.run_days import describe_dated_run


class EntryLine(NamedTuple):
    """The results of a model in a benchmark version under an experiment."""

    version_title: str
    version_href: str
    experiment: str
    rank: RankRange | None
    """The ranks that the model may have; None for a baseline."""
    field: int
    """The number of ranked models under the experiment."""
    score: Score
    corrected: Share | None
    """The share by the publisher's later counts; None if there are none."""
    attributed: Share | None
    effect: Difference | None
    cost_usd: PerAttempt
    cost_per_pass: float | None
    """US dollars for each eval passed; None if the cost is not known or nothing passes."""
    generation_s: PerAttempt
    input_tokens: PerAttempt
    output_tokens: PerAttempt
    runs: int
    rerun: float | None
    """The most percentage points by which the score of as many new attempts would differ, at 95%;
    None if an eval has only one attempt."""
    reliability: Sequence[tuple[int, float]]
    """Pairs of k and the probability, in percent, that k attempts at an eval all pass."""
    requests: str | None
    """A sentence on refusals and retries in runs that were not withdrawn; None if unknown."""


class Strength(NamedTuple):
    """A model's share of a category beside the mean of the other models, the field."""

    category: Category
    href: str
    share: Share
    field_percent: float | None
    """The mean of the other models in percent; None if they are too few for a field."""
    difference: Difference | None
    """The difference from the field; None without a field, or with too few evals."""
    chart: str
    """The shares as a bar with a mark, as SVG."""


_FIELD: Final = 3


"""The fewest other models that are a field."""


class FailedEval(NamedTuple):
    """An eval that the model fails in a run that counts."""

    name: str
    title: str
    href: str
    failed: int
    judged: int
    steps: str
    field: Share | None
    """The share of the other models that pass; None without other models."""
    attributions: Sequence[Attribution]


class ScoreHistory(NamedTuple):
    """The chart of a model's scores over time, under a condition in a version."""

    version: str
    """The version's title."""
    condition: str
    """The condition in words, such as ``with guidelines``."""
    chart: str
    """SVG."""


class ModelPage(NamedTuple):
    """The page of a model."""

    template = "pages/model.html"

    frame: Frame
    model: ModelLink
    baseline: bool
    facts: Sequence[Fact]
    entries: Sequence[EntryLine]
    unknown: str
    """A sentence on the amounts that no counted run has; empty if there are none."""
    uncounted: Sequence[tuple[Link, str]]
    """The runs that do not count, each with the reasons; runs of trials are left out."""
    basis: str
    """The version, experiment and number of runs of the strengths and failures, in words."""
    strengths: Sequence[Strength]
    field_models: int
    """The number of other models with which strengths are compared; 0 if they are too few."""
    failed: Sequence[FailedEval]
    by_step: Sequence[Bar]
    by_class: Sequence[Bar]
    history: Sequence[ScoreHistory]
    """The scores over time in the version of the strengths, a chart for each condition."""
    runs: Sequence[RunLine]
    """All runs of the model, newest first."""
    pairs: Mapping[str, Sequence[Link]]
    """Links to the pages that compare a run with an earlier run, by the later run's id."""


def build_model_page(site: SiteData, slug: str) -> ModelPage:
    """Return the page of the model with the slug ``slug``."""
    runs = site.by_model[slug]
    model = link_model(runs[0])
    entries = list_entries_of_model(site, slug)
    basis = choose_usual_entry(entries)
    failed = _build_failed_evals(site, *basis) if basis else []
    counted = basis[1].runs if basis else ()
    asked_here = not all(run.of_other_tool for run in runs)
    does = f"writes {site.settings.code}" if asked_here else "does"
    return ModelPage(
        frame=build_page_frame(
            f"{model.name}: how well it {does}",
            build_model_path(slug),
            f"How well {model.name} {does}: scores, strengths, failures, runs.",
            section="models",
            card=site.choose_card_path(slug),
            guidelines=asked_here,
        ),
        model=model,
        baseline=runs[0].baseline,
        facts=_build_facts(site, slug),
        entries=[_build_entry_line(site, leaderboard, entry) for leaderboard, entry in entries],
        unknown=_describe_unknown([entry for _, entry in entries]),
        uncounted=_list_uncounted(site, runs, entries),
        basis=_describe_basis(site, basis) if basis else "",
        strengths=_build_strengths(site, *basis) if basis else [],
        field_models=len(_list_rivals(*basis)) if basis else 0,
        failed=failed,
        by_step=_build_step_bars(basis[1]) if basis and not basis[0].is_of_other_tool else [],
        by_class=build_attempt_class_bars(site, counted),
        history=_build_histories(
            site.titles[basis[0].version], basis[0], entries, build_model_path(slug)
        )
        if basis
        else [],
        runs=[build_run_line(site, run) for run in runs],
        pairs={
            run.run_id: [Link(pair.path, pair.words) for pair in site.pairs[run.run_id]]
            for run in runs
            if run.run_id in site.pairs
        },
    )


def _describe_unknown(entries: Sequence[Entry]) -> str:
    """Return a sentence on the amounts that no counted run has; empty for baselines."""
    amounts = {
        "cost": any(entry.row.cost_usd.mean is not None for entry in entries),
        "time": any(entry.row.generation_s.mean is not None for entry in entries),
        "tokens": any(entry.row.output_tokens.mean is not None for entry in entries),
    }
    missing = [name for name, some in amounts.items() if not some]
    runs = [run for entry in entries for run in entry.runs]
    if not missing or not runs or runs[0].baseline:
        return ""
    names = " and ".join([", ".join(missing[:-1]), missing[-1]] if missing[1:] else missing)
    if all(run.source is not None for run in runs):
        return f"{names.capitalize()}: not published with the imported results."
    return f"{names.capitalize()}: not recorded of the runs that count."


def _list_uncounted(
    site: SiteData, runs: Sequence[RunSummary], standings: Sequence[tuple[Leaderboard, Entry]]
) -> list[tuple[Link, str]]:
    """Return the runs that do not count, each with the reasons; trials have their own pages."""
    counting = {run.run_id for _, entry in standings for run in entry.runs}
    return [
        (
            Link(
                build_run_path(run.run_id),
                f"{describe_dated_run(run)} {describe_run_condition(run)}",
            ),
            describe_reasons(site, run),
        )
        for run in runs
        if run.run_id not in counting and not is_of_a_trial(run.experiment)
    ]


def _describe_basis(site: SiteData, basis: tuple[Leaderboard, Entry]) -> str:
    leaderboard, entry = basis
    runs = f"{len(entry.runs)} runs" if len(entry.runs) > 1 else "1 run"
    return f"{site.titles[leaderboard.version]}, {describe_run_condition(entry.newest)}, {runs}"


def _build_facts(site: SiteData, slug: str) -> list[Fact]:
    entry = site.summaries.registry.get(slug)
    if entry is None:
        return []
    is_entry = isinstance(entry, ModelEntry)
    labelled = {
        "Asked as": entry.litellm_id if is_entry else None,
        "Family": entry.family,
        "Reasoning effort": entry.effort,
        "Released": entry.released,
        choose_retirement_verb(site, entry.retires).capitalize(): entry.retires,
    }
    parameters = sorted(entry.parameters.items()) if is_entry else []
    facts = [Fact(label, str(value)) for label, value in labelled.items() if value is not None]
    if entry.source is not None and (entry.released or entry.retires):
        days = {"release": entry.released, "retirement": entry.retires}
        label = f"Source of the day of {' and '.join(event for event, day in days.items() if day)}"
        facts.append(Fact(label, str(entry.source), str(entry.source)))
    return facts + [Fact(name, str(value)) for name, value in parameters]


def _build_entry_line(site: SiteData, leaderboard: Leaderboard, entry: Entry) -> EntryLine:
    newest = entry.newest
    field = [
        other
        for other in leaderboard.select_models(newest.experiment)
        if other.row.rank is not None
    ]
    effect = leaderboard.find_effect(newest.slug) if newest.experiment == DEFAULT else None
    return EntryLine(
        version_title=site.titles[leaderboard.version],
        version_href=site.build_version_href(leaderboard.version),
        experiment=describe_run_condition(newest),
        rank=entry.row.rank,
        field=len(field),
        score=build_entry_score(leaderboard, entry),
        corrected=compute_corrected_share(leaderboard, entry),
        attributed=compute_entry_attributed_share(entry),
        effect=convert_effect_to_points(effect.change, effect.conclusion) if effect else None,
        cost_usd=entry.row.cost_usd,
        cost_per_pass=entry.row.cost_per_pass,
        generation_s=entry.row.generation_s,
        input_tokens=entry.row.input_tokens,
        output_tokens=entry.row.output_tokens,
        runs=len(entry.runs),
        rerun=None if entry.row.rerun is None else 100 * entry.row.rerun,
        reliability=[(k, 100 * share) for k, share in entry.row.passes_all.items()],
        requests=None if entry.requests is None else describe_requests(entry.requests),
    )


def _list_other_entries(leaderboard: Leaderboard, entry: Entry) -> list[Entry]:
    newest = entry.newest
    return [
        other
        for other in leaderboard.select_models(newest.experiment)
        if other.newest.slug != newest.slug
    ]


def _list_rivals(leaderboard: Leaderboard, entry: Entry) -> list[Entry]:
    """Return the other models under the same condition; empty if they are too few."""
    other_entries = _list_other_entries(leaderboard, entry)
    return other_entries if len(other_entries) >= _FIELD else []


def _build_strengths(site: SiteData, leaderboard: Leaderboard, entry: Entry) -> list[Strength]:
    rivals = _list_rivals(leaderboard, entry)
    strengths: list[Strength] = []
    for key in leaderboard.list_categories():
        evals = leaderboard.list_eval_names(key)
        own = compute_entry_share(entry, evals)
        field = add_shares(compute_entry_share(other, evals) for other in rivals)
        strengths.append(
            Strength(
                category=build_category(key),
                href=f"{site.find_version_folder(leaderboard.version)}categories/{key}/",
                share=own,
                field_percent=field.percent if field else None,
                difference=compute_difference_from_field(entry, rivals, evals),
                chart=draw_marked_bar(own.percent, field.percent if field else None),
            )
        )
    return strengths


def describe_requests(requests: RequestTally) -> str:
    """Return a sentence on how requests ended, with the counts that are not 0."""
    counts = (
        (requests.refused, "refused"),
        (requests.cut_off, "cut off"),
        (requests.retried, "answered after a retry"),
        (requests.spoiled, "kept from a verdict by infrastructure"),
    )
    parts = [f"{number} {outcome}" for number, outcome in counts if number]
    attempts = format_count(requests.asked, "attempt")
    if not parts:
        return f"In all, {attempts}: all judged, none refused, cut off or retried."
    return f"In all, {attempts}: {', '.join(parts)}."


def _build_failed_evals(site: SiteData, leaderboard: Leaderboard, entry: Entry) -> list[FailedEval]:
    other_entries = _list_other_entries(leaderboard, entry)
    attributions_by_run = {run.run_id: collect_attributions(site, run.run_id) for run in entry.runs}
    failed: list[FailedEval] = []
    for name in leaderboard.list_eval_names():
        if entry.passes[name] == 1:
            continue
        results = [run.results[name] for run in entry.runs]
        notes = [
            find_eval_attribution(attributions_by_run[run.run_id], name)
            for run, result in zip(entry.runs, results, strict=True)
            if result.passed < result.judged
        ]
        failed.append(
            FailedEval(
                name=name,
                title=find_eval_title(site, name),
                href=build_eval_path(name),
                failed=sum(result.judged - result.passed for result in results),
                judged=sum(result.judged for result in results),
                steps=", ".join(sorted({r.failed_step for r in results if r.failed_step})),
                field=compute_share_at_eval(other_entries, name),
                attributions=_drop_repeats([note for note in notes if note]),
            )
        )
    return sorted(failed, key=lambda eval_: (-eval_.failed / eval_.judged, eval_.name))


def _drop_repeats(notes: Sequence[Attribution]) -> list[Attribution]:
    """Return attributions without those of the same class and note as an earlier one."""
    return list({(note.kind, note.note): note for note in notes}.values())


def _build_step_bars(entry: Entry) -> list[Bar]:
    """Return a bar for each failed step, with the number of failed attempts in counted runs."""
    counted: Counter[str] = Counter()
    for run in entry.runs:
        counted.update(run.failed_steps)
    attempts = counted.total()
    return [
        Bar(step or "step not published", number, draw_count_bar(number, attempts))
        for step, number in counted.most_common()
    ]


def _build_histories(
    title: str,
    leaderboard: Leaderboard,
    entries_found: Sequence[tuple[Leaderboard, Entry]],
    path: str,
) -> list[ScoreHistory]:
    """Return a chart of the counted runs in a version over time, for each condition.

    Baselines have no chart, and neither has a condition whose runs are all of the same day.
    """
    entries = [
        entry
        for other, entry in entries_found
        if other is leaderboard and not entry.newest.baseline
    ]
    charts = (
        (entry, _draw_history(entry.runs, len(leaderboard.list_eval_names()), path))
        for entry in entries
    )
    return [
        ScoreHistory(title, describe_run_condition(entry.newest), chart)
        for entry, chart in charts
        if chart is not None
    ]


def _draw_history(runs: Sequence[RunSummary], evals: int, path: str) -> str | None:
    """Return a chart of the runs that were judged at all evals; None if all are of one day.

    Runs of which no day is known have no place in it.
    """
    dated = [run for run in runs if not run.day_of_import]
    judged = [
        (run, share) for run in dated if (share := compute_run_share(run)) and share.judged == evals
    ]
    if len({run.date for run, _ in judged}) < 2:  # noqa: PLR2004 - one day is no history
        return None
    root = "../" * path.count("/")
    dots = [
        Dot(
            label=f"{run.date}",
            href=root + build_run_path(run.run_id),
            x=run.date.toordinal(),
            y=share.percent,
            marked=True,
        )
        for run, share in judged
    ]
    return draw_history(dots, [run.date for run, _ in judged])
