"""Shape of an attempt at an eval: its outcome, its reply's generation and its grading."""

from enum import StrEnum
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, model_validator

from records.shapes.base import (
    LARGEST_AMOUNT,
    Count,
    Digest,
    Dollars,
    EvalName,
    Moment,
    OutsideText,
    Positive,
    Record,
    RunId,
    Seconds,
)
from records.shapes.registry import Dialect

SentValue = str | int | float | bool | None
"""The value of a parameter in the body of a request."""


class AttemptKey(NamedTuple):
    """Eval and sample of an attempt; its place in a run."""

    eval: str
    sample: int


class StepName(StrEnum):
    """The steps of grading, in their order."""

    FILESYSTEM = "filesystem"
    INSTALL = "install"
    DEPLOY = "deploy"
    TYPECHECK = "typecheck"
    LINT = "lint"
    TESTS = "tests"


class Outcome(StrEnum):
    """How an attempt, a step or a test ended: a word, never a number."""

    PASSED = "passed"
    FAILED = "failed"
    """The model's failure."""
    INFRASTRUCTURE = "infrastructure"
    """A failure of this program or of the provider; never scored."""
    NOT_RUN = "not_run"
    """Planned, but never begun; never scored."""


_PASSED, _FAILED, _INFRASTRUCTURE, _NOT_RUN = Outcome
"""Outcomes under names of this module. A build compares outcomes half a million times, and Python
needs as long to look up a member of an enumeration as to compare it."""

JUDGED = frozenset({_PASSED, _FAILED})
"""The outcomes that are a verdict on an answer."""


class FaultClass(StrEnum):
    """The kind of fault because of which an attempt could not be judged."""

    RATE_LIMITED = "rate_limited"
    PROVIDER_ERROR = "provider_error"
    PROVIDER_TIMEOUT = "provider_timeout"
    CONNECTION_LOST = "connection_lost"
    MALFORMED_REPLY = "malformed_reply"
    EMPTY_REPLY = "empty_reply"
    TRUNCATED_BY_SERVER = "truncated_by_server"
    PROMPT_CUT_BY_SERVER = "prompt_cut_by_server"
    """The server counted far fewer tokens than the prompt has, so its context is too short."""
    LIMIT_IGNORED = "limit_ignored"
    """The server let the model write more than the output limit that was sent."""
    CONTENT_FILTER = "content_filter"
    """A filter of the provider removed the reply or the rest of it."""
    AUTHENTICATION = "authentication"
    REFUSED_REQUEST = "refused_request"
    """The provider rejected the request: its prompt is too long, or there is no such model."""
    BUDGET = "budget"
    SANDBOX = "sandbox"
    BACKEND = "backend"
    """The backend reported a failure of its own."""
    TOOLCHAIN = "toolchain"
    GRADER = "grader"
    OUTAGE = "outage"
    """Another failure outside of the attempt; the evidence names it."""


class Fault(Record):
    """The reason why the outcome of an attempt is infrastructure."""

    kind: FaultClass
    """The kind of fault."""
    evidence: Annotated[OutsideText, Field(min_length=1, max_length=4000)]
    """The sign of the fault: a status, an exception or a line of a log."""

    @classmethod
    def cut(cls, kind: FaultClass, evidence: str) -> Self:
        """Return a fault, whose evidence is cut to the length that a record may have."""
        return cls(kind=kind, evidence=evidence[:4000])


class Step(Record):
    """One step in the grading of an attempt."""

    name: StepName
    """The step."""
    outcome: Outcome
    """How the step ended."""
    duration_s: Seconds | None
    """Duration in seconds; null if it was not measured."""
    message: OutsideText | None
    """One line for readers; the full log is in the artifact."""


class Test(Record):
    """One test of a grader on one attempt."""

    __test__ = False  # pytest would otherwise collect this class

    name: OutsideText
    """Name of the grader's function; parameters of the test follow in brackets."""
    title: OutsideText
    """The tested behaviour in the words of the product: first line of the test's docstring."""
    outcome: Outcome
    """How the test ended."""
    duration_s: Seconds | None
    """Duration in seconds; null if it was not measured."""
    message: OutsideText | None
    """The assertion that failed, with the compared values."""


