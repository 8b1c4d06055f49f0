"""The file `search.json`: the entries of the search box by kind, with their addresses."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from generator.facts.report_links import report_title
from generator.facts.run_lines import link_model
from generator.facts.site_data import SiteData
from generator.facts.titles import category, condition_of, eval_title
from generator.facts.urls import eval_path, filed_path
from generator.read.method import method_text
from records.text.markdown import prose
from records.text.run_days import day_words
from records.text.visible import visible

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


def search_index(site: SiteData, method: Path) -> bytes:
    """Return all entries as JSON, by kind, in the order in which the search box offers them.

    ``method`` is the Markdown file of the method page.
    """
    by_kind: dict[str, Sequence[Found]] = {
        "Page": _PAGES if site.settings.guidelines else _PAGES[1:],
        "Model": list(_models(site)),
        "Category": list(_categories(site)),
        "Method": [
            (each.words, "", f"about/#{each.anchor}")
            for each in prose(method_text(method)).sections
        ],
        "Eval": [(eval_title(site, name), name, eval_path(name)) for name in sorted(site.evals)],
        "Report": list(_reports(site)),
        "Not measured yet": list(_list_models_without_runs(site)),
        "Run": [
            (run.run_id, f"{run.name}, {condition_of(run)}, {day_words(run)}")
            for run in site.summaries.runs
        ],
    }
    visible_entries = {
        kind: [[*map(visible, each)] for each in every] for kind, every in by_kind.items()
    }
    return json.dumps(visible_entries, ensure_ascii=False, separators=(",", ":")).encode()


def _models(site: SiteData) -> Iterator[Found]:
    for _, runs in sorted(site.by_model.items()):
        link = link_model(runs[0])
        yield link.name, f"{link.provider} {link.slug}", link.href


def _categories(site: SiteData) -> Iterator[Found]:
    """Yield the categories of the version on the front page."""
    if site.front is not None:
        for key in site.leaderboards[site.front].categories():
            yield category(key).label, key, f"categories/{key}/"


def _reports(site: SiteData) -> Iterator[Found]:
    for filed in site.summaries.reports:
        run = site.runs.get(filed.report.run)
        if run is not None:
            words = f"{run.name}, {filed.report.date}"
            yield report_title(filed, run.name), words, filed_path(filed)


def _list_models_without_runs(site: SiteData) -> Iterator[Found]:
    """Yield the models without runs, which only the list of all models has."""
    for slug in sorted(site.slugs - site.by_model.keys()):
        model = site.summaries.registry[slug]
        yield model.name, f"{model.provider} {slug}", f"models/?filter={slug}"
