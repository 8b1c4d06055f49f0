"""`leaderboard run` once its options are read; apart from them, for its imports take seconds."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from leaderboard.options import Backend, Install, Sandbox, split_names
from leaderboard.outcomes import exit_code, report, resuming
from leaderboard.streams import say, terminal
from records.folder import DataFolder
from runner.evals.discovery import Suite, discover
from runner.models.api_keys import load_keys
from runner.models.terms import terms_of
from runner.runs.launch import launch
from runner.runs.plan import RunPlan, experiment_setup
from runner.runs.progress.watcher import watcher
from runner.runs.request import Destination, Machine, RunRequest, plan_runs
from runner.runs.resume import Given, Resumed, plan_resumed


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
