"""One run: one model under one experiment over planned evals, with every attempt's outcome."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from enum import StrEnum
from itertools import islice
from operator import lt
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from records.base import (
    LARGEST_AMOUNT,
    BenchmarkId,
    Count,
    Digest,
    Dollars,
    EvalName,
    ExperimentName,
    ModelSlug,
    Moment,
    Name,
    OutsideText,
    Parameter,
    Record,
    RunId,
    Seconds,
    Sum,
)
from records.carry_over_days import MOST_DAYS
from records.registry import Dialect

RUN_VERSION: Final = 3
"""The version of the shape of runs: what ``Run.schema_version`` allows."""
CHANGES: Final = "+changes"
"""Stands behind the commit of a program of which files differed from it."""


CarryOverDays = Annotated[int, Field(ge=1, le=MOST_DAYS)]
"""A greatest age of answers that are carried over, in days."""

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
    """What kept an attempt from being judged."""

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
    """The backend could not do what it was asked, by its own word."""
    TOOLCHAIN = "toolchain"
    GRADER = "grader"
    OUTAGE = "outage"
    """Something else around the run broke down; the evidence says what."""


class Fault(Record):
    """Why an attempt is infrastructure: its class and what was seen."""

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
    """What is tested, in the product's words: the first line of the test's docstring."""
    outcome: Outcome
    """How it ended."""
    duration_s: Seconds | None
    """In seconds; null where it was not measured."""
    message: OutsideText | None
    """The failing assertion, with the values compared."""


class CostBasis(StrEnum):
    """Where a cost comes from."""

    REPORTED = "reported"
    """The provider said so in its reply."""
    ESTIMATED = "estimated"
    """Token counts times the local price map."""
    UNKNOWN = "unknown"


class TokensBasis(StrEnum):
    """Where the numbers of tokens come from."""

    REPORTED = "reported"
    """The provider said so in its reply."""
    COUNTED = "counted"
    """At least one number was counted here by a tokenizer, since the provider did not say it."""
    UNKNOWN = "unknown"


class Tokens(Record):
    """Tokens of one or more replies. Each is null where it is not known."""

    input: Count | None
    """All input tokens, cached ones included."""
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
    """What a verdict depends on: equal keys, equal verdicts."""

    answer: Digest
    """Digest of the files that were graded."""
    grader: Digest
    """Digest of the grader and what it compares with."""
    toolchain: Digest
    """Digest of the toolchain and of the grading protocol."""


class Verdict(Record):
    """What grading said, kept when a changed grader later says otherwise."""

    graded_at: Moment
    """When."""
    key: GradingKey
    """What it depends on."""
    outcome: Outcome
    """What it was."""
    failed_step: StepName | None
    """The first step that failed."""
    reason: OutsideText | None
    """One line: why."""
    replaced_because: OutsideText | None = None
    """Why it was graded again, in words of whoever asked for it; null where nobody said."""


class CarriedOver(Record):
    """Where an answer was asked for that a run took over from an earlier one."""

    run: RunId
    """The run that asked for it, of the same model: never one that took it over itself."""
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
    """What the verdict depends on; null for imports and where nothing was graded."""
    artifact: Digest | None
    """Digest of this attempt's folder in the run's artifact archive."""
    earlier_verdicts: tuple[Verdict, ...] = ()
    """What earlier grading said, oldest first."""
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


class RunModel(Record):
    """The model as it was asked."""

    slug: ModelSlug
    """What commands and records call it."""
    name: Name
    """For readers."""
    provider: Name
    """Who made the model, or who served it where an import names only that."""
    litellm_id: Name | None
    """Null for baselines and imports."""
    kind: Literal["llm", "baseline"]
    """Whether it is an LLM at all."""
    parameters: dict[str, Parameter]
    """What was asked for beside the messages: temperature, reasoning effort, ..."""
    sent: dict[str, SentValue] | None = None
    """The parameters in the body of the requests, by their dotted paths, lists as JSON: those that
    were asked for, in the words of the provider's protocol, and those that were added on the way.
    Null where it is not known: baselines, imports, and runs of before they were recorded."""
    max_output_tokens: Annotated[int, Field(ge=1)] | None
    """The limit on output tokens that was sent; null where none was, or it is not known."""
    origin: Digest | None
    """SHA-256 of the scheme, host and port that were asked: a resumed run asks no other. Null
    where it was the provider's own address, or is not known."""


