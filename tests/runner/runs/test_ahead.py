"""Answers are bought only a limited number ahead of verdicts, however slow grading is."""

import asyncio
import io
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest

from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.shapes.registry import ModelEntry
from records.shapes.run import Run
from runner.evals.discovery import Suite, discover
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import Graders, GradingResult, GradingService, Submission
from runner.models.concurrency.provider_queue import ProviderQueue
from runner.models.costs import Budget
from runner.runs.execute import Execution, GradedRun, compute_default_limit
from runner.runs.plan import RunPlan, RunSettings
from runner.runs.progress.watcher import Lines
from tests.runner.conftest import write_prose_suite
from tests.runner.models import asking
from tests.runner.models.conftest import LITELLM_WARNS
from tests.runner.models.provider import Provider, Script, Step, serve_provider
from tests.runner.runs.planned import begin_run, plan_run
from tests.runner.small_eval import SUITE

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings(*LITELLM_WARNS)]

TASKS = 14
AHEAD = 4
PATIENCE_S = 60.0


class _Held(GradingService):
    """The verdicts of another service, all of them held until the release."""

    def __init__(self, grading: GradingService, provider: Provider) -> None:
        super().__init__(SUITE, GradingSettings(graders=1))
        self._grading = grading
        self._provider = provider
        self._released = Event()
        self._judged = 0
        self.ahead: list[int] = []
        """The number of requested answers without a verdict, before each verdict."""

    def release(self) -> None:
        """Let the service judge."""
        self._released.set()

    def judge(self, submission: Submission) -> GradingResult:
        assert self._released.wait(PATIENCE_S)
        result = self._grading.judge(submission)
        self.ahead.append(len(self._provider.requests) - self._judged)
        self._judged += 1
        return result


class _Prefetching(_Held):
    """Graders that take two submissions for each grading at once, as those of a cluster do."""

    @property
    def window(self) -> int:
        return 2 * self.threads


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """Return an empty data folder."""
    return DataFolder(tmp_path / "data")


