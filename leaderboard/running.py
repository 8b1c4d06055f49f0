"""`leaderboard run` once its options are read; apart from them, for its imports take seconds."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from leaderboard.exits import DONE
from leaderboard.menu_lines import cost_line
from leaderboard.options import Backend, Install, Sandbox, split_names
from leaderboard.outcomes import exit_code, report, resuming
from leaderboard.streams import say, say_json, terminal
from records.folder import DataFolder
from runner.evals.discovery import Suite, discover
from runner.models.api_keys import load_keys
from runner.models.costs.prices import rates_of
from runner.models.terms import terms_of
from runner.runs.forecast import forecast
from runner.runs.history import History, histories
from runner.runs.launch import launch
from runner.runs.plan import RunPlan, experiment_setup
from runner.runs.progress.watcher import watcher
from runner.runs.request import Destination, Machine, RunRequest, SelectedRun, plan_runs, selected
from runner.runs.resume import Given, Resumed, plan_resumed
from runner.suite.benchmark import benchmark


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What the user gave to `leaderboard run`, a field for each option."""

    models: Sequence[str]
    pattern: str | None
    categories: Sequence[str]
    experiment: str | None
    guidelines: Path | None
    samples: int
    budget: float | None
    concurrency: int | None
    api_base: str | None
    max_tokens: int | None
    settings: Sequence[str]
    price: str | None
    resume: str | None
    plan: bool
    failed: bool
    publish: bool
    backend: Backend
    sandbox: Sandbox
    install: Install
    graders: int
    workspaces: Path | None
    evals_root: Path
    data_root: Path
    as_json: bool

    def machine(self) -> Machine:
        """Return how attempts are graded."""
        return Machine(self.backend, self.sandbox, self.install, self.graders, self.workspaces)


def run(options: RunOptions, again: Sequence[str]) -> int:
    """Run what is asked for; return the exit code. ``again`` is what a resumed run needs, too."""
    load_keys()
    suite = discover(options.evals_root)
    destination = Destination(suite, DataFolder(options.data_root), publish=options.publish)
    if options.plan:
        return _say_forecasts(_request(options, suite), destination, as_json=options.as_json)
    if options.resume is None:
        plans = plan_runs(_request(options, suite), destination, options.machine())
        return _launch(plans, destination, options, again, options.budget)
    resumed = _resumed(options, options.resume, destination)
    if resumed.plan is None:
        report([resumed.run], resumed.destination.folder, again, as_json=options.as_json)
        if not options.as_json:
            say(f"nothing is left to do of run {resumed.run.run_id}")
        return exit_code([resumed.run])
    budget = resumed.plan.run.budget_usd
    return _launch([resumed.plan], resumed.destination, options, again, budget)


def _say_forecasts(request: RunRequest, destination: Destination, *, as_json: bool) -> int:
    """Say what the runs asked for may cost; nobody is asked, and nothing is written."""
    version = benchmark(destination.suite).version
    known = histories(destination.data, version)
    rows = [_forecast_row(one, request, known) for one in selected(request, destination, version)]
    if as_json:
        say_json([row for row, _ in rows])
        return DONE
    for _, line in rows:
        say(line)
    return DONE


def _forecast_row(
    one: SelectedRun, request: RunRequest, known: Mapping[tuple[str, str], History]
) -> tuple[Mapping[str, object], str]:
    """Return what a run may cost, for machines and as a line."""
    slug = one.model if isinstance(one.model, str) else one.model.slug
    attempts = len(one.evals) * request.samples
    row = {"model": slug, "experiment": one.experiment.name, "attempts": attempts}
    line = f"{slug} {one.experiment.name}: {attempts} attempts"
    if isinstance(one.model, str):
        free = {"expected_usd": 0.0, "most_usd": 0.0, "price_known": True}
        return row | free, f"{line}, which cost nothing but time"
    history = known.get((slug, one.experiment.name))
    found = forecast(one.model, one.evals, request.samples, one.experiment.guidelines, history)
    priced = rates_of(one.model) is not None
    costs = {
        "expected_usd": found.expected_usd,
        "most_usd": found.most_usd,
        "price_known": priced,
    }
    return row | costs, f"{line}, {cost_line([found])}{'' if priced else '; no price known'}"


def _request(options: RunOptions, suite: Suite) -> RunRequest:
    models = split_names(options.models)
    if not models:
        raise click.UsageError(
            "which model? Use -m MODEL or MODELS=…; `leaderboard models` lists them"
        )
    return RunRequest(
        models=models,
        experiments=[experiment_setup(suite, options.experiment, options.guidelines)],
        evals=suite.select(options.pattern, options.categories),
        samples=options.samples,
        api_base=options.api_base,
        terms=terms_of(options.max_tokens, options.settings, options.price),
        failed_only=options.failed,
        budget_usd=options.budget,
    )


def _resumed(options: RunOptions, run_id: str, destination: Destination) -> Resumed:
    terms = terms_of(options.max_tokens, options.settings, options.price)
    given = Given(options.machine(), options.guidelines, options.api_base, options.budget, terms)
    return plan_resumed(run_id, destination, given)


def _launch(
    plans: Sequence[RunPlan],
    destination: Destination,
    options: RunOptions,
    again: Sequence[str],
    budget: float | None,
) -> int:
    watching = watcher(sys.stderr) if options.as_json else watcher(sys.stdout, terminal())
    try:
        runs = launch(
            plans,
            destination,
            options.machine(),
            watching,
            concurrency=options.concurrency,
            budget_usd=budget,
        )
    except KeyboardInterrupt:
        for plan in plans:
            say(f"Stopped at once. Go on with:\n{resuming(plan.run, again)}", err=True)
        raise
    report(runs, destination.folder, again, as_json=options.as_json)
    return exit_code(runs)
