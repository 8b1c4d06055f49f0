"""The summary after runs have ended: lines for the user and an exit code."""

from collections import Counter
from collections.abc import Sequence

from leaderboard.exits import DONE, INFRASTRUCTURE
from leaderboard.pasting import command_line
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.run import Outcome, Run
from records.showing import one_line
from runner.runs.progress.state import attempts, reasons, title


def report(runs: Sequence[Run], folder: DataFolder, again: Sequence[str], *, as_json: bool) -> None:
    """Say how each run ended, where its record is, and how to go on where it did not end.

    ``again`` are the options that a resumed run needs as well.
    """
    if as_json:
        say_json([run_row(run, folder, resuming([run], again)) for run in runs])
        return
    say()
    for run in runs:
        stopped = "stopped; " * (run.status == "aborted")
        say(f"{title(run)}: {stopped}{ended_as(run)}")
        say(f"  {folder.run_file(run.model.slug, run.run_id)}")
    unjudged = [run for run in runs if run.unjudged]
    for run in unjudged:
        say(f"\n{why_unjudged(run)}")
    if unjudged:
        say(f"Go on with:\n{resuming(unjudged, again)}")


def resuming(runs: Sequence[Run], again: Sequence[str]) -> str:
    """Return the command that goes on with ``runs``, to be pasted into a shell."""
    return command_line("run", "--resume", *(run.run_id[:8] for run in runs), *again)


def exit_code(runs: Sequence[Run]) -> int:
    """Return 3 when an attempt was not judged, else 0."""
    return INFRASTRUCTURE if any(run.unjudged for run in runs) else DONE


def run_row(run: Run, folder: DataFolder, resume: str) -> dict[str, object]:
    """Return a run for machines; ``resume`` is the command that goes on with it."""
    return {
        "run_id": run.run_id,
        "model": run.model.slug,
        "experiment": run.experiment.name,
        "status": run.status,
        "outcomes": _counts(run),
        "cost_usd": run.totals.cost_usd,
        "record": str(folder.run_file(run.model.slug, run.run_id)),
        "resume": resume if run.unjudged else None,
    }


def ended_as(run: Run) -> str:
    """Say how many attempts of a run ended how."""
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in _counts(run).items())


def _counts(run: Run) -> dict[str, int]:
    found = Counter(attempt.outcome for attempt in run.attempts)
    return {outcome.value: found[outcome] for outcome in Outcome if found[outcome]}


def why_unjudged(run: Run) -> str:
    """Say how many attempts have no verdict, and the commonest reason with its latest evidence."""
    faults = [attempt.fault for attempt in run.attempts if attempt.fault is not None]
    missing = sum(attempt.outcome is Outcome.NOT_RUN for attempt in run.attempts)
    parts: list[str] = []
    if missing:
        parts.append(f"Not asked or judged to the end: {attempts(missing)} of {title(run)}.")
    if faults:
        kinds = Counter(fault.kind for fault in faults)
        commonest = kinds.most_common(1)[0][0]
        evidence = next(fault.evidence for fault in reversed(faults) if fault.kind is commonest)
        parts.append(
            f"Without a verdict: {attempts(len(faults))} of {title(run)} "
            f"({reasons(kinds)}): {one_line(evidence, 200)}"
        )
    return "\n".join(parts)
