"""The shapes of runs and refusals in requests and answers of the API, and in its document.

A body of the right shape always gives a valid record. Values that could contradict the rest of a
record, such as sums or the day of a run, are not sent: `make_empty_run` computes them.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from generator.tables.run_columns import ListedOfRun
from records.archives import archive
from records.shapes import base
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
from records.shapes.base import compute_text_digest
from records.shapes.run import (
    RUN_VERSION,
    CarryOverDays,
    Executed,
    Experiment,
    Harness,
    Run,
    RunModel,
)
from records.shapes.totals import compute_run_totals

Channel = Literal["production", "development"]
"""production for published records, development for runs that git ignores."""

CHANNELS: Sequence[Channel] = get_args(Channel)
MOST_SAMPLES = 100
MOST_EVALS = 1000


def _check_digits(value: str | int) -> str | int:
    if re.fullmatch(r"[1-9][0-9]{0,8}", str(value)) is None:
        raise ValueError("must be a whole number from 1 on")
    return value


DIGITS = BeforeValidator(_check_digits)
"""The check that a parameter is a whole number in digits only."""


def _sorted_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise ValueError("must not repeat")
    return tuple(sorted(names))


class RunStart(base.Record):
    """The plan of a run that begins or goes on on another machine."""

    channel: Channel
    """The channel of the runner: production with --publish, else development."""
    run_id: base.RunId
    """The id, which the runner has chosen; to send the same start again changes nothing."""
    model: RunModel
    """The model that is asked."""
    experiment: Experiment
    """The experiment."""
    benchmark_version: base.BenchmarkId
    """The benchmark version, which the server must have."""
    started_at: base.Moment
    """The time of the start."""
    harness: Harness
    """The program that runs the attempts."""
    planned: Annotated[
        tuple[base.EvalName, ...],
        Field(min_length=1, max_length=MOST_EVALS, json_schema_extra={"uniqueItems": True}),
        AfterValidator(_sorted_once),
    ]
    """The planned evals."""
    samples: Annotated[int, Field(ge=1, le=MOST_SAMPLES)]
    """The number of attempts at each eval."""
    budget_usd: base.Dollars | None
    """The most that the run may cost, in US dollars; null if no budget is set."""
    carry_over_days: CarryOverDays | None = None
    """The greatest age, in days, of answers that the run carries over from earlier runs; null if
    it carries over none."""


class RunEnd(base.Record):
    """The end of a run, which need not have all of its attempts."""

    finished_at: base.Moment
    """The time of the end."""


class ReceivedDigest(base.Record):
    """An attempt that the server has on its disk."""

    eval: base.EvalName
    """The eval."""
    sample: base.Positive
    """The number of the sample, from 1."""
    digest: base.Digest
    """The SHA-256 of the attempt's record."""


class RunCounts(base.Record):
    """A run with the counts of its attempts."""

    run_id: base.RunId
    """The id of the run."""
    channel: Channel
    """The channel of the run."""
    model: base.ModelSlug
    """The model that was asked."""
    experiment: base.ExperimentName
    """The experiment."""
    benchmark_version: base.BenchmarkId
    """The benchmark version; scores are comparable only within a version."""
    status: Literal["receiving", "running", "completed", "aborted"]
    """The status; receiving until the runner reports the end of the run."""
    date: date
    """The day on which the run began, UTC."""
    started_at: base.Moment | None
    """The time of the start; null if only the day was published."""
    planned: base.Positive
    """The number of planned attempts."""
    received: Annotated[int, Field(ge=0)]
    """The number of attempts on the server's disk."""
    passed: Annotated[int, Field(ge=0)]
    """The number of attempts that passed."""
    failed: Annotated[int, Field(ge=0)]
    """The number of attempts at which the model failed."""


class RunBrief(ListedOfRun, RunCounts):
    """A run in short."""


class RunState(RunBrief):
    """A run with its attempts on the server."""

    attempts: tuple[ReceivedDigest, ...]
    """The attempts on the server's disk, sorted."""
    sent_by: base.Name | None
    """The name of the key with which the run was begun; null if the run has ended, or was not sent
    through the API."""


class RunList(base.Record):
    """Runs, the newest first."""

    runs: tuple[RunBrief, ...]
    """A page of the runs."""
    after: base.RunId | None
    """The `after` of the next page; null at the end."""


class AttemptReceipt(base.Record):
    """The receipt for an attempt, which is on the server's disk."""

    digest: base.Digest
    """The SHA-256 of the attempt's record."""


class ApiProblem(base.Record):
    """The reason why a request was refused. Nothing was written."""

    error: str
    """The reason, in words."""
    parameter: str | None = None
    """The wrong parameter, header or field; null for other reasons."""


