"""Shapes of runs in requests and answers of the API, which the OpenAPI document is made of.

A body that fits its shape makes a valid record: values that could contradict the rest of a record,
such as sums or the day of a run, are computed by `begun`.
"""

from datetime import date
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from records.shapes.base import (
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
)
from records.shapes.run import (
    RUN_VERSION,
    CarryOverDays,
    Executed,
    Experiment,
    Harness,
    Run,
    RunModel,
)
from records.shapes.totals import totals

Channel = Literal["production", "development"]
"""Whether runs are published records, or development runs that git ignores."""

MOST_SAMPLES: Final = 100
MOST_EVALS: Final = 1000


def _sorted_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise ValueError("must not repeat")
    return tuple(sorted(names))


class RunStart(Record):
    """A run that begins or goes on elsewhere, and its plan."""

    channel: Channel
    """The runner's channel: production with --publish, else development."""
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
    """The program that runs the attempts."""
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


class RunEnd(Record):
    """A run has ended, with all of its attempts or fewer."""

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
    """The benchmark version within which its scores are comparable."""
    status: Literal["receiving", "running", "completed", "aborted"]
    """receiving until its runner ends it."""
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
    """The `after` of the next page; null at the end."""


class AttemptReceipt(Record):
    """An attempt is on the server's disk."""

    digest: Digest
    """SHA-256 of the attempt as it is recorded."""


class ApiProblem(Record):
    """Why a request was refused; nothing was written."""

    error: str
    """The reason, in words."""
    parameter: str | None = None
    """The wrong parameter, header or field; null for other reasons."""


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
    """Return the body by which a runner begins ``run``.

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
