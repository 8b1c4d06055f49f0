"""Shapes of the requests and answers of the API, which the OpenAPI document is made of.

A body that fits its shape makes a valid record: what could contradict the rest of a record, such as
digests, sums, or the day of a run, is not sent but computed by `received` and `begun`.
"""

from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, TypeAdapter

from records.artifacts import AttemptArtifact, Message, answer_digest, attempt_digest
from records.base import (
    LARGEST_AMOUNT,
    BenchmarkId,
    Digest,
    Dollars,
    EvalName,
    ExperimentName,
    ModelSlug,
    Moment,
    Name,
    OutsideText,
    Record,
    RunId,
    Seconds,
)
from records.registry import Dialect
from records.run import (
    RUN_VERSION,
    Attempt,
    CarriedOver,
    CarryOverDays,
    CostBasis,
    Executed,
    Experiment,
    Fault,
    Generation,
    GradingKey,
    Harness,
    Outcome,
    Run,
    RunModel,
    Step,
    StepName,
    Test,
    TokensBasis,
    Verdict,
)
from records.totals import totals

Channel = Literal["production", "development"]
"""Whether runs are published records, or development runs that git ignores."""

MOST_SAMPLES: Final = 100
MOST_EVALS: Final = 1000
_MOST_FILES: Final = 2000
_SEGMENT: Final = r"(?:[^/\\\x00.][^/\\\x00]*|\.[^/\\\x00.][^/\\\x00]*|\.\.[^/\\\x00]+)"


def _sorted_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise ValueError("must not repeat")
    return tuple(sorted(names))


FilePath = Annotated[str, Field(pattern=rf"^{_SEGMENT}(?:/{_SEGMENT})*$", max_length=1000)]
"""A relative path with forward slashes that stays below where it starts."""

LogName = Annotated[str, Field(pattern=r"^[a-z]{1,20}$")]
"""The name of a step, as a log is called."""

TokenCount = Annotated[int, Field(ge=0, le=int(LARGEST_AMOUNT))]
"""Tokens of one reply."""


class RunStart(Record):
    """A run that begins or goes on elsewhere, and what it plans."""

    channel: Channel
    """What the runner was told: production with --publish, else development."""
    run_id: RunId
    """Drawn by the runner; sending the same start again changes nothing."""
    model: RunModel
    """Who is asked."""
    experiment: Experiment
    """The condition."""
    benchmark_version: BenchmarkId
    """The version of the suite; the server must know it."""
    started_at: Moment
    """When it began."""
    harness: Harness
    """What runs the attempts."""
    planned: Annotated[
        tuple[EvalName, ...],
        Field(min_length=1, max_length=MOST_EVALS, json_schema_extra={"uniqueItems": True}),
        AfterValidator(_sorted_once),
    ]
    """The evals it sets out to attempt."""
    samples: Annotated[int, Field(ge=1, le=MOST_SAMPLES)]
    """Attempts at each eval."""
    budget_usd: Dollars | None
    """The most that it may cost in US dollars; null where no budget was set."""
    carry_over_days: CarryOverDays | None = None
    """The greatest age in days of answers that it carried over from earlier runs; null where it
    carried over none."""


class SentTokens(Record):
    """Tokens of one reply. Each is null where it is not known."""

    input: TokenCount | None
    """All input tokens, cached ones included."""
    cached_input: TokenCount | None
    """Input tokens read from a cache."""
    output: TokenCount | None
    """All output tokens, reasoning included."""
    reasoning: TokenCount | None
    """Output tokens spent on reasoning."""


class _SentGenerationBase(Record):
    duration_s: Seconds
    """From the request of the try that succeeded to its last byte."""
    time_to_first_token_s: Seconds | None
    """Seconds to the first piece of the reply; null where it was not streamed."""
    finish_reason: OutsideText | None
    """As the provider named it."""
    answered_by: OutsideText | None
    """The model's name as the reply gave it."""
    served_by: OutsideText | None = None
    """The host that a gateway named in the reply."""
    system_fingerprint: OutsideText | None = None
    """The server's own mark of the weights and settings that it answered with."""
    tries: Annotated[int, Field(ge=1)]
    """Requests made, the one that succeeded included."""
    tokens: SentTokens
    """Usage."""
    tokens_basis: TokensBasis
    """Where the usage comes from."""
    reply_digest: Digest
    """SHA-256 of the raw reply; where the reply is sent, the server's own is recorded."""
    dialect: Dialect | None = None
    """How the request was written where that is not the usual way."""


