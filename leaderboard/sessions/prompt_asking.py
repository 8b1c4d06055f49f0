"""The asking of models with the prompts of sessions, and the forecast of its cost.

Each answer is written to the disk at once.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar, Generic, TypeVar

import click

from leaderboard.runs.run import choose_watcher, say_unlisted
from leaderboard.runs.run_summary import describe_forecast, say_routing_warnings
from leaderboard.terminal.streams import ExitCode, say_aside, say_result
from records.errors import RunInUseError
from records.files.data_folder import DataFolder, RecordFiles
from records.files.plain_files import lock_folder
from records.reader import read_record
from records.sessions.asked import AskedRecord, PromptAnswer
from records.shapes.attempt import AttemptKey, Outcome
from records.shapes.registry import ModelEntry
from records.text.numbers import format_count
from records.writer import write_record
from review.selection import SessionSelection
from runner.models.api_keys import load_keys, read_key
from runner.models.ask import GenerationResult
from runner.models.costs import Budget, estimate_upper_usd, find_rates, require_rates
from runner.models.registry import refuse_shared_slugs
from runner.models.sent import make_dry_request
from runner.models.tokens import Prompt
from runner.runs.execute import AskedRun, Execution
from runner.runs.forecast import Forecast, compute_answer_cost
from runner.runs.launch import prepare_asking
from runner.runs.plan import RunSettings, make_asked_model, make_run_id, resolve_asked_model
from runner.runs.progress.watcher import EndedQuestion, WatchedRun, Watcher
from runner.runs.provenance import find_commit, read_harness_version
from runner.runs.resume import find_model_again

AnyRecord = TypeVar("AnyRecord", bound=AskedRecord[Any, Any])


class PromptAsking(ABC, Generic[AnyRecord]):
    """The asking of models with the prompts of sessions; each kind of record has a subclass."""

    noun: ClassVar[str]
    """The noun for the record, such as judging."""
    answer_noun: ClassVar[str]
    """The noun for an answer, such as opinion."""
    commands: ClassVar[tuple[str, str]]
    """The commands that ask, and that show the record."""
    results: ClassVar[Sequence[str]]
    """The words for results."""

    shape: type[AnyRecord]
    """The class of the record."""
    record: AnyRecord
    entries: Sequence[ModelEntry]
    prompts: Mapping[str, Prompt]
    """The messages to models, by session; models are only asked about these sessions."""

    def __init__(self, data: DataFolder, settings: RunSettings, seed: int) -> None:
        """Store the options; nothing is read yet."""
        self.data = data
        self.settings = settings
        self.seed = seed
        self.under_way: dict[tuple[str, str], float] = {}
        """The most dollars of each request under way, by session and model."""

    @property
    @abstractmethod
    def files(self) -> RecordFiles:
        """The files of this kind of record; only one process at a time asks for their answers."""

    @property
    def path(self) -> Path:
        """The file of the record."""
        return self.files.get_file(getattr(self.record, self.files.field))

    @abstractmethod
    def choose_prompts(
        self, chosen: SessionSelection
    ) -> tuple[Mapping[str, Prompt], Mapping[str, Any]]:
        """Return the prompts of the selected sessions, and the own fields of their new record.

        Print why sessions are left out.

        Raises:
            UsageError: no selected session has a prompt.
        """

    @abstractmethod
    def restore_prompts(self) -> Mapping[str, Prompt]:
        """Return the prompts of an unfinished record; print why sessions are left out."""

    @abstractmethod
    def finish(self, answer: PromptAnswer) -> PromptAnswer:
        """Return an answer with the further fields that answers of the record have."""

    @abstractmethod
    def describe(self, answer: Any) -> tuple[str, str | None]:  # noqa: ANN401 - of the record
        """Return the result of an answer of the record in a word, and a further fact."""

    def run(self, chosen: SessionSelection, resume: str | None, *, plan: bool) -> int:
        """Ask about the selected sessions, or go on with a record; return the exit code.

        With ``plan`` only the possible cost is printed.

        Raises:
            UsageError: no model is named, or no selected session has a prompt.
            MissingRecordError: no record has an id with the beginning ``resume``.
            CannotResumeError: a model has changed, or its requests would change.
            RunInUseError: another process asks for answers of such a record.
            UserError: a model is unknown or has no key, or there is a budget and no known price.
        """
        if resume is not None:
            self.record = read_record(self.shape, self.files.find_file(resume))
            name, budget_usd = f"{self.noun} {self.path.stem}", self.record.budget_usd
            load_keys()
            self.entries = [
                find_model_again(name, model, budget_usd, self.data, self.settings)
                for model in self.record.models
            ]
            if self.settings.budget_usd is not None:
                new_budget = {"budget_usd": self.settings.budget_usd}
                self.record = self.record.model_copy(update=new_budget)
            self.prompts = self.restore_prompts()
            return self._ask_and_report()
        self.prompts, own_fields = self.choose_prompts(chosen)
        settings = self.settings
        if not settings.models:
            raise click.UsageError("which models? Use -m MODEL; `leaderboard models` lists them")
        load_keys()
        say_unlisted(settings.models, self.data, settings.api_base)
        entries = [
            resolve_asked_model(name, self.data, settings, with_key=not plan)[0]
            for name in settings.models
        ]
        refuse_shared_slugs(entries)
        if settings.budget_usd is not None:
            for entry in entries:
                require_rates(entry)
        # A model may be named twice.
        self.entries = [*{entry.slug: entry for entry in entries}.values()]
        if plan:
            self._say_forecasts()
            return ExitCode.DONE
        identity: dict[str, Any] = {self.files.field: make_run_id(), "seed": self.seed}
        self.record = self.shape(
            schema_version=1,
            began_at=datetime.now(UTC),
            version=read_harness_version(),
            git_commit=find_commit()[0],
            budget_usd=settings.budget_usd,
            spent_usd=0.0,
            under_way_usd=0.0,
            models=tuple(
                make_asked_model(entry, make_dry_request(entry, allow_changed=True).sent)
                for entry in self.entries
            ),
            answers=(),
            **identity,
            **own_fields,
        )
        return self._ask_and_report()

    def list_missing(self, slug: str) -> list[str]:
        """Return the sessions about which a model can still be asked, in the record's order."""
        texts = self.record.get_answer_texts()
        sessions = [item.session for item in self.record.items]
        return [name for name in sessions if name in self.prompts and (name, slug) not in texts]

    def change(self, spent_usd: float, answer: PromptAnswer | None = None) -> None:
        """Write the record with the dollars spent so far, and with a new answer, if any."""
        fields: dict[str, object] = {
            "spent_usd": spent_usd,
            "under_way_usd": sum(self.under_way.values(), 0.0),
        }
        if answer is not None:
            key = (answer.session, answer.model)
            answers = [each for each in self.record.answers if (each.session, each.model) != key]
            fields["answers"] = (*answers, answer)
        self.record = self.record.model_copy(update=fields)
        write_record(self.files, self.record)

    def _ask_and_report(self) -> int:
        """Ask for the missing answers, print the progress and the next commands."""
        record_id, sessions = self.path.stem, len(self.record.items)
        short, slugs = record_id[:8], [entry.slug for entry in self.entries]
        counts = f"{format_count(sessions, 'session')}, {format_count(len(slugs), 'model')}"
        say_aside(f"{self.noun} {short}: {counts}")
        self._ask(choose_watcher(err=True))
        missing = sum(len(self.list_missing(slug)) for slug in slugs)
        asking, showing = self.commands
        row = {
            self.files.field.removesuffix("_id"): record_id,
            "sessions": sessions,
            "models": slugs,
            "missing": missing,
        }
        lines: list[str] = []
        if missing:
            number = f"{format_count(missing, self.answer_noun)} {'is' if missing == 1 else 'are'}"
            lines.append(f"{number} missing: leaderboard session {asking} --resume {short}")
        number = format_count(len(self.record.get_answer_texts()), self.answer_noun)
        lines.append(f"{number}: leaderboard session {showing} {short}")
        say_result(row, lines)
        return ExitCode.INFRASTRUCTURE if missing else ExitCode.DONE

    def _ask(self, watcher: Watcher) -> None:
        """Ask for the missing answers, as runs ask, one model after the other for each session.

        Requests that ended in a fault before are repeated. A spent budget ends the work, with a
        notice.
        """
        for entry in self.entries:
            read_key(entry)  # checked before any model is asked, because answers cost money
        folder = self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            try:
                stack.enter_context(lock_folder(folder, wait=False))
            except BlockingIOError as error:
                reason = f"{folder}: another process is asking models about sessions"
                raise RunInUseError(reason) from error
            budget_usd = self.record.budget_usd
            if self.path.exists():
                # Another process may have gone on with the record before the lock.
                record = read_record(self.shape, self.path)
                self.record = record.model_copy(update={"budget_usd": budget_usd})
            prepare_asking(self.entries, budget_usd, watcher)
            # Requests that a killed process had under way count as spent.
            budget = Budget(budget_usd, self.record.spent_usd + self.record.under_way_usd)
            self.change(budget.spent_usd)
            runs = [_AskedModel(self, entry, budget) for entry in self.entries]
            with watcher:
                execution = Execution(self.settings, None, budget, watcher)
                asyncio.run(execution.execute(runs, in_turns=True))

    def _say_forecasts(self) -> None:
        """Print for each model the possible cost of its answers; no model is asked.

        The expected cost is computed from the answers in earlier records of this kind.
        """
        prompts = self.prompts.values()
        answers = [
            answer
            for path in self.files.list_files()
            for answer in read_record(self.shape, path).answers
            if answer.answer is not None
        ]
        rows: list[dict[str, object]] = []
        lines: list[str] = []
        for entry in self.entries:
            rates = find_rates(entry)
            known_costs = [
                cost
                for answer in answers
                if answer.model == entry.slug and answer.generation is not None
                if (cost := compute_answer_cost(answer.generation, rates)) is not None
            ]
            bounds = [estimate_upper_usd(entry, prompt) for prompt in prompts]
            forecast = Forecast(
                expected_usd=len(prompts) * fmean(known_costs) if known_costs else None,
                answers=len(known_costs),
                most_usd=None if None in bounds else sum(bound or 0.0 for bound in bounds),
            )
            costs, words = describe_forecast(entry, forecast)
            rows.append({"model": entry.slug, "requests": len(prompts), **costs})
            lines.append(f"{entry.slug}: {len(prompts)} requests, {words}")
        say_result(rows, lines)
        say_routing_warnings(self.entries)


