"""The list of all models and baselines, measured or not."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.blocks.benchmark_versions import (
    choose_usual_entry,
    find_best_known,
    list_entries_of_model,
)
from generator.blocks.score_cell import Score, build_entry_score
from generator.facts.run_lines import link_model
from generator.facts.site_data import SiteData, choose_retirement_verb
from generator.facts.titles import describe_run_condition
from generator.facts.urls import build_model_path, build_page_frame, build_run_path
from generator.read.summaries import RunSummary
from generator.render.environment import Frame
from generator.scores.leaderboards import Entry, Leaderboard
from records.shapes.registry import DescribedModel, ModelEntry
from records.text.numbers import format_count


class ModelLine(NamedTuple):
    """A model in the list."""

    slug: str
    name: str
    provider: str
    href: str | None
    """The address of its page; None if no run of it is recorded."""
    family: str | None
    released: date | None
    retires: date | None
    retirement: str
    """The verb for the day of retirement: ``retires`` or ``retired``."""
    settings: Sequence[str]
    """The reasoning effort and parameters of its requests; empty if the provider's are used."""
    score: Score | None
    """The score in the newest version that counts a run, with guidelines if any; None without."""
    where: str
    """The title of the score's version."""
    condition: str
    """The condition of the score in words, such as ``with guidelines``."""
    where_href: str
    latest: date | None
    """The day of its newest run; None without runs."""
    day_of_import: bool
    """Whether ``latest`` is the day of the import, because the source names none."""
    latest_href: str
    latest_withdrawn: bool


class ModelsPage(NamedTuple):
    """The list of all models and baselines."""

    template = "pages/models.html"

    frame: Frame
    measured: Sequence[ModelLine]
    waiting: Sequence[ModelLine]
    """The models of `models.toml` that can be asked and have no run yet."""
    baselines: Sequence[ModelLine]
    columns: Sequence[str]
    """The columns with values: some of ``family``, ``released``, ``settings``."""


def build_models_page(site: SiteData) -> ModelsPage:
    """Return the list of all models and baselines, by name."""
    kinds = {slug: runs[0].baseline for slug, runs in site.by_model.items()}
    measured = [
        _build_line(site, slug, find_best_known(site, slug))
        for slug, is_baseline in kinds.items()
        if not is_baseline
    ]
    waiting = [
        _build_line(site, slug, None)
        for slug, is_baseline in site.summaries.registry.items()
        if isinstance(is_baseline, ModelEntry) and slug not in site.by_model
    ]
    baselines = [
        _build_line(site, slug, choose_usual_entry(list_entries_of_model(site, slug)))
        for slug, is_baseline in kinds.items()
        if is_baseline
    ]
    return ModelsPage(
        frame=build_page_frame(
            "Models",
            "models/",
            f"{format_count(len(measured), 'model')}"
            f"{f' asked for {site.settings.code}' if site.settings.guidelines else ''},"
            " each with its score in the newest version that has one.",
            "models",
        ),
        measured=sorted(measured, key=_order),
        waiting=sorted(waiting, key=_order),
        baselines=sorted(baselines, key=_order),
        columns=_choose_columns([*measured, *waiting]),
    )


def _choose_columns(lines: Sequence[ModelLine]) -> list[str]:
    """Return the columns in which some line has a value."""
    return [
        name
        for name, has_values in {
            "family": any(line.family is not None for line in lines),
            "released": any(line.released is not None for line in lines),
            "settings": any(line.settings for line in lines),
        }.items()
        if has_values
    ]


def _order(line: ModelLine) -> tuple[str, str]:
    return line.name.lower(), line.slug


def _build_line(site: SiteData, slug: str, best: tuple[Leaderboard, Entry] | None) -> ModelLine:
    """Return the line of a model; ``best`` is the entry with its score, None without one."""
    runs = site.by_model.get(slug, ())
    described = site.summaries.registry.get(slug)
    link = link_model(runs[0]) if runs else None
    latest = _find_latest(runs)
    line = ModelLine(
        slug=slug,
        name=link.name if link else described.name if described else slug,
        provider=link.provider if link else described.provider if described else "",
        href=build_model_path(slug) if runs else None,
        family=described.family if described else None,
        released=described.released if described else None,
        retires=described.retires if described else None,
        retirement=choose_retirement_verb(site, described.retires if described else None),
        settings=_list_settings(described) if described else (),
        score=None,
        where="",
        condition="",
        where_href="",
        latest=latest.date if latest else None,
        day_of_import=latest is not None and latest.day_of_import,
        latest_href=build_run_path(latest.run_id) if latest else "",
        latest_withdrawn=latest is not None and latest.withdrawn is not None,
    )
    if best is None:
        return line
    leaderboard, entry = best
    return line._replace(
        score=build_entry_score(leaderboard, entry),
        where=site.titles[leaderboard.version],
        condition=describe_run_condition(entry.newest),
        where_href=site.find_version_folder(leaderboard.version),
    )


def _find_latest(runs: Sequence[RunSummary]) -> RunSummary | None:
    """Return the newest run; of several on the same day, one that was not withdrawn if possible."""
    return max(
        runs,
        key=lambda run: (run.date, run.withdrawn is None, run.began, run.run_id),
        default=None,
    )


def _list_settings(model: DescribedModel) -> list[str]:
    wanted_settings = dict(model.parameters) if isinstance(model, ModelEntry) else {}
    effort = wanted_settings.pop("reasoning_effort", model.effort)
    settings = [] if effort is None else [f"effort {effort}"]
    return settings + [f"{name} {value}" for name, value in wanted_settings.items()]
