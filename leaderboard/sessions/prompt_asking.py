"""The asking of models with the prompts of sessions, and the forecast of its cost.

Each answer is written to the disk at once.
"""

import asyncio
import fcntl
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any, Generic, Self, TypeVar

import click

from leaderboard.runs.run_forecasts import format_cost_line
from leaderboard.runs.run_options import say_unlisted
from leaderboard.terminal.streams import say, say_result
from records.errors import RunInUseError
from records.files.data_folder import DataFolder
from records.sessions.asked import AskedRecord, PromptAnswer
from records.shapes.registry import ModelEntry
from runner.errors import BudgetSpentError
from runner.models.api_keys import load_keys, read_key
from runner.models.ask import generate
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.costs.prices import estimate_upper_usd, find_rates, require_rates
from runner.models.registry import find_routing_warning, refuse_shared_slugs
from runner.models.requests.lazy_litellm import close
from runner.models.sent import make_dry_request
from runner.runs.forecast import Forecast, compute_answer_cost
from runner.runs.plan import make_asked_model, resolve_asked_model
from runner.runs.provenance import read_git_commit, read_harness_version
from runner.runs.resume import BegunAsking, find_model_again
from runner.runs.settings import RunSettings

AnyRecord = TypeVar("AnyRecord", bound=AskedRecord[Any, Any])

Prompt = Sequence[Mapping[str, str]]
"""The messages to a model."""

_Place = tuple[str, str]
"""A session and a model that is asked about it."""


@dataclass(frozen=True, slots=True)
class PromptAsking(Generic[AnyRecord]):
    """A record of answers, with the models and the prompts to ask."""

    noun: str
    """The noun for the answers in messages."""
    path: Path
    """The file of the record; only one process at a time asks for answers of its folder."""
    record: AnyRecord
    entries: Sequence[ModelEntry]
    read: Callable[[Path], AnyRecord]
    write: Callable[[AnyRecord], object]
    prompts: Mapping[str, Prompt]
    """The messages to models, by session; models are only asked about these sessions."""
    finish: Callable[[PromptAnswer], PromptAnswer]
    """Returns an answer with the further fields that answers of the record have."""
    describe: Callable[[Any], str]
    """Returns the result of an answer of the record in a word."""

    def list_missing(self) -> list[tuple[str, ModelEntry]]:
        """Return the sessions and models whose answers can still come, in the record's order."""
        texts = self.record.get_answer_texts()
        return [
            (item.session, entry)
            for item in self.record.items
            for entry in self.entries
            if (item.session, entry.slug) not in texts and item.session in self.prompts
        ]

    def begin(self) -> Self:
        """Write the new record, before any model is asked; return the asking."""
        with self.lock():
            self.write(self.record)
        return self

    @contextmanager
    def lock(self) -> Generator[None]:
        """Lock the folder, so that no other process writes its records during the block.

        Raises:
            RunInUseError: another process asks for answers of such a record.
        """
        folder = self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                reason = f"{folder}: another process is asking for {self.noun}"
                raise RunInUseError(reason) from error
            yield
        finally:
            os.close(handle)


def resolve_asked_entries(
    data: DataFolder, settings: RunSettings, *, with_keys: bool = True
) -> list[ModelEntry]:
    """Return the entries of the named models, each once, with the given settings.

    With ``with_keys``, the keys of the models must be set.

    Raises:
        UsageError: no model is named.
        UserError: a model is unknown, its parameters would not be sent, or there is a budget and no
            known price.
    """
    if not settings.models:
        raise click.UsageError("which models? Use -m MODEL; `leaderboard models` lists them")
    load_keys()
    say_unlisted(settings.models, data, settings.api_base)
    entries = [
        resolve_asked_model(name, data, settings, with_key=with_keys)[0] for name in settings.models
    ]
    for warning in dict.fromkeys(map(find_routing_warning, entries)):
        if warning is not None:
            say(warning, err=True)
    refuse_shared_slugs(entries)
    if settings.budget_usd is not None:
        for entry in entries:
            require_rates(entry)
    return [*{entry.slug: entry for entry in entries}.values()]  # a model may be named twice


def build_record_fields(
    entries: Sequence[ModelEntry], settings: RunSettings, seed: int
) -> dict[str, Any]:
    """Return the fields that all kinds of records share, for a new record without answers."""
    return {
        "schema_version": 1,
        "began_at": datetime.now(UTC),
        "version": read_harness_version(),
        "git_commit": read_git_commit(),
        "seed": seed,
        "budget_usd": settings.budget_usd,
        "spent_usd": 0.0,
        "under_way_usd": 0.0,
        "models": tuple(
            make_asked_model(entry, make_dry_request(entry, allow_changed=True).sent)
            for entry in entries
        ),
        "answers": (),
    }


def resume_record(
    data: DataFolder, name: str, record: AnyRecord, settings: RunSettings
) -> tuple[AnyRecord, list[ModelEntry]]:
    """Return an unfinished record with the new budget, if any, and its models.

    Args:
        data: the folder with the registry of models.
        name: the name of the record in messages.
        record: the record as it was written.
        settings: the options of the command.

    Raises:
        CannotResumeError: a model has changed, or its requests would change.
    """
    load_keys()
    entries = [
        find_model_again(BegunAsking(name, model, record.budget_usd), data, settings)
        for model in record.models
    ]
    if settings.budget_usd is not None:
        record = record.model_copy(update={"budget_usd": settings.budget_usd})
    return record, entries


