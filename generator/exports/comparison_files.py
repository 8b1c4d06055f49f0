"""The files that the page of comparisons loads: one for each model, and files on the evals.

These files change with the page; other programs should use the tables of
`generator.exports.formats`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from generator.blocks.comparison import labels, newest_pair, sentence
from generator.blocks.matrix_cells import EvalStanding, standings
from generator.blocks.matrix_head import columns
from generator.facts.attributions import attributions
from generator.facts.shares import entry_share
from generator.facts.site_data import SiteData
from generator.facts.statistics import interval
from generator.facts.titles import AS_IMPORTED, category, condition_of, eval_title, experiment
from generator.facts.urls import attempt_href, eval_path, model_path
from generator.read.summaries import RunSummary
from generator.render.column_units import dollars_column, seconds_column
from generator.render.template_filters import percent, rounded
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.shared_evals import find_shared_evals
from records.shapes.attempt import StepName
from records.suites.experiments import DEFAULT
from records.text.visible import one_line, visible

ELSEWHERE: Final = "compare/elsewhere.json"
"""The path of `elsewhere_file` below the site's root."""


def comparison_files(site: SiteData, leaderboard: Leaderboard) -> Iterator[tuple[str, bytes]]:
    """Yield the path and bytes of each file of a benchmark version."""
    folder = f"{site.place(leaderboard.version)}compare/"
    yield f"{folder}evals.json", _json(_evals(site, leaderboard))
    yield f"{folder}versions.json", _json(_list_comparable_versions(site, leaderboard))
    heads = columns(leaderboard, leaderboard.baselines_last)
    names = labels(heads)
    keys = [head.key for head in heads]
    amounts = _amounts(leaderboard)
    for number, entry in enumerate(leaderboard.baselines_last):
        fields = _model(site, leaderboard, entry, amounts[number]) | {
            "name": names[number],
            "against": _against(leaderboard, number, keys),
            "runs": _runs(site, leaderboard, entry),
        }
        yield f"{folder}{entry.key.replace(':', '~')}.json", _json(fields)


class _Known(NamedTuple):
    """A model under a condition, and the versions that have it."""

    name: str
    condition: str
    """The condition in words."""
    places: list[tuple[str, str]]
    """The page of comparisons and the title of each version that counts a run of the model."""


def elsewhere_file(site: SiteData) -> tuple[str, bytes]:
    """Return the path and bytes of a file with each model's versions, newest first, by its key.

    A page of comparisons loads it if its address names a model that the page does not have.
    """
    facts = {
        slug: _Known(visible(runs[0].name), _usual_condition(runs[0]), [])
        for slug, runs in site.by_model.items()
    }
    for leaderboard in site.leaderboards.values():
        at = f"{site.place(leaderboard.version)}compare/", site.titles[leaderboard.version]
        for entry in leaderboard.entries:
            newest = entry.newest
            facts_known = _Known(visible(newest.name), condition_of(newest), [])
            facts.setdefault(entry.key, facts_known).places.append(at)
    return ELSEWHERE, _json(facts)


def _usual_condition(run: RunSummary) -> str:
    """Return the condition by which a model is listed first."""
    return AS_IMPORTED if run.of_other_tool else experiment(DEFAULT)


def _list_comparable_versions(
    site: SiteData, leaderboard: Leaderboard
) -> dict[str, dict[str, object]]:
    """Return the versions whose models can be compared with this one's, by folder."""
    versions: dict[str, dict[str, object]] = {}
    for other in site.leaderboards.values():
        shared = find_shared_evals(leaderboard.benchmark, other.benchmark)
        if other.version != leaderboard.version and shared.unequal is None:
            versions[f"{site.place(other.version)}compare/"] = {
                "title": site.titles[other.version],
                "evals": shared.equal,
            }
    return versions


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _evals(site: SiteData, leaderboard: Leaderboard) -> dict[str, object]:
    return {
        "steps": [*StepName, "step not published"],
        "categories": [
            {"label": category(key).label, "folder": key, "evals": len(leaderboard.evals(key))}
            for key in leaderboard.categories()
        ],
        "evals": [
            {
                "name": name,
                "title": eval_title(site, name),
                "href": eval_path(name),
            }
            for name in leaderboard.scored.evals
        ],
    }


