"""Execution of runs: generation and grading of every attempt.

Each finished stage is written to the run's log before anything else happens. So a killed
process loses no reported result, and no finished generation is requested again.
"""

import asyncio
import math
import signal
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from itertools import chain
from typing import Generic, Self, TypeVar

from records.archives.archive import Message
from records.files.data_folder import DataFolder
from records.journal.entries import Asking, Generated
from records.journal.journal import Journal
from records.shapes.attempt import JUDGED, Attempt, AttemptKey
from records.shapes.registry import ModelEntry
from records.shapes.run import Run
from runner.answers.prompt import render_prompt
from runner.errors import BudgetSpentError
from runner.grading.grade import Graders, GradingResult, Submission
from runner.grading.worker.protocol import ALL_TESTS
from runner.models import baselines
from runner.models.ask import GenerationResult, generate
from runner.models.concurrency.provider_queue import ProviderQueue, ProviderQueues
from runner.models.costs import Budget
from runner.models.requests.heard import TURN, Tell
from runner.models.requests.lazy_litellm import close
from runner.models.tokens import Prompt
from runner.places import AttemptPlaces
from runner.runs.plan import RunPlan, RunSettings
from runner.runs.progress.watcher import EndedAttempt, WatchedRun, Watcher, format_run_title
from runner.runs.record import finish, make_judged_entry, make_unjudged_entry, without_verdict

IN_FLIGHT = 128
"""The most attempts of one run between their first request and their verdict: limits memory.

Each run has its own limit, because a slow provider would otherwise leave no room for other runs.
More graders allow more attempts.
"""


CONCURRENCIES = 2
"""The default limit on answers of a provider without a verdict is this number times the requests at
once with which the provider begins."""

PER_GRADER = 2
"""The answers that this limit adds for each grader, which grades one answer at a time."""


_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


RecordT = TypeVar("RecordT")
"""The record of a run at its end."""


class AskedRun(ABC, Generic[RecordT]):
    """A run under way: its questions, its log, and the end of its attempts; a context manager.

    It is a run of evals, or a model that is asked about sessions. What a method writes to the log
    is on the disk when it returns.
    """

    watched: WatchedRun
    """What watchers show of the run."""
    entry: ModelEntry | None
    """The model to ask; None if all answers are known."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    @abstractmethod
    def list_done(self) -> Sequence[EndedAttempt]:
        """Return the attempts that have their outcome."""

    @abstractmethod
    def list_places(self) -> Sequence[AttemptKey]:
        """Return the other attempts, in the order in which they begin."""

    def take_known_answer(self, place: AttemptKey) -> bool:
        """Return whether the answer needs no question: it is in the log, or is a baseline's."""
        del place
        return False

    @abstractmethod
    def open_question(self, place: AttemptKey) -> Prompt:
        """Return the messages to the model, which is asked now."""

    @abstractmethod
    def record_asking(self, place: AttemptKey, at_most_usd: float) -> None:
        """Write that a request begins under a budget, and the most dollars that it may cost."""

    @abstractmethod
    def record_answer(
        self,
        place: AttemptKey,
        messages: Prompt,
        answer: GenerationResult,
    ) -> None:
        """Write the answer of the model."""

    def make_submission(self, place: AttemptKey) -> Submission | None:
        """Return the answer for the graders; None if there is nothing to grade."""
        del place
        return None

    @abstractmethod
    def end(self, place: AttemptKey, verdict: asyncio.Future[GradingResult] | None) -> EndedAttempt:
        """Write the verdict, which has come, or the error that ended the grading.

        ``verdict`` is None if nothing was to be graded. Returns the attempt.
        """

    @abstractmethod
    def leave(self, place: AttemptKey) -> None:
        """Leave an attempt to a resume."""

    @abstractmethod
    def finish(self) -> RecordT:
        """Write and return the record of the run, none of whose attempts is under way."""