class Experiment(Record):
    """The condition a run was made under."""

    name: ExperimentName
    """Its name."""
    guidelines: Digest | None
    """Digest of the guidelines text sent; null where none was sent or it was not published."""


class Executed(Record):
    """This program made the run."""

    kind: Literal["executed"]
    """Always executed."""


class Imported(Record):
    """Somebody else made the run and published it."""

    kind: Literal["imported"]
    """Always imported."""
    importer: str
    """The module of runner/published_results/ that read it."""
    source: str
    """Where it was published, precise enough to look up."""
    source_digest: Digest
    """Of the file in data/imports/ it was read from."""
    corrected_passed: Count | None
    """How many pass by the publisher's own later correction of faulty graders, where they said."""


class Withdrawal(Record):
    """Why a run no longer counts."""

    by: str
    """Who withdrew it."""
    reason: str
    """Why."""
    at: Moment | None = None
    """When; null where it is not known: withdrawals of before the time was recorded."""


class UndoneWithdrawal(Withdrawal):
    """A withdrawal that was taken back: the run counts again."""

    undone_by: str
    """Who took it back."""
    undone_because: str
    """Why."""
    undone_at: Moment
    """When."""


class Harness(Record):
    """What ran the attempts."""

    version: str
    """Version of this program."""
    git_commit: str | None
    """Commit of this repository; null outside of one. It ends with `+changes` where files differed
    from the commit."""
    toolchain: dict[str, str]
    """Versions of node, convex, typescript, eslint, ..."""
    backend: Literal["embedded", "local"]
    """Which Convex backend the answers were deployed to."""
    sandbox: Literal["bwrap", "docker", "none"]
    """What model-written code was jailed in."""
    install: Literal["linked", "npm"]
    """How dependencies were installed."""


class Totals(Record):
    """Sums over the attempts, each over what is known, with how many attempts that is.

    Answers that were carried over count in no sum but that of grading: another run asked for them.
    """

    tokens: Tokens
    """Tokens of all replies."""
    cost_usd: Sum | None
    """In US dollars; null where no cost is known, and where all answers were carried over."""
    cost_known_for: Count
    """Attempts whose cost is known."""
    failed_tries_usd: Sum | None
    """The most that requests without a usable reply may have been billed, in US dollars; null where
    nothing is known of it."""
    generation_s: Sum | None
    """Seconds of generation; null where none is known."""
    generation_known_for: Count
    """Attempts whose generation time is known."""
    grading_s: Sum | None
    """Seconds of all steps; null where none is known."""


