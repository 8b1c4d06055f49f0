"""Executes plans: generation and grading of every attempt, journalled stage by stage.

Every finished stage is in the run's journal before anything else happens, so that a killed
process loses no reported result, and no finished generation is requested again.
"""

import asyncio
import math
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from records.archives.archive import Message
from records.files.data_folder import DataFolder
from records.journal.entries import Asking, AttemptKey, Generated, Graded
from records.journal.journal import Journal
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run
from runner.answers.prompt import render
from runner.errors import BudgetSpentError
from runner.grading.grade import GradingService
from runner.models import baselines
from runner.models.ask import generate
from runner.models.concurrency.provider_queue import ProviderQueue, ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.requests.wait_notices import TURN, Tell
from runner.runs.ahead import AnswersAhead, PlaceAhead, default_limit
from runner.runs.plan import RunPlan
from runner.runs.progress.watcher import Watcher
from runner.runs.record import finish
from runner.runs.verdicts import judged, unjudged, without_verdict

IN_FLIGHT: Final = 128
"""Attempts of one run between their first request and their verdict: bounds memory.

Each run has its own count, because a slow provider would leave no room for other runs.
"""


class Execution:
    """Runs under way together: they share provider queues, the budget and the grading service."""

    def __init__(  # noqa: PLR0913 - the parts that runs share, each made by the caller
        self,
        *,
        queues: ProviderQueues,
        budget: Budget,
        grading: GradingService,
        graders: int,
        folder: DataFolder,
        watcher: Watcher,
        ahead: int | None = None,
    ) -> None:
        """Prepare.

        Args:
            queues: the providers' queues.
            budget: the most that all runs may cost together.
            grading: the service that judges answers.
            graders: the number of attempts graded at once.
            folder: the data folder of the runs.
            watcher: the receiver of all reports on the runs.
            ahead: most answers of a provider without a verdict; None for `default_limit`.
        """
        self._queues = queues
        self._budget = budget
        self._grading = grading
        self._folder = folder
        self._watcher = watcher
        self._pool = ThreadPoolExecutor(graders, thread_name_prefix="grading")
        self._graders = graders
        self._grading_slots = asyncio.Semaphore(graders)
        self._most_ahead = ahead
        self._ahead: dict[ProviderQueue, AnswersAhead] = {}
        self._asking: set[asyncio.Task[Generated]] = set()
        self._stopping = False

    def stop(self) -> None:
        """Send no more requests; verdicts under way are finished and recorded."""
        self._stopping = True
        for task in self._asking:
            task.cancel()

    async def execute(self, plans: Sequence[RunPlan]) -> list[Run]:
        """Execute ``plans`` at once and return their final records, in the same order.

        The journal of each must exist.
        """
        with self._open_pool():
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._run(plan)) for plan in plans]
        return [task.result() for task in tasks]

    async def execute_in_turns(self, plans: Sequence[RunPlan]) -> list[Run]:
        """Execute ``plans`` as `execute` does, but begin their attempts in turns.

        So a change at a provider meanwhile affects all runs alike. Each turn begins with another
        run. As many attempts as `IN_FLIGHT` are under way at once.
        """
        room = asyncio.Semaphore(IN_FLIGHT)
        with self._open_pool(), ExitStack() as stack:
            journals = [stack.enter_context(Journal.open(self._path(plan))) for plan in plans]
            due = [
                frozenset(self._begin(plan, journal))
                for plan, journal in zip(plans, journals, strict=True)
            ]
            async with asyncio.TaskGroup() as group:
                for key, number in turns([_places(plan.run) for plan in plans]):
                    if key in due[number]:
                        group.create_task(self._attempt(plans[number], journals[number], key, room))
            return [await self._finish(plan) for plan in plans]

    @contextmanager
    def _open_pool(self) -> Generator[None]:
        """Wait at the end for the threads that grade, unless the run is stopped at once.

        Those threads then end with the grading service, which is closed after the run.
        """
        try:
            yield
        except BaseException:
            self._pool.shutdown(wait=False, cancel_futures=True)
            raise
        self._pool.shutdown()

    async def _run(self, plan: RunPlan) -> Run:
        with Journal.open(self._path(plan)) as journal:
            room = asyncio.Semaphore(IN_FLIGHT)
            async with asyncio.TaskGroup() as group:
                for key in self._begin(plan, journal):
                    group.create_task(self._attempt(plan, journal, key, room))
            return await self._finish(plan)

    def _path(self, plan: RunPlan) -> Path:
        return self._folder.journal_file(plan.run.model.slug, plan.run.run_id)

    def _begin(self, plan: RunPlan, journal: Journal) -> list[AttemptKey]:
        """Report that a run begins or goes on; return the attempts that it has left to make."""
        before = [a for a in journal.settled() if a.outcome is not Outcome.INFRASTRUCTURE]
        self._watcher.started(plan, before)
        done = {AttemptKey(attempt.eval, attempt.sample) for attempt in before}
        return [key for key in _places(plan.run) if key not in done]

    async def _finish(self, plan: RunPlan) -> Run:
        run = await asyncio.to_thread(finish, self._folder, self._path(plan))
        self._watcher.finished(plan, run)
        return run

    async def _attempt(
        self, plan: RunPlan, journal: Journal, place: AttemptKey, room: asyncio.Semaphore
    ) -> None:
        async with room:
            with PlaceAhead(self._answers_ahead(plan)) as ahead:
                tell = partial(self._watcher.waiting, plan, place)
                generated = journal.asked(*place)
                if generated is None or not generated.is_whole:
                    generated = await self._ask_again(plan, journal, place, tell, ahead)
                else:
                    ahead.take_now()
                if generated is None:
                    self._leave(plan, journal, place)
                    return
                await self._grade(plan, journal, generated, tell)

    async def _ask_again(
        self, plan: RunPlan, journal: Journal, place: AttemptKey, tell: Tell, ahead: PlaceAhead
    ) -> Generated | None:
        """Put a new generation into the journal and return it; None as in `_ask`."""
        earlier, unsettled = journal.asked(*place), journal.unsettled(*place)
        generated = await self._ask(plan, journal, place, tell, ahead)
        if generated is None:
            return None
        generated = _after(earlier, unsettled, generated)
        journal.append(generated)
        return generated

    async def _grade(
        self, plan: RunPlan, journal: Journal, generated: Generated, tell: Tell
    ) -> None:
        tell("a grader")
        async with self._grading_slots:
            if self._stopping:
                self._leave(plan, journal, AttemptKey(generated.eval, generated.sample))
                return
            tell("grading")
            attempt = await self._judge_and_record(plan, journal, generated)
        self._watcher.attempted(plan, attempt)

    def _leave(self, plan: RunPlan, journal: Journal, place: AttemptKey) -> None:
        """Leave an attempt to a resume, and forget why it had no verdict before."""
        if place in journal.attempts:
            journal.append(Asking(eval=place.eval, sample=place.sample, at_most_usd=0.0))
        self._watcher.left(plan, place)

    def _answers_ahead(self, plan: RunPlan) -> AnswersAhead | None:
        """Return the count of the provider's answers without a verdict; None for a baseline."""
        if plan.entry is None:
            return None
        queue = self._queues.of(plan.entry)
        if queue not in self._ahead:
            most = self._most_ahead
            limit = partial(default_limit, queue, self._graders) if most is None else lambda: most
            self._ahead[queue] = AnswersAhead(limit)
        return self._ahead[queue]

    async def _ask(
        self, plan: RunPlan, journal: Journal, place: AttemptKey, tell: Tell, ahead: PlaceAhead
    ) -> Generated | None:
        """Return a finished generation; None when stopped or when the budget is spent."""
        if self._stopping:
            return None
        task = asyncio.create_task(self._generate_in_turn(plan, journal, place, tell, ahead))
        self._asking.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if self._stopping:
                return None
            task.cancel()
            raise
        except BudgetSpentError as error:
            if not self._stopping:
                self._watcher.stopping("budget spent", str(error))
            self.stop()
            return None
        finally:
            self._asking.discard(task)

    async def _generate_in_turn(
        self, plan: RunPlan, journal: Journal, place: AttemptKey, tell: Tell, ahead: PlaceAhead
    ) -> Generated:
        """Generate once the number of answers without verdicts is below its limit."""
        tell(TURN)
        await ahead.take()
        return await self._generate(plan, journal, place, tell)

    async def _generate(
        self, plan: RunPlan, journal: Journal, place: AttemptKey, tell: Tell
    ) -> Generated:
        evaluation = plan.evals[place.eval]
        if plan.entry is None:
            return Generated(
                eval=place.eval,
                sample=place.sample,
                messages=(),
                reply=baselines.reply(plan.run.model.slug, evaluation),
                generation=None,
                fault=None,
            )
        messages = [
            {"role": message["role"], "content": message["content"]}
            for message in render(evaluation, plan.guidelines)
        ]

        def asking(at_most_usd: float) -> None:
            if self._budget.limit_usd is not None:
                journal.append(
                    Asking(eval=place.eval, sample=place.sample, at_most_usd=at_most_usd)
                )

        answer = await generate(
            plan.entry,
            messages,
            queues=self._queues,
            budget=self._budget,
            tell=tell,
            asking=asking,
        )
        return Generated(
            eval=place.eval,
            sample=place.sample,
            messages=tuple(Message.model_validate(message) for message in messages),
            reply=answer.reply,
            generation=answer.generation,
            fault=answer.fault,
            failed_tries_usd=answer.failed_tries_usd,
        )

    async def _judge_and_record(
        self, plan: RunPlan, journal: Journal, generated: Generated
    ) -> Attempt:
        """Judge a reply and put the verdict into the journal; return it.

        A reply that cannot be judged, or whose verdict cannot be written, costs its own attempt
        only. A full or broken disk ends the run: nothing more can be recorded.
        """
        try:
            graded = await self._judge(plan, generated)
        except Exception as error:  # noqa: BLE001 - other attempts and runs go on
            graded = without_verdict(generated, "grading raised", error)
        try:
            journal.append(graded)
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - the same
            graded = without_verdict(generated, "the verdict cannot be written", error)
            journal.append(graded)
        return graded.attempt

    async def _judge(self, plan: RunPlan, generated: Generated) -> Graded:
        if generated.fault is not None or generated.reply is None:
            return unjudged(generated, generated.fault)
        loop = asyncio.get_running_loop()
        evaluation = plan.evals[generated.eval]
        verdict = await loop.run_in_executor(
            self._pool, self._grading.grade_reply, evaluation, generated.reply
        )
        return judged(generated, verdict, plan.run.model.max_output_tokens)


