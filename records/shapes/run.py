"""Shape of a run: one model under one experiment, with all its attempts at the planned evals."""

import sys
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import islice
from operator import lt
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from records.shapes.attempt import JUDGED, Attempt, AttemptKey, Outcome, SentValue, Tokens
from records.shapes.base import (
    BenchmarkId,
    Count,
    Digest,
    Dollars,
    EvalName,
    ExperimentName,
    LeftOut,
    ModelSlug,
    Moment,
    Name,
    OutsideText,
    Parameter,
    Positive,
    Record,
    RunId,
    Sum,
)
from records.shapes.carry_over_days import MOST_DAYS

RUN_VERSION = 3
"""The schema version of every new run."""
CHANGES = "+changes"
"""The end of a recorded git commit if files of the program differed from that commit."""


@lru_cache(maxsize=1 << 12)
def _share_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the same object for equal names, because most runs plan the same evals."""
    return tuple(map(sys.intern, names))


CarryOverDays = Annotated[int, Field(ge=1, le=MOST_DAYS)]
"""The greatest age of answers that are carried over, in days."""


class RunModel(Record):
    """The model of a run, and the parameters with which it was asked."""

    slug: ModelSlug
    """The model's name in commands and records."""
    name: Name
    """The model's name for readers."""
    provider: Name
    """The maker of the model, or its host if an imported run names only the host."""
    litellm_id: Name | None
    """The model's id in litellm; null for baselines and imports."""
    kind: Literal["llm", "baseline"]
    """A language model (`llm`), or an answer without a model."""
    parameters: dict[str, Parameter]
    """The wanted parameters, such as temperature and reasoning effort."""
    sent: dict[str, SentValue] | None = None
    """The parameters in the body of the requests, by dotted path, with lists as JSON. These are the
    wanted parameters, under the names of the provider's protocol, and parameters that the program
    added. Null if they are not known, as for baselines, imports and early runs."""
    max_output_tokens: Positive | None
    """The limit on output tokens that was sent; null if none was sent, or if it is not known."""
    origin: Digest | None
    """SHA-256 of scheme, host and port of the server; a resumed run asks no other server. Null for
    the provider's own address, or if the server is not known."""


class Experiment(Record):
    """The experiment of a run: its name and the guidelines that were sent."""

    name: ExperimentName
    """The experiment's name."""
    guidelines: Digest | None
    """Digest of the guidelines that were sent; null if none were sent, or if they were not
    published."""


class Executed(Record):
    """The origin of a run that this program made."""

    kind: Literal["executed"]
    """Always executed."""


class Imported(Record):
    """The origin of a run that somebody else made and published."""

    kind: Literal["imported"]
    """Always imported."""
    importer: str
    """The format of the file: published_analyses, csv, inspect, ..."""
    source: str
    """The publication, described exactly enough to find it."""
    source_digest: Digest
    """Digest of the file in data/imports/ from which the run was read."""
    corrected_passed: Count | None
    """Number of passed attempts after the publisher's own correction of faulty graders; null if
    the publisher corrected none."""
    day_of_import: LeftOut[bool] = False
    """True if the source names no day: the date of the run is the day of its import."""


class Withdrawal(Record):
    """The decision that a run no longer counts."""

    by: str
    """The person who withdrew the run."""
    reason: str
    """Why the run was withdrawn."""
    at: Moment | None = None
    """When the run was withdrawn; null for early withdrawals, whose time was not recorded."""


class UndoneWithdrawal(Withdrawal):
    """A withdrawal that was taken back, so that the run counts again."""

    undone_by: str
    """The person who took the withdrawal back."""
    undone_because: str
    """Why it was taken back."""
    undone_at: Moment
    """When it was taken back."""


