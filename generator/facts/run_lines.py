"""Lines of lists of runs, and the words on withdrawals and replaced verdicts."""

from collections.abc import Sequence
from datetime import date

from generator.facts.links import ModelLink, build_model_link
from generator.facts.report_links import build_report_links
from generator.facts.shares import RunLine, compute_run_share
from generator.facts.site_basics import SiteBasics
from generator.facts.titles import describe_run_condition
from generator.facts.urls import build_run_path
from generator.read.summaries import ReplacedVerdict, RunSummary, UndoneLine
from records.text.numbers import format_count


def build_run_line(site: SiteBasics, run: RunSummary) -> RunLine:
    """Return the line of a run in a list."""
    return RunLine(
        run_id=run.run_id,
        href=build_run_path(run.run_id),
        model=link_model(run),
        experiment=describe_run_condition(run),
        version_title=site.find_version_title(run.version),
        version_href=site.build_version_href(run.version),
        date=run.date,
        day_of_import=run.day_of_import,
        status=run.status,
        score=compute_run_share(run),
        unjudged=run.tally.planned - run.tally.judged,
        source=run.source,
        withdrawn=run.withdrawn,
        undone=[
            _describe_undone(undone_withdrawal) for undone_withdrawal in run.undone_withdrawals
        ],
        corrected_passed=run.corrected_passed,
        local=run.local,
        regraded=[
            f"{day}: {describe_replaced_verdicts(undone_withdrawal)}"
            for day, undone_withdrawal in group_regradings(run)
        ],
        reports=build_report_links(site, run),
    )


def _describe_undone(undone: UndoneLine) -> str:
    """Return a note on a withdrawal that was undone, with both reasons."""
    when = "" if undone.on is None else f" on {undone.on}"
    again = f"counts again since {undone.undone_on}: {undone.undone_because}"
    return f"withdrawn{when}: {undone.reason}; {again}"


def link_model(run: RunSummary) -> ModelLink:
    """Return the run's model with the link to its page."""
    return build_model_link(run.slug, run.name, run.provider)


def group_regradings(run: RunSummary) -> list[tuple[date, list[ReplacedVerdict]]]:
    """Return the replaced verdicts of a run by day, the newest day first."""
    days: dict[date, list[ReplacedVerdict]] = {}
    for verdict in run.regraded:
        days.setdefault(verdict.date, []).append(verdict)
    return sorted(days.items(), reverse=True)


def describe_replaced_verdicts(replaced: Sequence[ReplacedVerdict]) -> str:
    """Return in words how many attempts were graded again, how many outcomes changed, and why."""
    attempts = {(verdict.eval, verdict.sample) for verdict in replaced}
    changed = {
        (verdict.eval, verdict.sample) for verdict in replaced if verdict.before != verdict.after
    }
    reasons = list(dict.fromkeys(verdict.why for verdict in replaced if verdict.why is not None))
    graded = format_count(len(attempts), "attempt")
    outcomes = format_count(len(changed), "outcome")
    return f"{graded} graded again, {outcomes} changed{': ' if reasons else ''}{'; '.join(reasons)}"