def ask_all(
    asking: PromptAsking[AnyRecord], concurrency: int | None = None
) -> PromptAsking[AnyRecord]:
    """Ask for the missing answers; return the asking with all answers.

    Requests that ended in a fault before are repeated. A spent budget ends the work, with a notice.
    ``concurrency`` is the most requests to a provider at once; if it is None, the limits of the
    models and the answers of the provider decide, as in a run.

    Raises:
        RunInUseError: another process asks for answers of such a record in this data folder.
        UserError: a model has no key, or there is a budget and no known price.
    """
    for entry in asking.entries:
        read_key(entry)  # checked before any model is asked, because answers cost money
    with asking.lock():
        # Read again, because another process may have gone on with the record before the lock.
        budget_usd = asking.record.budget_usd
        record = asking.read(asking.path).model_copy(update={"budget_usd": budget_usd})
        asking = replace(asking, record=record)
        written = _RecordUnderWay(asking)
        asyncio.run(_ask_missing(asking, written, ProviderQueues(concurrency)))
    return replace(asking, record=written.now)


class _RecordUnderWay(Generic[AnyRecord]):
    """A record of which models are being asked; each change is on the disk when a call returns."""

    def __init__(self, asking: PromptAsking[AnyRecord]) -> None:
        """Write the record; requests that a killed process had under way count as spent."""
        self._write = asking.write
        self._under_way: dict[_Place, float] = {}
        self.now = record = asking.record
        self._change(spent_usd=record.spent_usd + record.under_way_usd)

    def begins(self, key: _Place, at_most_usd: float, spent_usd: float) -> None:
        """Record a request that begins, the most dollars it may cost, and those spent so far."""
        self._under_way[key] = at_most_usd
        self._change(spent_usd=spent_usd)

    def ends(self, key: _Place, spent_usd: float, answer: PromptAnswer | None = None) -> None:
        """Record the end of the requests about a session to a model, and the answer, if any."""
        self._under_way.pop(key, None)
        if answer is None:
            self._change(spent_usd=spent_usd)
        else:
            answers = [
                recorded_answer
                for recorded_answer in self.now.answers
                if (recorded_answer.session, recorded_answer.model) != key
            ]
            self._change(answers=(*answers, answer), spent_usd=spent_usd)

    def _change(self, **fields: object) -> None:
        fields["under_way_usd"] = sum(self._under_way.values(), 0.0)
        self.now = self.now.model_copy(update=fields)
        self._write(self.now)


async def _ask_missing(
    asking: PromptAsking[AnyRecord], written: _RecordUnderWay[AnyRecord], queues: ProviderQueues
) -> None:
    budget = Budget(written.now.budget_usd, written.now.spent_usd)

    async def ask(session: str, entry: ModelEntry) -> BudgetSpentError | None:
        """Ask a model about a session and record the answer, unless the budget is spent."""
        key, prompt = (session, entry.slug), asking.prompts[session]

        def begins(at_most_usd: float) -> None:
            if budget.limit_usd is not None:
                written.begins(key, at_most_usd, budget.spent_usd)

        try:
            result = await generate(entry, prompt, queues=queues, budget=budget, asking=begins)
        except BudgetSpentError as error:
            written.ends(key, budget.spent_usd)
            return error
        answer = asking.finish(
            PromptAnswer(
                session=session,
                model=entry.slug,
                at=datetime.now(UTC),
                answer=result.reply if result.fault is None else None,  # else it is cut off
                fault=result.fault,
                generation=result.generation,
                failed_tries_usd=result.failed_tries_usd,
            )
        )
        written.ends(key, budget.spent_usd, answer)
        outcome = answer.fault.kind if answer.fault else asking.describe(answer)
        say(f"{session}  {entry.slug}  {outcome}", err=True)
        return None

    try:
        ended = await asyncio.gather(*(ask(*place) for place in asking.list_missing()))
    finally:
        await close()
    spent = next((error for error in ended if error is not None), None)
    if spent is not None:
        say(str(spent), err=True)


def say_forecasts(
    data: DataFolder,
    settings: RunSettings,
    prompts: Sequence[Prompt],
    earlier: Iterable[AskedRecord[Any, Any]],
    *,
    as_json: bool,
) -> None:
    """Print for each model the possible cost of its answers to ``prompts``; no model is asked.

    The expected cost is computed from the answers in ``earlier``, which are records of this kind.

    Raises:
        UsageError: no model is named.
        UserError: a model is unknown, or its parameters would not be sent.
    """
    entries = resolve_asked_entries(data, settings, with_keys=False)
    answers = [answer for record in earlier for answer in record.answers]
    answers = [answer for answer in answers if answer.answer is not None]
    rows: list[dict[str, object]] = []
    lines: list[str] = []
    for entry in entries:
        rates = find_rates(entry)
        known_costs = [
            cost
            for answer in answers
            if answer.model == entry.slug and answer.generation is not None
            if (cost := compute_answer_cost(answer.generation, rates)) is not None
        ]
        bounds = [estimate_upper_usd(entry, rates, prompt) for prompt in prompts]
        forecast = Forecast(
            expected_usd=len(prompts) * fmean(known_costs) if known_costs else None,
            answers=len(known_costs),
            most_usd=None if None in bounds else sum(bound or 0.0 for bound in bounds),
        )
        costs = {"expected_usd": forecast.expected_usd, "most_usd": forecast.most_usd}
        known = {"price_known": rates is not None}
        rows.append({"model": entry.slug, "requests": len(prompts), **costs, **known})
        priced = "" if rates is not None else "; no price known"
        lines.append(
            f"{entry.slug}: {len(prompts)} requests, {format_cost_line([forecast])}{priced}"
        )
    say_result(rows, lines, as_json=as_json)