class PricedGeneration(_SentGenerationBase):
    """How a reply came about whose cost is known."""

    cost_usd: Dollars
    """In US dollars."""
    cost_basis: Literal[CostBasis.REPORTED, CostBasis.ESTIMATED]
    """Where the cost comes from."""
    cost_at_most_usd: Dollars | None = None
    """The most that the provider may have billed, where it reported neither cost nor tokens."""


class UnpricedGeneration(_SentGenerationBase):
    """How a reply came about whose cost nobody knows."""

    cost_usd: None
    """Not known."""
    cost_basis: Literal[CostBasis.UNKNOWN]
    """Not known."""
    cost_at_most_usd: None = None
    """Not known."""


SentGeneration = Annotated[PricedGeneration | UnpricedGeneration, Field(discriminator="cost_basis")]


class SentKey(Record):
    """What a verdict depends on beside the answer's files."""

    grader: Digest
    """Digest of the grader and what it compares with."""
    toolchain: Digest
    """Digest of the toolchain and of the grading protocol."""


class SentArtifact(Record):
    """Everything an attempt wrote."""

    messages: tuple[Message, ...]
    """What was asked; empty for baselines."""
    reply: OutsideText | None
    """The raw reply; null where none came."""
    files: Annotated[dict[FilePath, OutsideText], Field(max_length=_MOST_FILES)]
    """What the reply unpacked to, by path."""
    logs: dict[LogName, OutsideText]
    """Output of the steps that ran, by step name."""


class PassedStep(Record):
    """A step that passed."""

    name: StepName
    """Which step."""
    outcome: Literal[Outcome.PASSED]
    """Passed."""
    duration_s: Seconds | None
    """In seconds; null where it was not measured."""
    message: OutsideText | None
    """One line for a reader."""


class PassedTest(Record):
    """A test that passed."""

    name: OutsideText
    """The grader's function name."""
    title: OutsideText
    """What is tested, in the product's words."""
    outcome: Literal[Outcome.PASSED]
    """Passed."""
    duration_s: Seconds | None
    """In seconds; null where it was not measured."""
    message: OutsideText | None
    """What the test said."""


class _SentAttemptBase(Record):
    generation: SentGeneration | None
    """Null for baselines and where no reply came."""
    failed_tries_usd: Dollars | None
    """The most that requests without a usable reply may have been billed, in US dollars."""
    carried_over: CarriedOver | None = None
    """The earlier run that asked for the answer; null where this run asked."""


class _SentVerdictBase(_SentAttemptBase):
    reason: OutsideText | None
    """One line: why."""
    graded_at: Moment | None
    """When the verdict was reached."""
    key: SentKey | None
    """What the verdict depends on; null where nothing was graded."""
    earlier_verdicts: tuple[Verdict, ...] = ()
    """What earlier grading said, oldest first."""
    artifact: SentArtifact
    """Everything it wrote."""


class SentPassed(_SentVerdictBase):
    """An attempt that passed: so did every step and test."""

    outcome: Literal[Outcome.PASSED]
    """Passed."""
    steps: tuple[PassedStep, ...] | None
    """The steps."""
    tests: tuple[PassedTest, ...] | None
    """The tests."""


class SentFailed(_SentVerdictBase):
    """An attempt at which the model failed."""

    outcome: Literal[Outcome.FAILED]
    """Failed."""
    failed_step: StepName
    """The first step that failed."""
    steps: tuple[Step, ...] | None
    """The steps that ran."""
    tests: tuple[Test, ...] | None
    """Null where the tests step did not run."""


class SentInfrastructure(_SentVerdictBase):
    """An attempt that could not be judged."""

    outcome: Literal[Outcome.INFRASTRUCTURE]
    """Infrastructure: never scored."""
    fault: Fault
    """What kept it from being judged."""
    steps: tuple[Step, ...] | None
    """The steps that ran; null where nothing was graded."""
    tests: tuple[Test, ...] | None
    """Null where the tests step did not run."""


