"""The JSON files that the page of comparisons loads: models, evals and other versions.

The files change whenever the page needs other data. Other programs should read the tables of
`generator.exports.formats` instead.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pydantic_core import to_json

from generator import site_links
from generator.blocks import shares
from generator.blocks.matrix_cells import EvalStanding, build_eval_standings
from generator.render.template_filters import (
    choose_dollars_writer,
    choose_seconds_writer,
    format_percent,
)
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.shared_evals import find_shared_evals
from generator.site_data import SiteData
from records.files.data_folder import encode_slug
from records.shapes.attempt import StepName
from records.suites.experiments import DEFAULT
from records.text.numbers import round_half_up
from records.text.visible import make_visible


def make_comparison_files(site: SiteData, leaderboard: Leaderboard) -> Iterator[tuple[str, bytes]]:
    """Yield the path and bytes of each file of a benchmark version."""
    folder = f"{site.find_version_folder(leaderboard.version)}compare/"
    index = {
        "steps": [*StepName, "step not published"],
        "categories": [
            {
                "label": site_links.label_category(key),
                "folder": key,
                "evals": len(leaderboard.list_eval_names(key)),
            }
            for key in leaderboard.list_categories()
        ],
        "evals": [site.link_eval(name)._asdict() for name in leaderboard.scored.evals],
    }
    yield f"{folder}evals.json", to_json(index)
    # The other versions whose models can be compared, by the folders of their files.
    versions = {
        f"{site.find_version_folder(other.version)}compare/": {
            "title": site.titles[other.version],
            "evals": shared.equal,
        }
        for other in site.leaderboards.values()
        for shared in (find_shared_evals(leaderboard.benchmark, other.benchmark),)
        if other.version != leaderboard.version and shared.unequal is None
    }
    yield f"{folder}versions.json", to_json(versions)
    entries, size = leaderboard.baselines_last, len(leaderboard.scored.evals)
    names, amounts = shares.label_columns(entries), _format_amounts(leaderboard)
    for entry, name, written in zip(entries, names, amounts, strict=True):
        steps: Counter[str] = Counter()
        for run in entry.runs:
            steps.update(run.failed_steps)
        score, evals = entry.row.score, leaderboard.scored.evals
        low, high = (round_half_up(100 * end) for end in score.interval)
        facts = {"Score": f"{format_percent(score.share.percent)}% ({low} to {high})", **written}
        standings = zip(evals, build_eval_standings(site, evals, entry), strict=True)
        fields = {
            "href": site_links.build_model_path(entry.newest.slug),
            "facts": facts,
            "categories": [round(part.share.passed, 1) for part in entry.row.categories.values()],
            "attempts": sum(run.tally.judged for run in entry.runs),
            # By step in the order of grading; last those whose step was not published.
            "steps": [steps[step] for step in (*StepName, "")],
            "evals": [_build_eval(entry, *standing) for standing in standings],
            "name": name,
            # A sentence on each other model.
            "against": {
                rival.key: shares.describe_comparison(leaderboard.compare_pair(entry, rival), size)
                for rival in entries
                if rival is not entry
            },
            # The pages that compare the newest run with that of another entry; a page may show
            # answers.
            "runs": {
                other.key: (pair.path, pair.shows_answers)
                for other in leaderboard.entries
                if (pair := site.find_newest_pair(entry, other))
            },
        }
        yield f"{folder}{encode_slug(entry.key)}.json", to_json(fields)


class _ComparedModel(NamedTuple):
    """A model under a condition, and the versions in which it can be compared."""

    name: str
    condition: str
    """The condition in words."""
    places: list[tuple[str, str]]
    """The page of comparisons and the title of each version that counts a run of the model."""


def make_elsewhere_file(site: SiteData) -> bytes:
    """Return the bytes of the file with the versions of each model, newest first.

    Its JSON object has the models by the keys of addresses (`Entry.key`). The page of comparisons
    loads this file if the page's address names a model that is not on the page.
    """
    models = {
        slug: _ComparedModel(
            make_visible(runs[0].name),
            site_links.AS_IMPORTED
            if runs[0].of_other_tool
            else site_links.describe_experiment(DEFAULT),
            [],
        )
        for slug, runs in site.by_model.items()
    }
    for leaderboard in site.leaderboards.values():
        href, title, _ = site.link_board(leaderboard.version, "compare/")
        for entry in leaderboard.entries:
            newest = entry.newest
            model = _ComparedModel(
                make_visible(newest.name), site_links.describe_run_condition(newest), []
            )
            models.setdefault(entry.key, model).places.append((href, title))
    return to_json(models)


def _format_amounts(leaderboard: Leaderboard) -> list[dict[str, str]]:
    """Return the costs and the time of each entry as texts, in the order of `baselines_last`.

    All entries have the same units, because the page shows two entries side by side.
    """
    rows = [entry.row for entry in leaderboard.baselines_last]
    columns = {
        "Cost of an attempt": ([row.cost_usd.mean for row in rows], choose_dollars_writer),
        "Cost of an eval passed": ([row.cost_per_pass for row in rows], choose_dollars_writer),
        "Time of an attempt": ([row.generation_s.mean for row in rows], choose_seconds_writer),
    }
    written = {
        head: list(map(column(values), values)) for head, (values, column) in columns.items()
    }
    return [{head: texts[number] for head, texts in written.items()} for number in range(len(rows))]


def _build_eval(entry: Entry, name: str, standing: EvalStanding) -> list[object]:
    """Return the numbers of passed and judged attempts, the address of an answer, and a reason.

    If every attempt passed, the answer is the newest, and there is no reason. Else the reason is
    that of the newest failed attempt. If most attempts passed, the answer is from the newest run
    all of whose attempts at the eval passed. If there is no such run, or no majority passed, the
    answer is the newest failed one.
    """
    if standing.passed == standing.judged:
        return [standing.passed, standing.judged, standing.answer]
    passing = [
        run for run in entry.list_runs(name) if run.results[name].passed == run.results[name].judged
    ]
    shows_passed = passing and 2 * standing.passed > standing.judged
    answer = site_links.build_attempt_href(passing[0], name) if shows_passed else standing.answer
    return [standing.passed, standing.judged, answer, standing.explanation]
