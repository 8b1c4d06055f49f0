"""The runs that `leaderboard run` goes on with: named runs, or unfinished runs of the same kind."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import click

from leaderboard.runs.run_summary import format_resume_command
from leaderboard.terminal.streams import find_terminal, say
from runner.errors import CannotResumeError
from runner.runs.history import UnfinishedRun, find_unfinished
from runner.runs.plan import Destination, PlannedRuns, RunPlan
from runner.runs.progress.watcher import format_run_title
from runner.runs.resume import plan_resumed
from runner.runs.settings import RunSettings


def continue_unfinished(
    plans: Sequence[RunPlan], destination: Destination, settings: RunSettings, *, as_json: bool
) -> PlannedRuns:
    """Return ``plans``, in which unfinished runs of the same kind replace new runs.

    If an unfinished run could not be resumed without a change, it stays as it is, and the new run
    begins.

    Raises:
        RunInUseError: another process executes an unfinished run.
        UserError: a key is missing.
        UsageError: the runs have budgets of their own or several folders, which one command cannot
            have.
    """
    unfinished_by_run = {
        plan.run.run_id: unfinished
        for plan, unfinished in _find_unfinished_runs(plans, destination)
    }
    chosen: list[RunPlan] = []
    resumed: list[PlannedRuns] = []
    for plan in plans:
        unfinished = unfinished_by_run.get(plan.run.run_id)
        resumed_run = unfinished and _plan_resume(unfinished, destination, settings)
        if unfinished is None or resumed_run is None:
            chosen.append(plan)
            continue
        say(f"Going on with {_describe_run(unfinished)}", err=as_json)
        resumed.append(resumed_run)
        chosen += resumed_run.plans
    destinations = {planned.destination.folder: planned.destination for planned in resumed}
    if len(resumed) < len(plans):
        destinations[destination.folder] = destination
    if len(destinations) > 1:
        raise click.UsageError(
            "one command cannot go on with published and local runs: give each model a command of "
            "its own"
        )
    return PlannedRuns(
        plans=chosen,
        over=[run for resumed_run in resumed for run in resumed_run.over],
        budget_usd=_choose_budget(resumed, settings),
        destination=next(iter(destinations.values()), destination),
    )


def refuse_beside_unfinished(
    plans: Sequence[RunPlan], destination: Destination, again: Sequence[str], *, as_json: bool
) -> None:
    """Report the unfinished runs that ``plans`` would repeat, with the commands to choose from.

    Args:
        plans: the new runs.
        destination: the folder for their records.
        again: the options that the command for a resume needs, too.
        as_json: whether the output is JSON.

    Raises:
        UsageError: the output is a terminal. Its user has to choose, before answers are paid for
            twice.
    """
    unfinished_runs = [unfinished for _, unfinished in _find_unfinished_runs(plans, destination)]
    if not unfinished_runs:
        return
    runs = [unfinished.run for unfinished in unfinished_runs]
    lines = [f"unfinished: {_describe_run(unfinished)}" for unfinished in unfinished_runs]
    lines.append(f"Go on with:\n{format_resume_command(runs, again)}")
    if as_json or find_terminal() is None:
        say("\n".join(lines), err=True)
        say("A new run begins; --resume-or-start would go on with the unfinished run", err=True)
        return
    lines.append("or begin a new run: give the same command again with --anew")
    raise click.UsageError("\n".join(lines))


def _find_unfinished_runs(
    plans: Sequence[RunPlan], destination: Destination
) -> Iterator[tuple[RunPlan, UnfinishedRun]]:
    """Yield each plan for which there is an unfinished run of the same kind, with this run.

    Plans of baselines are left out.
    """
    today = datetime.now(UTC).date()
    folders = dict.fromkeys((destination.folder, destination.data))
    for plan in plans:
        if plan.entry is not None:
            unfinished = find_unfinished(folders, plan.run, today)
            if unfinished is not None:
                yield plan, unfinished


def _plan_resume(
    unfinished: UnfinishedRun, destination: Destination, settings: RunSettings
) -> PlannedRuns | None:
    """Return the plan to resume a run; None if the run would no longer be the same."""
    try:
        return plan_resumed(unfinished.run.run_id, destination, settings, is_alone=False)
    except CannotResumeError as error:
        say(f"A new run begins: {error}", err=True)
        return None


def _describe_run(unfinished: UnfinishedRun) -> str:
    run = unfinished.run
    verdicts = f"{unfinished.verdicts} of {run.planned_attempts} with a verdict"
    return f"run {run.run_id[:8]} of {format_run_title(run)}, begun {run.date}, {verdicts}"


def plan_all(
    beginnings: Sequence[str], destination: Destination, settings: RunSettings
) -> PlannedRuns:
    """Plan the rest of the runs whose ids have these beginnings; each run once.

    Raises:
        MissingRecordError, AmbiguousRunError: no run has such an id, or several have.
        CannotResumeError: a run would no longer be the same.
        RunInUseError: another process is executing a run.
        UsageError: one command cannot go on with all these runs.
    """
    is_alone = len(beginnings) == 1
    resumed = {
        planned.runs[0].run_id: planned
        for planned in (
            plan_resumed(beginning, destination, settings, is_alone=is_alone)
            for beginning in beginnings
        )
    }
    published = [run_id[:8] for run_id, planned in resumed.items() if planned.destination.publish]
    if 0 < len(published) < len(resumed):
        raise click.UsageError(
            "one command cannot resume published and local runs: resume "
            f"{', '.join(published)} with a command of their own"
        )
    all_resumed = list(resumed.values())
    return PlannedRuns(
        plans=[plan for planned in all_resumed for plan in planned.plans],
        destination=all_resumed[0].destination,
        over=[run for planned in all_resumed for run in planned.over],
        budget_usd=_choose_budget(all_resumed, settings),
    )


def _choose_budget(resumed: Sequence[PlannedRuns], settings: RunSettings) -> float | None:
    """Return the most dollars that the runs may cost together; None if there is no limit.

    Raises:
        UsageError: a run has a budget of its own and others go on with it, but a command has one.
    """
    if settings.budget_usd is not None:
        return settings.budget_usd
    going = [plan.run for planned in resumed for plan in planned.plans]
    limited = [run for run in going if run.budget_usd is not None]
    if limited and len(going) > 1:
        run = limited[0]
        raise click.UsageError(
            f"run {run.run_id[:8]} has a budget of its own, ${run.budget_usd:g}: give --budget, "
            "which then is for all these runs together, or resume it alone"
        )
    return going[0].budget_usd if going else None
