"""The page of a model: rank, strengths, failures, and all its runs."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from generator import site_links
from generator.blocks import attributions, shares
from generator.blocks.run_lines import build_run_line
from generator.blocks.uncounted_runs import describe_reasons
from generator.read.summaries import RunSummary
from generator.render.plots import Dot, Plot, label_ends, plot_history
from generator.render.templates import PageContext, Row
from generator.scores.leaderboards import Entry
from generator.scores.score_estimate import Share
from generator.site_data import SiteData
from records.grouping import group_values
from records.shapes.registry import ModelEntry
from records.suites.experiments import DEFAULT, is_of_a_trial
from records.text.numbers import format_count

_FIELD = 3
"""The fewest other models that are a field."""


def build_model_page(site: SiteData, slug: str) -> PageContext:
    """Return the page of the model with the slug ``slug``."""
    runs = site.by_model[slug]
    model = runs[0]
    entries = _list_entries(site, slug)
    basis = _choose_usual_entry(entries)
    asked_here = not all(run.of_other_tool for run in runs)
    does = f"writes {site.settings.code}" if asked_here else "does"
    counted = {run.run_id for entry in entries for run in entry.runs}
    # Runs of trials have their own pages.
    uncounted = [
        run for run in runs if run.run_id not in counted and not is_of_a_trial(run.experiment)
    ]
    about = dict[str, Any](
        basis="", strengths=[], field_models=0, failed=[], by_step={}, history=[]
    )
    if basis is not None:
        about = _describe_basis(site, basis)
        # Baselines have no chart, and neither has a condition whose runs are all of the same day.
        evals = basis.row.score.evals
        about["history"] = [
            (entry.newest, chart)
            for entry in entries
            if entry.newest.version == basis.newest.version
            and not entry.newest.baseline
            and (chart := _plot_history(entry.runs, evals))
        ]
    return PageContext(
        "pages/model.html",
        f"{model.name}: how well it {does}",
        site_links.build_model_path(slug),
        f"How well {model.name} {does}: scores, strengths, failures, runs.",
        "models",
        site.choose_card_path(slug),
        guidelines=asked_here,
        model=model,
        baseline=runs[0].baseline,
        basics=site,
        described=site.summaries.registry.get(slug),
        standing=basis and _build_entry_line(site, basis),
        entries=[_build_entry_line(site, entry) for entry in entries],
        published=all(run.source is not None for entry in entries for run in entry.runs),
        uncounted=[(run, describe_reasons(site, run)) for run in uncounted],
        by_class=attributions.count_attempt_classes(site, basis.runs if basis else ()),
        runs=[build_run_line(site, run) for run in runs if not is_of_a_trial(run.experiment)],
        trial_runs=[build_run_line(site, run) for run in runs if is_of_a_trial(run.experiment)],
        pairs=group_values(
            (pair.after.run_id, pair) for pair in site.pairs.values() if pair.after.slug == slug
        ),
        **about,
    )


def _list_entries(site: SiteData, slug: str) -> list[Entry]:
    """Return the entries of a model or baseline, newest version first, there with guidelines."""
    entries = (entry for board in site.leaderboards.values() for entry in board.entries)
    return [entry for entry in entries if entry.newest.slug == slug]


def _choose_usual_entry(entries: Sequence[Entry]) -> Entry | None:
    """Return the first of ``entries`` with guidelines, else the first; None without entries."""
    usual = [entry for entry in entries if entry.newest.experiment == DEFAULT]
    return next(iter([*usual, *entries]), None)


def _build_entry_line(site: SiteData, entry: Entry) -> Row:
    """Return the results of a model in a benchmark version under an experiment."""
    newest, leaderboard = entry.newest, site.leaderboards[entry.newest.version]
    field = leaderboard.select_models(newest.experiment)
    effect = leaderboard.find_effect(entry)
    return Row(
        entry=entry,
        field=sum(other.row.rank is not None for other in field),
        corrected=shares.compute_corrected_share(leaderboard, entry),
        effect=effect and effect.difference,
    )


def _describe_basis(site: SiteData, entry: Entry) -> dict[str, Any]:
    """Return the strengths and failures of a model under a condition, as values of the page."""
    newest, leaderboard = entry.newest, site.leaderboards[entry.newest.version]
    models = [
        other
        for other in leaderboard.select_models(newest.experiment)
        if other.newest.slug != newest.slug
    ]
    rivals = models if len(models) >= _FIELD else []
    strengths = [
        Row(
            category=site.link_category(leaderboard.version, key),
            share=entry.row.categories[key].share,
            field=shares.add_shares(other.row.categories[key].share for other in rivals),
            difference=shares.compute_difference_from_field(
                entry, rivals, leaderboard.list_eval_names(key)
            ),
        )
        for key in leaderboard.list_categories()
    ]
    failed: list[Row] = []
    for name in leaderboard.list_eval_names():
        having = entry.list_runs(name)
        results = [run.results[name] for run in having]
        notes = {
            (note.kind, note.note): note
            for run, result in zip(having, results, strict=True)
            if result.passed < result.judged
            and (note := attributions.find_attribution(site, run.run_id, name))
        }
        if entry.passes[name] < 1:
            failed.append(
                Row(
                    eval=site.link_eval(name),
                    failed=sum(result.judged - result.passed for result in results),
                    judged=sum(result.judged for result in results),
                    steps=sorted({r.failed_step for r in results if r.failed_step}),
                    field=shares.add_shares(Share(other.passes[name], 1) for other in models),
                    attributions=[*notes.values()],
                    # The newest failed attempt.
                    answer=next(
                        (
                            site_links.build_attempt_href(run, name, attempt.sample)
                            for run in having
                            for attempt in run.failures.get(name, ())
                        ),
                        None,
                    ),
                )
            )
    steps = Counter[str]()
    for run in entry.runs if not leaderboard.is_of_other_tool else ():
        steps.update(run.failed_steps)
    return {
        "basis": f"{site.titles[leaderboard.version]}, {site_links.describe_run_condition(newest)},"
        f" {format_count(len(entry.runs), 'run')}",
        "strengths": strengths,
        "field_models": len(rivals),
        # The worst first, then by the share of other models that pass.
        "failed": sorted(
            failed,
            key=lambda row: (
                -row.failed / row.judged,
                -row.field.percent if row.field else 0.0,
                row.eval.name,
            ),
        ),
        "by_step": {step or "step not published": number for step, number in steps.items()},
    }


def _plot_history(runs: Sequence[RunSummary], evals: int) -> list[Plot] | None:
    """Return a chart of the runs that were judged at all evals; None if all are of one day.

    Runs of which no day is known have no place in it.
    """
    dated = [run for run in runs if not run.head.day_of_import]
    judged = [
        (run, share)
        for run in dated
        if (share := shares.compute_run_share(run)) and share.judged == evals
    ]
    if len({run.date for run, _ in judged}) < 2:  # noqa: PLR2004 - one day is no history
        return None
    dots = [
        Dot(
            label=f"{run.date}",
            href=site_links.build_run_path(run.run_id),
            x=run.date.toordinal(),
            y=share.percent,
            marked=True,
        )
        for run, share in judged
    ]
    return plot_history(dots, label_ends([run.date for run, _ in judged]), "Day of the run")


def build_models_page(site: SiteData) -> PageContext:
    """Return the list of all models and baselines, by name."""
    measured: list[Row] = []
    baselines: list[Row] = []
    for slug, runs in site.by_model.items():
        entries = _list_entries(site, slug)
        if runs[0].baseline:
            usual = _choose_usual_entry(entries)
            baselines.append(_build_line(site, slug, usual))
        else:
            measured.append(_build_line(site, slug, next(iter(entries), None)))
    waiting = [
        _build_line(site, slug, None)
        for slug, model in site.summaries.registry.items()
        if isinstance(model, ModelEntry) and slug not in site.by_model
    ]
    lines = [*measured, *waiting]
    for listed in (measured, waiting, baselines):
        listed.sort(key=lambda line: (line.name.lower(), line.slug))
    return PageContext(
        "pages/models.html",
        "Models",
        "models/",
        f"{format_count(len(measured), 'model')}"
        f"{f' asked for {site.settings.code}' if site.settings.guidelines else ''},"
        " each with its score in the newest version that has one.",
        "models",
        basics=site,
        measured=measured,
        waiting=waiting,
        baselines=baselines,
        columns=[
            name
            for name in ("family", "released", "weights", "price", "context", "settings")
            if any(getattr(line, name) for line in lines)
        ],
    )


def _build_line(site: SiteData, slug: str, best: Entry | None) -> Row:
    """Return the line of a model; ``best`` is the entry with its score, None without one."""
    runs = site.by_model.get(slug, ())
    described = site.summaries.registry.get(slug)
    named = runs[0] if runs else site.summaries.registry[slug]
    latest = max(
        runs,
        key=lambda run: (run.date, run.head.withdrawn is None, run.head.began, run.run_id),
        default=None,
    )
    parameters = dict(described.parameters) if isinstance(described, ModelEntry) else {}
    effort = parameters.pop("reasoning_effort", described and described.effort)
    settings = [] if effort is None else [f"effort {effort}"]
    return Row(
        slug=slug,
        name=named.name,
        provider=named.provider,
        family=described and described.family,
        released=described and described.released,
        weights=described and described.weights,
        price=site.summaries.prices.find_price(described),
        context=site.summaries.prices.find_context(described),
        settings=settings + [f"{name} {value}" for name, value in parameters.items()],
        best=best,
        latest=latest,
    )
