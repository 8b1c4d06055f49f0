"""The launch of planned runs: checks, start of the graders, execution."""

import asyncio
import math
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from importlib import import_module

from records.journal.entries import make_opening_entry
from records.journal.journal import read
from records.shapes.registry import ModelEntry
from records.shapes.run import Run
from records.shapes.trial import GuidelinesTrial
from records.text.visible import make_one_line
from records.writer import tidy, tidy_beside, write_record, write_run
from runner.answers.prompt import render_prompt
from runner.errors import BadClusterError, UnusableFileError, WorkspaceError
from runner.evals.discovery import Suite
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import Graders, GradingResult, GradingService, Submission
from runner.models.context_length import find_context_length
from runner.models.costs import Budget, require_rates
from runner.models.registry import find_routing_warning
from runner.models.requests.lazy_litellm import load_litellm
from runner.models.tokens import count_prompt
from runner.runs.carry_over import read_journal_entries
from runner.runs.execute import Execution, GradedRun
from runner.runs.judge import name_judge, open_judge
from runner.runs.plan import PlannedRuns, RunPlan, RunSettings, write_version
from runner.runs.progress.watcher import Watcher
from runner.runs.provenance import check_listening, find_address, find_commit, is_near
from runner.runs.record import prepare_journal
from runner.workspace import create_workspace

_LONGEST_REASON = 300

_OLLAMA = "http://127.0.0.1:11434"


def launch(
    planned: PlannedRuns,
    settings: RunSettings,
    watcher: Watcher,
    *,
    trial: GuidelinesTrial | None = None,
    during: AbstractContextManager[object] | None = None,
) -> list[Run]:
    """Execute the plans of ``planned`` and return their records.

    All that can be refused is refused before the first file is written. Runs of a ``trial`` take
    turns at each attempt. ``during`` is entered before the runs begin, and may refuse them, too.

    Ctrl-C and SIGTERM end the runs early. All reported results are recorded then, and the runs can
    be resumed.
    """
    plans, destination = planned.plans, planned.destination
    folder = destination.folder
    asking = [plan.entry for plan in plans if plan.entry is not None]
    try:
        with create_workspace(settings.workspaces):
            pass  # checked before any request, because answers are unpacked there
    except (WorkspaceError, OSError) as error:
        raise UnusableFileError(f"--workspaces or {error}") from error
    prepare_asking(asking, planned.budget_usd, watcher)
    for warning in dict.fromkeys(map(find_length_warning, plans)):
        if warning is not None:
            watcher.report_event(warning)
    harnesses = [plan.run.harness for plan in plans]
    is_without_commit = any(not each or not each.git_commit for each in harnesses)
    if is_without_commit and (reason := find_commit()[1]):
        watcher.report_event(
            "the record will name no commit of this program, so it cannot be published without "
            f"--why: {reason}"
        )
    watcher.report_preparation("starting what grades")
    with (
        ExitStack() as further,
        open_graders(settings, destination.suite, watcher.report_event) as graders,
    ):
        write_version(destination)
        if during is not None:
            further.enter_context(during)
        if trial is not None:
            write_record(folder.trials, trial)
            tidy_beside(folder.trials.get_file(trial.trial_id))
        for plan in plans:
            # The journal is on the disk before the record.
            tidy(folder, *plan.run.key)
            opening = make_opening_entry(plan.run)
            answers = plan.carry_over.answers if plan.carry_over else ()
            prepare_journal(folder, opening, read_journal_entries(answers))
            if not folder.get_run_file(*plan.run.key).exists():
                write_run(folder, opening.run)
        journals = [folder.get_journal_file(*plan.run.key) for plan in plans]
        spent_usd = math.fsum(read(journal).spent_usd for journal in journals)
        budget = Budget(planned.budget_usd, planned.spent_usd + spent_usd)
        runs = [GradedRun(plan, folder) for plan in plans]
        with watcher:
            execution = Execution(settings, graders, budget, watcher)
            return asyncio.run(execution.execute(runs, in_turns=trial is not None))


