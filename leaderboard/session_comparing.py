"""`leaderboard session compare` once its options are read: asks models, one request at a time."""

import asyncio
import fcntl
import os
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import click

from leaderboard.streams import say
from records.comparison import ComparedAnswer, ComparedSession, ModelComparison
from records.errors import RunInUseError
from records.folder import DataFolder
from records.reader import read_comparison, read_models
from records.registry import ModelEntry, Registry
from records.run import RunModel
from records.writer import write_comparison
from review.comparisons.metric import token_f1
from review.comparisons.prompts import compared_session
from review.selection import SessionSelection
from review.store import SessionStore
from runner.errors import BudgetSpentError, CannotResumeError
from runner.models.api_keys import load_keys
from runner.models.ask import GenerationResult, generate
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.costs.output_limits import bounded
from runner.models.costs.prices import known_rates
from runner.models.registry import LOCAL, resolve
from runner.models.requests.lazy_litellm import close
from runner.models.terms import Terms
from runner.runs.plan import asked_model, new_run_id


@dataclass(frozen=True, slots=True)
class AskedModels:
    """How models are asked: what `leaderboard run` calls by the same names."""

    names: Sequence[str]
    api_base: str | None
    terms: Terms | None
    budget_usd: float | None


def begin(
    data: DataFolder, chosen: SessionSelection, asked: AskedModels, seed: int
) -> tuple[ModelComparison, Sequence[ModelEntry]]:
    """Record a comparison that asks nobody yet; what is left out is told.

    Raises:
        UsageError: no session that is selected can be compared, or no model is named.
        UserError: a model is unknown, or there is a budget and no known price.
    """
    if not asked.names:
        raise click.UsageError("which models? Use -m MODEL; `leaderboard models` lists them")
    load_keys()
    registry = read_models(data)
    entries = [
        resolve(name, registry, api_base=asked.api_base, terms=asked.terms) for name in asked.names
    ]
    entries = [*{one.slug: one for one in entries}.values()]  # one may be named in two ways
    if asked.budget_usd is not None:
        entries = [bounded(one) for one in entries]
        for one in entries:
            known_rates(one)
    comparison = ModelComparison(
        schema_version=1,
        comparison_id=new_run_id(),
        began_at=datetime.now(UTC),
        seed=seed,
        metric="token_f1",
        budget_usd=asked.budget_usd,
        spent_usd=0.0,
        under_way_usd=0.0,
        models=tuple(asked_model(one) for one in entries),
        items=tuple(_items(data, chosen)),
        answers=(),
    )
    write_comparison(data.local, comparison)
    return comparison, entries


def _items(data: DataFolder, chosen: SessionSelection) -> list[ComparedSession]:
    found = [compared_session(one) for one in chosen.of(SessionStore(data))]
    left_out = Counter(one for one in found if isinstance(one, str))
    for reason, number in sorted(left_out.items()):
        say(f"{number} left out: {reason}", err=True)
    items = [one for one in found if not isinstance(one, str)]
    if not items:
        raise click.UsageError(
            f"none of {len(found)} selected sessions can be compared; golden ones are asked about "
            "unless --status says otherwise: `leaderboard session list --status golden`"
        )
    return items


def go_on(
    data: DataFolder, beginning: str, asked: AskedModels
) -> tuple[ModelComparison, Sequence[ModelEntry]]:
    """Return a comparison that was begun, with its models as they were.

    Raises:
        MissingRecordError: there is none whose id begins so.
        CannotResumeError: a model would be another, or be sent something else.
    """
    load_keys()
    comparison = read_comparison(data.local.find_comparison(beginning))
    budget = asked.budget_usd if asked.budget_usd is not None else comparison.budget_usd
    comparison = comparison.model_copy(update={"budget_usd": budget})
    registry = read_models(data)
    return comparison, [_entry(registry, comparison, one, asked) for one in comparison.models]


def _entry(
    registry: Registry, comparison: ModelComparison, then: RunModel, asked: AskedModels
) -> ModelEntry:
    if asked.api_base is None and then.slug.startswith(f"{LOCAL}/"):
        raise CannotResumeError(
            f"comparison {comparison.comparison_id} asked a server by its address: give the same "
            "with --api-base"
        )
    registered = then.slug in registry.by_slug and asked.api_base is None
    name = then.slug if registered else then.litellm_id or then.slug
    entry = resolve(name, registry, api_base=asked.api_base, terms=asked.terms)
    if then.max_output_tokens is not None:
        entry = bounded(entry)
    if asked_model(entry) != then:
        raise CannotResumeError(
            f"comparison {comparison.comparison_id} asked {then.slug} in another way: give the "
            "same --api-base, --set and --max-tokens, change models.toml back, or begin a new one"
        )
    return entry


