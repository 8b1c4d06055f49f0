"""The work of `leaderboard run`; not in the command's module, because the imports take seconds."""

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial

from leaderboard.delivery.courier import Courier
from leaderboard.delivery.send import choose_channel, open_courier, send
from leaderboard.runs.publish import (
    NOTHING_PUBLISHED,
    EndedRuns,
    publish_ended,
    say_published,
)
from leaderboard.runs.run_forecasts import say_forecasts
from leaderboard.runs.run_options import RunOptions, check_models, check_options
from leaderboard.runs.run_summary import (
    choose_exit_code,
    find_record_path,
    format_resume_command,
    report_runs,
)
from leaderboard.runs.unfinished_runs import (
    continue_unfinished,
    plan_all,
    refuse_beside_unfinished,
)
from leaderboard.terminal.exit_codes import DONE
from leaderboard.terminal.next_steps import say_next, suggest_after_runs
from leaderboard.terminal.shell_commands import format_command_line
from leaderboard.terminal.streams import find_terminal, say
from leaderboard.terminal.verbosity import is_quiet
from records.files.data_folder import DataFolder
from records.shapes.run import Run
from runner.evals.discovery import discover
from runner.models.api_keys import load_keys
from runner.runs.forecast import compute_sufficient_budget
from runner.runs.launch import launch
from runner.runs.plan import Destination, PlannedRuns, RunScope, make_experiment_setup, plan_runs
from runner.runs.progress.watcher import Lines, Watcher
from runner.runs.publish import check_plans


def run(options: RunOptions, again: Sequence[str]) -> int:
    """Execute the runs; return the exit code.

    ``again`` has the options that the command for a resume needs, too.
    """
    load_keys()
    check_options(options)
    destination = Destination(discover(options.evals_root), DataFolder(options.data_root))
    if options.resumed:
        planned = _plan_resumed(options, destination)
    else:
        scope = _select_scope(options, destination)
        if options.plan:
            return say_forecasts(options, scope, as_json=options.as_json)
        planned = _plan_new(options, scope, again)
    runs: list[Run] = []
    courier = None
    if planned.plans:
        watcher = choose_watcher(as_json=options.as_json)
        channel = choose_channel(destination, publish=options.publish)
        opening = open_courier(
            options.report_to, planned.plans, destination, channel, watcher.report_event
        )
        with _say_how_to_resume(planned, again), opening as courier:
            runs = launch(planned, options, watcher, during=courier.send_during_runs())
    return _conclude(planned, runs, courier, options, again)


def _select_scope(options: RunOptions, destination: Destination) -> RunScope:
    """Return the experiment and the evals of new runs, as the options select them."""
    check_models(options)
    suite = destination.suite
    experiment = make_experiment_setup(suite, options.experiment, options.guidelines)
    evals = suite.select(options.pattern, options.categories)
    return RunScope(destination, [experiment], evals)


def _plan_new(options: RunOptions, scope: RunScope, again: Sequence[str]) -> PlannedRuns:
    """Plan new runs, or the rest of unfinished runs of the same kind."""
    destination = scope.destination
    plans = plan_runs(options, scope)
    if options.publish:
        check_plans(destination.data, [plan.run for plan in plans], options.why)
    if options.resume_or_start:
        return continue_unfinished(plans, destination, options, as_json=options.as_json)
    if not options.anew:
        refuse_beside_unfinished(plans, destination, again, as_json=options.as_json)
    return PlannedRuns(plans, destination, budget_usd=options.budget_usd)


def _plan_resumed(options: RunOptions, destination: Destination) -> PlannedRuns:
    """Plan the rest of the runs to resume."""
    planned = plan_all(options.resumed, destination, options)
    if options.publish and not planned.destination.publish:
        # The runs count as running here, because attempts without a verdict may still get one.
        running = [run.model_copy(update={"status": "running"}) for run in planned.runs]
        check_plans(destination.data, running, options.why)
    return planned


