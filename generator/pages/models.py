"""The list of all models, measured on any version or not yet."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.blocks.benchmark_versions import best_known, best_known_baseline, known_score
from generator.blocks.score_cell import Score
from generator.facts.page_frame import frame
from generator.facts.retirement import retirement_verb
from generator.facts.run_lines import linked
from generator.facts.site_data import SiteData
from generator.facts.titles import experiment
from generator.facts.urls import model_path, run_path
from generator.read.summaries import RunSummary
from generator.render.environment import Frame
from generator.scores.leaderboards import Entry, Leaderboard
from records.shapes.registry import DescribedModel, ModelEntry


class ModelLine(NamedTuple):
    """A model in the list of all."""

    slug: str
    name: str
    provider: str
    href: str | None
    """Address of its page; None while no run of it is recorded."""
    family: str | None
    released: date | None
    retires: date | None
    retirement: str
    """The word before that day: ``retires`` or ``retired``."""
    settings: Sequence[str]
    """Reasoning effort and parameters that it is asked with; empty for the provider's own."""
    score: Score | None
    """In the newest version that counts a run of it, with guidelines if it can be."""
    where: str
    """That version's title."""
    condition: str
    """Such as ``with guidelines``."""
    where_href: str
    latest: date | None
    """Day of its newest run."""
    latest_href: str
    latest_withdrawn: bool


class ModelsPage(NamedTuple):
    """Every model once, and every baseline."""

    template = "pages/models.html"

    frame: Frame
    measured: Sequence[ModelLine]
    waiting: Sequence[ModelLine]
    """Models of `models.toml` that can be asked and were not yet."""
    baselines: Sequence[ModelLine]
    columns: Sequence[str]
    """Columns that some row has a value for: ``family``, ``released``, ``settings``."""


def models_page(site: SiteData) -> ModelsPage:
    """Gather the list of all models, by name, and the baselines."""
    kinds = {slug: runs[0].baseline for slug, runs in site.by_model.items()}
    measured = [
        _line(site, slug, best_known(site, slug))
        for slug, is_baseline in kinds.items()
        if not is_baseline
    ]
    waiting = [
        _line(site, slug, None)
        for slug, is_baseline in site.summaries.registry.items()
        if isinstance(is_baseline, ModelEntry) and slug not in site.by_model
    ]
    baselines = [
        _line(site, slug, best_known_baseline(site, slug))
        for slug, is_baseline in kinds.items()
        if is_baseline
    ]
    return ModelsPage(
        frame=frame(
            "Models",
            "models/",
            f"{len(measured)} {'model' if len(measured) == 1 else 'models'} asked for Convex code,"
            " each with its score in the newest version that has one.",
            "models",
        ),
        measured=sorted(measured, key=_order),
        waiting=sorted(waiting, key=_order),
        baselines=sorted(baselines, key=_order),
        columns=_columns([*measured, *waiting]),
    )


def _columns(lines: Sequence[ModelLine]) -> list[str]:
    """Return the columns that are not empty."""
    return [
        name
        for name, has_values in {
            "family": any(line.family is not None for line in lines),
            "released": any(line.released is not None for line in lines),
            "settings": any(line.settings for line in lines),
        }.items()
        if has_values
    ]


def _order(one: ModelLine) -> tuple[str, str]:
    return one.name.lower(), one.slug


def _line(site: SiteData, slug: str, found: tuple[Leaderboard, Entry] | None) -> ModelLine:
    """Gather the line of a model that stands in a table by ``found``."""
    runs = site.by_model.get(slug, ())
    described = site.summaries.registry.get(slug)
    link = linked(runs[0]) if runs else None
    latest = _latest(runs)
    line = ModelLine(
        slug=slug,
        name=link.name if link else described.name if described else slug,
        provider=link.provider if link else described.provider if described else "",
        href=model_path(slug) if runs else None,
        family=described.family if described else None,
        released=described.released if described else None,
        retires=described.retires if described else None,
        retirement=retirement_verb(site, described.retires if described else None),
        settings=_settings(described) if described else (),
        score=None,
        where="",
        condition="",
        where_href="",
        latest=latest.date if latest else None,
        latest_href=run_path(latest.run_id) if latest else "",
        latest_withdrawn=latest is not None and latest.withdrawn is not None,
    )
    if found is None:
        return line
    leaderboard, entry = found
    return line._replace(
        score=known_score(leaderboard, entry),
        where=site.titles[leaderboard.version],
        condition=experiment(entry.newest.experiment),
        where_href=site.place(leaderboard.version),
    )


def _latest(runs: Sequence[RunSummary]) -> RunSummary | None:
    """Return the newest run; of several on its day the last that was not withdrawn, if any."""
    return max(
        runs,
        key=lambda run: (run.date, run.withdrawn is None, run.began, run.run_id),
        default=None,
    )


def _settings(known: DescribedModel) -> list[str]:
    wanted_settings = dict(known.parameters) if isinstance(known, ModelEntry) else {}
    effort = wanted_settings.pop("reasoning_effort", known.effort)
    settings = [] if effort is None else [f"effort {effort}"]
    return settings + [f"{name} {value}" for name, value in wanted_settings.items()]
