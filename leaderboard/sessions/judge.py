"""The work of `leaderboard session judge`: models are asked for the status of sessions."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from leaderboard.sessions.prompt_asking import Prompt, PromptAsking
from leaderboard.sessions.session_lookup import make_prompts
from leaderboard.terminal.streams import say
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder, RecordFiles
from records.sessions import asked
from records.text.numbers import format_count
from review.labeled_session import LabeledSession
from review.opinions import judge_prompts
from review.selection import SessionSelection
from review.store import SessionStore
from runner.answers.reasoning import without_reasoning
from runner.runs.plan import make_run_id
from runner.runs.settings import RunSettings


def read_rubric(path: Path | None) -> str:
    """Return the rubric in a file; the default rubric if ``path`` is None.

    Raises:
        UsageError: the file is not UTF-8 text, is empty, or is too long.
    """
    if path is None:
        return judge_prompts.read_default_rubric()
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"--rubric {path}: {error}") from error
    if not text.strip():
        raise click.UsageError(f"--rubric {path}: is empty")
    if len(text) > asked.LONGEST_RUBRIC:
        raise click.UsageError(f"--rubric {path}: is longer than {asked.LONGEST_RUBRIC} characters")
    return text


class Judging(PromptAsking[asked.SessionOpinions]):
    """Models that are asked for the status of sessions, by one rubric."""

    noun, answer_noun = "judging", "opinion"
    commands = ("judge", "opinions")
    shape = asked.SessionOpinions
    results = tuple(status.value for status in asked.OpinionStatus)

    def __init__(
        self, data: DataFolder, settings: RunSettings, seed: int, rubric: Path | None
    ) -> None:
        """Store the options; ``rubric`` is a file, or None for the default rubric."""
        super().__init__(data, settings, seed)
        self._rubric_file = rubric
        self._rubric = ""
        self._items: list[asked.JudgedSession] = []

    @property
    def files(self) -> RecordFiles:
        """The files of all records of opinions."""
        return self.data.local.opinions

    def choose_prompts(self, chosen: SessionSelection) -> Mapping[str, Prompt]:
        """Return the prompts of the selected sessions, in an order that the seed decides.

        Raises:
            UsageError: no selected session can be judged, or the rubric cannot be used.
        """
        self._rubric = read_rubric(self._rubric_file)

        def prepare(labelled: LabeledSession) -> tuple[asked.JudgedSession, Prompt] | str:
            prompt = judge_prompts.make_judge_prompt(labelled.session, self._rubric)
            if isinstance(prompt, str):
                return prompt
            return judge_prompts.make_judged_session(labelled.session, prompt), prompt

        none = "can be judged: `leaderboard session list`"
        prepared = make_prompts(self.data, chosen, prepare, none)
        prepared.sort(key=lambda pair: pair[0].session)
        random.Random(self.seed).shuffle(prepared)  # noqa: S311 - repeatable
        self._items = [item for item, _ in prepared]
        return {item.session: prompt for item, prompt in prepared}

    def make_record(self, **shared: Any) -> asked.SessionOpinions:  # noqa: ANN401 - fields of all kinds
        """Return a new record of opinions."""
        return asked.SessionOpinions(
            opinions_id=make_run_id(),
            rubric=self._rubric,
            rubric_digest=asked.compute_rubric_digest(self._rubric),
            items=tuple(self._items),
            **shared,
        )

    def restore_prompts(self) -> Mapping[str, Prompt]:
        """Return the prompts of the sessions that are unchanged; print the number of the others.

        A prompt changes if the transcript changes or is removed, or if this program redacts other
        secrets.
        """
        store = SessionStore(self.data)
        prompts: dict[str, Prompt] = {}
        for item in self.record.items:
            try:
                session = store.read(item.session).session
            except MissingRecordError:
                continue
            prompt = judge_prompts.make_judge_prompt(session, self.record.rubric)
            if (
                not isinstance(prompt, str)
                and judge_prompts.compute_judge_prompt_digest(prompt) == item.prompt
            ):
                prompts[item.session] = prompt
        if changed := len(self.record.items) - len(prompts):
            number = format_count(changed, "session")
            say(f"{number} changed since it began, and not asked about", err=True)
        return prompts

    def finish(self, answer: asked.PromptAnswer) -> asked.ModelOpinion:
        """Return an answer with the status in it."""
        text = answer.answer
        status = None if text is None else judge_prompts.read_status(without_reasoning(text))
        return asked.ModelOpinion(**dict(answer), status=status)

    def describe(self, answer: asked.ModelOpinion) -> tuple[str, str | None]:
        """Return the status."""
        return str(answer.status), None