class GradedRun(AskedRun[Run]):
    """A run of evals, whose answers are graded, with its journal."""

    def __init__(self, plan: RunPlan, folder: DataFolder) -> None:
        """Store the plan; its journal in ``folder`` is opened when the run is entered."""
        run = plan.run
        self.watched = WatchedRun(run.run_id, format_run_title(run), run.planned_attempts)
        self.entry = plan.entry
        self._plan = plan
        self._answers: dict[AttemptKey, Generated] = {}
        """The answers without a verdict."""
        self._earlier_usd: dict[AttemptKey, Sequence[float | None]] = {}
        self._folder = folder
        self._path = folder.get_journal_file(*run.key)

    def __enter__(self) -> Self:
        """Open the journal, which must exist."""
        self._journal = Journal.open(self._path)
        return self

    def __exit__(self, *_: object) -> None:
        """Close the journal."""
        self._journal.close()

    def list_done(self) -> Sequence[Attempt]:
        """Return the attempts with a verdict; infrastructure attempts are made again."""
        attempts = self._journal.attempts.values()
        return [attempt for attempt in attempts if attempt.outcome in JUDGED]

    def list_places(self) -> Sequence[AttemptKey]:
        """Return the attempts without a verdict, sample by sample."""
        return sorted(self._journal.list_unjudged(), key=lambda place: (place.sample, place.eval))

    def take_known_answer(self, place: AttemptKey) -> bool:
        """Return whether a whole reply is in the journal; that of a baseline is written to it."""
        generated = self._journal.find_generation(place)
        if generated is not None and generated.is_whole:
            self._answers[place] = generated
        elif self.entry is None:
            evaluation = self._plan.evals[place.eval]
            reply = baselines.make_reply(self._plan.run.model.slug, evaluation)
            self.record_answer(place, (), GenerationResult(reply, None, None))
        return place in self._answers

    def open_question(self, place: AttemptKey) -> Prompt:
        """Return the prompt of the eval; note the costs of requests before a resume."""
        costs: list[float | None] = [self._journal.find_unsettled_cost(place)]
        if (earlier := self._journal.find_generation(place)) is not None:
            reply_usd = earlier.generation.most_usd if earlier.generation else 0.0
            costs += [earlier.failed_tries_usd, reply_usd]
        self._earlier_usd[place] = costs
        return render_prompt(self._plan.evals[place.eval], self._plan.guidelines)

    def record_asking(self, place: AttemptKey, at_most_usd: float) -> None:
        """Write that a request begins."""
        self._journal.append(Asking(eval=place.eval, sample=place.sample, at_most_usd=at_most_usd))

    def record_answer(
        self,
        place: AttemptKey,
        messages: Prompt,
        answer: GenerationResult,
    ) -> None:
        """Write the answer; costs of earlier requests count as those of failed tries.

        The sum is None if one of the costs is unknown.
        """
        costs = [answer.failed_tries_usd, *self._earlier_usd.pop(place, ())]
        known_costs = [cost for cost in costs if cost is not None]
        generated = Generated(
            eval=place.eval,
            sample=place.sample,
            messages=tuple(Message.model_validate(message) for message in messages),
            reply=answer.reply,
            generation=answer.generation,
            fault=answer.fault,
            failed_tries_usd=math.fsum(known_costs) if len(known_costs) == len(costs) else None,
        )
        self._journal.append(generated)
        self._answers[place] = generated

    def make_submission(self, place: AttemptKey) -> Submission | None:
        """Return the reply for the graders; None if a fault of the provider came instead."""
        generated = self._answers[place]
        if not generated.is_whole:
            return None
        return Submission(self._plan.evals[place.eval], ALL_TESTS, reply=generated.reply)

    def end(self, place: AttemptKey, verdict: asyncio.Future[GradingResult] | None) -> Attempt:
        """Write the verdict; an attempt without one has a fault."""
        generated, limit = self._answers.pop(place), self._plan.run.model.max_output_tokens
        try:
            if verdict is None:
                graded = make_unjudged_entry(generated, generated.fault)
            else:
                graded = make_judged_entry(generated, verdict.result(), limit)
        except Exception as error:  # noqa: BLE001 - other attempts and runs go on
            graded = without_verdict(generated, "grading raised", error)
        try:
            self._journal.append(graded)
        except OSError:
            raise  # a full or broken disk ends the run, because nothing more can be recorded
        except Exception as error:  # noqa: BLE001 - other attempts and runs go on
            graded = without_verdict(generated, "the verdict cannot be written", error)
            self._journal.append(graded)
        return graded.attempt

    def leave(self, place: AttemptKey) -> None:
        """Drop an earlier reason why the attempt had no verdict."""
        self._answers.pop(place, None)
        if place in self._journal.attempts:
            self.record_asking(place, 0.0)

    def finish(self) -> Run:
        """Write the record and the archive; the journal goes if the run is complete."""
        record = finish(self._folder, self._path)
        self._journal.close()
        return record