class CostBasis(StrEnum):
    """The source of a cost."""

    REPORTED = "reported"
    """The provider stated the cost in its reply."""
    ESTIMATED = "estimated"
    """Computed from numbers of tokens and the local price map."""
    UNKNOWN = "unknown"


class TokensBasis(StrEnum):
    """The source of numbers of tokens."""

    REPORTED = "reported"
    """The provider stated the numbers in its reply."""
    COUNTED = "counted"
    """The provider did not state all numbers, so a local tokenizer counted at least one."""
    UNKNOWN = "unknown"


class Tokens(Record):
    """Numbers of tokens of one or more replies; a number is null if it is not known."""

    input: Count | None
    """All input tokens, including those read from a cache."""
    cached_input: Count | None
    """Input tokens read from a cache."""
    output: Count | None
    """All output tokens, including those for reasoning."""
    reasoning: Count | None
    """Output tokens for reasoning."""


NO_TOKENS = Tokens(input=None, cached_input=None, output=None, reasoning=None)
"""Numbers of tokens of which none is known."""


class Generation(Record):
    """How a reply was generated: times, tokens, cost, and the names in the reply."""

    duration_s: Seconds | None
    """Seconds from the successful request to the last byte of its reply; null if an import has no
    time."""
    time_to_first_token_s: Seconds | None
    """Seconds from the request to the first piece of the reply; null if it was not streamed."""
    finish_reason: OutsideText | None
    """The finish reason in the provider's own word, such as stop, end_turn or MAX_TOKENS; null if
    the reply has none, or if the provider's protocol is not read here. ``[DONE]`` if the reply has
    only the end mark of a stream, after text and usage."""
    answered_by: OutsideText | None
    """The model's name in the reply; null if the reply has none."""
    served_by: OutsideText | None = None
    """The host that a gateway named in the reply; it may differ from request to request. Null if
    the reply names none."""
    system_fingerprint: OutsideText | None = None
    """The server's own identifier of its weights and settings; null if the reply has none."""
    tries: Positive | None
    """Number of requests, including the successful request; null if an import has no number."""
    tokens: Tokens
    """Tokens of the request and its reply."""
    tokens_basis: TokensBasis
    """The source of the numbers of tokens."""
    cost_usd: Dollars | None
    """Cost in US dollars; null if it is not known."""
    cost_basis: CostBasis
    """The source of the cost."""
    cost_at_most_usd: Dollars | None = None
    """The most that the provider may have billed for the reply, in US dollars, if it reported
    neither cost nor tokens. A budget counts this amount. Null if `cost_usd` is the bill, or if
    nothing is known."""
    reply_digest: Digest | None
    """Digest of the raw text of the reply, in UTF-8; null if an import has no text."""
    dialect: Dialect | None = None
    """The form of the request, if the server refuses the usual form; null if the request had the
    usual form, or if that is not known."""

    @property
    def most_usd(self) -> float | None:
        """The most that the reply may have cost, in US dollars; None if it is not known."""
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
    """Digests of all inputs of a verdict: with an equal key, the verdict is the same."""

    answer: Digest
    """Digest of the files that were graded."""
    grader: Digest
    """Digest of the grader and of the texts that it compares with."""
    toolchain: Digest
    """Digest of the toolchain and of the grading protocol."""


class Verdict(Record):
    """A result of grading, which a record keeps when the attempt is graded again."""

    graded_at: Moment
    """When the attempt was graded."""
    key: GradingKey
    """The inputs of the verdict."""
    outcome: Outcome
    """The verdict."""
    failed_step: StepName | None
    """The first step that failed."""
    reason: OutsideText | None
    """The reason for the verdict, in one line."""
    replaced_because: OutsideText | None = None
    """Why a person had the attempt graded again; null if the person gave no reason."""


