"""Execution of plans: generation and grading of every attempt.

Each finished stage is written to the run's journal before anything else happens. So a killed
process loses no reported result, and no finished generation is requested again.
"""

import asyncio
import math
import signal
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from records.archives.archive import Message
from records.files.data_folder import DataFolder
from records.journal.entries import Asking, AttemptKey, Generated
from records.journal.journal import Journal
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from runner.answers.prompt import render_prompt
from runner.errors import BudgetSpentError
from runner.grading.grade import Submission
from runner.grading.graders import Graders
from runner.grading.worker.protocol import ALL_TESTS
from runner.models import baselines
from runner.models.ask import GenerationResult, generate
from runner.models.concurrency.provider_queue import ProviderQueue, ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.requests.heard import TURN, Tell
from runner.models.requests.lazy_litellm import close
from runner.places import AttemptPlace, AttemptPlaces
from runner.runs.plan import RunPlan
from runner.runs.progress.watcher import Watcher
from runner.runs.record import finish
from runner.runs.settings import RunSettings
from runner.runs.verdicts import make_judged_entry, make_unjudged_entry, without_verdict

IN_FLIGHT: Final = 128
"""The most attempts of one run between their first request and their verdict: limits memory.

Each run has its own limit, because a slow provider would otherwise leave no room for other runs.
More graders allow more attempts.
"""


CONCURRENCIES: Final = 2
"""The default limit on answers of a provider without a verdict is this number times the requests at
once with which the provider begins."""

PER_GRADER: Final = 2
"""The answers that this limit adds for each grader, which grades one answer at a time."""


_STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True, eq=False)
class _OpenRun:
    """A run under way."""

    plan: RunPlan
    journal: Journal
    room: AttemptPlaces
    """The places of attempts under way."""
    attempts: list[asyncio.Task[None]] = field(default_factory=list["asyncio.Task[None]"])


