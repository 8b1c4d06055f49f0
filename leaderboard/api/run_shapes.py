"""The shapes of runs in requests and answers of the API, for the OpenAPI document, too.

A body of the right shape always gives a valid record. Values that could contradict the rest of a
record, such as sums or the day of a run, are not sent: `make_empty_run` computes them.
"""

from datetime import date
from typing import Annotated, Any, Final, Literal

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
from records.shapes.totals import compute_run_totals

Channel = Literal["production", "development"]
"""production for published records, development for runs that git ignores."""

MOST_SAMPLES: Final = 100
MOST_EVALS: Final = 1000


def _sorted_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise ValueError("must not repeat")
    return tuple(sorted(names))


class RunStart(Record):
    """The plan of a run that begins or goes on on another machine."""

    channel: Channel
    """The channel of the runner: production with --publish, else development."""
    run_id: RunId
    """The id, which the runner has chosen; to send the same start again changes nothing."""
    model: RunModel
    """The model that is asked."""
    experiment: Experiment
    """The experiment."""
    benchmark_version: BenchmarkId
    """The benchmark version, which the server must have."""
    started_at: Moment
    """The time of the start."""
    harness: Harness
    """The program that runs the attempts."""
    planned: Annotated[
        tuple[EvalName, ...],
        Field(min_length=1, max_length=MOST_EVALS, json_schema_extra={"uniqueItems": True}),
        AfterValidator(_sorted_once),
    ]
    """The planned evals."""
    samples: Annotated[int, Field(ge=1, le=MOST_SAMPLES)]
    """The number of attempts at each eval."""
    budget_usd: Dollars | None
    """The most that the run may cost, in US dollars; null if no budget is set."""
    carry_over_days: CarryOverDays | None = None
    """The greatest age, in days, of answers that the run carries over from earlier runs; null if
    it carries over none."""


class RunEnd(Record):
    """The end of a run, which need not have all of its attempts."""

    finished_at: Moment
    """The time of the end."""


class ReceivedDigest(Record):
    """An attempt that the server has on its disk."""

    eval: EvalName
    """The eval."""
    sample: Annotated[int, Field(ge=1)]
    """The number of the sample, from 1."""
    digest: Digest
    """The SHA-256 of the attempt's record."""


class RunBrief(Record):
    """A run in short."""

    run_id: RunId
    """The id of the run."""
    channel: Channel
    """The channel of the run."""
    model: ModelSlug
    """The model that was asked."""
    experiment: ExperimentName
    """The experiment."""
    benchmark_version: BenchmarkId
    """The benchmark version; scores are comparable only within a version."""
    status: Literal["receiving", "running", "completed", "aborted"]
    """The status; receiving until the runner reports the end of the run."""
    date: date
    """The day on which the run began, UTC."""
    started_at: Moment | None
    """The time of the start; null if only the day was published."""
    planned: Annotated[int, Field(ge=1)]
    """The number of planned attempts."""
    received: Annotated[int, Field(ge=0)]
    """The number of attempts on the server's disk."""
    passed: Annotated[int, Field(ge=0)]
    """The number of attempts that passed."""
    failed: Annotated[int, Field(ge=0)]
    """The number of attempts at which the model failed."""
    published_because: OutsideText | None = None
    """The reason why the run was published although readers could not rely on it; null if they can,
    or if it is not published."""


class RunState(RunBrief):
    """A run with its attempts on the server."""

    attempts: tuple[ReceivedDigest, ...]
    """The attempts on the server's disk, sorted."""
    sent_by: Name | None
    """The name of the key with which the run was begun; null if the run has ended, or was not sent
    through the API."""


class RunList(Record):
    """Runs, the newest first."""

    runs: tuple[RunBrief, ...]
    """A page of the runs."""
    after: RunId | None
    """The `after` of the next page; null at the end."""


class AttemptReceipt(Record):
    """The receipt for an attempt, which is on the server's disk."""

    digest: Digest
    """The SHA-256 of the attempt's record."""


class ApiProblem(Record):
    """The reason why a request was refused. Nothing was written."""

    error: str
    """The reason, in words."""
    parameter: str | None = None
    """The wrong parameter, header or field; null for other reasons."""


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
