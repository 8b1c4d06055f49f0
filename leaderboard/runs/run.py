"""The work of `leaderboard run`; not in the command's module, because the imports take seconds."""

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial

from leaderboard.delivery.courier import Courier
from leaderboard.delivery.send import choose_channel, open_courier, send
from leaderboard.runs.publish import NOTHING_PUBLISHED, publish_ended, say_published
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
    data = DataFolder(options.data_root)
    destination = Destination(discover(options.evals_root), data)
    if options.resumed:
        planned = plan_all(options.resumed, destination, options)
        if options.publish and not planned.destination.publish:
            # The runs count as running here, as attempts without a verdict may still get one.
            running = [resumed.model_copy(update={"status": "running"}) for resumed in planned.runs]
            check_plans(data, running, options.why)
    else:
        check_models(options)
        suite = destination.suite
        experiment = make_experiment_setup(suite, options.experiment, options.guidelines)
        evals = suite.select(options.pattern, options.categories)
        scope = RunScope(destination, [experiment], evals)
        if options.plan:
            return say_forecasts(options, scope, as_json=options.as_json)
        plans = plan_runs(options, scope)
        if options.publish:
            check_plans(data, [plan.run for plan in plans], options.why)
        if options.resume_or_start:
            planned = continue_unfinished(plans, destination, options, as_json=options.as_json)
        else:
            if not options.anew:
                refuse_beside_unfinished(plans, destination, again, as_json=options.as_json)
            planned = PlannedRuns(plans, destination, budget_usd=options.budget_usd)
    ended, courier = list(planned.over), None
    if planned.plans:
        watcher = choose_watcher(as_json=options.as_json)
        channel = choose_channel(destination, publish=options.publish)
        opening = open_courier(
            options.report_to, planned.plans, destination, channel, watcher.report_event
        )
        with _say_how_to_resume(planned, again), opening as courier:
            ended += launch(planned, options, watcher, during=courier.send_during_runs())
    return _conclude(planned, ended, courier, options, again)


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
    ended: Sequence[Run],
    courier: Courier | None,
    options: RunOptions,
    again: Sequence[str],
) -> int:
    """Publish, report and send the ended runs, print the next commands; return the exit code."""
    data = DataFolder(options.data_root)
    done = NOTHING_PUBLISHED
    if options.publish:
        done = publish_ended(data, [run for run in ended if _is_local(data, run)], options.why)
    plan_by_id = {plan.run.run_id: plan for plan in planned.plans}

    def choose_budget(rest: Sequence[Run]) -> float | None:
        """Return the budget for the command that resumes ``rest``; None keeps the given one."""
        open_plans = [plan_by_id[run.run_id] for run in rest if run.run_id in plan_by_id]
        enough = compute_sufficient_budget(open_plans, rest, planned.budget_usd)
        return planned.budget_usd if enough is None and len(rest) > 1 else enough

    record_of = partial(find_record_path, data)
    report_runs(ended, record_of, again, as_json=options.as_json, budget_for=choose_budget)
    codes = [choose_exit_code(ended)]
    if courier is not None:
        if courier.is_something_left:
            rest = format_command_line("send", "--data", str(options.data_root))
            say(f"\nThe server does not have all results. Send the rest with:\n{rest}", err=True)
        codes.append(courier.exit_code)
    for run in planned.over:
        if not options.as_json:
            say(f"nothing is left to do of run {run.run_id}")
        if options.report_to is not None:
            tell = partial(say, err=options.as_json)  # standard output has the JSON only
            codes.append(send([run.run_id], options.report_to, data, tell))
    if not options.as_json:
        say_published(done, data)
        others = [run for run in ended if run.run_id not in {*done.paths, *done.local}]
        for is_local in (True, False):
            group = [run for run in others if _is_local(data, run) == is_local]
            if group:
                say_next(suggest_after_runs(group, data, options.evals_root, is_local=is_local))
    return max(codes)


def _is_local(data: DataFolder, run: Run) -> bool:
    return find_record_path(data, run).is_relative_to(data.local.root)


def choose_watcher(*, as_json: bool = False, err: bool = False) -> Watcher:
    """Return the watcher of runs: a live view on a terminal, else a printer of plain lines.

    The lines go to standard error with JSON or ``err``, and nowhere with `-q`.
    """
    if is_quiet():
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the run
        return Lines(nowhere)
    if as_json:
        return Lines(sys.stderr)
    terminal = find_terminal()
    if terminal is None:
        return Lines(sys.stderr if err else sys.stdout)
    from runner.runs.progress.live_view import LiveView  # noqa: PLC0415 - takes a third of a second

    # The view makes control characters visible, so the terminal may be one that obeys them.
    return LiveView(terminal)
