"""Facts on a run: its line in lists, earlier runs that asked for its answers, replaced verdicts."""

from collections.abc import Sequence
from datetime import date

from generator.blocks.attributions import build_report_links
from generator.blocks.shares import compute_run_share
from generator.read.summaries import ReplacedVerdict, RunSummary
from generator.render.templates import Row
from generator.site_data import SiteBasics
from records.grouping import group_values
from records.text.numbers import format_count


def build_run_line(site: SiteBasics, run: RunSummary) -> Row:
    """Return the line of a run in a list."""
    undone: list[str] = []
    for each in run.head.undone_withdrawals:
        when = "" if each.at is None else f" on {each.at.date()}"
        again = f"counts again since {each.undone_at.date()}: {each.undone_because}"
        undone.append(f"withdrawn{when}: {each.reason}; {again}")
    regraded = [
        f"{day}: {describe_replaced_verdicts(verdicts)}" for day, verdicts in group_regradings(run)
    ]
    notes = [] if run.head.withdrawn is None else [run.head.withdrawn.reason]
    if run.corrected_passed is not None:
        notes.append(f"{run.corrected_passed} passed under mended graders")
    return Row(
        run=run,
        score=compute_run_share(run),
        undone=undone,
        regraded=regraded,
        afterwards=[*notes, *undone, *regraded],
        reports=build_report_links(site, run),
    )


def group_regradings(run: RunSummary) -> list[tuple[date, list[ReplacedVerdict]]]:
    """Return the replaced verdicts of a run by day, the newest day first."""
    days = group_values((verdict.date, verdict) for verdict in run.regraded)
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
