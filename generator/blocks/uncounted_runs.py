"""The reasons why a run does not count, runs that await verdicts, and notes on left out runs."""

from collections import Counter
from collections.abc import Sequence

from generator import site_links
from generator.read.summaries import RunSummary, Why
from generator.render.templates import Row
from generator.scores.leaderboards import Leaderboard
from generator.site_data import SiteData
from records.grouping import group_values
from records.text.escaping import mark_name, render_sentence
from records.text.numbers import format_count


def find_awaiting(site: SiteData, version: str, slug: str, experiment: str) -> Row | None:
    """Return the run of a model under an experiment that lacks the fewest verdicts.

    Only runs that asked all evals of the version and were not withdrawn are considered; None if
    none of them lacks a verdict.
    """
    evals = frozenset(site.suites[version])
    runs = [
        (lacking, run)
        for run in site.by_model.get(slug, ())
        if (run.version, run.experiment) == (version, experiment)
        and run.head.withdrawn is None
        and evals <= run.results.keys()
        and (lacking := sum(run.results[name].planned - run.results[name].judged for name in evals))
    ]
    if not runs:
        return None
    # Runs are sorted newest first, so `min` returns the newest of those that lack as few.
    lacking, run = min(runs, key=lambda lacking_and_run: lacking_and_run[0])
    planned = sum(run.results[name].planned for name in evals)
    return Row(href=site_links.build_run_path(run.run_id), unjudged=lacking, planned=planned)


_IN_WORDS: dict[Why, str] = {
    "withdrawn": "withdrawn",
    "not_completed": "not finished",
    "partial": "with a part of the evals only",
    "incomplete": "with attempts that have no verdict",
    "changed_program": "made by a program with changes that no commit has",
    "taken_over": "with answers that a later run took over",
    "older": "older than the latest ten of its model",
    "lacks_evals": "without evals that another run of its model has",
    "version_not_defined": "of a version that is not defined here",
    "edition_of_the_guidelines": "a trial of the guidelines",
}


def describe_reasons(site: SiteData, run: RunSummary) -> str:
    """Return in words all reasons why a run does not count."""
    return ", ".join(_describe_reason(site, run, reason) for reason in site.list_reasons(run))


def _describe_reason(site: SiteData, run: RunSummary, reason: Why) -> str:
    """Return a reason in words, with the run's numbers if the reason has any."""
    if reason == "incomplete":
        lacking = run.tally.unjudged
        verb = "has" if lacking == 1 else "have"
        return f"{lacking} of {format_count(run.tally.planned, 'attempt')} {verb} no verdict"
    if reason == "partial":
        evals = site.suites[run.version]
        planned = len(run.results.plan.place.keys() & evals)
        return f"{planned} of {format_count(len(evals), 'eval')} only"
    return _IN_WORDS[reason]


def find_left_out(site: SiteData, leaderboard: Leaderboard, under: str | None) -> list[RunSummary]:
    """Return the runs of a version under an experiment that do not count; None means any."""
    return [
        site.runs[run_id]
        for run_id in sorted(leaderboard.basis.runs - site.counted)
        if under in {None, site.runs[run_id].experiment}
    ]


def render_left_out_note(site: SiteData, runs: Sequence[RunSummary], under: str | None) -> str:
    """Return a sentence on the runs that a table leaves out, as HTML; empty for none.

    Runs of up to `NAMED` models and conditions are named with reasons; more are only counted.
    """
    if not runs:
        return ""
    by_name = group_values(
        (
            mark_name(run.name) + ("" if under else f" {site_links.describe_run_condition(run)}"),
            run,
        )
        for run in runs
    )
    if len(by_name) <= site_links.NAMED:
        names: list[str] = []
        for name, same in by_name.items():
            if len(same) == 1:
                why = _describe_reason(site, same[0], site.find_first_reason(same[0]))
            else:
                why = f"{len(same)} runs: {_count_reasons(site, same)}"
            names.append(f"{name} ({why})")
        who = site_links.list_in_prose(names)
    else:
        who = f"{len(runs)} runs ({_count_reasons(site, runs)})"
    condition = f" {site_links.describe_experiment(under)}" if under else ""
    pages = "the model's page" if len({run.slug for run in runs}) == 1 else "the models' pages"
    return render_sentence(f"Not in this table: {who}{condition}; see {pages}.")


def _count_reasons(site: SiteData, runs: Sequence[RunSummary]) -> str:
    """Return in words the first reason of each run, with numbers if reasons differ."""
    reasons: Counter[Why] = Counter(site.find_first_reason(run) for run in runs)
    if len(reasons) == 1:
        return _IN_WORDS[next(iter(reasons))]
    return ", ".join(f"{number} {_IN_WORDS[reason]}" for reason, number in reasons.items())
