"""The plan of a night as JSON, and as lines for people."""

import math
from collections.abc import Mapping, Sequence

from leaderboard.schedule.night import PlannedRun
from records.text.numbers import format_count, format_dollars


def make_row(planned: PlannedRun) -> Mapping[str, object]:
    """Return a planned run as JSON."""
    due = planned.due
    entry, unfinished = due.schedule.entry, due.unfinished
    return {
        "slug": entry.slug,
        "experiment": due.experiment,
        "decision": planned.decision,
        "why": planned.why,
        "questions": due.questions,
        "carried_over": due.carried_over,
        "run": unfinished.run.run_id if unfinished else None,
        "verdicts": unfinished.verdicts if unfinished else 0,
        "spent_usd": due.spent_usd,
        "most_usd": due.most_usd,
        "tonight_usd": planned.tonight_usd,
        "budget_usd": planned.budget_usd,
        "key_variable": entry.api_key_env,
        "last_run": due.schedule.last.isoformat() if due.schedule.last else None,
        "next_due": due.schedule.next.isoformat() if due.schedule.next else None,
    }


def make_line(planned: PlannedRun) -> str:
    """Return a line for a planned run."""
    due = planned.due
    count = format_count(due.questions, "question")
    if due.carried_over:
        count += f", {due.carried_over} carried over"
    run_text = ""
    if due.unfinished is not None:
        run_text = f" left of run {due.unfinished.run.run_id[:8]}"
    end = planned.why
    if end is None:
        end = (
            "no limit"
            if planned.tonight_usd is None
            else f"at most {format_dollars(planned.tonight_usd)}"
        )
    word = planned.decision.replace("_", " ")
    return f"{word:<13} {due.schedule.entry.slug:<34} {due.experiment:<14} {count}{run_text}; {end}"


def make_sum_line(planned: Sequence[PlannedRun]) -> str:
    """Return a line with the number of runs that are made, and the most that they may cost."""
    runs = [run for run in planned if run.decision == "asked"]
    amounts = [run.tonight_usd for run in runs if run.tonight_usd is not None]
    bound = (
        f"at most {format_dollars(math.fsum(amounts))}" if len(amounts) == len(runs) else "no limit"
    )
    return f"Together {format_count(len(runs), 'run')}, {bound}"