class _AskedModel(AskedRun[None]):
    """A model that is asked about the sessions of a record."""

    def __init__(self, asking: PromptAsking[Any], entry: ModelEntry, budget: Budget) -> None:
        """Store the record, in which the dollars spent are those of ``budget``."""
        self.watched = WatchedRun(
            f"{asking.path.stem} {entry.slug}",
            f"{entry.slug} {asking.noun}",
            len(asking.prompts),
            (*asking.results, Outcome.INFRASTRUCTURE),
        )
        self.entry = entry
        self._slug = entry.slug
        self._asking = asking
        self._budget = budget
        self._answers: dict[AttemptKey, PromptAnswer] = {}

    def list_done(self) -> Sequence[EndedQuestion]:
        """Return the answers that came before."""
        asking, missing = self._asking, self._asking.list_missing(self._slug)
        return [
            self._describe(answer)
            for answer in asking.record.answers
            if answer.model == self._slug
            and answer.session in asking.prompts
            and answer.session not in missing
        ]

    def list_places(self) -> Sequence[AttemptKey]:
        """Return the other sessions."""
        return [AttemptKey(name, 1) for name in self._asking.list_missing(self._slug)]

    def open_question(self, place: AttemptKey) -> Prompt:
        """Return the prompt of the session."""
        return self._asking.prompts[place.eval]

    def record_asking(self, place: AttemptKey, at_most_usd: float) -> None:
        """Write the most that requests under way may cost."""
        self._asking.under_way[place.eval, self._slug] = at_most_usd
        self._asking.change(self._budget.spent_usd)

    def record_answer(self, place: AttemptKey, messages: Prompt, answer: GenerationResult) -> None:
        """Write the answer, with its status or score."""
        del messages
        self._asking.under_way.pop((place.eval, self._slug), None)
        self._answers[place] = self._asking.finish(
            PromptAnswer(
                session=place.eval,
                model=self._slug,
                at=datetime.now(UTC),
                answer=answer.reply if answer.fault is None else None,  # else it is cut off
                fault=answer.fault,
                generation=answer.generation,
                failed_tries_usd=answer.failed_tries_usd,
            )
        )
        self._asking.change(self._budget.spent_usd, self._answers[place])

    def end(self, place: AttemptKey, verdict: object) -> EndedQuestion:
        """Return the answer, which is in the record."""
        del verdict
        return self._describe(self._answers.pop(place))

    def leave(self, place: AttemptKey) -> None:
        """Write that no request about the session is under way any more."""
        self._asking.under_way.pop((place.eval, self._slug), None)
        self._asking.change(self._budget.spent_usd)

    def finish(self) -> None:
        """Return at once: the record is whole after each change."""

    def _describe(self, answer: PromptAnswer) -> EndedQuestion:
        word, fact = Outcome.INFRASTRUCTURE, None
        if answer.fault is None:
            word, fact = self._asking.describe(answer)
        return EndedQuestion(
            answer.session, word, fact, answer.fault, answer.generation, answer.failed_tries_usd
        )
