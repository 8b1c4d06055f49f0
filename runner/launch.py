"""From what the user asked for to finished records: plan the runs, open the desk, execute."""

import asyncio
import shutil
import signal
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from records.benchmark import Benchmark
from records.errors import MissingRecordError
from records.folder import DataFolder
from records.journal import Journal, Opened, read
from records.reader import read_registry, read_run
from records.registry import ModelEntry, Registry
from records.run import Harness, Run
from records.writer import write_benchmark, write_run
from runner.baselines import baseline
from runner.errors import (
    BadSelectionError,
    CannotResumeError,
    NotMintedError,
)
from runner.execute import Execution
from runner.finish import reopen
from runner.generation import Budget, Lanes
from runner.generation.backend import close, litellm
from runner.generation.keys import key_for
from runner.generation.prices import known_rates
from runner.generation.registry import LOCAL, resolve
from runner.grading import Desk
from runner.history import histories
from runner.plan import Condition, Plan, condition, harness_version, new_plan
from runner.progress import Watcher
from runner.suite import Eval, Suite
from runner.toolchain import find_toolchain
from runner.version import benchmark


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
class Order:
    """What to run."""

    models: Sequence[str]
    """Slugs of the registry, of baselines, or litellm ids."""
    experiments: Sequence[Condition]
    evals: Sequence[Eval]
    samples: int = 1
    api_base: str | None = None
    """Address of a server that speaks the OpenAI protocol, for models given by litellm id."""
    failed_only: bool = False
    """Only the evals that did not pass when each model was last judged on them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a suite's runs are recorded."""

    suite: Suite
    data: DataFolder
    publish: bool = False
    """Whether runs go to data/ itself instead of data/local/."""

    @property
    def folder(self) -> DataFolder:
        """The data folder that runs are written to."""
        return self.data if self.publish else self.data.local


def plan_order(order: Order, place: Place, machine: Machine) -> list[Plan]:
    """Plan a run for each model and experiment of ``order``.

    Raises:
        UserError: an unknown model, a missing key, nothing that failed, an unminted version.
    """
    version = defined_version(place).version
    harness = _harness(place.suite, machine)
    models = [_resolved(name, place.data, order.api_base) for name in order.models]
    return [
        new_plan(
            model=model,
            experiment=experiment,
            evals=_evals(order, place, version, _slug(model), experiment.name),
            benchmark_version=version,
            samples=order.samples,
            harness=harness,
        )
        for model in models
        for experiment in order.experiments
    ]


def plan_resumed(
    beginning: str, place: Place, guidelines: Path | None, api_base: str | None
) -> tuple[Plan, Place]:
    """Plan to go on with the run whose id begins so, where it was recorded.

    Raises:
        CannotResumeError: there is no such run, nothing is left of it to do, or the suite or the
            guidelines have changed since.
    """
    found, run = _find(beginning, place)
    version = benchmark(place.suite).version
    if run.benchmark_version != version:
        raise CannotResumeError(
            f"run {run.run_id} belongs to benchmark version {run.benchmark_version}, the suite at "
            f"{place.suite.root} is {version}: check out the suite as it was"
        )
    experiment = condition(place.suite, run.experiment.name, guidelines)
    if experiment.record() != run.experiment:
        raise CannotResumeError(
            f"run {run.run_id} was sent other guidelines: give them with --guidelines"
        )
    journal = found.folder.journal_file(run.model.slug, run.run_id)
    if not journal.exists():
        reopen(found.folder, run)
    evals = {one.name: one for one in place.suite.evals if one.name in run.planned}
    entry = None if run.model.kind == "baseline" else _resumed_entry(run, place.data, api_base)
    return Plan(run=run, entry=entry, evals=evals, guidelines=experiment.guidelines), found


