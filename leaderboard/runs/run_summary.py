"""The summary of ended runs: lines for the user, and the exit code."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from leaderboard.terminal.exit_codes import DONE, INFRASTRUCTURE
from leaderboard.terminal.shell_commands import format_command_line, with_budget
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.runs.hosts import count_by_fingerprint, count_by_host, describe_host_mixture
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from records.text.visible import make_one_line
from runner.runs.progress.watcher import (
    describe_failed_tries,
    describe_faults,
    format_attempts,
    format_cost,
    format_run_title,
)


def _keep_budget(runs: Sequence[Run]) -> None:
    """Return None, which leaves the budget as it is."""
    del runs


def report_runs(
    runs: Sequence[Run],
    record_of: Callable[[Run], Path],
    again: Sequence[str],
    *,
    as_json: bool,
    budget_for: Callable[[Sequence[Run]], float | None] = _keep_budget,
) -> None:
    """Print the outcomes, costs and record of each run, and the command that resumes the rest.

    Args:
        runs: the runs.
        record_of: returns the path of a run's record.
        again: the options that the command for a resume needs, too.
        as_json: whether to print JSON.
        budget_for: returns the budget for the command that resumes runs, in dollars; None leaves
            the options as they are.
    """

    def format_next_command(rest: Sequence[Run]) -> str:
        return format_resume_command(rest, with_budget(again, budget_for(rest)))

    if as_json:
        say_json([build_run_row(run, record_of(run), format_next_command([run])) for run in runs])
        return
    say()
    for run in runs:
        stopped = "stopped; " * (run.status == "aborted")
        say(f"{format_run_title(run)}: {stopped}{describe_outcomes(run)}")
        lines = (
            describe_carried_answers(run),
            _format_costs(run),
            describe_host_mixture(run.attempts),
        )
        for line in filter(None, lines):
            say(f"  {line}")
        say(f"  {record_of(run)}")
    unjudged = [run for run in runs if run.unjudged]
    for run in unjudged:
        say(f"\n{explain_unjudged(run)}")
    if unjudged:
        say(f"Go on with:\n{format_next_command(unjudged)}")


def describe_carried_answers(run: Run) -> str:
    """Return the number of carried answers from each earlier run; empty if there are none."""
    origins = [attempt.carried_over for attempt in run.attempts]
    numbers = Counter(origin.run for origin in origins if origin is not None)
    if not numbers:
        return ""
    runs = ", ".join(
        f"{number} from run {run_id[:8]}" for run_id, number in sorted(numbers.items())
    )
    return f"carried over: {runs}; {len(run.attempts) - numbers.total()} asked"


def _format_costs(run: Run) -> str:
    """Return the cost of a run and of its failed tries; empty if no cost is known."""
    costs = (format_cost(run.totals.cost_usd), describe_failed_tries(run.totals.failed_tries_usd))
    return ", ".join(part for part in costs if part)


def format_resume_command(runs: Sequence[Run], again: Sequence[str]) -> str:
    """Return the shell command that resumes ``runs``."""
    return format_command_line("run", "--resume", *(run.run_id[:8] for run in runs), *again)


def find_record_path(data: DataFolder, run: Run) -> Path:
    """Return the current path of the record of a run, which may have been published."""
    published = data.get_run_file(run.model.slug, run.run_id)
    return published if published.exists() else data.local.get_run_file(run.model.slug, run.run_id)


def choose_exit_code(runs: Sequence[Run]) -> int:
    """Return exit code 3 if an attempt has no verdict, else 0."""
    return INFRASTRUCTURE if any(run.unjudged for run in runs) else DONE


def build_run_row(run: Run, record: Path, resume: str) -> dict[str, object]:
    """Return a run as JSON, with the path of its record and the command that resumes it."""
    return {
        "run_id": run.run_id,
        "model": run.model.slug,
        "experiment": run.experiment.name,
        "status": run.status,
        "outcomes": _count_outcomes(run),
        "carried_over": sum(attempt.carried_over is not None for attempt in run.attempts),
        "cost_usd": run.totals.cost_usd,
        "failed_tries_usd": run.totals.failed_tries_usd,
        "hosts": dict(count_by_host(run.attempts)),
        "fingerprints": dict(count_by_fingerprint(run.attempts)),
        "record": str(record),
        "resume": resume if run.unjudged else None,
    }


def describe_outcomes(run: Run) -> str:
    """Return the number of attempts of a run with each outcome, in words."""
    return ", ".join(
        f"{count} {name.replace('_', ' ')}" for name, count in _count_outcomes(run).items()
    )


def _count_outcomes(run: Run) -> dict[str, int]:
    counts = Counter(attempt.outcome for attempt in run.attempts)
    return {outcome.value: counts[outcome] for outcome in Outcome if counts[outcome]}


def explain_unjudged(run: Run) -> str:
    """Return lines on the attempts without a verdict, with evidence of the most common reason."""
    faults = [attempt.fault for attempt in run.attempts if attempt.fault is not None]
    missing = sum(attempt.outcome is Outcome.NOT_RUN for attempt in run.attempts)
    parts: list[str] = []
    if missing:
        parts.append(
            f"Not asked, or not graded: {format_attempts(missing)} of {format_run_title(run)}."
        )
    if faults:
        kinds = Counter(fault.kind for fault in faults)
        commonest = kinds.most_common(1)[0][0]
        evidence = next(fault.evidence for fault in reversed(faults) if fault.kind is commonest)
        parts.append(
            f"Without a verdict: {format_attempts(len(faults))} of {format_run_title(run)} "
            f"({describe_faults(kinds)}): {make_one_line(evidence, 200)}"
        )
    return "\n".join(parts)
