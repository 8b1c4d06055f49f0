"""Shape of a comparison of models on golden sessions: prompts, answers and scores.

A comparison is not a run, whose answers are deployed and graded. No answer is executed here. A
metric compares answers with an expected text, and people compare answers with each other. People's
judgements are in a log beside the record.
"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from records.files.name_patterns import PSEUDONYM
from records.sessions.asked import AskedRecord, AskedSession, PromptAnswer
from records.sessions.event_order import select_standing
from records.sessions.log_event import LogEvent
from records.shapes.base import ModelSlug, OutsideText, Record, RunId, SessionId

COMPARISON_VERSION: Final = 1
"""The schema version of every new comparison."""

MetricName = Literal["token_f1"]
"""The metric of answers; `leaderboard/sessions/compare.py` has the formula."""

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
    seed: Annotated[int, Field(ge=0, lt=10**10)]
    """Seed of the order of pairs that people judge, and of the sides on which answers are shown."""
    metric: MetricName
    """The metric of answers."""


class ComparisonJudgement(LogEvent):
    """A judgement of a pair of answers, by a person who saw no names of models.

    Fields of newer programs are kept.
    """

    reviewer: Annotated[str, Field(pattern=PSEUDONYM)] | None
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