def _places(run: Run) -> list[AttemptKey]:
    return [
        AttemptKey(name, sample) for sample in range(1, run.samples + 1) for name in run.planned
    ]


def turns(places: Sequence[Sequence[AttemptKey]]) -> Iterator[tuple[AttemptKey, int]]:
    """Yield each place of several runs with the number of the run whose turn it is.

    Each place goes from run to run before the next place begins, with the next run.
    """
    runs = range(len(places))
    planned = [frozenset(run_places) for run_places in places]
    for first, key in enumerate(dict.fromkeys(chain.from_iterable(places))):
        for step in runs:
            number = (first + step) % len(runs)
            if key in planned[number]:
                yield key, number


def _after(earlier: Generated | None, unsettled_usd: float, again: Generated) -> Generated:
    """Add requests from before a resume that gave nothing to grade to the failed tries."""
    if earlier is None and not unsettled_usd:
        return again
    parts = [again.failed_tries_usd, unsettled_usd]
    if earlier is not None:
        cost = earlier.generation.most_usd if earlier.generation else 0.0
        parts += [earlier.failed_tries_usd, cost]
    known_costs = [part for part in parts if part is not None]
    total = math.fsum(known_costs) if len(known_costs) == len(parts) else None
    return again.model_copy(update={"failed_tries_usd": total})