@contextmanager
def _say_how_to_resume(planned: PlannedRuns, again: Sequence[str]) -> Generator[None]:
    """Print the command that resumes the runs, if a second Ctrl-C stops them at once."""
    try:
        yield
    except KeyboardInterrupt:
        folder = planned.destination.folder
        plans = [plan.run for plan in planned.plans]
        begun_runs = [
            run for run in plans if folder.get_run_file(run.model.slug, run.run_id).exists()
        ]
        if begun_runs:
            resume = format_resume_command(begun_runs, again)
            say(f"Stopped at once. Go on with:\n{resume}", err=True)
        raise


def _conclude(
    planned: PlannedRuns,
    runs: Sequence[Run],
    courier: Courier | None,
    options: RunOptions,
    again: Sequence[str],
) -> int:
    """Publish and report the ended runs; return the exit code."""
    ended = [*planned.over, *runs]
    done = _publish_local(ended, options)
    _report(ended, planned, options, again)
    codes = [choose_exit_code(ended)]
    if courier is not None:
        _say_unsent(courier, options)
        codes.append(courier.exit_code)
    for run in planned.over:
        if not options.as_json:
            say(f"nothing is left to do of run {run.run_id}")
        codes.append(_send_rest(run, options))
    _say_next(ended, done, options)
    return max(codes)


def _report(
    runs: Sequence[Run], planned: PlannedRuns, options: RunOptions, again: Sequence[str]
) -> None:
    """Report the ended runs, and the command that resumes those that need it."""
    plan_by_id = {plan.run.run_id: plan for plan in planned.plans}
    budget = planned.budget_usd

    def choose_budget(rest: Sequence[Run]) -> float | None:
        """Return the budget for the command that resumes ``rest``; None keeps the given one."""
        open_plans = [plan_by_id[run.run_id] for run in rest if run.run_id in plan_by_id]
        enough = compute_sufficient_budget(open_plans, rest, budget)
        return budget if enough is None and len(rest) > 1 else enough

    record_of = partial(find_record_path, DataFolder(options.data_root))
    report_runs(runs, record_of, again, as_json=options.as_json, budget_for=choose_budget)


def _say_unsent(courier: Courier, options: RunOptions) -> None:
    """Print the command that sends the results that a server does not have."""
    if courier.is_something_left:
        rest = format_command_line("send", "--data", str(options.data_root))
        say(f"\nThe server does not have all results. Send the rest with:\n{rest}", err=True)


def _publish_local(runs: Sequence[Run], options: RunOptions) -> EndedRuns:
    """Publish the ended runs that are local, if the options ask for it."""
    data = DataFolder(options.data_root)
    local = [run for run in runs if _is_local(data, run)]
    return publish_ended(data, local, options.why) if options.publish else NOTHING_PUBLISHED


def _say_next(runs: Sequence[Run], done: EndedRuns, options: RunOptions) -> None:
    """Print the publication, and the commands that go on with the runs."""
    if options.as_json:
        return
    data = DataFolder(options.data_root)
    say_published(done, data)
    other_runs = [run for run in runs if run.run_id not in {*done.paths, *done.local}]
    for is_local in (True, False):
        group = [run for run in other_runs if _is_local(data, run) == is_local]
        if group:
            say_next(suggest_after_runs(group, data, options.evals_root, is_local=is_local))


def _is_local(data: DataFolder, run: Run) -> bool:
    return find_record_path(data, run).is_relative_to(data.local.root)


def _send_rest(run: Run, options: RunOptions) -> int:
    """Send the missing results of an ended run to a server; return the exit code."""
    if options.report_to is None:
        return DONE
    tell = partial(say, err=options.as_json)  # standard output has the JSON only
    return send([run.run_id], options.report_to, DataFolder(options.data_root), tell)


def choose_watcher(*, as_json: bool = False) -> Watcher:
    """Return the watcher of runs: a live view on a terminal, else a printer of plain lines.

    The lines go to standard error with JSON, and nowhere with `-q`.
    """
    if is_quiet():
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the run
        return Lines(nowhere)
    if as_json:
        return Lines(sys.stderr)
    terminal = find_terminal()
    if terminal is None:
        return Lines(sys.stdout)
    from runner.runs.progress.live_view import LiveView  # noqa: PLC0415 - takes a third of a second

    # The view makes control characters visible, so the terminal may be one that obeys them.
    return LiveView(terminal)
