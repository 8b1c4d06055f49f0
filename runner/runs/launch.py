"""From plans to finished records: open the graders, execute, and stop at a signal."""

import asyncio
import math
import signal
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from records.files.data_folder import DataFolder
from records.files.leftovers import tidy, tidy_trial
from records.journal.journal import Journal
from records.journal.replay import read
from records.reader import read_run
from records.shapes.run import Run
from records.shapes.trial import GuidelinesTrial
from records.writer import write_run, write_trial
from runner.errors import (
    UnusableFolderError,
    WorkspaceError,
)
from runner.evals.discovery import Suite
from runner.grading.grade import GradingService
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.costs.prices import known_rates
from runner.models.requests.lazy_litellm import close, litellm
from runner.models.routing import routing_warning
from runner.runs.carried_answers import read_journal_entries
from runner.runs.execute import Execution
from runner.runs.judge import open_judge
from runner.runs.plan import RunPlan
from runner.runs.progress.watcher import Watcher
from runner.runs.prompt_sizes import too_long
from runner.runs.provenance import address_of, check_listening
from runner.runs.record import opened, reopen
from runner.runs.request import Destination, Machine
from runner.workspace import create_workspace


def launch(  # noqa: PLR0913 - what a session of runs is made of
    plans: Sequence[RunPlan],
    destination: Destination,
    machine: Machine,
    watcher: Watcher,
    *,
    concurrency: int | None = None,
    ahead: int | None = None,
    budget_usd: float | None = None,
    spent_usd: float = 0.0,
    trial: GuidelinesTrial | None = None,
) -> list[Run]:
    """Execute ``plans`` and return their records.

    Runs of a ``trial`` take turns at each attempt. ``ahead`` is the most answers of a provider
    without a verdict; None for `default_limit`. ``spent_usd`` dollars of the budget are already
    spent, by runs that are not among ``plans``.

    Ctrl-C and SIGTERM end it early: all reported results are recorded, and can be resumed.
    """
    if budget_usd is not None:
        _check_prices(plans)
    _check_workspaces(machine)
    asking = [plan.entry for plan in plans if plan.entry is not None]
    for address in dict.fromkeys(map(address_of, asking)):
        if address is not None:
            check_listening(address)
    if asking:
        watcher.opening("loading the model client")
        litellm()  # now: its import takes seconds, in which the progress view would stand still
    for warning in _warnings(plans):
        watcher.noted(warning)
    if trial is not None:
        write_trial(destination.folder, trial)
        tidy_trial(destination.folder, trial.trial_id)
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
                ahead=ahead,
                budget=Budget(budget_usd, spent_usd + _spent(plans, destination.folder)),
                in_turns=trial is not None,
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
    ahead: int | None,
    budget: Budget,
    in_turns: bool,
) -> list[Run]:
    execution = Execution(
        queues=ProviderQueues(concurrency, noted=watcher.noted),
        budget=budget,
        grading=grading,
        graders=machine.graders,
        folder=destination.folder,
        watcher=watcher,
        ahead=ahead,
    )
    with _stopped_by_signals(execution, watcher):
        try:
            executed = execution.execute_in_turns if in_turns else execution.execute
            return await executed(plans)
        finally:
            await close()


def _spent(plans: Sequence[RunPlan], folder: DataFolder) -> float:
    """Return the most that ``plans`` may have cost before they go on, in dollars."""
    journals = [folder.journal_file(plan.run.model.slug, plan.run.run_id) for plan in plans]
    return math.fsum(read(journal).spent_usd for journal in journals)


@contextmanager
def open_grading(machine: Machine, suite: Suite) -> Generator[GradingService]:
    """Open the grading service for ``machine``, with the judge if graders of the suite ask it.

    Raises:
        UserError: the judge of the environment cannot be asked.
    """
    with ExitStack() as stack:
        judge = open_judge() if any(each.asks_judge for each in suite.evals) else None
        if judge is not None:
            stack.enter_context(judge)
        service = GradingService(
            suite_root=suite.root,
            backend=machine.backend,
            sandbox=machine.sandbox,
            install=machine.install,
            workers=machine.graders,
            workspaces=machine.workspaces,
            judge_model=judge,
        )
        yield stack.enter_context(service)


def _warnings(plans: Sequence[RunPlan]) -> list[str]:
    """Return the warnings about the runs before they begin, each once."""
    routed = (routing_warning(plan.entry) for plan in plans if plan.entry)
    warnings = dict.fromkeys([*routed, *map(too_long, plans)])
    return [warning for warning in warnings if warning is not None]


def _check_prices(plans: Sequence[RunPlan]) -> None:
    """Check, before any request, that a budget can be kept."""
    for plan in plans:
        if plan.entry is not None:
            known_rates(plan.entry)


def _check_workspaces(machine: Machine) -> None:
    """Check, before any request, that answers can be unpacked."""
    try:
        with create_workspace(machine.workspaces):
            pass
    except (WorkspaceError, OSError) as error:
        raise UnusableFolderError(f"--workspaces or {error}") from error


def _begin(plan: RunPlan, folder: DataFolder) -> None:
    """Ensure that the run's journal is on the disk; for a new run its record comes after it."""
    slug, run_id = plan.run.model.slug, plan.run.run_id
    journal, record = folder.journal_file(slug, run_id), folder.run_file(slug, run_id)
    tidy(folder, slug, run_id)
    if journal.exists():
        Journal.replan(journal, opened(plan.run))
    elif record.exists():
        reopen(folder, read_run(record), opened(plan.run))
    else:
        Journal.write_whole(journal, opened(plan.run), read_journal_entries(plan.carried))
    if not record.exists():
        write_run(folder, opened(plan.run).run)


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
