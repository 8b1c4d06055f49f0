"""How runs ended, said to the user and to the shell."""

from collections import Counter
from collections.abc import Sequence

from leaderboard.exits import DONE, INFRASTRUCTURE
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.run import Outcome, Run


def report(runs: Sequence[Run], folder: DataFolder, *, as_json: bool) -> None:
    """Say how each run ended and where its record is."""
    if as_json:
        say_json([_row(run, folder) for run in runs])
        return
    for run in runs:
        row = _row(run, folder)
        counts = ", ".join(f"{count} {name}" for name, count in _counts(run).items())
        say(f"{run.model.slug} {run.experiment.name}: {counts}  {row['record']}")
    for run in runs:
        if _unjudged(run):
            say(
                f"{_unjudged(run)} attempts of {run.model.slug} were not judged; go on with: "
                f"leaderboard run --resume {run.run_id[:8]}"
            )


def exit_code(runs: Sequence[Run]) -> int:
    """Return 3 when an attempt was not judged, else 0."""
    return INFRASTRUCTURE if any(_unjudged(run) for run in runs) else DONE


def _row(run: Run, folder: DataFolder) -> dict[str, object]:
    return {
        "run_id": run.run_id,
        "model": run.model.slug,
        "experiment": run.experiment.name,
        "status": run.status,
        "outcomes": _counts(run),
        "cost_usd": run.totals.cost_usd,
        "record": str(folder.run_file(run.model.slug, run.run_id)),
    }


def _counts(run: Run) -> dict[str, int]:
    found = Counter(attempt.outcome for attempt in run.attempts)
    return {outcome.value: found[outcome] for outcome in Outcome if found[outcome]}


def _unjudged(run: Run) -> int:
    judged = {Outcome.PASSED, Outcome.FAILED}
    return sum(attempt.outcome not in judged for attempt in run.attempts)
