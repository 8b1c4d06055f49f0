"""`leaderboard session compare` once its options are read: asks models about sessions."""

import asyncio
import fcntl
import os
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import click

from leaderboard.sessions import without_waiting
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
from review.selected import selected
from review.selection import SessionSelection
from review.store import LabeledSession, SessionProblem, SessionStore
from runner.errors import BudgetSpentError, CannotResumeError
from runner.models.api_keys import key_for, load_keys
from runner.models.ask import GenerationResult, generate
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.costs.output_limits import bounded
from runner.models.costs.prices import known_rates
from runner.models.registry import LOCAL, resolve
from runner.models.requests.lazy_litellm import close
from runner.models.routing import routing_warning
from runner.models.sent import dry_request
from runner.models.terms import Terms
from runner.runs.plan import asked_model, new_run_id
from runner.runs.provenance import git_commit, harness_version

_Place = tuple[str, str]
"""A session and a model that is asked about it."""


@dataclass(frozen=True, slots=True)
class AskedModels:
    """How models are asked: what `leaderboard run` calls by the same names."""

    names: Sequence[str]
    api_base: str | None
    terms: Terms | None
    budget_usd: float | None
    allow_changed: bool = False


def begin(
    data: DataFolder, chosen: SessionSelection, asked: AskedModels, seed: int
) -> tuple[ModelComparison, Sequence[ModelEntry]]:
    """Record a comparison that asks nobody yet; what is left out is told.

    Raises:
        UsageError: no session that is selected can be compared, or no model is named.
        UserError: a model is unknown, or there is a budget and no known price.
    """
    entries = asked_entries(data, asked)
    comparison = ModelComparison(
        schema_version=1,
        comparison_id=new_run_id(),
        began_at=datetime.now(UTC),
        version=harness_version(),
        git_commit=git_commit(),
        seed=seed,
        metric="token_f1",
        budget_usd=asked.budget_usd,
        spent_usd=0.0,
        under_way_usd=0.0,
        models=tuple(
            asked_model(one, dry_request(one, allow_changed=True).sent) for one in entries
        ),
        items=tuple(compared_sessions(data, chosen)),
        answers=(),
    )
    write_comparison(data.local, comparison)
    return comparison, entries


def asked_entries(
    data: DataFolder, asked: AskedModels, *, with_keys: bool = True
) -> list[ModelEntry]:
    """Return the models that are named, each once, as they are asked.

    ``with_keys`` says whether their keys are needed.

    Raises:
        UsageError: none is named.
        UserError: a model is unknown, its parameters would not be sent, or there is a budget and no
            known price.
    """
    if not asked.names:
        raise click.UsageError("which models? Use -m MODEL; `leaderboard models` lists them")
    load_keys()
    registry = read_models(data)
    entries = [
        resolve(name, registry, api_base=asked.api_base, terms=asked.terms, with_key=with_keys)
        for name in asked.names
    ]
    for warning in dict.fromkeys(map(routing_warning, entries)):
        if warning is not None:
            say(warning, err=True)
    entries = [*{one.slug: one for one in entries}.values()]  # one may be named in two ways
    if asked.budget_usd is not None:
        entries = [bounded(one) for one in entries]
        for one in entries:
            known_rates(one)
    return [dry_request(one, allow_changed=asked.allow_changed).entry for one in entries]


def compared_sessions(data: DataFolder, chosen: SessionSelection) -> list[ComparedSession]:
    """Return what is asked of the selected sessions; what is left out is told, with the reason.

    Raises:
        UsageError: none that is selected can be compared.
    """
    store = SessionStore(data)
    selection = without_waiting(store, chosen)
    sessions: list[LabeledSession] = []
    for source in selected(store, selection):
        if isinstance(source, SessionProblem):
            say(f"left out: {source}", err=True)
        elif len(sessions) != selection.limit:
            sessions.append(source)
    found = [compared_session(one.session, one.turns) for one in sessions]
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
    dry = dry_request(entry, allow_changed=asked.allow_changed)
    # Comparisons of before what was sent was recorded go on.
    if asked_model(dry.entry, None if then.sent is None else dry.sent) != then:
        raise CannotResumeError(
            f"comparison {comparison.comparison_id} asked {then.slug} in another way: give the "
            "same --api-base, --set and --max-tokens, change models.toml back, or begin a new one"
        )
    return dry.entry