class SentNotRun(_SentAttemptBase):
    """An attempt that was planned and not made; sent where asking for it has cost something."""

    outcome: Literal[Outcome.NOT_RUN]
    """Not run: never scored."""


SentAttempt = Annotated[
    SentPassed | SentFailed | SentInfrastructure | SentNotRun, Field(discriminator="outcome")
]
SENT_ATTEMPT: Final[TypeAdapter[SentPassed | SentFailed | SentInfrastructure | SentNotRun]] = (
    TypeAdapter(SentAttempt)
)


class RunEnd(Record):
    """A run has ended, whatever became of its attempts."""

    finished_at: Moment
    """When."""


class ReceivedDigest(Record):
    """An attempt that the server has on its disk."""

    eval: EvalName
    """The eval."""
    sample: Annotated[int, Field(ge=1)]
    """Which sample of it."""
    digest: Digest
    """SHA-256 of the attempt as it is recorded."""


class RunBrief(Record):
    """A run in short."""

    run_id: RunId
    """Its identity."""
    channel: Channel
    """Where it is recorded."""
    model: ModelSlug
    """Who was asked."""
    experiment: ExperimentName
    """The condition."""
    benchmark_version: BenchmarkId
    """What its scores are comparable within."""
    status: Literal["receiving", "running", "completed", "aborted"]
    """receiving until its runner says that it ended."""
    date: date
    """The day it began, UTC."""
    started_at: Moment | None
    """When it began; null where only the day was published."""
    planned: Annotated[int, Field(ge=1)]
    """Attempts that it planned."""
    received: Annotated[int, Field(ge=0)]
    """Attempts that are on the server's disk."""
    passed: Annotated[int, Field(ge=0)]
    """Those that passed."""
    failed: Annotated[int, Field(ge=0)]
    """Those at which the model failed."""
    published_because: OutsideText | None = None
    """Why it was published though readers could not rely on it; null where they can, and where it
    is not published."""


class RunState(RunBrief):
    """A run, and which of its attempts the server has."""

    attempts: tuple[ReceivedDigest, ...]
    """Those on the server's disk, sorted."""
    sent_by: Name | None
    """The key that it was begun with; null once it has ended, or where it came in another way."""


class RunList(Record):
    """Runs, the newest first."""

    runs: tuple[RunBrief, ...]
    """One page of them."""
    after: RunId | None
    """What to give as `after` for the next page; null at the end."""


class AttemptReceipt(Record):
    """An attempt is on the server's disk."""

    digest: Digest
    """SHA-256 of the attempt as it is recorded."""


class ApiProblem(Record):
    """Why a request was refused; nothing was written."""

    error: str
    """What is wrong, in words."""
    parameter: str | None = None
    """The parameter, header or field that is wrong, where it is one."""


def begun(start: RunStart) -> Run:
    """Return the run that ``start`` begins, without attempts."""
    return Run(
        schema_version=RUN_VERSION,
        run_id=start.run_id,
        model=start.model,
        experiment=start.experiment,
        benchmark_version=start.benchmark_version,
        provenance=Executed(kind="executed"),
        status="running",
        date=start.started_at.date(),
        started_at=start.started_at,
        finished_at=None,
        harness=start.harness,
        planned=start.planned,
        samples=start.samples,
        carry_over_days=start.carry_over_days,
        budget_usd=start.budget_usd,
        totals=totals(()),
        withdrawn=None,
        attempts=(),
    )


def start_of(run: Run, channel: Channel) -> RunStart:
    """Return what a runner sends to begin ``run``.

    Raises:
        ValueError: it was not made by this program.
    """
    if run.started_at is None or run.harness is None:
        raise ValueError("only runs that this program made can be sent")
    return RunStart(
        channel=channel,
        run_id=run.run_id,
        model=run.model,
        experiment=run.experiment,
        benchmark_version=run.benchmark_version,
        started_at=run.started_at,
        harness=run.harness,
        planned=run.planned,
        samples=run.samples,
        budget_usd=run.budget_usd,
        carry_over_days=run.carry_over_days,
    )