class CarriedOver(Record):
    """The origin of an answer that a run took over from an earlier run."""

    run: RunId
    """The run that asked for the answer. It has the same model, and did not take the answer over
    itself."""
    asked_from: Moment
    """When that run began; the answer is not older."""
    prompt: Digest
    """Digest of the messages to the model, which are the same in both runs: SHA-256 of a JSON list
    with role and content of each message in turn."""


class Attempt(Record):
    """One sample of one eval in one run."""

    eval: EvalName
    """The eval."""
    sample: Positive
    """Number of the sample of the eval, from 1."""
    outcome: Outcome
    """How the attempt ended."""
    failed_step: StepName | None
    """The first step that failed; null if the outcome is not failed, or if the publisher of an
    imported run did not name the step."""
    reason: OutsideText | None
    """Why the attempt failed, in one line."""
    fault: Fault | None
    """The fault, if the outcome is infrastructure; else null."""
    steps: tuple[Step, ...] | None
    """The steps that ran; null if they were not published."""
    tests: tuple[Test, ...] | None
    """The tests that ran; null if the step of tests did not run or was not published."""
    generation: Generation | None
    """How the reply was generated; null for baselines, if no reply came, and for imports without
    any of these facts."""
    failed_tries_usd: Dollars | None
    """The most that requests without a usable reply may have cost, in US dollars; null if it is not
    known."""
    graded_at: Moment | None
    """When the verdict was reached; null if there is no verdict, or if its time was not
    published."""
    key: GradingKey | None
    """The inputs of the verdict; null for imports, and if nothing was graded."""
    artifact: Digest | None
    """Digest of this attempt's folder in the run's artifact archive."""
    earlier_verdicts: tuple[Verdict, ...] = ()
    """Earlier results of grading, oldest first."""
    carried_over: CarriedOver | None = None
    """The origin of the answer, if an earlier run asked for it; else null. `generation` and
    `failed_tries_usd` are then those of the earlier run, but the verdict is of this run."""

    @property
    def place(self) -> AttemptKey:
        """Eval and sample."""
        return AttemptKey(self.eval, self.sample)

    @property
    def most_usd(self) -> float:
        """The most that the attempt may have cost, in US dollars, as far as it is known."""
        if self.carried_over is not None:
            return 0.0
        reply = self.generation.most_usd if self.generation else None
        return (reply or 0.0) + (self.failed_tries_usd or 0.0)

    @property
    def explanation(self) -> str | None:
        """Why the attempt failed, or has no verdict; null if it is not known."""
        return self.fault.evidence if self.fault else self.reason

    @property
    def tests_passed(self) -> int:
        """Number of tests that passed; 0 if there are none."""
        return [test.outcome for test in self.tests or ()].count(_PASSED)

    def build_verdict(self, replaced_because: str | None = None) -> Verdict | None:
        """Return the current verdict; None if this program did not grade the attempt."""
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
        # Lists and `count` are quick: a build reads hundreds of thousands of attempts.
        steps = [step.outcome for step in self.steps or ()]
        if outcome is _PASSED and (
            steps.count(_PASSED) < len(steps) or self.tests_passed < len(self.tests or ())
        ):
            raise ValueError("a passed attempt has no step or test that did not pass")
        if outcome is _NOT_RUN and (self.steps or self.tests):
            raise ValueError("an attempt that was not run has no steps and no tests")
        if self.carried_over is not None and self.generation is None:
            raise ValueError("generation is missing: an answer that was carried over has one")
        return self


def make_attempt(eval_name: str, sample: int, outcome: Outcome, **facts: Any) -> Attempt:  # noqa: ANN401 - checked by the record
    """Return an attempt of which only ``facts`` are known; its other fields are null."""
    fields: dict[str, Any] = {
        name: None for name, field in Attempt.model_fields.items() if field.is_required()
    }
    facts_of_all = {"eval": eval_name, "sample": sample, "outcome": outcome, **facts}
    return Attempt.model_validate(fields | facts_of_all)
