"""A comparison of models on golden sessions: what each was asked, answered and scored.

It is no run: a run is an attempt at evals, whose answers are deployed and graded step by step. Here
nothing is executed; answers are compared with an expected text and with each other, by a metric and
by people, whose judgements stand in a log of their own beside the record.
"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from records.base import (
    Digest,
    Dollars,
    ModelSlug,
    Moment,
    OutsideText,
    Record,
    RunId,
    SessionId,
    Sum,
)
from records.event_order import standing
from records.log_event import LogEvent
from records.run import Fault, Generation, RunModel

COMPARISON_VERSION: Final = 1
"""The version of the shape of comparisons that this program writes."""

MetricName = Literal["token_f1"]
"""How answers are scored; `review/comparisons/metric.py` has the formula."""

ComparisonChoice = Literal["first", "second", "equal"]
"""Which of two models answered better, in the order of the record."""


class ComparedMessage(Record):
    """One message of a prompt, as every model was sent it."""

    role: Literal["system", "user", "assistant"]
    """Who speaks."""
    content: OutsideText
    """What is said; what looks like a secret was taken out before."""


class ComparedSession(Record):
    """One session whose last request is put to the models."""

    session: SessionId
    """The session."""
    seen: Digest
    """Digest of its transcript when the comparison began."""
    messages: Annotated[tuple[ComparedMessage, ...], Field(min_length=1)]
    """What models are sent: the last request, with the messages before it."""
    expected: Annotated[OutsideText, Field(min_length=1)]
    """What the answer should be: the session's expected output, or its own answer."""


class ComparedAnswer(Record):
    """What became of one session's prompt at one model."""

    session: SessionId
    """The session."""
    model: ModelSlug
    """The model."""
    at: Moment
    """When it was written down."""
    answer: OutsideText | None
    """The text of the answer; null where a fault kept the model from giving one."""
    fault: Fault | None
    """Why there is no answer; null where there is one. It never counts as a bad answer."""
    generation: Generation | None
    """Tokens, cost and times; null where no reply came."""
    failed_tries_usd: Dollars | None
    """The most that requests without a usable reply may be billed; null where unknown."""
    score: Annotated[float, Field(ge=0, le=1)] | None
    """By the comparison's metric, 0 to 1; null where there is no answer."""

    @model_validator(mode="after")
    def _answered_or_not(self) -> Self:
        if (self.answer is None) is (self.fault is None):
            raise ValueError("either answer or fault is given")
        if (self.score is None) is not (self.answer is None):
            raise ValueError("score is null exactly where answer is")
        if self.answer is not None and self.generation is None:
            raise ValueError("an answer has a generation")
        return self


class ModelComparison(Record):
    """The same prompts put to several models."""

    schema_version: Literal[1]
    """Version of this shape."""
    comparison_id: RunId
    """Its identity and file name."""
    began_at: Moment
    """When."""
    version: str | None = None
    """Version of the program that began it; null where it was not recorded."""
    git_commit: str | None = None
    """Commit of this repository then; null outside of one, and where it was not recorded."""
    seed: Annotated[int, Field(ge=0, lt=10**10)]
    """Gives the order of pairs that people judge, and which answer stands on which side."""
    metric: MetricName
    """How answers are scored."""
    budget_usd: Dollars | None
    """The most that all requests may cost together in US dollars, resumed parts included; null
    where no budget was set."""
    spent_usd: Sum
    """What counted against a budget so far; requests of unknown cost are not in it."""
    under_way_usd: Sum
    """What requests that are under way may cost at most together: spent, where their program was
    killed."""
    models: Annotated[tuple[RunModel, ...], Field(min_length=1)]
    """Whom it asks, with what parameters."""
    items: Annotated[tuple[ComparedSession, ...], Field(min_length=1)]
    """The sessions, in the order in which they are asked."""
    answers: tuple[ComparedAnswer, ...]
    """What came so far: at most one for each session and model."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        slugs = [one.slug for one in self.models]
        sessions = [one.session for one in self.items]
        if len(set(slugs)) < len(slugs):
            raise ValueError("models: one stands twice")
        if len(set(sessions)) < len(sessions):
            raise ValueError("items: a session stands twice")
        places = [(one.session, one.model) for one in self.answers]
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
            (one.session, one.model): one.answer for one in self.answers if one.answer is not None
        }


class ComparisonJudgement(LogEvent):
    """One judgement of a pair of answers by a person who saw no names.

    Fields that newer programs add are kept.
    """

    reviewer: Annotated[str, Field(pattern=r"^[\w.-]{1,40}$")] | None
    """A pseudonym that the reviewer chose; null where none was given."""
    session: SessionId
    """The session."""
    first: ModelSlug
    """The one of the two models that stands first in the record."""
    second: ModelSlug
    """The other."""
    choice: ComparisonChoice
    """Which answered better."""

    @property
    def change(self) -> tuple[object, ...]:
        """The judgement."""
        return self.reviewer, self.pair, self.choice

    @property
    def reversed_change(self) -> tuple[object, ...]:
        """The judgement that an undo repeats."""
        return self.change

    @property
    def pair(self) -> tuple[SessionId, ModelSlug, ModelSlug]:
        """The session and the two models."""
        return self.session, self.first, self.second


def standing_judgements(events: Sequence[ComparisonJudgement]) -> list[ComparisonJudgement]:
    """Return what counts: of each reviewer and pair the last judgement not taken back.

    Whoever gave no pseudonym counts as one reviewer.
    """
    last = {
        (event.reviewer, event.session, event.first, event.second): event
        for event in standing(events)
    }
    return list(last.values())
