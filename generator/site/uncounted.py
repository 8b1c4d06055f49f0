"""Why a run counts or does not, and what pages say of the runs that no table has."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from generator.read.summaries import RunSummary
from generator.scores.leaderboards import Leaderboard
from generator.site.data import SiteData
from generator.site.labels import experiment
from generator.site.run_lines import linked
from records.benchmark import Benchmark
from records.experiments import of_a_trial

Why = Literal[
    "counted",
    "withdrawn",
    "not_completed",
    "partial",
    "incomplete",
    "changed_program",
    "older",
    "version_not_defined",
    "edition_of_the_guidelines",
]
"""Why a run counts, or does not; an edition of the guidelines is told by its trial."""

_IN_WORDS: Final[dict[Why, str]] = {
    "withdrawn": "withdrawn",
    "not_completed": "not finished",
    "partial": "without some eval of the version",
    "incomplete": "with attempts that have no verdict",
    "changed_program": "made by a program with changes that no commit has",
    "older": "older than the latest ten of its model",
    "version_not_defined": "of a version that is not defined here",
    "edition_of_the_guidelines": "a trial of the guidelines",
}


def why(run: RunSummary, benchmark: Benchmark | None, *, counts: bool) -> Why:
    """Return why a run counts or does not, by the same order of reasons as `selection`."""
    return "counted" if counts else _reasons(run, benchmark)[0]


def _reasons(run: RunSummary, benchmark: Benchmark | None) -> list[Why]:
    """Return every reason for which a run does not count, the first first."""
    if of_a_trial(run.experiment):
        return ["edition_of_the_guidelines"]
    if benchmark is None:
        return ["version_not_defined"]
    partial = not benchmark.evals.keys() <= run.results.plan.place.keys()
    judged = run.tally.judged == run.tally.planned if partial else run.judged_among(benchmark.evals)
    holding: dict[Why, bool] = {
        "withdrawn": run.withdrawn is not None,
        "not_completed": run.status != "completed",
        "partial": partial,
        "incomplete": not judged,
        "changed_program": run.lacks_reason and not run.local,
    }
    return [reason for reason, holds in holding.items() if holds] or ["older"]


def reasons_in_words(site: SiteData, run: RunSummary) -> str:
    """Say every reason for which a run that does not count does not."""
    lacking = run.tally.planned - run.tally.judged
    said: dict[Why, str] = {
        **_IN_WORDS,
        "incomplete": f"{lacking} of {run.tally.planned} attempts have no verdict",
    }
    found = _reasons(run, site.summaries.benchmarks.get(run.version))
    return ", ".join(said[reason] for reason in found)


def left_out(site: SiteData, leaderboard: Leaderboard, under: str | None) -> list[RunSummary]:
    """Return the runs of a version, under an experiment or any, that do not count."""
    counted = {run.run_id for entry in leaderboard.entries for run in entry.runs}
    return [
        site.runs[run_id]
        for run_id in sorted(leaderboard.runs - counted)
        if under in {None, site.runs[run_id].experiment}
    ]


def left_out_note(site: SiteData, runs: Sequence[RunSummary], under: str | None) -> str:
    """Say how many runs a table leaves out, and why; empty for none."""
    if not runs:
        return ""
    benchmarks = site.summaries.benchmarks
    reasons: Counter[Why] = Counter(
        why(run, benchmarks.get(run.version), counts=False) for run in runs
    )
    said = ", ".join(f"{number} {_IN_WORDS[reason]}" for reason, number in reasons.items())
    condition = f" {experiment(under)}" if under else ""
    if len(runs) == 1:
        model = linked(runs[0]).name
        return (
            f"Not in the table: 1 run{condition} of {model}, {said}. It stands on its model's page."
        )
    number = f"Not in the table: {len(runs)} runs{condition}, {said}."
    return f"{number} They stand on their models' pages."


def nothing_counts(leaderboard: Leaderboard, runs: Sequence[RunSummary], under: str | None) -> str:
    """Say why a table has no row: nothing is recorded, or nothing that is ``left_out`` counts."""
    condition = f" {experiment(under)}" if under else ""
    if runs:
        return f"No run{condition} of this version counts."
    return f"No run{condition if leaderboard.runs else ''} was made under this version."