def ask_all(
    data: DataFolder, comparison: ModelComparison, entries: Sequence[ModelEntry]
) -> ModelComparison:
    """Ask what has no answer yet; each answer is on the disk before the next is asked for.

    What ended in a fault is asked again. A budget that is spent ends it, and is told.

    Raises:
        RunInUseError: another process is asking for a comparison in this data folder.
        UserError: a model has no key, or there is a budget and no known price.
    """
    with _alone(data.local):
        # Read again: another process may have gone on with it before this one was alone.
        now = read_comparison(data.local.comparison_file(comparison.comparison_id))
        now = now.model_copy(update={"budget_usd": comparison.budget_usd})
        return asyncio.run(_ask_all(_ComparisonUnderWay(data.local, now), entries))


@contextmanager
def _alone(folder: DataFolder) -> Generator[None]:
    """Keep other processes from writing comparisons of the folder meanwhile."""
    place = folder.root / "comparisons"
    place.mkdir(parents=True, exist_ok=True)
    handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunInUseError(f"{place}: another process is asking for a comparison") from error
        yield
    finally:
        os.close(handle)


class _ComparisonUnderWay:
    """The record of a comparison under way: every change is on the disk when the call returns."""

    def __init__(self, folder: DataFolder, comparison: ModelComparison) -> None:
        """Take over what a killed process had under way as spent."""
        self._folder = folder
        self.now = comparison
        spent = comparison.spent_usd + comparison.under_way_usd
        self.change(spent_usd=spent, under_way_usd=0.0)

    def change(self, **fields: object) -> None:
        """Set fields of the record."""
        self.now = self.now.model_copy(update=fields)
        write_comparison(self._folder, self.now)

    def add(self, answer: ComparedAnswer, spent_usd: float) -> None:
        """Add an answer in place of the fault that stood there, with what is spent by now."""
        place = (answer.session, answer.model)
        others = [one for one in self.now.answers if (one.session, one.model) != place]
        self.change(answers=(*others, answer), spent_usd=spent_usd, under_way_usd=0.0)


async def _ask_all(written: _ComparisonUnderWay, entries: Sequence[ModelEntry]) -> ModelComparison:
    queues = ProviderQueues(None)
    budget = Budget(written.now.budget_usd, written.now.spent_usd)
    texts = written.now.texts()
    try:
        for item in written.now.items:
            for entry in entries:
                if (item.session, entry.slug) not in texts:
                    answer = await _asked(item, entry, queues, budget, _asking(written, budget))
                    written.add(answer, budget.spent_usd)
                    outcome = answer.fault.kind if answer.fault else f"{answer.score:.3f}"
                    say(f"{item.session}  {entry.slug}  {outcome}", err=True)
    except BudgetSpentError as error:
        say(str(error), err=True)
    finally:
        await close()
    return written.now


def _asking(written: _ComparisonUnderWay, budget: Budget) -> Callable[[float], None]:
    """Return what writes down, before each request under a budget, what it may cost at most."""

    def note(at_most_usd: float) -> None:
        if budget.limit_usd is not None:
            written.change(spent_usd=budget.spent_usd, under_way_usd=at_most_usd)

    return note


async def _asked(
    item: ComparedSession,
    entry: ModelEntry,
    queues: ProviderQueues,
    budget: Budget,
    asking: Callable[[float], None],
) -> ComparedAnswer:
    messages = [one.model_dump() for one in item.messages]
    result = await generate(entry, messages, queues=queues, budget=budget, asking=asking)
    answer = _whole(result)
    return ComparedAnswer(
        session=item.session,
        model=entry.slug,
        at=datetime.now(UTC),
        answer=answer,
        fault=result.fault,
        generation=result.generation,
        failed_tries_usd=result.failed_tries_usd,
        score=None if answer is None else token_f1(answer, item.expected),
    )


def _whole(result: GenerationResult) -> str | None:
    """Return the answer; what came with a fault was cut off and is none."""
    return result.reply if result.fault is None else None