class Harness(Record):
    """The program that ran the attempts."""

    version: str
    """Version of this program."""
    git_commit: str | None
    """Commit of the program's repository; null if the program was not in a repository. It ends with
    `+changes` if files of the program differed from the commit."""
    toolchain: dict[str, str]
    """Versions of node, convex, typescript, eslint and others, by name."""
    backend: Literal["embedded", "local"] | None
    """The Convex backend to which answers were deployed; null where answers are not deployed."""
    sandbox: Literal["bwrap", "docker", "none"]
    """The jail of model-written code."""
    install: Literal["linked", "npm"] | None
    """How dependencies were installed; null where answers have none."""


class Totals(Record):
    """Sums over the attempts of a run; each sum has only the known values.

    Answers that were carried over count only in the sum of grading, because another run asked for
    them.
    """

    tokens: Tokens
    """Tokens of all replies."""
    cost_usd: Sum | None
    """Cost in US dollars; null if no cost is known, or if all answers were carried over."""
    cost_known_for: Count
    """Number of attempts whose cost is known."""
    failed_tries_usd: Sum | None
    """The most that requests without a usable reply may have cost, in US dollars; null if it is not
    known for any attempt."""
    generation_s: Sum | None
    """Seconds of generation; null if no time is known."""
    generation_known_for: Count
    """Number of attempts whose generation time is known."""
    grading_s: Sum | None
    """Seconds of all steps of grading; null if no time is known."""


class RunHead(Record):
    """A run without its attempts, for lists and pages of many runs."""

    schema_version: Literal[3]
    """Version of this shape."""
    run_id: RunId
    """Id of the run, and its file name; the first 8 characters are unique within a model."""
    model: RunModel
    """The model that was asked."""
    experiment: Experiment
    """The experiment."""
    benchmark_version: BenchmarkId
    """The benchmark version, within which scores are comparable."""
    provenance: Annotated[Executed | Imported, Field(discriminator="kind")]
    """The origin of the run."""
    status: Literal["running", "completed", "aborted"]
    """`running`, `completed` after all planned attempts, or `aborted` if the run was given up."""
    date: date
    """The day on which the run began, in UTC."""
    started_at: Moment | None
    """When the run began; null if only the day was published."""
    finished_at: Moment | None
    """When the run ended; null while it is under way, and if it was not published."""
    harness: Harness | None
    """The program that ran the attempts; null for imports."""
    planned: Annotated[tuple[EvalName, ...], Field(min_length=1), AfterValidator(_share_names)]
    """The planned evals, sorted."""
    samples: Positive
    """Number of planned attempts at each eval."""
    carry_over_days: CarryOverDays | None = None
    """The greatest age of answers that the run could carry over, in days before it began; null if
    it could carry over none."""
    budget_usd: Dollars | None
    """The most that the run may cost in US dollars, including resumed parts; null without a
    budget."""
    totals: Totals
    """Sums over the attempts."""
    withdrawn: Withdrawal | None
    """The withdrawal of the run; null while the run counts."""
    published_because: OutsideText | None = None
    """The reason to publish a run that is incomplete, covers only a part of the suite, has a
    version that was not minted, or was made by a changed program; null for other runs."""
    undone_withdrawals: tuple[UndoneWithdrawal, ...] = ()
    """Withdrawals that were taken back, oldest first."""
    asked_version: LeftOut[BenchmarkId | None] = None
    """The benchmark version by which the questions were made, if the run moved from it to another;
    null if that is `benchmark_version`."""

    @property
    def key(self) -> tuple[ModelSlug, RunId]:
        """The model's slug and the run's id, by which the files of the run are called."""
        return self.model.slug, self.run_id

    @property
    def short_id(self) -> str:
        """The beginning of the id that is unique within a model, for messages and commands."""
        return self.run_id[:8]

    @property
    def day_of_import(self) -> bool:
        """Whether the date is the day of the import, because the source names none."""
        return isinstance(self.provenance, Imported) and self.provenance.day_of_import

    @property
    def began(self) -> str:
        """When the run began, in ISO 8601; only the day if no time was published."""
        return self.started_at.isoformat() if self.started_at else self.date.isoformat()

    @property
    def planned_attempts(self) -> int:
        """Number of all planned attempts."""
        return len(self.planned) * self.samples

    @property
    def changed_commit(self) -> str | None:
        """The commit of the program, if files of the program differed from it; else None."""
        commit = self.harness.git_commit if self.harness else None
        if commit is None or not commit.endswith(CHANGES):
            return None
        return commit.removesuffix(CHANGES)

    @property
    def lacks_reason(self) -> bool:
        """Whether a changed program made the run, without a recorded reason to publish it.

        No commit has such a program, so nobody can repeat the run.
        """
        return self.changed_commit is not None and self.published_because is None

    def iterate_places(self) -> Iterator[AttemptKey]:
        """Yield eval and sample of each planned attempt, in order.

        No list is made, because a record may claim more planned attempts than memory can hold.
        """
        return (
            AttemptKey(name, sample)
            for name in self.planned
            for sample in range(1, self.samples + 1)
        )


