"""The choice of `leaderboard run` between a new run and an unfinished run of the same kind."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import click

from leaderboard.runs.run_summary import format_resume_command
from leaderboard.terminal.streams import find_terminal, say
from records.shapes.run import Run
from runner.errors import CannotResumeError
from runner.runs.history import UnfinishedRun, find_unfinished
from runner.runs.plan import Destination, PlannedRuns, RunPlan
from runner.runs.progress.watcher import format_run_title
from runner.runs.resume import Resumed, plan_resumed
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
    resumed: list[Resumed] = []
    for plan in plans:
        unfinished = unfinished_by_run.get(plan.run.run_id)
        resumed_run = unfinished and _plan_resume(unfinished, destination, settings)
        if unfinished is None or resumed_run is None:
            chosen.append(plan)
            continue
        say(f"Going on with {_describe_run(resumed_run.run, unfinished)}", err=as_json)
        resumed.append(resumed_run)
        if resumed_run.plan is not None:
            chosen.append(resumed_run.plan)
    budget = settings.budget_usd
    if budget is None:
        check_budgets(resumed)
        budget = find_common_budget(resumed)
    return PlannedRuns(
        plans=chosen,
        over=[continued_run.run for continued_run in resumed if continued_run.plan is None],
        budget_usd=budget,
        destination=_find_place(destination, resumed, are_all_resumed=len(resumed) == len(plans)),
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
    lines = [
        f"unfinished: {_describe_run(unfinished_run.run, unfinished_run)}"
        for unfinished_run in unfinished_runs
    ]
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


def _find_place(
    destination: Destination, resumed: Sequence[Resumed], *, are_all_resumed: bool
) -> Destination:
    """Return the folder for the records of resumed and new runs.

    Raises:
        UsageError: the runs need several folders.
    """
    destinations = {
        resumed_run.destination.folder: resumed_run.destination for resumed_run in resumed
    }
    if not are_all_resumed:
        destinations[destination.folder] = destination
    if len(destinations) > 1:
        raise click.UsageError(
            "one command cannot go on with published and local runs: give each model a command of "
            "its own"
        )
    return next(iter(destinations.values()), destination)


def _plan_resume(
    unfinished: UnfinishedRun, destination: Destination, settings: RunSettings
) -> Resumed | None:
    """Return the plan to resume a run; None if the run would no longer be the same."""
    try:
        return plan_resumed(unfinished.run.run_id, destination, settings, is_alone=False)
    except CannotResumeError as error:
        say(f"A new run begins: {error}", err=True)
        return None


def _describe_run(run: Run, unfinished: UnfinishedRun) -> str:
    verdicts = f", {unfinished.verdicts} of {unfinished.run.planned_attempts}"
    title = format_run_title(run)
    return f"run {run.run_id[:8]} of {title}, begun {run.date}{verdicts} with a verdict"


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
