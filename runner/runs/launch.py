"""From what the user asked for to finished records: plan runs, open what grades, execute."""

import asyncio
import math
import shutil
import signal
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from records.benchmark import Benchmark
from records.folder import DataFolder
from records.journal import Journal, read
from records.leftovers import tidy
from records.reader import read_models, read_run
from records.registry import ModelEntry
from records.run import Harness, Run
from records.writer import write_benchmark, write_run
from runner.errors import (
    BadSelectionError,
    NotMintedError,
    UnusableFolderError,
    WorkspaceError,
)
from runner.evals.discovery import Eval, Suite
from runner.grading.grade import GradingService
from runner.grading.toolchain import find_toolchain
from runner.grading.workspace import create_workspace
from runner.models.baselines import baseline
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.costs.output_limits import bounded
from runner.models.costs.prices import known_rates
from runner.models.registry import resolve
from runner.models.requests.lazy_litellm import close, litellm
from runner.models.terms import Terms
from runner.runs.execute import Execution
from runner.runs.history import histories
from runner.runs.plan import ExperimentSetup, RunPlan, harness_version, new_plan
from runner.runs.progress.watcher import Watcher
from runner.runs.provenance import address_of, check_listening
from runner.runs.record import opened, reopen
from runner.suite.benchmark import benchmark


@dataclass(frozen=True, slots=True)
class Machine:
    """How attempts are graded."""

    backend: Literal["embedded", "local"] = "embedded"
    sandbox: Literal["bwrap", "docker", "none"] = "bwrap"
    install: Literal["linked", "npm"] = "linked"
    graders: int = 3
    """Attempts graded at once."""
    workspaces: Path | None = None
    """Where workspaces are made; None is the system's temporary folder."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to run."""

    models: Sequence[str]
    """Slugs of the registry, of baselines, or litellm ids."""
    experiments: Sequence[ExperimentSetup]
    evals: Sequence[Eval]
    samples: int = 1
    api_base: str | None = None
    """Address of a server that speaks the OpenAI protocol, for models given by litellm id."""
    terms: Terms | None = None
    """What is said of models given by litellm id: limit, parameters, price."""
    budget_usd: float | None = None
    """The most dollars that each run may cost, however often it is resumed."""
    failed_only: bool = False
    """Only the evals that did not pass when each model was last judged on them."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a suite's runs are recorded."""

    suite: Suite
    data: DataFolder
    publish: bool = False
    """Whether runs go to data/ itself instead of data/local/."""

    @property
    def folder(self) -> DataFolder:
        """The data folder that runs are written to."""
        return self.data if self.publish else self.data.local


def plan_runs(request: RunRequest, destination: Destination, machine: Machine) -> list[RunPlan]:
    """Plan a run for each model and experiment of ``request``.

    Raises:
        UserError: an unknown model, a missing key, nothing that failed, an unminted version.
    """
    version = defined_version(destination).version
    harness = _harness(destination.suite, machine)
    models = [_resolved(name, destination.data, request) for name in request.models]
    return [
        new_plan(
            model=model,
            experiment=experiment,
            evals=_evals(request, destination, version, _slug(model), experiment.name),
            benchmark_version=version,
            samples=request.samples,
            harness=harness,
            budget_usd=request.budget_usd,
        )
        for model in models
        for experiment in request.experiments
    ]


def launch(  # noqa: PLR0913 - what a session of runs is made of
    plans: Sequence[RunPlan],
    destination: Destination,
    machine: Machine,
    watcher: Watcher,
    *,
    concurrency: int | None = None,
    budget_usd: float | None = None,
) -> list[Run]:
    """Execute ``plans`` and return their records.

    Ctrl-C and SIGTERM end it early: what was reported is recorded, and can be resumed.
    """
    if budget_usd is not None:
        _check_prices(plans)
    _check_workspaces(machine)
    for address in dict.fromkeys(address_of(plan.entry) for plan in plans if plan.entry):
        if address is not None:
            check_listening(address)
    if any(plan.entry is not None for plan in plans):
        watcher.opening("loading the model client")
        litellm()  # now: its import takes seconds, in which the progress view would stand still
    for plan in plans:
        _begin(plan, destination.folder)
    watcher.opening("starting what grades")
    with open_grading(machine, destination.suite) as grading, watcher:
        return asyncio.run(
            _execute(
                plans,
                destination,
                machine,
                watcher,
                grading,
                concurrency=concurrency,
                budget_usd=budget_usd,
            )
        )


async def _execute(  # noqa: PLR0913 - see launch
    plans: Sequence[RunPlan],
    destination: Destination,
    machine: Machine,
    watcher: Watcher,
    grading: GradingService,
    *,
    concurrency: int | None,
    budget_usd: float | None,
) -> list[Run]:
    execution = Execution(
        queues=ProviderQueues(concurrency, noted=watcher.noted),
        budget=Budget(budget_usd, _spent(plans, destination.folder)),
        grading=grading,
        graders=machine.graders,
        folder=destination.folder,
        watcher=watcher,
    )
    with _stopped_by_signals(execution, watcher):
        try:
            return await execution.execute(plans)
        finally:
            await close()


