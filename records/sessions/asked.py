"""Common shape of comparisons and opinions: models that are asked about sessions, and spending."""

from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import Field, model_validator

from records.shapes.attempt import Fault, Generation
from records.shapes.base import (
    Digest,
    Dollars,
    ModelSlug,
    Moment,
    OutsideText,
    Record,
    SessionId,
    Sum,
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
