"""The work of `leaderboard run`; apart from its options, because the imports take seconds."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from leaderboard.delivery.courier import Courier
from leaderboard.delivery.send import channel_of, reporting, send
from leaderboard.options import Backend, Install, Sandbox, split_names
from leaderboard.runs.carried_answers import (
    describe_carry_over,
    list_evals_to_ask,
    list_refusals,
    make_carry_over_row,
    make_history,
)
from leaderboard.runs.cost_forecast import cost_line
from leaderboard.runs.publish import (
    NOTHING_PUBLISHED,
    EndedRuns,
    publish_ended,
    say_published,
)
from leaderboard.runs.resumed_runs import budget_of, plan_all
from leaderboard.runs.run_summary import exit_code, recorded_at, report, resuming
from leaderboard.runs.unfinished_runs import continue_unfinished, refuse_beside_unfinished
from leaderboard.terminal.exit_codes import DONE
from leaderboard.terminal.next_steps import after_runs, say_next
from leaderboard.terminal.shell_commands import command_line
from leaderboard.terminal.streams import say, say_json, terminal
from leaderboard.terminal.verbosity import is_quiet
from records.files.data_folder import DataFolder
from records.shapes.run import Run
from records.suites.experiments import DEFAULT, of_a_trial
from records.text.visible import counted
from runner.evals.discovery import Eval, discover
from runner.models.api_keys import load_keys
from runner.models.costs.prices import rates_of
from runner.models.routing import routing_warning
from runner.models.terms import terms_of
from runner.runs.forecast import Forecast, costs_nothing, forecast
from runner.runs.history import History, histories
from runner.runs.launch import launch
from runner.runs.plan import ExperimentSetup, RunPlan, experiment_setup
from runner.runs.progress.watcher import Watcher, watcher
from runner.runs.publish import check_plans
from runner.runs.request import Destination, Machine, RunRequest, SelectedRun, plan_runs, selected
from runner.runs.resume import Given
from runner.runs.sufficient_budget import sufficient_budget
from runner.suite.mint import benchmark


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of `leaderboard run`, a field for each."""

    models: Sequence[str]
    pattern: str | None
    categories: Sequence[str]
    experiment: str | None
    guidelines: Path | None
    samples: int
    budget: float | None
    concurrency: int | None
    ahead: int | None = None
    api_base: str | None
    max_tokens: int | None
    settings: Sequence[str]
    price: str | None
    allow_changed: bool
    resume: str | None = None
    """The trial to resume; for `run` see ``resumed``."""
    resumed: Sequence[str] = ()
    """The runs to resume, by the beginnings of their ids."""
    resume_or_start: bool = False
    anew: bool = False
    plan: bool
    failed: bool
    publish: bool
    why: str | None = None
    """The reason to publish a run that readers cannot rely on."""
    carry_over: int | None = None
    """The greatest age in days of answers that are carried over from earlier runs."""
    report_to: str | None = None
    backend: Backend
    sandbox: Sandbox
    install: Install
    graders: int
    workspaces: Path | None
    evals_root: Path
    data_root: Path
    as_json: bool

    def machine(self) -> Machine:
        """Return the settings that attempts are graded with."""
        return Machine(self.backend, self.sandbox, self.install, self.graders, self.workspaces)


def run(options: RunOptions, again: Sequence[str]) -> int:
    """Execute the runs; return the exit code. ``again`` has the options that a resume needs too."""
    load_keys()
    suite = discover(options.evals_root)
    data = DataFolder(options.data_root)
    destination = Destination(suite, data)
    check_why(options)
    if not options.resumed:
        experiments = [experiment_setup(suite, options.experiment, options.guidelines)]
        run_request = request(
            options, experiments, suite.select(options.pattern, options.categories)
        )
        if options.plan:
            return say_forecasts(run_request, destination, as_json=options.as_json)
        plans = plan_runs(run_request, destination, options.machine())
        if options.publish:
            check_plans(data, [plan.run for plan in plans], options.why)
        if options.resume_or_start:
            return _resume_or_start(plans, options, destination, again)
        if not options.anew:
            refuse_beside_unfinished(plans, destination, again, as_json=options.as_json)
        runs, courier = _launch(plans, destination, options, again, options.budget)
        done = _publish_local(runs, options)
        code = _report(runs, plans, courier, options, again, options.budget)
        _say_next(runs, done, options)
        return code
    return _resume(options, destination, again)


def _resume_or_start(
    plans: Sequence[RunPlan], options: RunOptions, destination: Destination, again: Sequence[str]
) -> int:
    """Resume the unfinished runs of the same kind, and begin the other runs of ``plans``."""
    continued = continue_unfinished(
        plans, destination, given_again(options), as_json=options.as_json
    )
    return _go_on(
        continued.plans, continued.over, continued.place, options, again, continued.budget_usd
    )


