"""One attempt at an eval: how it ended, how its reply came about, and how it was graded."""

from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from records.shapes.base import (
    LARGEST_AMOUNT,
    Count,
    Digest,
    Dollars,
    EvalName,
    Moment,
    OutsideText,
    Record,
    RunId,
    Seconds,
)
from records.shapes.registry import Dialect

SentValue = str | int | float | bool | None
"""The value of a parameter in the body of a request."""


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


_PASSED, _FAILED, _INFRASTRUCTURE, _NOT_RUN = Outcome
"""Bound once: a build asks half a million times, and to look a member up costs as much."""

JUDGED: Final = frozenset({_PASSED, _FAILED})
"""The outcomes that are a verdict on an answer."""


class FaultClass(StrEnum):
    """The fault that kept an attempt from being judged."""

    RATE_LIMITED = "rate_limited"
    PROVIDER_ERROR = "provider_error"
    PROVIDER_TIMEOUT = "provider_timeout"
    CONNECTION_LOST = "connection_lost"
    MALFORMED_REPLY = "malformed_reply"
    EMPTY_REPLY = "empty_reply"
    TRUNCATED_BY_SERVER = "truncated_by_server"
    PROMPT_CUT_BY_SERVER = "prompt_cut_by_server"
    """The server counted far fewer tokens than the prompt has: its context is shorter."""
    LIMIT_IGNORED = "limit_ignored"
    """The server let the model write on beyond the output limit that was sent."""
    CONTENT_FILTER = "content_filter"
    """The provider's filter kept back the reply, or the rest of it."""
    AUTHENTICATION = "authentication"
    REFUSED_REQUEST = "refused_request"
    """The provider rejected the request itself: context too long, no such model, ..."""
    BUDGET = "budget"
    SANDBOX = "sandbox"
    BACKEND = "backend"
    """The backend reported that it could not do its part."""
    TOOLCHAIN = "toolchain"
    GRADER = "grader"
    OUTAGE = "outage"
    """Something else around the run broke down; the evidence names it."""


class Fault(Record):
    """Why an attempt is infrastructure: its class and the evidence."""

    kind: FaultClass
    """Its class."""
    evidence: Annotated[OutsideText, Field(min_length=1, max_length=4000)]
    """What was seen: a status, an exception, a line of a log."""


class Step(Record):
    """One step of grading one attempt."""

    name: StepName
    """Which step."""
    outcome: Outcome
    """How it ended."""
    duration_s: Seconds | None
    """In seconds; null where it was not measured."""
    message: OutsideText | None
    """One line for a reader; the full log is in the artifact."""


class Test(Record):
    """One test of a grader on one attempt."""

    __test__ = False  # pytest would otherwise collect this class

    name: OutsideText
    """The grader's function name, with parameters in brackets where there are any."""
    title: OutsideText
    """The tested behaviour, in the product's words: the first line of the test's docstring."""
    outcome: Outcome
    """How it ended."""
    duration_s: Seconds | None
    """In seconds; null where it was not measured."""
    message: OutsideText | None
    """The failing assertion, with the values compared."""


class CostBasis(StrEnum):
    """Where a cost comes from."""

    REPORTED = "reported"
    """The provider stated it in its reply."""
    ESTIMATED = "estimated"
    """Token counts times the local price map."""
    UNKNOWN = "unknown"


class TokensBasis(StrEnum):
    """Where the numbers of tokens come from."""

    REPORTED = "reported"
    """The provider stated it in its reply."""
    COUNTED = "counted"
    """At least one number was counted here by a tokenizer, for want of the provider's."""
    UNKNOWN = "unknown"


class Tokens(Record):
    """Tokens of one or more replies. Each is null where it is not known."""

    input: Count | None
    """All input tokens, with the cached."""
    cached_input: Count | None
    """Input tokens read from a cache."""
    output: Count | None
    """All output tokens, reasoning included."""
    reasoning: Count | None
    """Output tokens spent on reasoning."""


class Generation(Record):
    """How a reply came about."""

    duration_s: Seconds
    """From the request of the try that succeeded to its last byte."""
    time_to_first_token_s: Seconds | None
    """Seconds to the first piece of the reply; null where it was not streamed."""
    finish_reason: OutsideText | None
    """As the provider named it on the wire: stop, end_turn, MAX_TOKENS, ...; null where it named
    none, or where its protocol is not read here."""
    answered_by: OutsideText | None
    """The model's name as the reply gave it; null where the reply named none."""
    served_by: OutsideText | None = None
    """The host that a gateway named in the reply, which may be another for each request; null where
    the reply named none."""
    system_fingerprint: OutsideText | None = None
    """The server's own mark of the weights and settings that it answered with; null where the reply
    had none."""
    tries: Annotated[int, Field(ge=1)]
    """Requests made, the one that succeeded included."""
    tokens: Tokens
    """Usage."""
    tokens_basis: TokensBasis
    """Where the usage comes from."""
    cost_usd: Dollars | None
    """In US dollars; null where it is not known."""
    cost_basis: CostBasis
    """Where the cost comes from."""
    cost_at_most_usd: Dollars | None = None
    """The most that the provider may have billed for the reply, in US dollars, where it reported
    neither cost nor tokens: a budget counts this. Null where `cost_usd` is the bill, or where
    nothing is known."""
    reply_digest: Digest
    """Of the raw reply text, UTF-8."""
    dialect: Dialect | None = None
    """How the request was written where that is not the usual way, which its server refuses; null
    where it was the usual way, or is not known."""

    @property
    def most_usd(self) -> float | None:
        """The most that the reply may have been billed, in US dollars; None where unknown."""
        return self.cost_usd if self.cost_at_most_usd is None else self.cost_at_most_usd

    @model_validator(mode="after")
    def _cost_has_a_basis(self) -> Self:
        if (self.cost_usd is None) != (self.cost_basis is CostBasis.UNKNOWN):
            raise ValueError("cost_usd is null exactly when cost_basis is unknown")
        if self.cost_at_most_usd is not None and self.cost_at_most_usd < (self.cost_usd or 0.0):
            raise ValueError("cost_at_most_usd is at least cost_usd")
        return self

    @model_validator(mode="after")
    def _tokens_are_of_one_reply(self) -> Self:
        tokens = self.tokens
        for count in (tokens.input, tokens.cached_input, tokens.output, tokens.reasoning):
            if count is not None and count > LARGEST_AMOUNT:
                raise ValueError(f"tokens of one reply are at most {LARGEST_AMOUNT:.0f}")
        return self