class Run(RunHead):
    """A run of one model under one experiment over planned evals and samples."""

    outdated: LeftOut[tuple[Attempt, ...]] = ()
    """Attempts of a moved run at evals whose question is another in `benchmark_version`, or that it
    lacks. They do not count, and `planned` and `totals` leave them out."""
    attempts: tuple[Attempt, ...]
    """Ordered by eval, then sample. A completed run has one for each planned eval and sample."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if not _is_ascending(self.planned):
            raise ValueError("planned must be sorted and without repeats")
        if not _is_ascending([attempt.place for attempt in self.outdated]):
            raise ValueError("outdated must be sorted by eval and sample, without repeats")
        if both := {attempt.eval for attempt in self.outdated}.intersection(self.planned):
            raise ValueError(f"outdated and planned have the same eval: {min(both)}")
        places = [(a.eval, a.sample) for a in self.attempts]
        due = self.planned_attempts
        if len(places) == due and places == list(self.iterate_places()):
            return self
        if not _is_ascending(places):
            raise ValueError("attempts must be sorted by eval and sample, without repeats")
        evals = set(self.planned)
        strays = [key for key in places if key[0] not in evals or key[1] > self.samples]
        if strays:
            raise ValueError(f"attempts that were not planned: {strays[:3]}")
        if self.status == "completed" and len(places) != due:
            tried = set(places)
            missing = (key for key in self.iterate_places() if key not in tried)
            raise ValueError(f"completed, but attempts are missing: {list(islice(missing, 3))}")
        return self

    @model_validator(mode="after")
    def _carries_over_by_its_limit(self) -> Self:
        for attempt in self.attempts:
            if (origin := attempt.carried_over) is None:
                continue
            field = f"carried_over of {attempt.eval} sample {attempt.sample}"
            if self.carry_over_days is None or self.started_at is None:
                raise ValueError(f"{field}: carry_over_days or started_at is missing")
            if origin.run == self.run_id:
                raise ValueError(f"{field}: names its own run")
            age = self.started_at - origin.asked_from
            if not timedelta() <= age <= timedelta(days=self.carry_over_days):
                raise ValueError(
                    f"{field}: asked_from must be in the {self.carry_over_days} days before the "
                    "run began"
                )
        return self

    @property
    def passed(self) -> int:
        """Number of attempts that passed."""
        return sum(attempt.outcome is Outcome.PASSED for attempt in self.attempts)

    @property
    def unjudged(self) -> int:
        """Number of planned attempts without a verdict; 0 if the run is complete."""
        return self.planned_attempts - sum(each.outcome in JUDGED for each in self.attempts)

    def build_head(self) -> RunHead:
        """Return the run without its attempts."""
        fields = {name: getattr(self, name) for name in RunHead.model_fields}
        return RunHead.model_construct(**fields)


def _is_ascending(values: Sequence[str] | Sequence[tuple[str, int]]) -> bool:
    return all(map(lt, values, values[1:]))