def _resume(options: RunOptions, destination: Destination, again: Sequence[str]) -> int:
    """Resume runs; return the exit code."""
    resumed = plan_all(options.resumed, destination, given_again(options))
    data = destination.data
    if options.publish:
        going = [resumed_run.run for resumed_run in resumed if not resumed_run.destination.publish]
        # Attempts without a verdict may still pass or fail, so the runs count as running here.
        check_plans(
            data, [run.model_copy(update={"status": "running"}) for run in going], options.why
        )
    plans = [resumed_run.plan for resumed_run in resumed if resumed_run.plan is not None]
    over = [resumed_run.run for resumed_run in resumed if resumed_run.plan is None]
    return _go_on(plans, over, resumed[0].destination, options, again, budget_of(resumed))


def _go_on(  # noqa: PLR0913, PLR0917 - the runs, their place, and what the command said of them
    plans: Sequence[RunPlan],
    over: Sequence[Run],
    place: Destination,
    options: RunOptions,
    again: Sequence[str],
    budget: float | None,
) -> int:
    """Execute ``plans``, and report them with the ended runs ``over``; return the exit code."""
    code = DONE
    if plans:
        runs, courier = _launch(plans, place, options, again, budget)
        ended = [*over, *runs]
        done = _publish_local(ended, options)
        code = _report(ended, plans, courier, options, again, budget)
    else:
        ended = over
        done = _publish_local(ended, options)
        data = DataFolder(options.data_root)
        report(over, partial(recorded_at, data), again, as_json=options.as_json)
    for run in over:
        if not options.as_json:
            say(f"nothing is left to do of run {run.run_id}")
        code = max(code, _send_rest(run, options))
    _say_next(ended, done, options)
    return max(code, exit_code(over))


def _publish_local(runs: Sequence[Run], options: RunOptions) -> EndedRuns:
    """Publish the ended runs that are local, if the options ask for it."""
    data = DataFolder(options.data_root)
    local = [run for run in runs if _is_local(data, run)]
    return publish_ended(data, local, options.why) if options.publish else NOTHING_PUBLISHED


def check_why(options: RunOptions) -> None:
    """Check that a reason to publish comes with `--publish`.

    Raises:
        UsageError: there is a reason without `--publish`.
    """
    if options.why is not None and not options.publish:
        raise click.UsageError("--why says why a run is published: it needs --publish")


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
            say_next(after_runs(group, data, options.evals_root, is_local=is_local))


def _is_local(data: DataFolder, run: Run) -> bool:
    return recorded_at(data, run).is_relative_to(data.local.root)


def _send_rest(run: Run, options: RunOptions) -> int:
    """Send the missing results of an ended run to a server; return the exit code."""
    if options.report_to is None:
        return DONE
    tell = partial(say, err=options.as_json)  # standard output has the JSON only
    return send([run.run_id], options.report_to, DataFolder(options.data_root), tell)


def say_forecasts(asked: RunRequest, destination: Destination, *, as_json: bool) -> int:
    """Print the expected costs of the requested runs; no model is asked, no file is written."""
    version = benchmark(destination.suite).version
    history_by_model = histories(destination.data, version)
    runs = selected(asked, destination, version, with_keys=False)
    rows = [_forecast_row(selected_run, asked, history_by_model) for selected_run in runs]
    if as_json:
        say_json([row for row, _, _ in rows])
        return DONE
    for run, (_, line, _) in zip(runs, rows, strict=True):
        say(line)
        for refusal in list_refusals(run.carry_over) if run.carry_over else ():
            say(refusal)
    for warning in dict.fromkeys(routing_warning(selected_run.model) for selected_run in runs):
        if warning is not None:
            say(warning, err=True)
    forecasts = [run_forecast for _, _, run_forecast in rows if run_forecast is not None]
    if len(forecasts) > 1:
        say(_sum_line(forecasts))
    return DONE


def _sum_line(forecasts: Sequence[Forecast]) -> str:
    """Return a line with the total cost of several runs; unknown if any cost is unknown."""
    expected = [
        run_forecast.expected_usd
        for run_forecast in forecasts
        if run_forecast.expected_usd is not None
    ]
    most = [
        run_forecast.most_usd for run_forecast in forecasts if run_forecast.most_usd is not None
    ]
    whole = len(forecasts)
    about = f"about ${sum(expected):.2f}" if len(expected) == whole else "nobody knows how much"
    bound = f"at most ${sum(most):.2f}" if len(most) == whole else "without a known bound"
    return f"Together {counted(whole, 'run')}: {about}, {bound}"


