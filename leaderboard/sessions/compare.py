"""The work of `leaderboard session compare`: models are asked the prompts of sessions."""

from collections.abc import Sequence
from typing import Final

from leaderboard.sessions.prompt_asking import (
    PromptAsking,
    ask_all,
    build_record_fields,
    lock_folder,
    resolve_asked_entries,
    resume_record,
)
from leaderboard.sessions.session_lookup import make_prompts
from records.files.data_folder import DataFolder
from records.reader import read_comparison
from records.sessions.asked import PromptAnswer
from records.sessions.comparison import ComparedAnswer, ComparedSession, ModelComparison
from records.shapes.registry import ModelEntry
from records.writer import write_comparison
from review.comparisons.metric import compute_token_f1
from review.comparisons.prompts import make_compared_session
from review.selection import SessionSelection
from runner.runs.plan import make_run_id
from runner.runs.settings import RunSettings

_NOUN: Final = "a comparison"
"""The noun for the answers in messages."""


def begin(
    data: DataFolder, chosen: SessionSelection, settings: RunSettings, seed: int
) -> tuple[ModelComparison, Sequence[ModelEntry]]:
    """Write the record of a new comparison, before any model is asked.

    Prints why sessions are left out. Returns the record and the models to ask.

    Raises:
        UsageError: no selected session can be compared, or no model is named.
        UserError: a model is unknown, or there is a budget and no known price.
    """
    entries = resolve_asked_entries(data, settings)
    comparison = ModelComparison(
        comparison_id=make_run_id(),
        metric="token_f1",
        items=tuple(make_compared_sessions(data, chosen)),
        **build_record_fields(entries, settings, seed),
    )
    with lock_folder(data.local.get_comparison_file(comparison.comparison_id).parent, _NOUN):
        write_comparison(data.local, comparison)
    return comparison, entries


def make_compared_sessions(data: DataFolder, chosen: SessionSelection) -> list[ComparedSession]:
    """Return the prompts of the selected sessions; print why sessions are left out.

    Raises:
        UsageError: no selected session can be compared.
    """
    return make_prompts(
        data,
        chosen,
        lambda labelled: make_compared_session(labelled.session, labelled.turns),
        "can be compared; without --status, golden sessions are asked about: `leaderboard "
        "session list --status golden`",
    )


def build_prompt(item: ComparedSession) -> list[dict[str, str]]:
    """Return the messages of a session that are sent to models."""
    return [message.model_dump() for message in item.messages]


def go_on(
    data: DataFolder, beginning: str, settings: RunSettings
) -> tuple[ModelComparison, Sequence[ModelEntry]]:
    """Return an unfinished comparison and its models, which must be unchanged.

    Raises:
        MissingRecordError: no comparison has an id with this beginning.
        CannotResumeError: a model has changed, or its requests would change.
    """
    comparison = read_comparison(data.local.find_comparison(beginning))
    return resume_record(data, f"comparison {comparison.comparison_id}", comparison, settings)


def compare(
    data: DataFolder,
    comparison: ModelComparison,
    entries: Sequence[ModelEntry],
    concurrency: int | None = None,
) -> ModelComparison:
    """Ask for the missing answers, as `ask_all` does; return the comparison with all answers.

    Raises:
        RunInUseError: another process asks for answers of a comparison in this data folder.
        UserError: a model has no key, or there is a budget and no known price.
    """
    path = data.local.get_comparison_file(comparison.comparison_id)
    expected = {item.session: item.expected for item in comparison.items}

    def score_answer(answer: PromptAnswer) -> ComparedAnswer:
        text = answer.answer
        score = None if text is None else compute_token_f1(text, expected[answer.session])
        return ComparedAnswer(**dict(answer), score=score)

    asking = PromptAsking(
        noun=_NOUN,
        folder=path.parent,
        read=lambda: read_comparison(path),
        write=lambda record: write_comparison(data.local, record),
        prompts={item.session: build_prompt(item) for item in comparison.items},
        finish=score_answer,
        describe=lambda answer: f"{answer.score:.3f}",
    )
    return ask_all(asking, comparison.budget_usd, entries, concurrency)