def ask_all(
    data: DataFolder,
    comparison: ModelComparison,
    entries: Sequence[ModelEntry],
    concurrency: int | None = None,
) -> ModelComparison:
    """Ask what has no answer yet; each answer is on the disk as soon as it is there.

    What ended in a fault is asked again. A budget that is spent ends it, and is told.
    ``concurrency`` is how many requests each provider gets at once, at most; null leaves that to
    the models' own limits and to how the provider answers, as in a run.

    Raises:
        RunInUseError: another process is asking for a comparison in this data folder.
        UserError: a model has no key, or there is a budget and no known price.
    """
    for entry in entries:
        key_for(entry)  # before anybody is asked: another model's answers would be paid for
    with _alone(data.local):
        # Read again: another process may have gone on with it before this one was alone.
        now = read_comparison(data.local.comparison_file(comparison.comparison_id))
        now = now.model_copy(update={"budget_usd": comparison.budget_usd})
        written = _ComparisonUnderWay(data.local, now)
        return asyncio.run(_ask_all(written, entries, ProviderQueues(concurrency)))


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
        self._under_way: dict[_Place, float] = {}
        self.now = comparison
        self._change(spent_usd=comparison.spent_usd + comparison.under_way_usd)

    def begins(self, place: _Place, at_most_usd: float, spent_usd: float) -> None:
        """Note that a request goes out which may cost so much, with what is spent by now."""
        self._under_way[place] = at_most_usd
        self._change(spent_usd=spent_usd)

    def ends(self, place: _Place, spent_usd: float, answer: ComparedAnswer | None = None) -> None:
        """Note that nothing of a place is out any more, and its answer in place of a fault's."""
        self._under_way.pop(place, None)
        if answer is None:
            self._change(spent_usd=spent_usd)
        else:
            others = [one for one in self.now.answers if (one.session, one.model) != place]
            self._change(answers=(*others, answer), spent_usd=spent_usd)

    def _change(self, **fields: object) -> None:
        fields["under_way_usd"] = sum(self._under_way.values(), 0.0)
        self.now = self.now.model_copy(update=fields)
        write_comparison(self._folder, self.now)


async def _ask_all(
    written: _ComparisonUnderWay, entries: Sequence[ModelEntry], queues: ProviderQueues
) -> ModelComparison:
    budget = Budget(written.now.budget_usd, written.now.spent_usd)
    texts = written.now.texts()
    asking = [
        _ask(item, entry, queues, budget, written)
        for item in written.now.items
        for entry in entries
        if (item.session, entry.slug) not in texts
    ]
    try:
        spent = [one for one in await asyncio.gather(*asking) if one is not None]
    finally:
        await close()
    if spent:
        say(str(spent[0]), err=True)
    return written.now


async def _ask(
    item: ComparedSession,
    entry: ModelEntry,
    queues: ProviderQueues,
    budget: Budget,
    written: _ComparisonUnderWay,
) -> BudgetSpentError | None:
    """Ask a model about a session and note what came; return why it was not asked to its end."""
    place = item.session, entry.slug

    def begins(at_most_usd: float) -> None:
        if budget.limit_usd is not None:
            written.begins(place, at_most_usd, budget.spent_usd)

    messages = [one.model_dump() for one in item.messages]
    try:
        result = await generate(entry, messages, queues=queues, budget=budget, asking=begins)
    except BudgetSpentError as error:
        written.ends(place, budget.spent_usd)
        return error
    answer = _answered(item, entry, result)
    written.ends(place, budget.spent_usd, answer)
    outcome = answer.fault.kind if answer.fault else f"{answer.score:.3f}"
    say(f"{item.session}  {entry.slug}  {outcome}", err=True)
    return None


def _answered(item: ComparedSession, entry: ModelEntry, result: GenerationResult) -> ComparedAnswer:
    """Return what became of a prompt; a reply that came with a fault was cut off and is none."""
    answer = result.reply if result.fault is None else None
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
