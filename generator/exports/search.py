"""The file `search.json`: the entries of the search box by kind, with their addresses."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from generator.facts.attributions import format_report_title
from generator.facts.run_lines import link_model
from generator.facts.site_data import SiteData
from generator.facts.titles import build_category, describe_run_condition, find_eval_title
from generator.facts.urls import build_eval_path, build_filed_path
from generator.read.guidelines_text import read_method_text
from generator.read.summaries import format_compact_json
from records.text.markdown import render_prose
from records.text.run_days import describe_day
from records.text.visible import make_visible

SEARCH = "search.json"
"""The file's path below the site's root."""

Found = Sequence[str]
"""An entry: its name, further words to find and recognize it, and its address below the root.

A run has no address here, because the script makes it from the run's id, which is its name."""

_PAGES: Final[Sequence[Found]] = (
    ("Guidelines", "what they do", "guidelines/"),
    ("Matrix", "evals by models", "matrix/"),
    ("Compare", "models against one another", "compare/"),
    ("Evals", "what is hard, what is solved", "evals/"),
    ("Models", "settings, days of release", "models/"),
    ("Reports", "why models fail", "reports/"),
    ("Changes", "what is new", "changes/"),
    ("Errata", "what was graded again", "errata/"),
    ("Benchmark versions", "what differs", "benchmarks/"),
    ("Data", "JSON, CSV", "data/"),
)
"""The entries of the pages that every site has."""


def make_search_index(site: SiteData, method: Path) -> bytes:
    """Return all entries as JSON, by kind, in the order in which the search box offers them.

    ``method`` is the Markdown file of the method page.
    """
    by_kind: dict[str, Sequence[Found]] = {
        "Page": _PAGES if site.settings.guidelines else _PAGES[1:],
        "Model": list(_list_models(site)),
        "Category": list(_list_categories(site)),
        "Method": [
            (each.words, "", f"about/#{each.anchor}")
            for each in render_prose(read_method_text(method)).sections
        ],
        "Eval": [
            (find_eval_title(site, name), name, build_eval_path(name))
            for name in sorted(site.evals)
        ],
        "Report": list(_list_reports(site)),
        "Not measured yet": list(_list_models_without_runs(site)),
        "Run": [
            (run.run_id, f"{run.name}, {describe_run_condition(run)}, {describe_day(run)}")
            for run in site.summaries.runs
        ],
    }
    visible_entries = {
        kind: [[*map(make_visible, each)] for each in every] for kind, every in by_kind.items()
    }
    return format_compact_json(visible_entries).encode()


def _list_models(site: SiteData) -> Iterator[Found]:
    for _, runs in sorted(site.by_model.items()):
        link = link_model(runs[0])
        yield link.name, f"{link.provider} {link.slug}", link.href


def _list_categories(site: SiteData) -> Iterator[Found]:
    """Yield the categories of the version on the front page."""
    if site.front is not None:
        for key in site.leaderboards[site.front].list_categories():
            yield build_category(key).label, key, f"categories/{key}/"


def _list_reports(site: SiteData) -> Iterator[Found]:
    for filed, run in site.reported_runs:
        words = f"{run.name}, {filed.report.date}"
        yield format_report_title(filed, run.name), words, build_filed_path(filed)


def _list_models_without_runs(site: SiteData) -> Iterator[Found]:
    """Yield the models without runs, which only the list of all models has."""
    for slug in sorted(site.slugs - site.by_model.keys()):
        model = site.summaries.registry[slug]
        yield model.name, f"{model.provider} {slug}", f"models/?filter={slug}"