class Execution:
    """Runs under way together: they share provider queues, the budget and the graders."""

    def __init__(
        self,
        settings: RunSettings,
        folder: DataFolder,
        graders: Graders,
        budget: Budget,
        watcher: Watcher,
    ) -> None:
        """Prepare the queues of requests.

        Args:
            settings: the limits of requests at once and of answers without a verdict.
            folder: the data folder of the runs.
            graders: the graders of all answers.
            budget: the most that all runs may cost together.
            watcher: the receiver of all reports on the runs.
        """
        self._settings = settings
        self._folder = folder
        self._graders = graders
        self._budget = budget
        self._watcher = watcher
        self._queues = ProviderQueues(settings.concurrency, noted=watcher.report_event)
        self._grading_places = AttemptPlaces(lambda: graders.window)
        self._ahead: dict[ProviderQueue, AttemptPlaces] = {}
        self._asking: set[asyncio.Timeout] = set()
        """The time limits of all questions under way; a stop lets them expire."""
        self._stopping = False

    def stop(self) -> None:
        """Stop sending requests; answers that are being graded still get their verdicts."""
        if self._stopping:
            return
        self._stopping = True
        for time_limit in self._asking:
            time_limit.reschedule(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def _time_out_at_stop(self) -> AsyncGenerator[None]:
        """Raise TimeoutError in the block when the runs are stopped."""
        async with asyncio.timeout(None) as time_limit:
            self._asking.add(time_limit)
            try:
                yield
            finally:
                self._asking.discard(time_limit)

    async def execute(self, plans: Sequence[RunPlan], *, in_turns: bool = False) -> list[Run]:
        """Execute ``plans`` at once and return their final records, in the same order.

        The journal of each run must exist. With ``in_turns`` the attempts of the runs begin in
        turns, so that a change at a provider during this time affects all runs alike. `IN_FLIGHT`
        then limits the attempts of all runs together.

        The first SIGINT or SIGTERM stops the runs gently (see `stop`), the second at once.
        """
        shared_room = self._make_room()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(close)
            stack.enter_context(self._stop_at_signals())
            runs = [
                _OpenRun(
                    plan,
                    stack.enter_context(Journal.open(self._get_journal_path(plan))),
                    shared_room if in_turns else self._make_room(),
                )
                for plan in plans
            ]
            due = [self._begin(run) for run in runs]
            async with asyncio.TaskGroup() as group:
                run_by_run = ((key, number) for number, keys in enumerate(due) for key in keys)
                for key, number in take_turns(due) if in_turns else run_by_run:
                    attempt = self._execute_attempt(runs[number], key)
                    runs[number].attempts.append(group.create_task(attempt))
                finished = [group.create_task(self._finish(run)) for run in runs]
            return [task.result() for task in finished]

    def _make_room(self) -> AttemptPlaces:
        """Return places for attempts under way; there are more of them when graders join."""
        return AttemptPlaces(lambda: max(IN_FLIGHT, self._graders.window))

    @contextmanager
    def _stop_at_signals(self) -> Generator[None]:
        """Stop gently at the first signal; the second has its default effect and ends at once."""
        loop = asyncio.get_running_loop()

        def stop() -> None:
            for number in _STOP_SIGNALS:
                loop.remove_signal_handler(number)
            self._watcher.report_stop(
                "stopped",
                "Stopping: answers that are being graded get their verdicts; "
                "Ctrl-C again stops at once",
            )
            self.stop()

        for number in _STOP_SIGNALS:
            loop.add_signal_handler(number, stop)
        try:
            yield
        finally:
            for number in _STOP_SIGNALS:
                loop.remove_signal_handler(number)

    def _get_journal_path(self, plan: RunPlan) -> Path:
        return self._folder.get_journal_file(plan.run.model.slug, plan.run.run_id)

    def _begin(self, run: _OpenRun) -> list[AttemptKey]:
        """Report that a run begins or goes on; return its attempts without an outcome.

        Infrastructure attempts are among them, as they are made again.
        """
        before = [a for a in run.journal.list_attempts() if a.outcome is not Outcome.INFRASTRUCTURE]
        self._watcher.report_start(run.plan, before)
        done = {AttemptKey(attempt.eval, attempt.sample) for attempt in before}
        return [key for key in _list_places(run.plan.run) if key not in done]

    async def _finish(self, run: _OpenRun) -> Run:
        """Wait for all attempts of a run, write its record and return it."""
        if run.attempts:
            await asyncio.wait(run.attempts)
        record = await asyncio.to_thread(finish, self._folder, self._get_journal_path(run.plan))
        run.journal.close()
        self._watcher.report_end(run.plan, record)
        return record

    async def _execute_attempt(self, run: _OpenRun, place: AttemptKey) -> None:
        """Get the reply of an attempt, grade it, and write the verdict to the journal.

        If the runs are stopped or the budget is spent before the verdict, the attempt is left to a
        resume, which asks only for a reply that is not in the journal.
        """
        plan, journal = run.plan, run.journal
        with (
            AttemptPlace(run.room) as room,
            AttemptPlace(self._get_places_ahead(plan)) as ahead,
            AttemptPlace(self._grading_places) as grading,
        ):
            await room.take()
            tell = partial(self._watcher.report_wait, plan, place)
            generated = journal.find_last_result(*place)
            if generated is not None and generated.is_whole:
                ahead.take_now()
            else:
                generated = await self._ask(run, place, tell, ahead)
                if generated is not None:
                    journal.append(generated)
            if generated is not None:
                tell("a grader")
                await grading.take()
            if generated is None or self._stopping:
                self._leave(plan, journal, place)
                return
            tell("grading")
            if generated.fault is not None or generated.reply is None:
                graded = make_unjudged_entry(generated, generated.fault)
            else:
                evaluation, limit = plan.evals[place.eval], plan.run.model.max_output_tokens
                submission = Submission(evaluation, ALL_TESTS, reply=generated.reply)
                verdict = self._graders.submit(submission)
                try:
                    result = await asyncio.wrap_future(verdict)
                    graded = make_judged_entry(generated, result, limit)
                except Exception as error:  # noqa: BLE001 - other attempts and runs go on
                    graded = without_verdict(generated, "grading raised", error)
            try:
                journal.append(graded)
            except OSError:
                raise  # a full or broken disk ends the run, because nothing more can be recorded
            except Exception as error:  # noqa: BLE001 - other attempts and runs go on
                graded = without_verdict(generated, "the verdict cannot be written", error)
                journal.append(graded)
            self._watcher.report_attempt(plan, graded.attempt)

    async def _ask(
        self, run: _OpenRun, place: AttemptKey, tell: Tell, ahead: AttemptPlace
    ) -> Generated | None:
        """Return a finished generation; None if the runs are stopped or the budget is spent.

        It waits until the number of the provider's answers without verdicts is below its limit.
        """
        plan, journal, evaluation = run.plan, run.journal, run.plan.evals[place.eval]
        if self._stopping:
            return None
        earlier, unsettled = journal.find_last_result(*place), journal.find_unsettled_cost(*place)
        messages: Sequence[Mapping[str, str]] = ()

        def record_asking(at_most_usd: float) -> None:
            if self._budget.limit_usd is not None:
                journal.append(
                    Asking(eval=place.eval, sample=place.sample, at_most_usd=at_most_usd)
                )

        try:
            async with self._time_out_at_stop():
                tell(TURN)
                await ahead.take()
                if plan.entry is None:
                    reply = baselines.make_reply(plan.run.model.slug, evaluation)
                    answer = GenerationResult(reply, None, None)
                else:
                    messages = render_prompt(evaluation, plan.guidelines)
                    answer = await generate(
                        plan.entry,
                        messages,
                        queues=self._queues,
                        budget=self._budget,
                        tell=tell,
                        asking=record_asking,
                    )
        except TimeoutError:
            if not self._stopping:
                raise
            return None
        except BudgetSpentError as error:
            if not self._stopping:
                self._watcher.report_stop("budget spent", str(error))
            self.stop()
            return None
        generated = Generated(
            eval=place.eval,
            sample=place.sample,
            messages=tuple(Message.model_validate(message) for message in messages),
            reply=answer.reply,
            generation=answer.generation,
            fault=answer.fault,
            failed_tries_usd=answer.failed_tries_usd,
        )
        return _add_earlier_cost(earlier, unsettled, generated)

    def _leave(self, plan: RunPlan, journal: Journal, place: AttemptKey) -> None:
        """Leave an attempt to a resume; an earlier reason why it had no verdict is dropped."""
        if place in journal.attempts:
            journal.append(Asking(eval=place.eval, sample=place.sample, at_most_usd=0.0))
        self._watcher.report_left_attempt(plan, place)

    def _get_places_ahead(self, plan: RunPlan) -> AttemptPlaces | None:
        """Return the places of the provider's answers without a verdict; None for a baseline."""
        if plan.entry is None:
            return None
        queue = self._queues.find_queue(plan.entry)
        if queue not in self._ahead:
            most = self._settings.ahead
            self._ahead[queue] = AttemptPlaces(
                lambda: (
                    compute_default_limit(queue, self._graders.threads) if most is None else most
                )
            )
        return self._ahead[queue]


def compute_default_limit(queue: ProviderQueue, graders: int) -> int:
    """Return the most answers of a provider without a verdict, if the user sets no limit.

    A provider that reaches it gets no further requests, so that the user of a run can stop it after
    the first bad verdicts, before all answers are paid for. The limit grows with the number of
    requests at once that the provider was found to take.
    """
    return max(CONCURRENCIES * queue.start, queue.limit) + PER_GRADER * graders


def _list_places(run: Run) -> list[AttemptKey]:
    return [
        AttemptKey(name, sample) for sample in range(1, run.samples + 1) for name in run.planned
    ]


def take_turns(places: Sequence[Sequence[AttemptKey]]) -> Iterator[tuple[AttemptKey, int]]:
    """Yield each attempt of several runs with the number of its run, in turns.

    All runs get the same attempt (eval and sample) before the next attempt begins. Each attempt
    begins with another run: the first with the first run, the second with the second run.
    """
    runs = range(len(places))
    planned = [frozenset(run_places) for run_places in places]
    for first, key in enumerate(dict.fromkeys(chain.from_iterable(places))):
        for step in runs:
            number = (first + step) % len(runs)
            if key in planned[number]:
                yield key, number


def _add_earlier_cost(
    earlier: Generated | None, unsettled_usd: float, again: Generated
) -> Generated:
    """Return ``again`` with the cost of earlier requests added to its failed tries.

    Earlier requests are those before a resume, which gave no reply to grade. The sum is None if
    one of the costs is unknown.
    """
    if earlier is None and not unsettled_usd:
        return again
    parts = [again.failed_tries_usd, unsettled_usd]
    if earlier is not None:
        cost = earlier.generation.most_usd if earlier.generation else 0.0
        parts += [earlier.failed_tries_usd, cost]
    known_costs = [part for part in parts if part is not None]
    total = math.fsum(known_costs) if len(known_costs) == len(parts) else None
    return again.model_copy(update={"failed_tries_usd": total})