class Execution:
    """Runs under way together: they share provider queues, the budget and the graders."""

    def __init__(
        self, settings: RunSettings, graders: Graders | None, budget: Budget, watcher: Watcher
    ) -> None:
        """Prepare the queues of requests.

        Args:
            settings: the limits of requests at once and of answers without a verdict.
            graders: the graders of all answers; None if no answer is graded.
            budget: the most that all runs may cost together.
            watcher: the receiver of all reports on the runs.
        """
        self._settings = settings
        self._graders = graders
        self._budget = budget
        self._watcher = watcher
        self._queues = ProviderQueues(settings.concurrency, noted=watcher.report_event)
        self._grading_places = AttemptPlaces(lambda: graders.window if graders else IN_FLIGHT)
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

    async def execute(
        self, runs: Sequence[AskedRun[RecordT]], *, in_turns: bool = False
    ) -> list[RecordT]:
        """Execute ``runs`` at once and return their final records, in the same order.

        With ``in_turns`` the attempts of the runs begin in turns, so that a change at a provider
        during this time affects all runs alike. `IN_FLIGHT` then limits the attempts of all runs
        together.

        The first SIGINT or SIGTERM stops the runs gently (see `stop`), the second at once.
        """
        # There are more places when graders join.
        rooms = [
            AttemptPlaces(lambda: max(IN_FLIGHT, self._graders.window if self._graders else 0))
            for _ in range(1 if in_turns else len(runs))
        ]
        attempts: list[list[asyncio.Task[None]]] = [[] for _ in runs]
        async with AsyncExitStack() as stack:
            stack.push_async_callback(close)
            stack.enter_context(self._stop_at_signals())
            for run in runs:
                stack.enter_context(run)
                self._watcher.report_start(run.watched, run.list_done())
            due = [run.list_places() for run in runs]
            async with asyncio.TaskGroup() as group:
                run_by_run = ((key, number) for number, keys in enumerate(due) for key in keys)
                for key, number in take_turns(due) if in_turns else run_by_run:
                    room = rooms[0 if in_turns else number]
                    attempt = self._execute_attempt(runs[number], key, room)
                    attempts[number].append(group.create_task(attempt))
                finished = [
                    group.create_task(self._finish(run, tasks))
                    for run, tasks in zip(runs, attempts, strict=True)
                ]
            return [task.result() for task in finished]

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

    async def _finish(
        self, run: AskedRun[RecordT], attempts: Sequence[asyncio.Task[None]]
    ) -> RecordT:
        """Wait for all attempts of a run, write its record and return it."""
        if attempts:
            await asyncio.wait(attempts)
        record = await asyncio.to_thread(run.finish)
        self._watcher.report_end(run.watched)
        return record

    async def _execute_attempt(
        self, run: AskedRun[RecordT], place: AttemptKey, places: AttemptPlaces
    ) -> None:
        """Get the answer of an attempt, have it graded, and write the verdict to the run's log.

        If the runs are stopped or the budget is spent before the verdict, the attempt is left to a
        resume, which asks only for an answer that is not in the log.
        """
        async with places.hold(), AsyncExitStack() as held:
            tell = partial(self._watcher.report_wait, run.watched, place)
            is_answered = not self._stopping and run.take_known_answer(place)
            if is_answered and run.entry is not None:
                # An answer that was paid for before takes its place at once.
                ahead = self._get_places_ahead(run.entry)
                await held.enter_async_context(ahead.hold(over_limit=True))
            elif run.entry is not None:
                is_answered = await self._ask(run, run.entry, place, tell, held)
            if is_answered:
                tell("a grader")
                await held.enter_async_context(self._grading_places.hold())
            if not is_answered or self._stopping:
                run.leave(place)
                self._watcher.report_left_attempt(run.watched, place)
                return
            tell("grading")
            verdict: asyncio.Future[GradingResult] | None = None
            submission = run.make_submission(place)
            if submission is not None:
                if self._graders is None:
                    raise ValueError(f"{place}: an answer to grade, and no graders")
                verdict = asyncio.wrap_future(self._graders.submit(submission))
                await asyncio.wait([verdict])
            self._watcher.report_attempt(run.watched, run.end(place, verdict))

    async def _ask(
        self,
        run: AskedRun[RecordT],
        entry: ModelEntry,
        place: AttemptKey,
        tell: Tell,
        held: AsyncExitStack,
    ) -> bool:
        """Ask for an answer; return whether it came, or the runs were stopped or the budget spent.

        It waits until the number of the provider's answers without verdicts is below its limit, and
        then counts as one of them until ``held`` is closed.
        """
        if self._stopping:
            return False

        def record_asking(at_most_usd: float) -> None:
            if self._budget.limit_usd is not None:
                run.record_asking(place, at_most_usd)

        try:
            async with self._time_out_at_stop():
                tell(TURN)
                await held.enter_async_context(self._get_places_ahead(entry).hold())
                messages = run.open_question(place)
                answer = await generate(
                    entry,
                    messages,
                    queues=self._queues,
                    budget=self._budget,
                    tell=tell,
                    asking=record_asking,
                )
        except TimeoutError:
            if not self._stopping:
                raise
            return False
        except BudgetSpentError as error:
            if not self._stopping:
                self._watcher.report_stop("budget spent", str(error))
            self.stop()
            return False
        run.record_answer(place, messages, answer)
        return True

    def _get_places_ahead(self, entry: ModelEntry) -> AttemptPlaces:
        """Return the places of the provider's answers without a verdict."""
        queue = self._queues.find_queue(entry)
        if queue not in self._ahead:
            most = self._settings.ahead
            self._ahead[queue] = AttemptPlaces(
                lambda: (
                    compute_default_limit(queue, self._graders.threads if self._graders else 0)
                    if most is None
                    else most
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