def _spent(plans: Sequence[RunPlan], folder: DataFolder) -> float:
    """Return the most that ``plans`` may have cost before they go on, in dollars."""
    journals = [folder.journal_file(plan.run.model.slug, plan.run.run_id) for plan in plans]
    return math.fsum(read(journal).spent_usd for journal in journals)


def open_grading(machine: Machine, suite: Suite) -> GradingService:
    """Return the grading service for ``machine``; a context manager."""
    return GradingService(
        suite_root=suite.root,
        backend=machine.backend,
        sandbox=machine.sandbox,
        install=machine.install,
        workers=machine.graders,
        workspaces=machine.workspaces,
    )


def defined_version(destination: Destination) -> Benchmark:
    """Return the benchmark version that runs of the suite belong to.

    A local run defines its version on the spot; a published one needs a minted version.

    Raises:
        NotMintedError: runs are to be published and data/benchmarks/ lacks this version.
    """
    defined = benchmark(destination.suite)
    if destination.data.benchmark_file(defined.version).exists():
        return defined
    if destination.publish:
        raise NotMintedError(
            f"benchmark version {defined.version} of {destination.suite.root} is not minted: "
            "run `leaderboard suite mint` and commit what it writes"
        )
    if not destination.data.local.benchmark_file(defined.version).exists():
        write_benchmark(destination.data.local, defined)
    return defined


def _evals(
    request: RunRequest, destination: Destination, version: str, slug: str, experiment: str
) -> Sequence[Eval]:
    if not request.failed_only:
        return request.evals
    earlier = histories(destination.data, version).get((slug, experiment))
    if earlier is None:
        raise BadSelectionError(f"--failed: {slug} has no run of the suite under {experiment}")
    failed = set(earlier.failed())
    chosen = [evaluation for evaluation in request.evals if evaluation.name in failed]
    if not chosen:
        raise BadSelectionError(
            f"--failed: nothing that is selected failed in the runs of {slug} under {experiment}"
        )
    return chosen


def _resolved(name: str, data: DataFolder, request: RunRequest) -> ModelEntry | str:
    """Return a baseline's slug as it is, any other model as its entry."""
    if (slug := baseline(name)) is not None:
        return slug
    entry = resolve(name, read_models(data), api_base=request.api_base, terms=request.terms)
    return entry if request.budget_usd is None else bounded(entry)


def _slug(model: ModelEntry | str) -> str:
    return model if isinstance(model, str) else model.slug


def _check_prices(plans: Sequence[RunPlan]) -> None:
    """See, before anybody is asked, that a budget can be kept."""
    for plan in plans:
        if plan.entry is not None:
            known_rates(plan.entry)


def _check_workspaces(machine: Machine) -> None:
    """See, before anybody is asked, that answers can be unpacked."""
    try:
        with create_workspace(machine.workspaces):
            pass
    except (WorkspaceError, OSError) as error:
        raise UnusableFolderError(f"--workspaces or {error}") from error


def _begin(plan: RunPlan, folder: DataFolder) -> None:
    """See that the run's journal is on the disk: for a new run first it, then its record."""
    slug, run_id = plan.run.model.slug, plan.run.run_id
    journal, record = folder.journal_file(slug, run_id), folder.run_file(slug, run_id)
    tidy(folder, slug, run_id)
    if journal.exists():
        Journal.replan(journal, opened(plan.run))
    elif record.exists():
        reopen(folder, read_run(record), opened(plan.run))
    else:
        Journal.create(journal, opened(plan.run)).close()
    if not record.exists():
        write_run(folder, opened(plan.run).run)


def _harness(suite: Suite, machine: Machine) -> Harness:
    return Harness(
        version=harness_version(),
        git_commit=_git_commit(),
        toolchain=find_toolchain(suite.root).versions(),
        backend=machine.backend,
        sandbox=machine.sandbox,
        install=machine.install,
    )


def _git_commit() -> str | None:
    """Return the commit of this program, marked where files differ from it; None outside git."""
    git = shutil.which("git")
    if git is None:
        return None
    home = Path(__file__).parent
    head = subprocess.run(
        [git, "rev-parse", "HEAD"], cwd=home, capture_output=True, text=True, check=False
    )
    if head.returncode != 0:
        return None
    # Without locks: a lock that outlives a kill would stop every other git command here.
    status = [git, "--no-optional-locks", "status", "--porcelain", "--untracked-files=no"]
    changed = subprocess.run(status, cwd=home, capture_output=True, text=True, check=False)
    return head.stdout.strip() + ("+changes" if changed.stdout.strip() else "")


_STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def _stopped_by_signals(execution: Execution, watcher: Watcher) -> Generator[None]:
    """Stop gently at the first signal, at once at the second."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for number in _STOP_SIGNALS:
            loop.remove_signal_handler(number)
        watcher.stopping(
            "stopped", "Stopping: what is being graded is recorded yet; Ctrl-C again stops at once"
        )
        execution.stop()

    for number in _STOP_SIGNALS:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in _STOP_SIGNALS:
            loop.remove_signal_handler(number)
