"""Shapes of comparisons and opinions: models that are asked about sessions, and spending.

A comparison of models on golden sessions has prompts, answers and scores. It is not a run, whose
answers are deployed and graded. No answer is executed here. A metric compares answers with an
expected text, and people compare answers with each other. People's judgements are in a log beside
the record.

Opinions of models on sessions, the status that each model would give, are never labels: the label
log of a session has only verdicts of people, graders and imports. Opinions have a record of their
own, so that their agreement with people can be measured.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import Field, model_validator

from records.sessions.events import LogEvent, select_standing
from records.shapes.attempt import Fault, Generation
from records.shapes.base import (
    Digest,
    Dollars,
    ModelSlug,
    Moment,
    OutsideText,
    Pseudonym,
    Record,
    RunId,
    Seed,
    SessionId,
    Sum,
    compute_text_digest,
)
from records.shapes.run import RunModel


class AskedSession(Record):
    """A session about which models are asked."""

    session: SessionId
    """The session."""
    seen: Digest
    """Digest of the session's transcript when the record began."""


class PromptAnswer(Record):
    """The answer of a model to the prompt of a session, or the fault instead of an answer."""

    session: SessionId
    """The session."""
    model: ModelSlug
    """The model."""
    at: Moment
    """When the answer was recorded."""
    answer: OutsideText | None
    """The text of the answer; null if there is a fault."""
    fault: Fault | None
    """Why there is no answer, else null. A fault never counts as a bad answer."""
    generation: Generation | None
    """Tokens, cost and times of the answer; null if no reply came."""
    failed_tries_usd: Dollars | None
    """The most that requests without a usable reply may cost, in US dollars; null if it is not
    known."""

    @model_validator(mode="after")
    def _answered_or_not(self) -> Self:
        if (self.answer is None) is (self.fault is None):
            raise ValueError("either answer or fault is given")
        if self.answer is not None and self.generation is None:
            raise ValueError("an answer has a generation")
        return self


ItemT = TypeVar("ItemT", bound=AskedSession)
AnswerT = TypeVar("AnswerT", bound=PromptAnswer)


class AskedRecord(Record, Generic[ItemT, AnswerT]):
    """Prompts made of sessions, each sent to several models."""

    schema_version: Literal[1]
    """Version of this shape."""
    began_at: Moment
    """When the first prompt was to be sent."""
    version: str | None = None
    """Version of the program that began the record; null if it was not recorded."""
    git_commit: str | None = None
    """Commit of the program's repository at the beginning; null if the program was not in a
    repository, or if it was not recorded."""
    budget_usd: Dollars | None
    """The most that all requests may cost together in US dollars, including resumed parts; null
    without a budget."""
    spent_usd: Sum
    """US dollars that count against a budget so far, without requests of unknown cost."""
    under_way_usd: Sum
    """The most that requests under way may cost together, in US dollars. It counts as spent if the
    program was killed."""
    models: Annotated[tuple[RunModel, ...], Field(min_length=1)]
    """The models that are asked, with their parameters."""
    items: Annotated[tuple[ItemT, ...], Field(min_length=1)]
    """The sessions, in the order in which they are asked."""
    answers: tuple[AnswerT, ...]
    """The answers so far: at most one for each session and model."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        slugs = [model.slug for model in self.models]
        sessions = [item.session for item in self.items]
        if len(set(slugs)) < len(slugs):
            raise ValueError("models: a model is listed twice")
        if len(set(sessions)) < len(sessions):
            raise ValueError("items: a session is listed twice")
        pairs = [(answer.session, answer.model) for answer in self.answers]
        if len(set(pairs)) < len(pairs):
            raise ValueError("answers: a model answers a session twice")
        known_sessions, known_slugs = set(sessions), set(slugs)
        for session, slug in pairs:
            if session not in known_sessions or slug not in known_slugs:
                raise ValueError(f"answers: {slug} was not to be asked about {session}")
        return self

    def get_answer_texts(self) -> dict[tuple[str, str], str]:
        """Return the texts of the answers so far, by session and model."""
        return {
            (answer.session, answer.model): answer.answer
            for answer in self.answers
            if answer.answer is not None
        }


MetricName = Literal["token_f1"]
"""The metric of answers; `leaderboard/sessions/judge_and_compare.py` has the formula."""

ComparisonChoice = Literal["first", "second", "equal"]
"""The model with the better answer; `first` and `second` follow the order of the record."""


class ComparedMessage(Record):
    """A message of a prompt, as it was sent to all models."""

    role: Literal["system", "user", "assistant"]
    """The author of the message."""
    content: OutsideText
    """The text, without strings that look like secrets."""


class ComparedSession(AskedSession):
    """A session whose last request is sent to the models."""

    messages: Annotated[tuple[ComparedMessage, ...], Field(min_length=1)]
    """The messages that models get: the last request, with the messages before it."""
    expected: Annotated[OutsideText, Field(min_length=1)]
    """The expected answer: the session's expected output, or its own answer."""