def _forecast_row(
    one: SelectedRun, asked: RunRequest, known: Mapping[tuple[str, str], History]
) -> tuple[Mapping[str, object], str, Forecast | None]:
    """Return the cost of a run as JSON and as a line, and its forecast, if money is to be paid."""
    slug = one.model if isinstance(one.model, str) else one.model.slug
    attempts = len(one.evals) * asked.samples
    carry_over = one.carry_over
    row = {"model": slug, "experiment": one.experiment.name, "attempts": attempts}
    row |= make_carry_over_row(carry_over, attempts)
    line = f"{slug} {one.experiment.name}: {counted(attempts, 'attempt')}"
    line += f", {describe_carry_over(carry_over)}" if carry_over else ""
    free = {"expected_usd": 0.0, "most_usd": 0.0, "price_known": True}
    if isinstance(one.model, str):
        return row | free, f"{line}, which cost nothing but time", None
    if carry_over is not None and not carry_over.asked:
        return row | free, f"{line}: no key is needed, and nothing is paid", None
    if costs_nothing(one.model):
        return row | free, f"{line}; a local server costs nothing but time", None
    # An edition differs from the whole text in a part only: answers cost about as much.
    name = DEFAULT if of_a_trial(one.experiment.name) else one.experiment.name
    history = known.get((slug, name))
    evals, samples = one.evals, asked.samples
    if carry_over is not None:
        evals, samples = list_evals_to_ask(carry_over, one.evals), 1
        history = history or make_history(carry_over)
    run_forecast = forecast(one.model, evals, samples, one.experiment.guidelines, history)
    priced = rates_of(one.model) is not None
    costs = {
        "expected_usd": run_forecast.expected_usd,
        "most_usd": run_forecast.most_usd,
        "price_known": priced,
    }
    unpriced = "" if priced else "; no price known"
    return row | costs, f"{line}, {cost_line([run_forecast])}{unpriced}", run_forecast


def request(
    options: RunOptions, experiments: Sequence[ExperimentSetup], evals: Sequence[Eval]
) -> RunRequest:
    """Return the runs that the options ask for, under these experiments over these evals.

    Raises:
        UsageError: no model is named.
        BadTermsError: the settings or the price of a model are invalid.
    """
    models = split_names(options.models)
    if not models:
        raise click.UsageError(
            "which model? Use -m MODEL or MODELS=…; `leaderboard models` lists them"
        )
    return RunRequest(
        models=models,
        experiments=experiments,
        evals=evals,
        samples=options.samples,
        api_base=options.api_base,
        terms=terms_of(options.max_tokens, options.settings, options.price),
        failed_only=options.failed,
        allow_changed=options.allow_changed,
        budget_usd=options.budget,
        carry_over_days=options.carry_over,
        publish=options.publish,
    )


def given_again(options: RunOptions) -> Given:
    """Return the settings that the options of a resume repeat or change."""
    terms = terms_of(options.max_tokens, options.settings, options.price)
    return Given(
        options.machine(),
        options.guidelines,
        options.api_base,
        options.budget,
        terms,
        options.allow_changed,
    )


def choose_watcher(*, as_json: bool = False) -> Watcher:
    """Return the progress display: on standard error with JSON, without output with `-q`."""
    if is_quiet():
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the run
        return watcher(nowhere)
    return watcher(sys.stderr) if as_json else watcher(sys.stdout, terminal())


def _launch(
    plans: Sequence[RunPlan],
    destination: Destination,
    options: RunOptions,
    again: Sequence[str],
    budget: float | None,
) -> tuple[list[Run], Courier]:
    """Execute runs; return their records, and the courier that sent them to a server."""
    watching = choose_watcher(as_json=options.as_json)
    try:
        channel = channel_of(destination, publish=options.publish)
        with reporting(options.report_to, plans, destination, channel, watching.noted) as courier:
            runs = launch(
                plans,
                destination,
                options.machine(),
                watching,
                concurrency=options.concurrency,
                ahead=options.ahead,
                budget_usd=budget,
            )
    except KeyboardInterrupt:
        begun_runs = [plan.run for plan in plans]
        say(f"Stopped at once. Go on with:\n{resuming(begun_runs, again)}", err=True)
        raise
    return runs, courier


def _report(  # noqa: PLR0913, PLR0917 - the runs, and what the command said of them
    runs: Sequence[Run],
    plans: Sequence[RunPlan],
    courier: Courier,
    options: RunOptions,
    again: Sequence[str],
    budget: float | None,
) -> int:
    """Report the ended runs, and whether a server has them; return the exit code."""
    planned = {plan.run.run_id: plan for plan in plans}

    def budget_for(rest: Sequence[Run]) -> float | None:
        """Return a sufficient budget for the rest; a command for several runs always has theirs."""
        open_plans = [planned[run.run_id] for run in rest if run.run_id in planned]
        enough = sufficient_budget(open_plans, rest, budget)
        return budget if enough is None and len(rest) > 1 else enough

    record_of = partial(recorded_at, DataFolder(options.data_root))
    report(runs, record_of, again, as_json=options.as_json, budget_for=budget_for)
    if courier.is_something_left:
        rest = command_line("send", "--data", str(options.data_root))
        say(f"\nThe server does not have all of it. Send the rest with:\n{rest}", err=True)
    return max(exit_code(runs), courier.exit_code)
