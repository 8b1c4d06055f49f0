"""The shape of an attempt that a runner sends: its record and its artifact, without digests.

The server computes digests and other values that could contradict the rest of a record. The
address of the request has the eval and the sample.
"""

from hashlib import sha256
from typing import Annotated, Any, Final, Self

from pydantic import Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from records.archives.archive import (
    AttemptArtifact,
    Message,
    compute_answer_digest,
    compute_artifact_digest,
)
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
"""A relative path with forward slashes that does not leave its folder."""

LogName = Annotated[str, Field(pattern=r"^[a-z]{1,20}$")]
"""The name of a log, which is that of a step."""


class SentKey(Record):
    """The digests of all inputs of a verdict besides the files of the answer."""

    grader: Digest
    """The digest of the grader and of the files that it compares with."""
    toolchain: Digest
    """The digest of the toolchain and of the grading protocol."""


class SentArtifact(Record):
    """The artifact of an attempt: prompt, reply, files and logs."""

    messages: tuple[Message, ...]
    """The prompt; empty for baselines."""
    reply: OutsideText | None
    """The raw reply; null if none came."""
    files: Annotated[dict[FilePath, OutsideText], Field(max_length=_MOST_FILES)]
    """The files of the reply, by path."""
    logs: dict[LogName, OutsideText]
    """The output of the steps that ran, by the name of the step."""


class SentAttempt(Record):
    """An attempt with its artifact. Its fields must agree, as in a record."""

    outcome: Outcome
    """The outcome. An attempt that was not run is only sent if its requests have cost something."""
    failed_step: StepName | None = None
    """The first step that failed; null unless the outcome is failed."""
    reason: OutsideText | None = None
    """The reason of the outcome, in one line."""
    fault: Fault | None = None
    """The reason why it could not be judged; null unless the outcome is infrastructure."""
    steps: tuple[Step, ...] | None = None
    """The steps that ran; null if nothing was graded."""
    tests: tuple[Test, ...] | None = None
    """The tests; null if the tests step did not run."""
    generation: Generation | None
    """The facts of the reply; null for baselines and if no reply came. If a reply is sent, the
    server records its own digest of it."""
    failed_tries_usd: Dollars | None
    """The most that requests without a usable reply may have been billed, in US dollars."""
    graded_at: Moment | None = None
    """The time of the verdict."""
    key: SentKey | None = None
    """The digests of the inputs of the verdict; null if nothing was graded."""
    artifact: SentArtifact | None = None
    """The artifact; null if the attempt was not run."""
    earlier_verdicts: tuple[Verdict, ...] = ()
    """The verdicts of earlier gradings, the oldest first."""
    carried_over: CarriedOver | None = None
    """The earlier run that asked for the answer; null if this run asked for it."""

    @classmethod
    def from_attempt(cls, attempt: Attempt, artifact: AttemptArtifact | None) -> Self:
        """Return the body of the request that sends an attempt with its artifact.

        Raises:
            ValueError: the attempt cannot be sent; the path of a file is too long, for example.
        """
        fields = attempt.model_dump(exclude={"eval": True, "sample": True, "key": {"answer"}})
        fields["artifact"] = artifact and artifact.model_dump(exclude={"eval", "sample"})
        return cls.model_validate(fields)

    def to_records(self, evaluation: str, sample: int) -> tuple[Attempt, AttemptArtifact | None]:
        """Return the record of the sent attempt, and its artifact; None if it was not run.

        Raises:
            ValueError: fields contradict each other.
        """
        place: dict[str, Any] = {"eval": evaluation, "sample": sample}
        fields = self.model_dump() | place
        if self.artifact is None:
            return Attempt.model_validate(fields), None
        artifact = AttemptArtifact.model_validate(fields["artifact"] | place)
        fields["artifact"] = compute_artifact_digest(artifact)
        if self.key is not None:
            fields["key"]["answer"] = compute_answer_digest(artifact.files)
        if self.generation is not None and artifact.reply is not None:
            fields["generation"]["reply_digest"] = sha256(artifact.reply.encode()).hexdigest()
        return Attempt.model_validate(fields), artifact

    @model_validator(mode="after")
    def _makes_a_record(self) -> Self:
        if (self.artifact is None) is not (self.outcome is Outcome.NOT_RUN):
            raise _make_contradiction_error(
                "artifact", "is null exactly when the outcome is not_run"
            )
        if self.artifact is None and self.key is not None:
            raise _make_contradiction_error("key", "is null when the outcome is not_run")
        if self.outcome is Outcome.FAILED and self.failed_step is None:
            raise _make_contradiction_error("failed_step", "is missing: the outcome is failed")
        if self.outcome is Outcome.INFRASTRUCTURE and self.fault is None:
            raise _make_contradiction_error("fault", "is missing: the outcome is infrastructure")
        self.to_records(_ANY_EVAL, 1)
        return self


def _make_contradiction_error(field: str, reason: str) -> ValidationError:
    """Return the error for a field that contradicts other fields."""
    problem = InitErrorDetails(
        type=PydanticCustomError("contradiction", "{reason}", {"reason": reason}),
        loc=(field,),
        input=None,
    )
    return ValidationError.from_exception_data("SentAttempt", [problem])


def compute_attempt_digest(attempt: Attempt) -> str:
    """Return the SHA-256 of an attempt, in hex, by which runner and server compare it."""
    return sha256(attempt.model_dump_json().encode()).hexdigest()