class ComparedAnswer(PromptAnswer):
    """The answer of a model to a session's prompt, with its score."""

    score: Annotated[float, Field(ge=0, le=1)] | None
    """The score by the comparison's metric, 0 to 1; null if there is no answer."""

    @model_validator(mode="after")
    def _scored_where_answered(self) -> Self:
        if (self.score is None) is not (self.answer is None):
            raise ValueError("score is null exactly if answer is null")
        return self


class ModelComparison(AskedRecord[ComparedSession, ComparedAnswer]):
    """The same prompts sent to several models."""

    comparison_id: RunId
    """Id of the comparison, and its file name."""
    seed: Seed
    """Seed of the order of pairs that people judge, and of the sides on which answers are shown."""
    metric: MetricName
    """The metric of answers."""


class ComparisonJudgement(LogEvent):
    """A judgement of a pair of answers, by a person who saw no names of models.

    Fields of newer programs are kept.
    """

    reviewer: Pseudonym | None
    """The pseudonym that the reviewer chose; null if there is none."""
    session: SessionId
    """The session."""
    first: ModelSlug
    """The earlier of the two models in the order of the record."""
    second: ModelSlug
    """The later model."""
    choice: ComparisonChoice
    """The model with the better answer."""

    @property
    def pair(self) -> tuple[SessionId, ModelSlug, ModelSlug]:
        """The session and the two models."""
        return self.session, self.first, self.second


def select_standing_judgements(events: Sequence[ComparisonJudgement]) -> list[ComparisonJudgement]:
    """Return the last judgement of each reviewer on each pair, without those taken back.

    Reviewers without a pseudonym count as one reviewer.
    """
    last = {
        (event.reviewer, event.session, event.first, event.second): event
        for event in select_standing(events)
    }
    return list(last.values())


LONGEST_RUBRIC = 100_000
"""Characters of a rubric."""


class OpinionStatus(StrEnum):
    """The status in a model's reply about a session."""

    GOLDEN = "golden"
    """Perfect."""
    CORRECT = "correct"
    """Acceptable."""
    INCORRECT = "incorrect"
    """Wrong or harmful."""
    ABSTAIN = "abstain"
    """The model does not decide."""
    UNREADABLE = "unreadable"
    """The reply names no status, or several, and gives no verdict."""


class JudgedSession(AskedSession):
    """A session that models are asked to judge."""

    prompt: Digest
    """SHA-256 of the messages to the models, which have the rubric and the redacted transcript."""


class ModelOpinion(PromptAnswer):
    """The opinion of a model on a session."""

    status: OpinionStatus | None
    """The status in the answer; null if there is no answer."""

    @model_validator(mode="after")
    def _status_where_answered(self) -> Self:
        if (self.status is None) is not (self.answer is None):
            raise ValueError("status is null exactly if answer is null")
        return self


class SessionOpinions(AskedRecord[JudgedSession, ModelOpinion]):
    """Opinions of several models on the same sessions, by one rubric."""

    opinions_id: RunId
    """Id of the record, and its file name."""
    seed: Seed
    """Seed of the order in which models are asked about sessions."""
    rubric: Annotated[OutsideText, Field(min_length=1, max_length=LONGEST_RUBRIC)]
    """The meaning of the statuses, as it was sent to the models."""
    rubric_digest: Digest
    """SHA-256 of the rubric in UTF-8."""

    @model_validator(mode="after")
    def _has_the_digest_of_its_rubric(self) -> Self:
        if self.rubric_digest != compute_text_digest(self.rubric):
            raise ValueError("rubric_digest: is not the digest of rubric")
        return self