def _amounts(leaderboard: Leaderboard) -> list[dict[str, str]]:
    """Return costs and time of each entry, with one unit for all, since pages compare them."""
    rows = [entry.row for entry in leaderboard.baselines_last]
    columns = {
        "Cost of an attempt": ([row.cost_usd.mean for row in rows], dollars_column),
        "Cost of an eval passed": ([row.cost_per_pass for row in rows], dollars_column),
        "Time of an attempt": ([row.generation_s.mean for row in rows], seconds_column),
    }
    written = {
        head: list(map(column(values), values)) for head, (values, column) in columns.items()
    }
    return [{head: texts[number] for head, texts in written.items()} for number in range(len(rows))]


def _model(
    site: SiteData, leaderboard: Leaderboard, entry: Entry, amounts: Mapping[str, str]
) -> dict[str, object]:
    """Return a model's facts, shares and results; ``amounts`` are its costs and time."""
    evals = leaderboard.evals()
    low, high = interval(leaderboard, entry, evals)
    score = percent(entry_share(entry, evals).percent)
    attributions_by_run = {run.run_id: attributions(site, run.run_id) for run in entry.runs}
    return {
        "href": model_path(entry.newest.slug),
        "facts": {"Score": f"{score}% ({rounded(low)} to {rounded(high)})", **amounts},
        "categories": [
            round(entry.passed(leaderboard.evals(key)), 1) for key in leaderboard.categories()
        ],
        "attempts": sum(run.tally.judged for run in entry.runs),
        "steps": _steps(entry),
        "evals": [
            _eval(entry, name, standing)
            for name, standing in zip(
                leaderboard.scored.evals,
                standings(leaderboard.scored.evals, entry, attributions_by_run),
                strict=True,
            )
        ],
    }


def _steps(entry: Entry) -> list[int]:
    """Return the number of failed attempts for each step, in the order of grading.

    The last number is of attempts without a published step.
    """
    counted: Counter[str] = Counter()
    for run in entry.runs:
        counted.update(run.failed_steps)
    return [counted[step] for step in (*StepName, "")]


def _eval(entry: Entry, name: str, standing: EvalStanding) -> list[object]:
    """Return the numbers of passed and judged attempts, an answer's address, and why one failed.

    The answer is a passed one if most attempts passed, else a failed one. The reason is left out
    if every attempt passed.
    """
    if standing.passed == standing.judged:
        return [standing.passed, standing.judged, standing.answer]
    passing = [run for run in entry.runs if run.results[name].passed == run.results[name].judged]
    mostly = passing and 2 * standing.passed > standing.judged
    answer = attempt_href(passing[0], name) if mostly else standing.answer
    return [standing.passed, standing.judged, answer, why_failed(standing, entry.runs[0].source)]


def why_failed(standing: EvalStanding, source: str | None) -> str:
    """Return the step and reason of the newest failed attempt, and a report's attribution.

    ``source`` is the source of imported results, whose reasons are their publisher's.
    """
    attribution = standing.attribution
    why = standing.step or "step not published"
    if standing.reason is not None:
        why += (
            f": {standing.reason}" if source is None else f", by its publisher: {standing.reason}"
        )
    if attribution is None:
        return why
    note = one_line(attribution.note)
    return (
        f"{why} ({attribution.kind}: {note})"
        if note and note != standing.reason
        else f"{why} ({attribution.kind})"
    )


def _against(leaderboard: Leaderboard, number: int, keys: Sequence[str]) -> dict[str, str]:
    """Return a sentence on the model with each other model, by the other's key."""
    sentences: dict[str, str] = {}
    evals = len(leaderboard.scored.evals)
    for other, key in enumerate(keys):
        if other == number:
            continue
        sentences[key] = sentence(leaderboard.between(number, other), evals)
    return sentences


def _runs(site: SiteData, leaderboard: Leaderboard, entry: Entry) -> dict[str, tuple[str, bool]]:
    """Return the page of the newest run and another entry's newest run, by the other's key.

    Entries without such a page are left out. With each page comes whether it shows both answers
    to an eval at which the runs differ.
    """
    paths = {
        neighbour.key: newest_pair(site, entry, neighbour) for neighbour in leaderboard.entries
    }
    return {key: (pair.path, pair.shows_answers) for key, pair in paths.items() if pair is not None}
