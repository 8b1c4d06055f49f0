"""A comparison of models on golden sessions: what each was asked, answered and scored.

It is no run: a run is an attempt at evals, whose answers are deployed and graded step by step. Here
nothing is executed; answers are compared with an expected text and with each other, by a metric and
by people, whose judgements stand in a log of their own beside the record.
"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from records.files.name_patterns import PSEUDONYM
from records.sessions.asked import AskedRecord, AskedSession, PromptAnswer
from records.sessions.event_order import standing
from records.sessions.log_event import LogEvent
from records.shapes.base import ModelSlug, OutsideText, Record, RunId, SessionId

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
    """The text; strings that look like a secret were taken out before."""


class ComparedSession(AskedSession):
    """One session whose last request is put to the models."""

    messages: Annotated[tuple[ComparedMessage, ...], Field(min_length=1)]
    """The messages that models get: the last request, with the messages before it."""
    expected: Annotated[OutsideText, Field(min_length=1)]
    """The expected answer: the session's expected output, or its own answer."""


class ComparedAnswer(PromptAnswer):
    """The result of a session's prompt at a model."""

    score: Annotated[float, Field(ge=0, le=1)] | None
    """By the comparison's metric, 0 to 1; null where there is no answer."""

    @model_validator(mode="after")
    def _scored_where_answered(self) -> Self:
        if (self.score is None) is not (self.answer is None):
            raise ValueError("score is null exactly where answer is")
        return self


class ModelComparison(AskedRecord[ComparedSession, ComparedAnswer]):
    """The same prompts put to several models."""

    comparison_id: RunId
    """Its identity and file name."""
    seed: Annotated[int, Field(ge=0, lt=10**10)]
    """Gives the order of pairs that people judge, and which answer stands on which side."""
    metric: MetricName
    """How answers are scored."""


class ComparisonJudgement(LogEvent):
    """One judgement of a pair of answers by a person who saw no names.

    Fields that newer programs add are kept.
    """

    reviewer: Annotated[str, Field(pattern=PSEUDONYM)] | None
    """A pseudonym that the reviewer chose; null where none was given."""
    session: SessionId
    """The session."""
    first: ModelSlug
    """The model of the two that stands first in the record."""
    second: ModelSlug
    """The other."""
    choice: ComparisonChoice
    """Which answered better."""

    @property
    def pair(self) -> tuple[SessionId, ModelSlug, ModelSlug]:
        """The session and the two models."""
        return self.session, self.first, self.second


def standing_judgements(events: Sequence[ComparisonJudgement]) -> list[ComparisonJudgement]:
    """Return what counts: of each reviewer and pair the last judgement not taken back.

    Reviewers without a pseudonym count as one reviewer.
    """
    last = {
        (event.reviewer, event.session, event.first, event.second): event
        for event in standing(events)
    }
    return list(last.values())
