"""One run: one model under one experiment over planned evals, with every attempt's outcome."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from records.base import (
    BenchmarkId,
    Count,
    Digest,
    Dollars,
    EvalName,
    ExperimentName,
    ModelSlug,
    Moment,
    Record,
    RunId,
    Seconds,
)


class StepName(StrEnum):
    """The steps of grading, in their order."""

    FILESYSTEM = "filesystem"
    INSTALL = "install"
    DEPLOY = "deploy"
    TYPECHECK = "typecheck"
    LINT = "lint"
    TESTS = "tests"


class Outcome(StrEnum):
    """How an attempt, a step or a test ended. Never a number by default."""

    PASSED = "passed"
    FAILED = "failed"
    """The model's failure."""
    INFRASTRUCTURE = "infrastructure"
    """Ours or the provider's failure: never scored."""
    NOT_RUN = "not_run"
    """Planned, and never reached: never scored."""


class FaultClass(StrEnum):
    """What kept an attempt from being judged."""

    RATE_LIMITED = "rate_limited"
    PROVIDER_ERROR = "provider_error"
    PROVIDER_TIMEOUT = "provider_timeout"
    CONNECTION_LOST = "connection_lost"
    MALFORMED_REPLY = "malformed_reply"
    EMPTY_REPLY = "empty_reply"
    TRUNCATED_BY_SERVER = "truncated_by_server"
    AUTHENTICATION = "authentication"
    REFUSED_REQUEST = "refused_request"
    """The provider rejected the request itself: context too long, no such model, ..."""
    BUDGET = "budget"
    SANDBOX = "sandbox"
    BACKEND = "backend"
    """The backend could not do what it was asked, by its own word."""
    TOOLCHAIN = "toolchain"
    GRADER = "grader"
    OUTAGE = "outage"
    """Something else around the run broke down; the evidence says what."""


class Fault(Record):
    """Why an attempt is infrastructure: its class and what was seen."""

    kind: FaultClass
    evidence: Annotated[str, Field(min_length=1, max_length=4000)]


class Step(Record):
    """One step of grading one attempt."""

    name: StepName
    outcome: Outcome
    duration_s: Seconds | None
    message: str | None
    """One line for a reader; the full log is in the artifact."""


class Test(Record):
    """One test of a grader on one attempt."""

    __test__ = False  # pytest would otherwise collect this class

    name: str
    """The grader's function name, with parameters in brackets where there are any."""
    title: str
    """What is tested, in the product's words: the first line of the test's docstring."""
    outcome: Outcome
    duration_s: Seconds | None
    message: str | None
    """The failing assertion, with the values compared."""


class CostBasis(StrEnum):
    """Where a cost comes from."""

    REPORTED = "reported"
    """The provider said so in its reply."""
    ESTIMATED = "estimated"
    """Token counts times the local price map."""
    UNKNOWN = "unknown"


class Tokens(Record):
    """Tokens of one or more replies. Each is null where the provider did not say."""

    input: Count | None
    """All input tokens, cached ones included."""
    cached_input: Count | None
    output: Count | None
    """All output tokens, reasoning included."""
    reasoning: Count | None


class Generation(Record):
    """How a reply came about."""

    duration_s: Seconds
    """From the request of the try that succeeded to its last byte."""
    time_to_first_token_s: Seconds | None
    finish_reason: str | None
    """As the provider named it: stop, length, content_filter, ..."""
    tries: Annotated[int, Field(ge=1)]
    tokens: Tokens
    cost_usd: Dollars | None
    cost_basis: CostBasis
    reply_digest: Digest
    """Of the raw reply text, UTF-8."""

    @model_validator(mode="after")
    def _cost_has_a_basis(self) -> Self:
        if (self.cost_usd is None) != (self.cost_basis is CostBasis.UNKNOWN):
            raise ValueError("cost_usd is null exactly when cost_basis is unknown")
        return self


class GradingKey(Record):
    """What a verdict depends on: equal keys, equal verdicts."""

    answer: Digest
    grader: Digest
    toolchain: Digest


class Verdict(Record):
    """What grading said, kept when a changed grader later says otherwise."""

    graded_at: Moment
    key: GradingKey
    outcome: Outcome
    failed_step: StepName | None
    reason: str | None


