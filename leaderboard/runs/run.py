"""The work of `leaderboard run`; not in the command's module, because the imports take seconds."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard.delivery.courier import Courier, open_courier, send
from leaderboard.runs import run_summary
from leaderboard.runs.publish import NOTHING_PUBLISHED, publish_ended, say_published
from leaderboard.terminal.shell_commands import format_command_line, say_next
from leaderboard.terminal.streams import find_terminal, is_json, is_quiet, say, say_aside
from records.files.data_folder import DataFolder
from records.reader import read_models
from records.runs.run_lookup import list_stored_runs
from records.shapes.run import Run
from runner.errors import CannotResumeError
from runner.evals.discovery import discover
from runner.models.api_keys import load_keys
from runner.models.registry import describe_unlisted, parse_terms
from runner.runs.forecast import compute_sufficient_budget
from runner.runs.history import UnfinishedRun, find_unfinished
from runner.runs.launch import launch
from runner.runs.plan import (
    Destination,
    PlannedRuns,
    RunPlan,
    RunScope,
    RunSettings,
    make_experiment_setup,
    plan_runs,
)
from runner.runs.progress.watcher import Lines, WatchedRun, Watcher, format_run_title
from runner.runs.publish import check_plans
from runner.runs.resume import plan_resumed


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(RunSettings):
    """The options of `leaderboard run` and `ablate`, a field for each."""

    plan: bool
    """True if the cost is only forecast."""
    resume: str | None = None
    """The beginning of the id of the trial to resume."""
    resumed: Sequence[str] = ()
    """The beginnings of the ids of the runs to resume."""
    resume_or_start: bool = False
    """True to go on with an unfinished run of the same kind, if there is one."""
    anew: bool = False
    """True to begin a new run although a run of the same kind is unfinished."""
    why: str | None = None
    """The reason to publish a run that readers cannot rely on."""
    report_to: str | None = None
    """The address of a server that also gets the results; None for no server."""
    evals_root: Path
    data: DataFolder


def check_options(options: RunOptions) -> None:
    """Check the options that do not depend on the models of a run.

    Raises:
        UsageError: `--why` is given without `--publish`.
        BadSelectionError: a parameter, limit or price is invalid.
    """
    parse_terms(options.max_tokens, options.parameters, options.price)
    if options.why is not None and not options.publish:
        raise click.UsageError("--why is the reason to publish a run: give --publish, too")


def check_models(options: RunOptions) -> None:
    """Check that the options of new runs name a model; print which have no entry.

    Raises:
        UsageError: the options name no model.
    """
    if not options.models:
        raise click.UsageError(
            "which model? Use -m MODEL or MODELS=…; `leaderboard models` lists them"
        )
    say_unlisted(options.models, options.data, options.api_base)


def say_unlisted(names: Sequence[str], data: DataFolder, api_base: str | None) -> None:
    """Print a notice on each model that would be asked without an entry, with a key or without."""
    if api_base is None:
        registry = read_models(data)
        for name in names:
            notice = describe_unlisted(name, registry) if "/" in name else None
            if notice is not None:
                say(notice, err=True)


def continue_unfinished(
    plans: Sequence[RunPlan], destination: Destination, settings: RunSettings
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
    parts: list[PlannedRuns] = []
    resumed: list[PlannedRuns] = []
    for plan in plans:
        unfinished = unfinished_by_run.get(plan.run.run_id)
        if unfinished is not None:
            run_id = unfinished.run.run_id
            try:
                resumed.append(plan_resumed(run_id, destination, settings, is_alone=False))
            except CannotResumeError as error:
                say(f"A new run begins: {error}", err=True)
            else:
                say_aside(f"Going on with {_describe_run(unfinished)}")
                parts.append(resumed[-1])
                continue
        parts.append(PlannedRuns([plan], destination))
    return _join(parts, resumed, settings)


def _join(
    parts: Sequence[PlannedRuns], resumed: Sequence[PlannedRuns], settings: RunSettings
) -> PlannedRuns:
    """Join the runs of a command; ``resumed`` are the ``parts`` with runs that go on.

    Raises:
        UsageError: the runs have budgets of their own or several folders, which one command cannot
            have.
    """
    published = [run.short_id for part in parts if part.destination.publish for run in part.runs]
    if published and not all(part.destination.publish for part in parts):
        raise click.UsageError(
            "one command cannot go on with published and local runs: give "
            f"{', '.join(published)} a command of their own"
        )
    budget_usd = settings.budget_usd
    going = [plan.run for planned in resumed for plan in planned.plans]
    if budget_usd is None and going:
        limited = [run for run in going if run.budget_usd is not None]
        if limited and len(going) > 1:
            run = limited[0]
            raise click.UsageError(
                f"run {run.short_id} has a budget of its own, ${run.budget_usd:g}: give --budget, "
                "which then is for all these runs together, or resume it alone"
            )
        budget_usd = going[0].budget_usd
    return PlannedRuns(
        plans=[plan for part in parts for plan in part.plans],
        destination=parts[0].destination,
        over=[run for part in parts for run in part.over],
        budget_usd=budget_usd,
    )


def refuse_beside_unfinished(
    plans: Sequence[RunPlan], destination: Destination, again: Sequence[str]
) -> None:
    """Report the unfinished runs that ``plans`` would repeat, with the commands to choose from.

    Args:
        plans: the new runs.
        destination: the folder for their records.
        again: the options that the command for a resume needs, too.

    Raises:
        UsageError: the output is a terminal. Its user has to choose, before answers are paid for
            twice.
    """
    unfinished_runs = [unfinished for _, unfinished in _find_unfinished_runs(plans, destination)]
    if not unfinished_runs:
        return
    runs = [unfinished.run for unfinished in unfinished_runs]
    lines = [f"unfinished: {_describe_run(unfinished)}" for unfinished in unfinished_runs]
    lines.append(f"Go on with:\n{run_summary.format_resume_command(runs, again)}")
    if is_json() or find_terminal() is None:
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
    published_only = destination.publish
    stored = [
        run for run in list_stored_runs(destination.data) if not (run.is_local and published_only)
    ]
    for plan in plans:
        if plan.entry is not None:
            unfinished = find_unfinished(stored, plan.run, today)
            if unfinished is not None:
                yield plan, unfinished


def _describe_run(unfinished: UnfinishedRun) -> str:
    run = unfinished.run
    verdicts = f"{unfinished.verdicts} of {run.planned_attempts} with a verdict"
    return f"run {run.short_id} of {format_run_title(run)}, begun {run.date}, {verdicts}"


def run(options: RunOptions, again: Sequence[str]) -> int:
    """Execute the runs; return the exit code.

    ``again`` has the options that the command for a resume needs, too.
    """
    load_keys()
    check_options(options)
    destination = Destination(discover(options.evals_root), options.data)
    if options.resumed:
        is_alone = len(options.resumed) == 1
        rest = (
            plan_resumed(beginning, destination, options, is_alone=is_alone)
            for beginning in options.resumed
        )
        # A run may be named twice.
        resumed = [*{planned.runs[0].run_id: planned for planned in rest}.values()]
        planned = _join(resumed, resumed, options)
        if options.publish and not planned.destination.publish:
            # The runs count as running here, as attempts without a verdict may still get one.
            running = [run.model_copy(update={"status": "running"}) for run in planned.runs]
            check_plans(options.data, running, options.why)
    else:
        check_models(options)
        suite = destination.suite
        experiment = make_experiment_setup(suite, options.experiment, options.guidelines)
        evals = suite.select(options.pattern, options.categories, options.levels)
        scope = RunScope(destination, [experiment], evals)
        if options.plan:
            return run_summary.say_forecasts(options, scope)
        plans = plan_runs(options, scope)
        if options.publish:
            check_plans(options.data, [plan.run for plan in plans], options.why)
        if options.resume_or_start:
            planned = continue_unfinished(plans, destination, options)
        else:
            if not options.anew:
                refuse_beside_unfinished(plans, destination, again)
            planned = PlannedRuns(plans, destination, budget_usd=options.budget_usd)
    ended, courier = list(planned.over), None
    if planned.plans:
        watcher = choose_watcher()
        opening = open_courier(
            options.report_to,
            planned.plans,
            destination,
            watcher.report_event,
            publish=options.publish,
        )
        try:
            with opening as courier:
                ended += launch(planned, options, watcher, during=courier.send_during_runs())
        except KeyboardInterrupt:
            folder = planned.destination.folder
            plans = [plan.run for plan in planned.plans]
            begun_runs = [run for run in plans if folder.get_run_file(*run.key).exists()]
            if begun_runs:
                resume = run_summary.format_resume_command(begun_runs, again)
                say(f"Stopped at once. Go on with:\n{resume}", err=True)
            raise
    return _conclude(planned, ended, courier, options, again)


def _conclude(
    planned: PlannedRuns,
    ended: Sequence[Run],
    courier: Courier | None,
    options: RunOptions,
    again: Sequence[str],
) -> int:
    """Publish, report and send the ended runs, print the next commands; return the exit code."""
    data = options.data
    done = NOTHING_PUBLISHED
    if options.publish:
        local = [run for run in ended if run_summary.is_local(data, run)]
        done = publish_ended(data, local, options.why)
    plan_by_id = {plan.run.run_id: plan for plan in planned.plans}

    def choose_budget(rest: Sequence[Run]) -> float | None:
        """Return the budget for the command that resumes ``rest``; None keeps the given one."""
        open_plans = [plan_by_id[run.run_id] for run in rest if run.run_id in plan_by_id]
        folder = planned.destination.folder
        enough = compute_sufficient_budget(open_plans, rest, folder, planned.budget_usd)
        return planned.budget_usd if enough is None and len(rest) > 1 else enough

    run_summary.report_runs(ended, data, again, budget_for=choose_budget)
    codes = [run_summary.choose_exit_code(ended)]
    if courier is not None:
        if courier.is_something_left:
            rest = format_command_line("send", "--data", str(data.root))
            say(f"\nThe server does not have all results. Send the rest with:\n{rest}", err=True)
        codes.append(courier.exit_code)
    for run in planned.over:
        if not is_json():
            say(f"nothing is left to do of run {run.run_id}")
        if options.report_to is not None:
            codes.append(send([run.run_id], options.report_to, data, say_aside))
    if not is_json():
        say_published(done, data)
        others = [run for run in ended if run.run_id not in {*done.paths, *done.local}]
        for of_locals in (True, False):
            group = [run for run in others if run_summary.is_local(data, run) is of_locals]
            if group:
                say_next(run_summary.suggest_after_runs(group, data, options.evals_root))
    return max(codes)


class _Stops(Watcher):
    """A watcher that prints only why no more requests are sent."""

    def report_event(self, line: str) -> None:
        """Print nothing, as an event is progress."""

    def report_stop(self, why: str, line: str) -> None:
        """Print the line, on standard error."""
        super().report_stop(why, line)
        say(line, err=True)

    def report_end(self, run: WatchedRun) -> None:
        """Print nothing."""


def choose_watcher(*, err: bool = False) -> Watcher:
    """Return the watcher of runs: a live view on a terminal, else a printer of plain lines.

    The lines go to standard error with JSON or ``err``. With `-q` only an early stop is reported.
    """
    if is_quiet():
        return _Stops()
    if is_json():
        return Lines(sys.stderr)
    terminal = find_terminal()
    if terminal is None:
        return Lines(sys.stderr if err else sys.stdout)
    from runner.runs.progress.live_view import LiveView  # noqa: PLC0415 - takes a third of a second

    # The view makes control characters visible, so the terminal may be one that obeys them.
    return LiveView(terminal)
