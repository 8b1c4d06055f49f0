"""The common part of records of models that were asked about sessions: answers and spending."""

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
    """One session about which models are asked."""

    session: SessionId
    """The session."""
    seen: Digest
    """Digest of its transcript when the record began."""


class PromptAnswer(Record):
    """The answer of one model to one session's prompt, or the fault in its place."""

    session: SessionId
    """The session."""
    model: ModelSlug
    """The model."""
    at: Moment
    """When it was written down."""
    answer: OutsideText | None
    """The text of the answer; null where a fault kept the model from an answer."""
    fault: Fault | None
    """Why there is no answer; null where there is one. It never counts as a bad answer."""
    generation: Generation | None
    """Tokens, cost and times; null where no reply came."""
    failed_tries_usd: Dollars | None
    """The most that requests without a usable reply may be billed; null where unknown."""

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
    """Prompts made of sessions, each put to several models."""

    schema_version: Literal[1]
    """Version of this shape."""
    began_at: Moment
    """When."""
    version: str | None = None
    """Version of the program that began it; null where it was not recorded."""
    git_commit: str | None = None
    """Commit of this repository then; null outside of one, and where it was not recorded."""
    budget_usd: Dollars | None
    """The most that all requests may cost together in US dollars, resumed parts included; null
    where no budget was set."""
    spent_usd: Sum
    """The amount that counted against a budget so far; requests of unknown cost are not in it."""
    under_way_usd: Sum
    """The most that requests under way may cost together: spent, where their program was killed."""
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
            raise ValueError("models: one stands twice")
        if len(set(sessions)) < len(sessions):
            raise ValueError("items: a session stands twice")
        places = [(answer.session, answer.model) for answer in self.answers]
        if len(set(places)) < len(places):
            raise ValueError("answers: a model answers a session twice")
        known_sessions, known_slugs = set(sessions), set(slugs)
        for session, slug in places:
            if session not in known_sessions or slug not in known_slugs:
                raise ValueError(f"answers: {slug} was not to be asked about {session}")
        return self

    def texts(self) -> dict[tuple[str, str], str]:
        """Return the answers that there are, by session and model."""
        return {
            (answer.session, answer.model): answer.answer
            for answer in self.answers
            if answer.answer is not None
        }