class Run(Record):
    """One model under one experiment over planned evals and samples."""

    schema_version: Literal[3]
    """Version of this shape."""
    run_id: RunId
    """Its identity and file name; the first 8 characters are unique within a model."""
    model: RunModel
    """Who was asked."""
    experiment: Experiment
    """The condition."""
    benchmark_version: BenchmarkId
    """What its scores are comparable within."""
    provenance: Annotated[Executed | Imported, Field(discriminator="kind")]
    """Who made the run."""
    status: Literal["running", "completed", "aborted"]
    """Whether it is going, did all it planned, or was given up."""
    date: date
    """The day the run began, UTC."""
    started_at: Moment | None
    """When it began; null where only the day was published."""
    finished_at: Moment | None
    """When it ended; null while it is going and where it was not published."""
    harness: Harness | None
    """Null for imports."""
    planned: Annotated[tuple[EvalName, ...], Field(min_length=1)]
    """The evals it set out to attempt, sorted."""
    samples: Annotated[int, Field(ge=1)]
    """Attempts at each eval."""
    carry_over_days: CarryOverDays | None = None
    """The greatest age in days that an answer of an earlier run could have, when this run began, to
    be carried over; null where no answer could."""
    budget_usd: Dollars | None
    """The most that the run may cost in US dollars, resumed parts included; null where no budget
    was set."""
    totals: Totals
    """Sums over the attempts."""
    withdrawn: Withdrawal | None
    """Null while the run counts."""
    published_because: OutsideText | None = None
    """Why it was published though it is incomplete, of a part of the suite, of a version that was
    not minted, or made by a program with changes; null where nothing of this is so."""
    undone_withdrawals: tuple[UndoneWithdrawal, ...] = ()
    """Withdrawals that were taken back, oldest first."""
    attempts: tuple[Attempt, ...]
    """Ordered by eval, then sample. A completed run has one for each planned eval and sample."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if not _ascending(self.planned):
            raise ValueError("planned must be sorted and without repeats")
        places = [(a.eval, a.sample) for a in self.attempts]
        due = len(self.planned) * self.samples
        if len(places) == due and places == list(self.places()):
            return self
        if not _ascending(places):
            raise ValueError("attempts must be sorted by eval and sample, without repeats")
        known = set(self.planned)
        strays = [place for place in places if place[0] not in known or place[1] > self.samples]
        if strays:
            raise ValueError(f"attempts that were not planned: {strays[:3]}")
        if self.status == "completed" and len(places) != due:
            tried = set(places)
            missing = (place for place in self.places() if place not in tried)
            raise ValueError(f"completed, but attempts are missing: {list(islice(missing, 3))}")
        return self

    @model_validator(mode="after")
    def _carries_over_by_its_limit(self) -> Self:
        for one in self.attempts:
            if one.carried_over is not None:
                self._check_carried(one, one.carried_over)
        return self

    def _check_carried(self, attempt: Attempt, origin: CarriedOver) -> None:
        """See that an answer comes from another run, and is not older than the limit."""
        place = f"carried_over of {attempt.eval} sample {attempt.sample}"
        if self.carry_over_days is None or self.started_at is None:
            raise ValueError(f"{place}: carry_over_days or started_at is missing")
        if origin.run == self.run_id:
            raise ValueError(f"{place}: names its own run")
        age = self.started_at - origin.asked_from
        if not timedelta() <= age <= timedelta(days=self.carry_over_days):
            raise ValueError(
                f"{place}: asked_from must lie in the {self.carry_over_days} days before the run "
                "began"
            )

    @property
    def began(self) -> str:
        """When it began, as ISO 8601: its day alone where no more was published."""
        return self.started_at.isoformat() if self.started_at else self.date.isoformat()

    @property
    def unjudged(self) -> int:
        """How many planned attempts have no verdict: a run is complete where there is none."""
        verdicts = sum(one.outcome in JUDGED for one in self.attempts)
        return len(self.planned) * self.samples - verdicts

    @property
    def changed_commit(self) -> str | None:
        """The commit from which files of the program differed that made the run; None if none."""
        commit = self.harness.git_commit if self.harness else None
        if commit is None or not commit.endswith(CHANGES):
            return None
        return commit.removesuffix(CHANGES)

    @property
    def lacks_reason(self) -> bool:
        """Whether a changed program made the run, and nobody recorded why it counts all the same.

        Such a run is not to be found in any commit: nobody can make it again.
        """
        return self.changed_commit is not None and self.published_because is None

    def places(self) -> Iterator[tuple[str, int]]:
        """Yield eval and sample of each attempt that was planned, in order.

        One by one: a record may claim to have planned more than memory holds.
        """
        return ((name, sample) for name in self.planned for sample in range(1, self.samples + 1))


def _ascending(values: Sequence[str] | Sequence[tuple[str, int]]) -> bool:
    return all(map(lt, values, values[1:]))
