"""The work of `leaderboard session judge`: models are asked for the status of sessions."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from leaderboard.sessions.prompt_asking import (
    Prompt,
    PromptAsking,
    build_record_fields,
    resolve_asked_entries,
    resume_record,
)
from leaderboard.sessions.session_lookup import make_prompts
from leaderboard.terminal.streams import say
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.asked import (
    LONGEST_RUBRIC,
    JudgedSession,
    ModelOpinion,
    OpinionStatus,
    PromptAnswer,
    SessionOpinions,
    compute_rubric_digest,
)
from records.shapes.registry import ModelEntry
from records.text.numbers import format_count
from review.labeled_session import LabeledSession
from review.opinions.judge_prompts import (
    compute_judge_prompt_digest,
    make_judge_prompt,
    make_judged_session,
    read_default_rubric,
    read_status,
)
from review.selection import SessionSelection
from review.store import SessionStore
from runner.answers.reasoning import without_reasoning
from runner.runs.plan import make_run_id
from runner.runs.settings import RunSettings


@dataclass(frozen=True, slots=True)
class PreparedSession:
    """A session with the prompt for judges."""

    item: JudgedSession
    prompt: Prompt


def read_rubric(path: Path | None) -> str:
    """Return the rubric in a file; the default rubric if ``path`` is None.

    Raises:
        UsageError: the file is not UTF-8 text, is empty, or is too long.
    """
    if path is None:
        return read_default_rubric()
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"--rubric {path}: {error}") from error
    if not text.strip():
        raise click.UsageError(f"--rubric {path}: is empty")
    if len(text) > LONGEST_RUBRIC:
        raise click.UsageError(f"--rubric {path}: is longer than {LONGEST_RUBRIC} characters")
    return text


def prepare_sessions(
    data: DataFolder, chosen: SessionSelection, rubric: str, seed: int
) -> list[PreparedSession]:
    """Return the selected sessions, in an order that the seed decides, with their prompts.

    Prints why sessions are left out.

    Raises:
        UsageError: no selected session can be judged.
    """

    def prepare(labelled: LabeledSession) -> PreparedSession | str:
        session = labelled.session
        prompt = make_judge_prompt(session, rubric)
        if isinstance(prompt, str):
            return prompt
        return PreparedSession(make_judged_session(session, prompt), prompt)

    prepared = make_prompts(data, chosen, prepare, "can be judged: `leaderboard session list`")
    prepared.sort(key=lambda prepared_session: prepared_session.item.session)
    random.Random(seed).shuffle(prepared)  # noqa: S311 - repeatable
    return prepared


def begin(
    data: DataFolder,
    prepared: Sequence[PreparedSession],
    settings: RunSettings,
    rubric: str,
    seed: int,
) -> PromptAsking[SessionOpinions]:
    """Return the asking of a new record of opinions.

    Raises:
        UsageError: no model is named.
        UserError: a model is unknown, or there is a budget and no known price.
    """
    entries = resolve_asked_entries(data, settings)
    opinions = SessionOpinions(
        opinions_id=make_run_id(),
        rubric=rubric,
        rubric_digest=compute_rubric_digest(rubric),
        items=tuple(session.item for session in prepared),
        **build_record_fields(entries, settings, seed),
    )
    prompts = {session.item.session: session.prompt for session in prepared}
    return _make_asking(data, opinions, entries, prompts)


def go_on(data: DataFolder, beginning: str, settings: RunSettings) -> PromptAsking[SessionOpinions]:
    """Return an unfinished record of opinions with its models, which must be unchanged.

    Sessions whose prompt has changed are not asked about, and their number is printed. A prompt
    changes if the transcript changes or is removed, or if this program redacts other secrets.

    Raises:
        MissingRecordError: no record has an id with this beginning.
        CannotResumeError: a model has changed, or its requests would change.
    """
    opinions = read_record(SessionOpinions, data.local.opinions.find_file(beginning))
    opinions, entries = resume_record(data, f"judging {opinions.opinions_id}", opinions, settings)
    store = SessionStore(data)
    prompts: dict[str, Prompt] = {}
    for item in opinions.items:
        try:
            session = store.read(item.session).session
        except MissingRecordError:
            continue
        prompt = make_judge_prompt(session, opinions.rubric)
        if not isinstance(prompt, str) and compute_judge_prompt_digest(prompt) == item.prompt:
            prompts[item.session] = prompt
    changed = len(opinions.items) - len(prompts)
    if changed:
        say(
            f"{format_count(changed, 'session')} changed since it began, and not asked about",
            err=True,
        )
    return _make_asking(data, opinions, entries, prompts)


def _make_asking(
    data: DataFolder,
    opinions: SessionOpinions,
    entries: Sequence[ModelEntry],
    prompts: Mapping[str, Prompt],
) -> PromptAsking[SessionOpinions]:
    def add_status(answer: PromptAnswer) -> ModelOpinion:
        text = answer.answer
        status = None if text is None else read_status(without_reasoning(text))
        return ModelOpinion(**dict(answer), status=status)

    return PromptAsking(
        noun="judging",
        id_field="opinions",
        answer_noun="opinion",
        commands=("judge", "opinions"),
        path=data.local.opinions.get_file(opinions.opinions_id),
        record=opinions,
        entries=entries,
        prompts=prompts,
        finish=add_status,
        describe=lambda answer: (answer.status.value, None),
        results=tuple(status.value for status in OpinionStatus),
    )
