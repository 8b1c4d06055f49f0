"""The shape of an attempt as runners send it: a record and its archive, without their digests.

Values that could contradict the rest of a record, such as digests, are not sent but computed. The
address of the request names the eval and the sample.
"""

from hashlib import sha256
from typing import Annotated, Any, Final, Self

from pydantic import Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from records.archives.archive import AttemptArtifact, Message, answer_digest, attempt_digest
from records.shapes.attempt import (
    Attempt,
    CarriedOver,
    Fault,
    Generation,
    Outcome,
    Step,
    StepName,
    Test,
    Verdict,
)
from records.shapes.base import Digest, Dollars, Moment, OutsideText, Record

_MOST_FILES: Final = 2000
_SEGMENT: Final = r"(?:[^/\\\x00.][^/\\\x00]*|\.[^/\\\x00.][^/\\\x00]*|\.\.[^/\\\x00]+)"
_ANY_EVAL: Final = "000-any/000-any"

FilePath = Annotated[str, Field(pattern=rf"^{_SEGMENT}(?:/{_SEGMENT})*$", max_length=1000)]
"""A relative path with forward slashes that stays below where it starts."""

LogName = Annotated[str, Field(pattern=r"^[a-z]{1,20}$")]
"""The name of a step, as a log is called."""


class SentKey(Record):
    """Digests on which a verdict depends, beside the answer's files."""

    grader: Digest
    """Digest of the grader and of the files that it compares with."""
    toolchain: Digest
    """Digest of the toolchain and of the grading protocol."""


class SentArtifact(Record):
    """Everything an attempt wrote."""

    messages: tuple[Message, ...]
    """The prompt; empty for baselines."""
    reply: OutsideText | None
    """The raw reply; null where none came."""
    files: Annotated[dict[FilePath, OutsideText], Field(max_length=_MOST_FILES)]
    """The files of the reply, by path."""
    logs: dict[LogName, OutsideText]
    """Output of the steps that ran, by step name."""


class SentAttempt(Record):
    """An attempt with everything it wrote. Its fields fit together as those of a record do."""

    outcome: Outcome
    """How it ended. An attempt that was not run is sent where asking for it has cost something."""
    failed_step: StepName | None = None
    """The first step that failed; null unless the outcome is failed."""
    reason: OutsideText | None = None
    """One line: why."""
    fault: Fault | None = None
    """The reason why it could not be judged; null unless the outcome is infrastructure."""
    steps: tuple[Step, ...] | None = None
    """The steps that ran; null where nothing was graded."""
    tests: tuple[Test, ...] | None = None
    """The tests; null where the tests step did not run."""
    generation: Generation | None
    """Null for baselines and where no reply came. Where a reply is sent, the server's own digest of
    it is recorded."""
    failed_tries_usd: Dollars | None
    """The most that requests without a usable reply may have been billed, in US dollars."""
    graded_at: Moment | None = None
    """When the verdict was reached."""
    key: SentKey | None = None
    """Digests on which the verdict depends; null where nothing was graded."""
    artifact: SentArtifact | None = None
    """Everything it wrote; null where it was not run."""
    earlier_verdicts: tuple[Verdict, ...] = ()
    """Verdicts of earlier grading, oldest first."""
    carried_over: CarriedOver | None = None
    """The earlier run that asked for the answer; null where this run asked."""

    @classmethod
    def of(cls, attempt: Attempt, kept: AttemptArtifact | None) -> Self:
        """Return the body by which a runner sends an attempt with its artifact.

        Raises:
            ValueError: it cannot be sent, such as a file's path that is longer than a server takes.
        """
        fields = attempt.model_dump(exclude={"eval": True, "sample": True, "key": {"answer"}})
        fields["artifact"] = kept and kept.model_dump(exclude={"eval", "sample"})
        return cls.model_validate(fields)

    def received(self, evaluation: str, sample: int) -> tuple[Attempt, AttemptArtifact | None]:
        """Return the record that was sent for a place, and its artifact; None if it was not made.

        Raises:
            ValueError: the fields contradict each other.
        """
        place: dict[str, Any] = {"eval": evaluation, "sample": sample}
        fields = self.model_dump() | place
        if self.artifact is None:
            return Attempt.model_validate(fields), None
        kept = AttemptArtifact.model_validate(fields["artifact"] | place)
        fields["artifact"] = attempt_digest(kept)
        if self.key is not None:
            fields["key"]["answer"] = answer_digest(kept.files)
        if self.generation is not None and kept.reply is not None:
            fields["generation"]["reply_digest"] = sha256(kept.reply.encode()).hexdigest()
        return Attempt.model_validate(fields), kept

    @model_validator(mode="after")
    def _makes_a_record(self) -> Self:
        if (self.artifact is None) is not (self.outcome is Outcome.NOT_RUN):
            raise _contradiction("artifact", "is null exactly when the outcome is not_run")
        if self.artifact is None and self.key is not None:
            raise _contradiction("key", "is null when the outcome is not_run")
        if self.outcome is Outcome.FAILED and self.failed_step is None:
            raise _contradiction("failed_step", "is missing: the outcome is failed")
        if self.outcome is Outcome.INFRASTRUCTURE and self.fault is None:
            raise _contradiction("fault", "is missing: the outcome is infrastructure")
        self.received(_ANY_EVAL, 1)
        return self


def _contradiction(field: str, reason: str) -> ValidationError:
    """Return the error of a field that contradicts others."""
    problem = InitErrorDetails(
        type=PydanticCustomError("contradiction", "{reason}", {"reason": reason}),
        loc=(field,),
        input=None,
    )
    return ValidationError.from_exception_data("SentAttempt", [problem])


def attempt_record_digest(attempt: Attempt) -> str:
    """Return the SHA-256 by which runner and server compare an attempt."""
    return sha256(attempt.model_dump_json().encode()).hexdigest()
