"""The list of all models and baselines, measured or not."""

from generator.blocks import benchmark_versions
from generator.blocks.score_cell import build_entry_score
from generator.facts.run_lines import link_model
from generator.facts.site_data import SiteData, choose_retirement_verb
from generator.facts.titles import describe_run_condition
from generator.facts.urls import build_model_path, build_page_frame, build_run_path
from generator.render.environment import PageContext, Row
from generator.scores.leaderboards import Entry, Leaderboard
from records.shapes.registry import ModelEntry
from records.text.numbers import format_count


def build_models_page(site: SiteData) -> PageContext:
    """Return the list of all models and baselines, by name."""
    measured: list[Row] = []
    baselines: list[Row] = []
    for slug, runs in site.by_model.items():
        if runs[0].baseline:
            usual = benchmark_versions.choose_usual_entry(
                benchmark_versions.list_entries_of_model(site, slug)
            )
            baselines.append(_build_line(site, slug, usual))
        else:
            measured.append(_build_line(site, slug, benchmark_versions.find_best_known(site, slug)))
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
        frame=build_page_frame(
            "Models",
            "models/",
            f"{format_count(len(measured), 'model')}"
            f"{f' asked for {site.settings.code}' if site.settings.guidelines else ''},"
            " each with its score in the newest version that has one.",
            "models",
        ),
        measured=measured,
        waiting=waiting,
        baselines=baselines,
        columns=[
            name
            for name in ("family", "released", "settings")
            if any(getattr(line, name) for line in lines)
        ],
    )


def _build_line(site: SiteData, slug: str, best: tuple[Leaderboard, Entry] | None) -> Row:
    """Return the line of a model; ``best`` is the entry with its score, None without one."""
    runs = site.by_model.get(slug, ())
    described = site.summaries.registry.get(slug)
    link = link_model(runs[0]) if runs else None
    latest = max(
        runs,
        key=lambda run: (run.date, run.withdrawn is None, run.began, run.run_id),
        default=None,
    )
    wanted = dict(described.parameters) if isinstance(described, ModelEntry) else {}
    effort = wanted.pop("reasoning_effort", described and described.effort)
    settings = [] if effort is None else [f"effort {effort}"]
    board, entry = best or (None, None)
    return Row(
        slug=slug,
        name=link.name if link else described.name if described else slug,
        provider=link.provider if link else described.provider if described else "",
        href=build_model_path(slug) if runs else None,
        family=described and described.family,
        released=described and described.released,
        retires=described and described.retires,
        retirement=choose_retirement_verb(site, described.retires if described else None),
        settings=settings + [f"{name} {value}" for name, value in wanted.items()],
        score=build_entry_score(board, entry) if board and entry else None,
        where=site.titles[board.version] if board else "",
        condition=describe_run_condition(entry.newest) if entry else "",
        where_href=site.find_version_folder(board.version) if board else "",
        latest=latest and latest.date,
        day_of_import=latest is not None and latest.day_of_import,
        latest_href=build_run_path(latest.run_id) if latest else "",
        latest_withdrawn=latest is not None and latest.withdrawn is not None,
    )