class GradingKey(Record):
    """The inputs of a verdict: equal keys, equal verdicts."""

    answer: Digest
    """Digest of the files that were graded."""
    grader: Digest
    """Digest of the grader and of the texts it compares with."""
    toolchain: Digest
    """Digest of the toolchain and of the grading protocol."""


class Verdict(Record):
    """A result of grading, kept when a changed grader later decides otherwise."""

    graded_at: Moment
    """When."""
    key: GradingKey
    """The inputs of the verdict."""
    outcome: Outcome
    """The verdict itself."""
    failed_step: StepName | None
    """The first step that failed."""
    reason: OutsideText | None
    """One line: why."""
    replaced_because: OutsideText | None = None
    """Why it was graded again, in words of the person who asked for it; null without a reason."""


class CarriedOver(Record):
    """Where an answer was asked for that a run took over from an earlier run."""

    run: RunId
    """The run that asked for it, of the same model: never a run that took it over itself."""
    asked_from: Moment
    """When that run began: the answer is not older."""
    prompt: Digest
    """Digest of the messages that were asked, which are the same in both runs: SHA-256 of a list of
    role and content of each in turn, as JSON."""


class Attempt(Record):
    """One sample of one eval in one run."""

    eval: EvalName
    """The eval attempted."""
    sample: Annotated[int, Field(ge=1)]
    """Which sample of the eval, from 1."""
    outcome: Outcome
    """How it ended."""
    failed_step: StepName | None
    """The first step that failed; null unless the outcome is failed, or where an import's publisher
    did not say."""
    reason: OutsideText | None
    """One line: why it failed."""
    fault: Fault | None
    """Present exactly when the outcome is infrastructure."""
    steps: tuple[Step, ...] | None
    """The steps that ran; null where they were not published."""
    tests: tuple[Test, ...] | None
    """Null where the tests step did not run or was not published."""
    generation: Generation | None
    """Null for baselines, for imports, and where no reply came."""
    failed_tries_usd: Dollars | None
    """The most that requests without a usable reply may have been billed, in US dollars; null where
    it is not known."""
    graded_at: Moment | None
    """When the verdict was reached; null where it was not reached or not published."""
    key: GradingKey | None
    """The inputs of the verdict; null for imports and where nothing was graded."""
    artifact: Digest | None
    """Digest of this attempt's folder in the run's artifact archive."""
    earlier_verdicts: tuple[Verdict, ...] = ()
    """Earlier results of grading, oldest first."""
    carried_over: CarriedOver | None = None
    """Where the answer was asked for; null where this run asked. The verdict is this run's own all
    the same; `generation` and `failed_tries_usd` are those of the run that asked."""

    @property
    def tests_passed(self) -> int:
        """How many of its tests passed; 0 where there are none."""
        return [test.outcome for test in self.tests or ()].count(_PASSED)

    def verdict(self, replaced_because: str | None = None) -> Verdict | None:
        """Return the verdict that holds; None where nothing was graded, or not by us."""
        if self.key is None or self.graded_at is None:
            return None
        return Verdict(
            graded_at=self.graded_at,
            key=self.key,
            outcome=self.outcome,
            failed_step=self.failed_step,
            reason=self.reason,
            replaced_because=replaced_because,
        )

    @model_validator(mode="after")
    def _outcome_is_explained(self) -> Self:
        outcome = self.outcome
        if (self.fault is None) is (outcome is _INFRASTRUCTURE):
            raise ValueError("fault is present exactly when the outcome is infrastructure")
        if self.failed_step is not None:
            if outcome is not _FAILED:
                raise ValueError("failed_step is null unless the outcome is failed")
        elif outcome is _FAILED and self.steps is not None:
            raise ValueError(
                "failed_step is missing: the outcome is failed and the steps are known"
            )
        if outcome is _PASSED and (self.steps or self.tests) and not self._all_passed():
            raise ValueError("a passed attempt has no step or test that did not pass")
        if outcome is _NOT_RUN and (self.steps or self.tests):
            raise ValueError("an attempt that was not run has no steps and no tests")
        if self.carried_over is not None and self.generation is None:
            raise ValueError("generation is missing: an answer that was carried over has one")
        return self

    def _all_passed(self) -> bool:
        """Count plainly: a build reads hundreds of thousands of attempts."""
        steps = self.steps or ()
        if [step.outcome for step in steps].count(_PASSED) < len(steps):
            return False
        return self.tests_passed == len(self.tests or ())
