"""Shape of opinions of models on sessions: the status that each model would give.

Opinions are never labels: the label log of a session has only verdicts of people, graders and
imports. Opinions have a record of their own, so that their agreement with people can be measured.
"""

import hashlib
from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from records.sessions.asked import AskedRecord, AskedSession, PromptAnswer
from records.shapes.base import Digest, OutsideText, RunId

OPINIONS_VERSION: Final = 1
"""The schema version of every new record of opinions."""

LONGEST_RUBRIC: Final = 100_000
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
    seed: Annotated[int, Field(ge=0, lt=10**10)]
    """Seed of the order in which models are asked about sessions."""
    rubric: Annotated[OutsideText, Field(min_length=1, max_length=LONGEST_RUBRIC)]
    """The meaning of the statuses, as it was sent to the models."""
    rubric_digest: Digest
    """SHA-256 of the rubric in UTF-8."""

    @model_validator(mode="after")
    def _has_the_digest_of_its_rubric(self) -> Self:
        if self.rubric_digest != compute_rubric_digest(self.rubric):
            raise ValueError("rubric_digest: is not the digest of rubric")
        return self


def compute_rubric_digest(rubric: str) -> str:
    """Return the SHA-256 of a rubric in UTF-8."""
    return hashlib.sha256(rubric.encode()).hexdigest()