class Attempt(Record):
    """One sample of one eval in one run."""

    eval: EvalName
    sample: Annotated[int, Field(ge=1)]
    outcome: Outcome
    failed_step: StepName | None
    """The first step that failed; null unless the outcome is failed, or where an import's publisher
    did not say."""
    reason: str | None
    """One line: why it failed."""
    fault: Fault | None
    """Present exactly when the outcome is infrastructure."""
    steps: tuple[Step, ...] | None
    """The steps that ran; null where they were not published."""
    tests: tuple[Test, ...] | None
    """Null where the tests step did not run or was not published."""
    generation: Generation | None
    """Null for baselines, for imports, and where no reply came."""
    graded_at: Moment | None
    key: GradingKey | None
    artifact: Digest | None
    """Digest of this attempt's folder in the run's artifact archive."""
    earlier_verdicts: tuple[Verdict, ...] = ()

    @model_validator(mode="after")
    def _outcome_is_explained(self) -> Self:
        if (self.fault is not None) != (self.outcome is Outcome.INFRASTRUCTURE):
            raise ValueError("fault is present exactly when the outcome is infrastructure")
        if self.failed_step is not None and self.outcome is not Outcome.FAILED:
            raise ValueError("failed_step is null unless the outcome is failed")
        if self.failed_step is None and self.outcome is Outcome.FAILED and self.steps is not None:
            raise ValueError(
                "failed_step is missing: the outcome is failed and the steps are known"
            )
        if self.outcome is Outcome.PASSED and not self._all_passed():
            raise ValueError("a passed attempt has no step or test that did not pass")
        if self.outcome is Outcome.NOT_RUN and (self.steps or self.tests):
            raise ValueError("an attempt that was not run has no steps and no tests")
        return self

    def _all_passed(self) -> bool:
        outcomes = [s.outcome for s in self.steps or ()] + [t.outcome for t in self.tests or ()]
        return all(outcome is Outcome.PASSED for outcome in outcomes)


class RunModel(Record):
    """The model as it was asked."""

    slug: ModelSlug
    name: str
    provider: str
    litellm_id: str | None
    """Null for baselines and imports."""
    kind: Literal["llm", "baseline"]
    parameters: dict[str, str | int | float | bool | None]
    """What was sent beside the messages: temperature, reasoning effort, ..."""


class Experiment(Record):
    """The condition a run was made under."""

    name: ExperimentName
    guidelines: Digest | None
    """Digest of the guidelines text sent; null where none was sent or it was not published."""


class Executed(Record):
    """This program made the run."""

    kind: Literal["executed"]


class Imported(Record):
    """Somebody else made the run and published it."""

    kind: Literal["imported"]
    importer: str
    source: str
    """Where it was published, precise enough to look up."""
    source_digest: Digest
    """Of the file in data/imports/ it was read from."""
    corrected_passed: Count | None
    """How many pass by the publisher's own later correction of faulty graders, where they said."""


class Withdrawal(Record):
    """Why a run no longer counts."""

    by: str
    reason: str


class Harness(Record):
    """What ran the attempts."""

    version: str
    git_commit: str | None
    toolchain: dict[str, str]
    """Versions of node, convex, typescript, eslint, ..."""
    backend: Literal["embedded", "local"]
    sandbox: Literal["bwrap", "docker", "none"]
    install: Literal["linked", "npm"]


class Totals(Record):
    """Sums over the attempts, each over what is known, with how many attempts that is."""

    tokens: Tokens
    cost_usd: Dollars | None
    cost_known_for: Count
    generation_s: Seconds | None
    generation_known_for: Count
    grading_s: Seconds | None


class Run(Record):
    """One model under one experiment over planned evals and samples."""

    schema_version: Literal[2]
    run_id: RunId
    model: RunModel
    experiment: Experiment
    benchmark_version: BenchmarkId
    provenance: Annotated[Executed | Imported, Field(discriminator="kind")]
    status: Literal["running", "completed", "aborted"]
    date: date
    """The day the run began, UTC."""
    started_at: Moment | None
    finished_at: Moment | None
    harness: Harness | None
    """Null for imports."""
    planned: Annotated[tuple[EvalName, ...], Field(min_length=1)]
    samples: Annotated[int, Field(ge=1)]
    totals: Totals
    withdrawn: Withdrawal | None
    attempts: tuple[Attempt, ...]
    """Ordered by eval, then sample. A completed run has one for each planned eval and sample."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if list(self.planned) != sorted(set(self.planned)):
            raise ValueError("planned must be sorted and without repeats")
        places = [(a.eval, a.sample) for a in self.attempts]
        if places != sorted(set(places)):
            raise ValueError("attempts must be sorted by eval and sample, without repeats")
        planned = {(e, s) for e in self.planned for s in range(1, self.samples + 1)}
        if strays := set(places) - planned:
            raise ValueError(f"attempts that were not planned: {sorted(strays)[:3]}")
        if self.status == "completed" and len(places) != len(planned):
            missing = sorted(planned - set(places))[:3]
            raise ValueError(f"completed, but attempts are missing: {missing}")
        return self