@pytest.fixture
def provider() -> Provider:
    """Return a provider that answers at once."""
    return asking.make_provider(Step(text="Prose, no files."))


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Return a suite of small tasks."""
    return discover(write_prose_suite(tmp_path / "suite", TASKS))


def write_plan(suite: Suite, entry: ModelEntry, folder: DataFolder) -> RunPlan:
    """Plan a run of all tasks, and write its journal and record."""
    plan = plan_run(entry, suite.evals)
    begin_run(plan.run, folder)
    return plan


async def wait_for_requests(provider: Provider, number: int) -> None:
    """Wait for this number of requests, and then a while for an unwanted extra request."""
    until = time.monotonic() + PATIENCE_S
    while len(provider.requests) < number:
        assert time.monotonic() < until
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.5)


def make_execution(graders: Graders, ahead: int | None, budget: Budget | None = None) -> Execution:
    """Return an execution."""
    settings = RunSettings(concurrency=8, ahead=ahead)
    budget = budget or Budget(None)
    return Execution(settings, graders, budget, Lines(io.StringIO()))


def collect_outcomes(runs: Sequence[Run]) -> set[Outcome]:
    """Return the outcomes of all attempts of the runs."""
    return {attempt.outcome for run in runs for attempt in run.attempts}


@pytest.mark.parametrize("in_turns", [False, True])
def test_a_slow_grader_holds_back_the_questions(
    grading: GradingService, suite: Suite, folder: DataFolder, provider: Provider, *, in_turns: bool
) -> None:
    """Before any verdict, the requested answers without a verdict are no more than the limit."""
    held = _Held(grading, provider)

    async def execute(address: str) -> list[Run]:
        plan = write_plan(suite, asking.make_model(address), folder)
        under_way = make_execution(held, AHEAD)
        task = asyncio.create_task(under_way.execute([GradedRun(plan, folder)], in_turns=in_turns))
        await wait_for_requests(provider, AHEAD)
        assert len(provider.requests) == AHEAD
        held.release()
        return await task

    runs = asking.ask_at(provider, execute)
    assert len(provider.requests) == TASKS
    assert max(held.ahead) <= AHEAD
    assert collect_outcomes(runs) == {Outcome.FAILED}


def test_the_default_counts_gradings_not_submissions(
    grading: GradingService, suite: Suite, folder: DataFolder, provider: Provider
) -> None:
    """Graders that take a second submission each do not raise the limit: it is 2 and 2."""
    held = _Prefetching(grading, provider)
    settings = RunSettings(concurrency=1)

    async def execute(address: str) -> None:
        plan = write_plan(suite, asking.make_model(address), folder)
        silent = Lines(io.StringIO())
        under_way = Execution(settings, held, Budget(None), silent)
        task = asyncio.create_task(under_way.execute([GradedRun(plan, folder)]))
        await wait_for_requests(provider, 4)
        assert len(provider.requests) == 4
        held.release()
        await task

    asking.ask_at(provider, execute)


def test_a_stop_after_the_first_verdicts_saves_the_rest(
    grading: GradingService, suite: Suite, folder: DataFolder, provider: Provider
) -> None:
    """The held questions are not asked, and a resume asks them, as far ahead as before."""

    async def execute(address: str) -> list[Run]:
        plan = write_plan(suite, asking.make_model(address), folder)
        held = _Held(grading, provider)
        under_way = make_execution(held, AHEAD)
        task = asyncio.create_task(under_way.execute([GradedRun(plan, folder)]))
        await wait_for_requests(provider, AHEAD)
        under_way.stop()
        held.release()
        (stopped,) = await task
        assert stopped.status == "aborted"
        assert len(provider.requests) == AHEAD
        again = _Held(grading, provider)
        resumed = asyncio.create_task(
            make_execution(again, AHEAD).execute([GradedRun(plan, folder)])
        )
        judged = sum(attempt.outcome is Outcome.FAILED for attempt in stopped.attempts)
        await wait_for_requests(provider, AHEAD + judged)
        assert len(provider.requests) == AHEAD + judged, "stored answers count as ahead"
        again.release()
        return await resumed

    runs = asking.ask_at(provider, execute)
    assert len(provider.requests) == TASKS, "no answer is asked for twice"
    assert collect_outcomes(runs) == {Outcome.FAILED}


def test_a_provider_that_is_stuck_holds_back_no_other(
    grading: GradingService, suite: Suite, folder: DataFolder
) -> None:
    """Each provider has its own count: the other run ends while the first provider is silent."""
    stuck = Provider(Script(default=Step(text="Prose, no files.", delay_s=3600)))
    quick = Provider(Script(default=Step(text="Prose, no files.")))

    async def execute() -> None:
        async with serve_provider(stuck) as first, serve_provider(quick) as second:
            plans = [
                write_plan(suite, asking.make_model(first, slug="local/stuck"), folder),
                write_plan(suite, asking.make_model(second, slug="local/quick"), folder),
            ]
            under_way = make_execution(grading, 1)
            task = asyncio.create_task(
                under_way.execute([GradedRun(plan, folder) for plan in plans])
            )
            await wait_for_requests(quick, TASKS)
            assert len(stuck.requests) == 1
            under_way.stop()
            runs = await task
            assert [run.status for run in runs] == ["aborted", "completed"]

    asking.run_in_loop(execute)


def test_a_spent_budget_ends_attempts_that_wait_for_verdicts(
    grading: GradingService, suite: Suite, folder: DataFolder
) -> None:
    """The run ends with the answers that were bought."""
    usage = {"prompt_tokens": 2000, "completion_tokens": 300, "total_tokens": 2300}
    provider = Provider(Script(default=Step(text="Prose, no files.", usage=usage)))
    price = {"input": 1.0, "output": 1000.0}

    async def execute(address: str) -> list[Run]:
        plan = write_plan(suite, asking.make_model(address, price=price), folder)
        return await make_execution(grading, 1, Budget(2.0)).execute([GradedRun(plan, folder)])

    runs = asking.ask_at(provider, execute)
    assert runs[0].status == "aborted"
    assert 1 <= len(provider.requests) < TASKS
    assert collect_outcomes(runs) == {Outcome.FAILED, Outcome.NOT_RUN}


def test_the_default_follows_concurrency_and_graders() -> None:
    """A provider gets all the requests that it takes at once, with answers for the graders."""
    assert compute_default_limit(ProviderQueue(16, 128), graders=3) == 38
    assert compute_default_limit(ProviderQueue(1, 64), graders=3) == 8
    assert compute_default_limit(ProviderQueue(1, 1), graders=1) == 4