def launch(  # noqa: PLR0913 - what a session of runs is made of
    plans: Sequence[Plan],
    place: Place,
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
    if any(plan.entry is not None for plan in plans):
        watcher.opening("loading the model client")
        litellm()  # now: its import takes seconds, in which the progress view would stand still
    for plan in plans:
        _begin(plan, place.folder)
    watcher.opening("starting what grades")
    with open_desk(machine, place.suite) as desk, watcher:
        return asyncio.run(
            _execute(
                plans, place, machine, watcher, desk, concurrency=concurrency, budget_usd=budget_usd
            )
        )


async def _execute(  # noqa: PLR0913 - see launch
    plans: Sequence[Plan],
    place: Place,
    machine: Machine,
    watcher: Watcher,
    desk: Desk,
    *,
    concurrency: int | None,
    budget_usd: float | None,
) -> list[Run]:
    execution = Execution(
        lanes=Lanes(concurrency, noted=watcher.noted),
        budget=Budget(budget_usd),
        desk=desk,
        graders=machine.graders,
        folder=place.folder,
        watcher=watcher,
    )
    with _stopped_by_signals(execution, watcher):
        try:
            return await execution.execute(plans)
        finally:
            await close()


def open_desk(machine: Machine, suite: Suite) -> Desk:
    """Return the grading desk for ``machine``; a context manager."""
    return Desk(
        suite_root=suite.root,
        backend=machine.backend,
        sandbox=machine.sandbox,
        install=machine.install,
        workers=machine.graders,
        workspaces=machine.workspaces,
    )


def defined_version(place: Place) -> Benchmark:
    """Return the benchmark version that runs of the suite belong to.

    A local run defines its version on the spot; a published one needs a minted version.

    Raises:
        NotMintedError: runs are to be published and data/benchmarks/ lacks this version.
    """
    defined = benchmark(place.suite)
    if place.data.benchmark_file(defined.version).exists():
        return defined
    if place.publish:
        raise NotMintedError(
            f"benchmark version {defined.version} of {place.suite.root} is not minted: "
            "run `leaderboard suite mint` and commit what it writes"
        )
    if not place.data.local.benchmark_file(defined.version).exists():
        write_benchmark(place.data.local, defined)
    return defined


def _evals(order: Order, place: Place, version: str, slug: str, experiment: str) -> Sequence[Eval]:
    if not order.failed_only:
        return order.evals
    earlier = histories(place.data, version).get((slug, experiment))
    if earlier is None:
        raise BadSelectionError(f"--failed: {slug} has no run of the suite under {experiment}")
    failed = set(earlier.failed())
    chosen = [evaluation for evaluation in order.evals if evaluation.name in failed]
    if not chosen:
        raise BadSelectionError(
            f"--failed: nothing that is selected failed in the runs of {slug} under {experiment}"
        )
    return chosen


def _resolved(name: str, data: DataFolder, api_base: str | None) -> ModelEntry | str:
    """Return a baseline's slug as it is, any other model as its entry."""
    if (slug := baseline(name)) is not None:
        return slug
    return resolve(name, _registry(data), api_base=api_base)


def _registry(data: DataFolder) -> Registry:
    try:
        return read_registry(data.models_file)
    except MissingRecordError:
        return Registry(schema_version=1, models=())


def _slug(model: ModelEntry | str) -> str:
    return model if isinstance(model, str) else model.slug


def _resumed_entry(run: Run, data: DataFolder, api_base: str | None) -> ModelEntry:
    """Return the entry to ask for the rest of ``run``: the one of its slug, as it was then.

    Two entries may share a litellm id and differ in what they send, so the slug decides; the
    litellm id names a model that was given by hand.

    Raises:
        CannotResumeError: the model would be another, be sent other parameters, or be asked at
            another kind of address than the run began with.
    """
    slug = run.model.slug
    by_address = slug.startswith(f"{LOCAL}/")
    if by_address and api_base is None:
        raise CannotResumeError(
            f"run {run.run_id} asked a server by its address: give the same with --api-base"
        )
    if api_base is not None and not by_address:
        raise CannotResumeError(
            f"run {run.run_id} asked {slug} without --api-base: leave --api-base out"
        )
    known = {entry.slug: entry for entry in _registry(data).models}
    entry = known.get(slug) or _resolved(run.model.litellm_id or slug, data, api_base)
    if isinstance(entry, str) or entry.slug != slug:
        raise CannotResumeError(f"run {run.run_id}: {slug} is no model of {data.models_file} now")
    key_for(entry)
    for what, now, then in (
        ("litellm_id", entry.litellm_id, run.model.litellm_id),
        ("parameters", dict(entry.parameters), run.model.parameters),
    ):
        if now != then:
            raise CannotResumeError(
                f"run {run.run_id} asked {slug} with {what} {then}, and {data.models_file} has "
                f"{now}: change it back, or begin a new run"
            )
    return entry


def _find(beginning: str, place: Place) -> tuple[Place, Run]:
    for publish in (False, True):
        candidate = Place(place.suite, place.data, publish=publish)
        with suppress(MissingRecordError):
            return candidate, read_run(candidate.folder.find_run(beginning))
        # A run killed as it began may have a journal, and no record yet.
        with suppress(MissingRecordError):
            return candidate, read(candidate.folder.find_journal(beginning)).header.run
    raise CannotResumeError(f"--resume {beginning}: no such run in {place.data.root}")


def _check_prices(plans: Sequence[Plan]) -> None:
    """See, before anybody is asked, that a budget can be kept."""
    for plan in plans:
        if plan.entry is not None:
            known_rates(plan.entry)


def _begin(plan: Plan, folder: DataFolder) -> None:
    """Put the journal of a new run, then its record, on the disk."""
    journal = folder.journal_file(plan.run.model.slug, plan.run.run_id)
    if journal.exists():
        return
    Journal.create(journal, Opened(run=plan.run)).close()
    write_run(folder, plan.run)


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
    status = [git, "status", "--porcelain", "--untracked-files=no"]
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
