"""One run: one model under one experiment over planned evals, with every attempt's outcome."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import islice
from operator import lt
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from records.shapes.attempt import (
    JUDGED,
    Attempt,
    CarriedOver,
    SentValue,
    Tokens,
)
from records.shapes.base import (
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
    Sum,
)
from records.shapes.carry_over_days import MOST_DAYS

RUN_VERSION: Final = 3
"""The version of the shape of runs: the values of ``Run.schema_version``."""
CHANGES: Final = "+changes"
"""Stands behind the commit of a program of which files differed from it."""


CarryOverDays = Annotated[int, Field(ge=1, le=MOST_DAYS)]
"""A greatest age of answers that are carried over, in days."""


class RunModel(Record):
    """The model as it was asked."""

    slug: ModelSlug
    """Its name in commands and records."""
    name: Name
    """For readers."""
    provider: Name
    """Who made the model, or who served it where an import names only that."""
    litellm_id: Name | None
    """Null for baselines and imports."""
    kind: Literal["llm", "baseline"]
    """A language model (`llm`), or an answer without a model."""
    parameters: dict[str, Parameter]
    """The parameters that were asked for: temperature, reasoning effort, ..."""
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
    """The program that ran the attempts."""

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
    """The jail of model-written code."""
    install: Literal["linked", "npm"]
    """How dependencies were installed."""


class Totals(Record):
    """Sums over the attempts, each over the known values, with the number of these.

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
    """The version within which its scores are comparable."""
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
        evals = set(self.planned)
        strays = [key for key in places if key[0] not in evals or key[1] > self.samples]
        if strays:
            raise ValueError(f"attempts that were not planned: {strays[:3]}")
        if self.status == "completed" and len(places) != due:
            tried = set(places)
            missing = (key for key in self.places() if key not in tried)
            raise ValueError(f"completed, but attempts are missing: {list(islice(missing, 3))}")
        return self

    @model_validator(mode="after")
    def _carries_over_by_its_limit(self) -> Self:
        for attempt in self.attempts:
            if attempt.carried_over is not None:
                self._check_carried(attempt, attempt.carried_over)
        return self

    def _check_carried(self, attempt: Attempt, origin: CarriedOver) -> None:
        """See that an answer comes from another run, and is not older than the limit."""
        field = f"carried_over of {attempt.eval} sample {attempt.sample}"
        if self.carry_over_days is None or self.started_at is None:
            raise ValueError(f"{field}: carry_over_days or started_at is missing")
        if origin.run == self.run_id:
            raise ValueError(f"{field}: names its own run")
        age = self.started_at - origin.asked_from
        if not timedelta() <= age <= timedelta(days=self.carry_over_days):
            raise ValueError(
                f"{field}: asked_from must lie in the {self.carry_over_days} days before the run "
                "began"
            )

    @property
    def began(self) -> str:
        """When it began, as ISO 8601: its day alone where no more was published."""
        return self.started_at.isoformat() if self.started_at else self.date.isoformat()

    @property
    def unjudged(self) -> int:
        """How many planned attempts have no verdict: a run is complete where there is none."""
        verdicts = sum(attempt.outcome in JUDGED for attempt in self.attempts)
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

        Each by itself: a record may claim to have planned more than memory holds.
        """
        return ((name, sample) for name in self.planned for sample in range(1, self.samples + 1))


def _ascending(values: Sequence[str] | Sequence[tuple[str, int]]) -> bool:
    return all(map(lt, values, values[1:]))