def prepare_asking(
    models: Sequence[ModelEntry], budget_usd: float | None, watcher: Watcher
) -> None:
    """Check that the models can be asked, load their client, and report warnings about them.

    Raises:
        UnknownPriceError: there is a budget, and a price is unknown.
        BadAddressError: no server listens at the address of a model.
    """
    for entry in models if budget_usd is not None else ():
        require_rates(entry)
    for address in dict.fromkeys(map(find_address, models)):
        if address is not None:
            check_listening(address)
    if models:
        watcher.report_preparation("loading the model client")
        # Its import takes seconds, in which the progress view would stand still.
        load_litellm()
    for warning in dict.fromkeys(map(find_routing_warning, models)):
        if warning is not None:
            watcher.report_event(warning)


@contextmanager
def open_graders(
    settings: GradingSettings, suite: Suite, tell: Callable[[str], None]
) -> Generator[Graders]:
    """Open the graders of ``settings``; ``tell`` receives lines about the workers of a cluster.

    Raises:
        UserError: they cannot be opened, or the judge of the environment cannot be asked.
    """
    if settings.cluster is None:
        with open_grading(settings, suite) as grading:
            yield grading
        return
    try:
        import_module("distributed")  # Dask, in an extra: it takes a second, and reads its settings
    except ValueError as error:
        reason = make_one_line(str(error), _LONGEST_REASON)
        raise BadClusterError(
            f"--cluster: mend the file, or name another one in DASK_CONFIG: {reason}"
        ) from error
    from runner.cluster.graders import open_cluster_graders  # noqa: PLC0415 - it imports Dask

    with ExitStack() as stack:
        opening = open_cluster_graders(settings.cluster, suite, settings, tell)
        graders: Graders = stack.enter_context(opening)
        if name_judge() is not None and any(each.asks_judge for each in suite.evals):
            graders = DividedGraders(graders, stack.enter_context(open_grading(settings, suite)))
        yield graders


class DividedGraders:
    """Graders of a cluster, and graders of this process for tests that a judge model decides.

    Only this process has the key of the judge.
    """

    def __init__(self, cluster: Graders, judging: Graders) -> None:
        """Have ``judging`` grade the evals that ask the judge, and ``cluster`` all others."""
        self._cluster = cluster
        self._judging = judging

    @property
    def window(self) -> int:
        """The window of the cluster; the others keep further submissions waiting."""
        return self._cluster.window

    @property
    def threads(self) -> int:
        """The threads of the cluster."""
        return self._cluster.threads

    def submit(self, submission: Submission) -> Future[GradingResult]:
        """Have a submission graded where its eval can be graded."""
        graders = self._judging if submission.evaluation.asks_judge else self._cluster
        return graders.submit(submission)


@contextmanager
def open_grading(settings: GradingSettings, suite: Suite) -> Generator[GradingService]:
    """Open the grading service with ``settings``, and the judge if graders of the suite ask one.

    Raises:
        UserError: the judge that the environment names cannot be asked.
    """
    judge = open_judge() if any(each.asks_judge for each in suite.evals) else None
    with judge or nullcontext(), GradingService(suite, settings, judge) as grading:
        yield grading


def find_length_warning(plan: RunPlan) -> str | None:
    """Return a warning if prompts do not fit into the context of the user's own server; else None.

    The server is asked for the length of its context. The tokens of prompts are counted with this
    program's vocabulary, which is not the model's own.
    """
    if plan.entry is None:
        return None
    address = find_address(plan.entry)
    if address is None and plan.entry.litellm_id.startswith(("ollama/", "ollama_chat/")):
        address = _OLLAMA
    elif address is not None and plan.entry.api_base is None and not is_near(address):
        address = None  # a provider's own server
    if address is None:
        return None
    length = find_context_length(plan.entry, address)
    if length is None:
        return None
    sizes = [
        count_prompt(render_prompt(evaluation, plan.guidelines))
        for evaluation in plan.evals.values()
    ]
    longer = [size for size in sizes if size > length]
    if not longer:
        return None
    return (
        f"{len(longer)} of {len(sizes)} prompts do not fit into the context of "
        f"{plan.run.model.slug}: its server takes {length:,} tokens, and the longest has about "
        f"{max(longer):,} by this program's count. Start the server with a longer context, or "
        "leave the guidelines out with -e no_guidelines"
    )
