"""Opinions of models on sessions: which status each would give. They are never labels.

The label log of a session holds verdicts of people, graders and imports alone. Opinions stand in a
record of their own, so that agreement with people can be measured.
"""

import hashlib
from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from records.sessions.asked import AskedRecord, AskedSession, PromptAnswer
from records.shapes.base import Digest, OutsideText, RunId

OPINIONS_VERSION: Final = 1
"""The version of the shape of opinions that this program writes."""

LONGEST_RUBRIC: Final = 100_000
"""Characters."""


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
    """The reply names no status, or several: no verdict."""


class JudgedSession(AskedSession):
    """One session that models are asked to judge."""

    prompt: Digest
    """SHA-256 of the messages that models are sent: rubric and redacted transcript."""


class ModelOpinion(PromptAnswer):
    """The opinion of one model on one session."""

    status: OpinionStatus | None
    """The status in the answer; null where there is no answer."""

    @model_validator(mode="after")
    def _status_where_answered(self) -> Self:
        if (self.status is None) is not (self.answer is None):
            raise ValueError("status is null exactly where answer is")
        return self


class SessionOpinions(AskedRecord[JudgedSession, ModelOpinion]):
    """The same sessions judged by several models, by one rubric."""

    opinions_id: RunId
    """Its identity and file name."""
    seed: Annotated[int, Field(ge=0, lt=10**10)]
    """Gives the order in which sessions are asked."""
    rubric: Annotated[OutsideText, Field(min_length=1, max_length=LONGEST_RUBRIC)]
    """The meaning of the statuses, as the models were sent it."""
    rubric_digest: Digest
    """SHA-256 of the rubric in UTF-8."""

    @model_validator(mode="after")
    def _has_the_digest_of_its_rubric(self) -> Self:
        if self.rubric_digest != digest_of_rubric(self.rubric):
            raise ValueError("rubric_digest: is not that of rubric")
        return self


def digest_of_rubric(rubric: str) -> str:
    """Return the SHA-256 of a rubric."""
    return hashlib.sha256(rubric.encode()).hexdigest()
