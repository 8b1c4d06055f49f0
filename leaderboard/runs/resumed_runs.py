"""The resumption of one or several runs in one process: `leaderboard run --resume`."""

from collections.abc import Sequence

import click

from runner.runs.plan import Destination
from runner.runs.resume import Resumed, plan_resumed
from runner.runs.settings import RunSettings


def plan_all(
    beginnings: Sequence[str], destination: Destination, settings: RunSettings
) -> list[Resumed]:
    """Plan the rest of the runs whose ids have these beginnings; each run once.

    Raises:
        MissingRecordError, AmbiguousRunError: no run has such an id, or several have.
        CannotResumeError: a run would no longer be the same.
        RunInUseError: another process is executing a run.
        UsageError: one command cannot go on with all these runs.
    """
    is_alone = len(beginnings) == 1
    planned = [
        plan_resumed(beginning, destination, settings, is_alone=is_alone)
        for beginning in beginnings
    ]
    resumed = list({resumed_run.run.run_id: resumed_run for resumed_run in planned}.values())
    _check_places(resumed)
    if settings.budget_usd is None:
        check_budgets(resumed)
    return resumed


def find_common_budget(resumed: Sequence[Resumed]) -> float | None:
    """Return the most dollars that the runs may cost together; None if there is no limit."""
    budgets = [
        resumed_run.plan.run.budget_usd for resumed_run in resumed if resumed_run.plan is not None
    ]
    return budgets[0] if budgets else None


def _check_places(resumed: Sequence[Resumed]) -> None:
    published = [
        resumed_run.run.run_id[:8] for resumed_run in resumed if resumed_run.destination.publish
    ]
    if 0 < len(published) < len(resumed):
        raise click.UsageError(
            "one command cannot resume published and local runs: resume "
            f"{', '.join(published)} with a command of their own"
        )


def check_budgets(resumed: Sequence[Resumed]) -> None:
    """Check that no run of several has a budget of its own, as a command has only one budget.

    Raises:
        UsageError: a run has a budget, and other runs go on with it.
    """
    going = [resumed_run.run for resumed_run in resumed if resumed_run.plan is not None]
    limited = [run for run in going if run.budget_usd is not None]
    if limited and len(going) > 1:
        run = limited[0]
        raise click.UsageError(
            f"run {run.run_id[:8]} has a budget of its own, ${run.budget_usd:g}: give --budget, "
            "which then is for all these runs together, or resume it alone"
        )