class ApiError(Exception):
    """A request was refused with an HTTP status, and nothing was written."""

    def __init__(
        self,
        status: int,
        reason: str,
        parameter: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Store the status, the reason, the wrong parameter or field if any, and extra headers."""
        super().__init__(reason)
        self.status: Final = status
        self.reason: Final = reason
        self.parameter: Final = parameter
        self.headers: Final = dict(headers or {})


def make_empty_run(start: RunStart) -> Run:
    """Return the run of ``start``, without attempts."""
    computed = {
        "schema_version": RUN_VERSION,
        "provenance": Executed(kind="executed"),
        "status": "running",
        "date": start.started_at.date(),
        "finished_at": None,
        "totals": compute_run_totals(()),
        "withdrawn": None,
        "attempts": (),
    }
    return Run.model_validate(_list_shared_fields(start) | computed)


def build_run_start(run: Run, channel: Channel) -> RunStart:
    """Return the body of the request that begins to send ``run``.

    Raises:
        ValueError: the run was not made by this program.
    """
    if run.started_at is None or run.harness is None:
        raise ValueError("only runs that this program made can be sent")
    return RunStart.model_validate(_list_shared_fields(run) | {"channel": channel})


def _list_shared_fields(source: Run | RunStart) -> dict[str, Any]:
    """Return the fields that a run and the request that begins to send it have in common."""
    return {name: getattr(source, name) for name in RunStart.model_fields if name != "channel"}


_MOST_FILES = 2000
_SEGMENT = r"(?:[^/\\\x00.][^/\\\x00]*|\.[^/\\\x00.][^/\\\x00]*|\.\.[^/\\\x00]+)"
_ANY_EVAL = "000-any/000-any"

FilePath = Annotated[str, Field(pattern=rf"^{_SEGMENT}(?:/{_SEGMENT})*$", max_length=1000)]
"""A relative path with forward slashes that does not leave its folder."""

LogName = Annotated[str, Field(pattern=r"^[a-z]{1,20}$")]
"""The name of a log, which is that of a step."""


class SentKey(base.Record):
    """The digests of all inputs of a verdict besides the files of the answer."""

    grader: base.Digest
    """The digest of the grader and of the files that it compares with."""
    toolchain: base.Digest
    """The digest of the toolchain and of the grading protocol."""


class SentArtifact(base.Record):
    """The artifact of an attempt: prompt, reply, files and logs."""

    messages: tuple[archive.Message, ...]
    """The prompt; empty for baselines."""
    reply: base.OutsideText | None
    """The raw reply; null if none came."""
    files: Annotated[dict[FilePath, base.OutsideText], Field(max_length=_MOST_FILES)]
    """The files of the reply, by path."""
    logs: dict[LogName, base.OutsideText]
    """The output of the steps that ran, by the name of the step."""


class SentAttempt(base.Record):
    """An attempt with its artifact. Its fields must agree, as in a record."""

    outcome: Outcome
    """The outcome. An attempt that was not run is only sent if its requests have cost something."""
    failed_step: StepName | None = None
    """The first step that failed; null unless the outcome is failed."""
    reason: base.OutsideText | None = None
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
    failed_tries_usd: base.Dollars | None
    """The most that requests without a usable reply may have been billed, in US dollars."""
    graded_at: base.Moment | None = None
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
    def from_attempt(cls, attempt: Attempt, artifact: archive.AttemptArtifact | None) -> Self:
        """Return the body of the request that sends an attempt with its artifact.

        Raises:
            ValueError: the attempt cannot be sent; the path of a file is too long, for example.
        """
        fields = attempt.model_dump(exclude={"eval": True, "sample": True, "key": {"answer"}})
        fields["artifact"] = artifact and artifact.model_dump(exclude={"eval", "sample"})
        return cls.model_validate(fields)

    def to_records(
        self, evaluation: str, sample: int
    ) -> tuple[Attempt, archive.AttemptArtifact | None]:
        """Return the record of the sent attempt, and its artifact; None if it was not run.

        Raises:
            ValueError: fields contradict each other.
        """
        place: dict[str, Any] = {"eval": evaluation, "sample": sample}
        fields = self.model_dump() | place
        if self.artifact is None:
            return Attempt.model_validate(fields), None
        artifact = archive.AttemptArtifact.model_validate(fields["artifact"] | place)
        fields["artifact"] = archive.compute_artifact_digest(artifact)
        if self.key is not None:
            fields["key"]["answer"] = archive.compute_answer_digest(artifact.files)
        if self.generation is not None and artifact.reply is not None:
            fields["generation"]["reply_digest"] = compute_text_digest(artifact.reply)
        return Attempt.model_validate(fields), artifact

    @model_validator(mode="after")
    def _makes_a_record(self) -> Self:
        is_left_out, outcome = self.artifact is None, self.outcome
        contradictions = {
            ("artifact", "is null exactly when the outcome is not_run"): (
                is_left_out is not (outcome is Outcome.NOT_RUN)
            ),
            ("key", "is null when the outcome is not_run"): (is_left_out and self.key is not None),
            ("failed_step", "is missing: the outcome is failed"): (
                outcome is Outcome.FAILED and self.failed_step is None
            ),
            ("fault", "is missing: the outcome is infrastructure"): (
                outcome is Outcome.INFRASTRUCTURE and self.fault is None
            ),
        }
        for (field, reason), holds in contradictions.items():
            if holds:
                kind = PydanticCustomError("contradiction", "{reason}", {"reason": reason})
                problem = InitErrorDetails(type=kind, loc=(field,), input=None)
                raise ValidationError.from_exception_data("SentAttempt", [problem])
        self.to_records(_ANY_EVAL, 1)
        return self


def compute_attempt_digest(attempt: Attempt) -> str:
    """Return the SHA-256 of an attempt, in hex, by which runner and server compare it."""
    return compute_text_digest(attempt.model_dump_json())