def received(
    sent: SentPassed | SentFailed | SentInfrastructure | SentNotRun, evaluation: str, sample: int
) -> tuple[Attempt, AttemptArtifact | None]:
    """Return the attempt that was sent for a place, and what it wrote; None if it was not made."""
    if isinstance(sent, SentNotRun):
        return _attempt(sent, evaluation, sample, None), None
    kept = AttemptArtifact(
        eval=evaluation,
        sample=sample,
        messages=sent.artifact.messages,
        reply=sent.artifact.reply,
        files=sent.artifact.files,
        logs=sent.artifact.logs,
    )
    return _attempt(sent, evaluation, sample, kept), kept


def sent_attempt(
    attempt: Attempt, kept: AttemptArtifact | None
) -> SentPassed | SentFailed | SentInfrastructure | SentNotRun:
    """Return what a runner sends of an attempt and of what it wrote.

    Raises:
        ValueError: it cannot be sent, such as a file's path that is longer than any server takes.
    """
    fields = attempt.model_dump(mode="json")
    outcome = attempt.outcome
    keep = {"outcome", "generation", "failed_tries_usd", "carried_over"}
    if outcome is not Outcome.NOT_RUN:
        keep |= {"reason", "graded_at", "key", "earlier_verdicts", "steps", "tests"}
        if kept is None:
            raise ValueError("what the attempt wrote is not kept any more")
    keep |= {"failed_step"} if outcome is Outcome.FAILED else set()
    keep |= {"fault"} if outcome is Outcome.INFRASTRUCTURE else set()
    chosen: dict[str, Any] = {name: fields[name] for name in fields if name in keep}
    if chosen.get("key"):
        del chosen["key"]["answer"]
    if outcome is not Outcome.NOT_RUN and kept is not None:
        chosen["artifact"] = kept.model_dump(mode="json", exclude={"eval", "sample"})
    return SENT_ATTEMPT.validate_python(chosen)


def attempt_record_digest(attempt: Attempt) -> str:
    """Return the SHA-256 by which runner and server compare an attempt."""
    return sha256(attempt.model_dump_json().encode()).hexdigest()


def _attempt(
    sent: SentPassed | SentFailed | SentInfrastructure | SentNotRun,
    evaluation: str,
    sample: int,
    kept: AttemptArtifact | None,
) -> Attempt:
    judged = None if isinstance(sent, SentNotRun) else sent
    key = judged.key if judged else None
    return Attempt(
        eval=evaluation,
        sample=sample,
        outcome=sent.outcome,
        failed_step=sent.failed_step if isinstance(sent, SentFailed) else None,
        reason=judged.reason if judged else None,
        fault=sent.fault if isinstance(sent, SentInfrastructure) else None,
        steps=_steps(judged.steps if judged else None),
        tests=_tests(judged.tests if judged else None),
        generation=_generation(sent.generation, kept.reply if kept else None),
        failed_tries_usd=sent.failed_tries_usd,
        graded_at=judged.graded_at if judged else None,
        key=GradingKey(answer=answer_digest(kept.files), grader=key.grader, toolchain=key.toolchain)
        if key and kept
        else None,
        artifact=attempt_digest(kept) if kept else None,
        earlier_verdicts=judged.earlier_verdicts if judged else (),
        carried_over=sent.carried_over,
    )


def _generation(
    sent: PricedGeneration | UnpricedGeneration | None, reply: str | None
) -> Generation | None:
    if sent is None:
        return None
    digest = sent.reply_digest if reply is None else sha256(reply.encode()).hexdigest()
    fields = sent.model_dump() | {"reply_digest": digest}
    return Generation.model_validate(fields)


def _steps(steps: Sequence[Step | PassedStep] | None) -> tuple[Step, ...] | None:
    return None if steps is None else tuple(Step.model_validate(dict(one)) for one in steps)


def _tests(tests: Sequence[Test | PassedTest] | None) -> tuple[Test, ...] | None:
    return None if tests is None else tuple(Test.model_validate(dict(one)) for one in tests)
