"""Shapes of attempts as runners send them, which the OpenAPI document is made of."""

from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from records.archives.archive import Message
from records.shapes.attempt import (
    CarriedOver,
    CostBasis,
    Fault,
    Outcome,
    Step,
    StepName,
    Test,
    TokensBasis,
    Verdict,
)
from records.shapes.base import (
    LARGEST_AMOUNT,
    Digest,
    Dollars,
    Moment,
    OutsideText,
    Record,
    Seconds,
)
from records.shapes.registry import Dialect

_MOST_FILES: Final = 2000
_SEGMENT: Final = r"(?:[^/\\\x00.][^/\\\x00]*|\.[^/\\\x00.][^/\\\x00]*|\.\.[^/\\\x00]+)"

FilePath = Annotated[str, Field(pattern=rf"^{_SEGMENT}(?:/{_SEGMENT})*$", max_length=1000)]
"""A relative path with forward slashes that stays below where it starts."""

LogName = Annotated[str, Field(pattern=r"^[a-z]{1,20}$")]
"""The name of a step, as a log is called."""

TokenCount = Annotated[int, Field(ge=0, le=int(LARGEST_AMOUNT))]
"""Tokens of one reply."""


class SentTokens(Record):
    """Tokens of one reply. Each is null where it is not known."""

    input: TokenCount | None
    """All input tokens, with the cached tokens."""
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
    """Requests made, with the successful request."""
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
    """The tested behaviour, in the product's words."""
    outcome: Literal[Outcome.PASSED]
    """Passed."""
    duration_s: Seconds | None
    """In seconds; null where it was not measured."""
    message: OutsideText | None
    """The test's message."""


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
    """Digests on which the verdict depends; null where nothing was graded."""
    earlier_verdicts: tuple[Verdict, ...] = ()
    """Verdicts of earlier grading, oldest first."""
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
    """The reason why it could not be judged."""
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
