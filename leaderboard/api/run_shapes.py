"""The shapes of runs in requests and answers of the API, for the OpenAPI document, too.

A body of the right shape always gives a valid record. The sums and the day of a run, which could
contradict the rest, are not sent: `make_empty_run` computes them.
"""

import re
from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from generator.tables.run_columns import ListedOfRun
from records.archives import archive
from records.shapes import base
from records.shapes.attempt import Attempt, Outcome
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

CHANNELS: Sequence[Channel] = ("production", "development")
MOST_SAMPLES = 100
MOST_EVALS = 1000


def _check_digits(value: str | int) -> str | int:
    if re.fullmatch(r"[1-9][0-9]{0,8}", str(value)) is None:
        raise ValueError("must be a whole number from 1 on")
    return value


DIGITS = BeforeValidator(_check_digits)
"""The check that a parameter is a whole number in digits only."""


def _sorted_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise ValueError("must not repeat")
    return tuple(sorted(names))


class RunStart(base.Record):
    """The plan of a run that begins or goes on on another machine."""

    channel: Channel
    """The channel of the runner: production with --publish, else development."""
    run_id: base.RunId
    """The id, which the runner has chosen; to send the same start again changes nothing."""
    model: RunModel
    """The model that is asked."""
    experiment: Experiment
    """The experiment."""
    benchmark_version: base.BenchmarkId
    """The benchmark version, which the server must have."""
    started_at: base.Moment
    """The time of the start."""
    harness: Harness
    """The program that runs the attempts."""
    planned: Annotated[
        tuple[base.EvalName, ...],
        Field(min_length=1, max_length=MOST_EVALS, json_schema_extra={"uniqueItems": True}),
        AfterValidator(_sorted_once),
    ]
    """The planned evals."""
    samples: Annotated[int, Field(ge=1, le=MOST_SAMPLES)]
    """The number of attempts at each eval."""
    budget_usd: base.Dollars | None
    """The most that the run may cost, in US dollars; null if no budget is set."""
    carry_over_days: CarryOverDays | None = None
    """The greatest age, in days, of answers that the run carries over from earlier runs; null if
    it carries over none."""


class RunEnd(base.Record):
    """The end of a run, which need not have all of its attempts."""

    finished_at: base.Moment
    """The time of the end."""


class ReceivedDigest(base.Record):
    """An attempt that the server has on its disk."""

    eval: base.EvalName
    """The eval."""
    sample: Annotated[int, Field(ge=1)]
    """The number of the sample, from 1."""
    digest: base.Digest
    """The SHA-256 of the attempt's record."""


class RunCounts(base.Record):
    """A run with the counts of its attempts."""

    run_id: base.RunId
    """The id of the run."""
    channel: Channel
    """The channel of the run."""
    model: base.ModelSlug
    """The model that was asked."""
    experiment: base.ExperimentName
    """The experiment."""
    benchmark_version: base.BenchmarkId
    """The benchmark version; scores are comparable only within a version."""
    status: Literal["receiving", "running", "completed", "aborted"]
    """The status; receiving until the runner reports the end of the run."""
    date: date
    """The day on which the run began, UTC."""
    started_at: base.Moment | None
    """The time of the start; null if only the day was published."""
    planned: Annotated[int, Field(ge=1)]
    """The number of planned attempts."""
    received: Annotated[int, Field(ge=0)]
    """The number of attempts on the server's disk."""
    passed: Annotated[int, Field(ge=0)]
    """The number of attempts that passed."""
    failed: Annotated[int, Field(ge=0)]
    """The number of attempts at which the model failed."""


class RunBrief(ListedOfRun, RunCounts):
    """A run in short."""


class RunState(RunBrief):
    """A run with its attempts on the server."""

    attempts: tuple[ReceivedDigest, ...]
    """The attempts on the server's disk, sorted."""
    sent_by: base.Name | None
    """The name of the key with which the run was begun; null if the run has ended, or was not sent
    through the API."""


class RunList(base.Record):
    """Runs, the newest first."""

    runs: tuple[RunBrief, ...]
    """A page of the runs."""
    after: base.RunId | None
    """The `after` of the next page; null at the end."""


class ApiProblem(base.Record):
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


class SentAttempt(base.Record):
    """An attempt with its artifact, as they are sent and as the inbox holds them."""

    attempt: Attempt
    """The attempt, as it will be recorded. An attempt that was not run is only sent if its requests
    have cost something."""
    kept: archive.AttemptArtifact | None
    """The artifact; null if the attempt was not run."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        attempt, kept = self.attempt, self.kept
        if (kept is None) is not (attempt.outcome is Outcome.NOT_RUN):
            raise ValueError("kept is null exactly when the outcome is not_run")
        if kept is None:
            if attempt.key is not None or attempt.artifact is not None:
                raise ValueError("key and artifact are null when the outcome is not_run")
            return self
        if attempt.place != (kept.eval, kept.sample):
            raise ValueError("kept is of another attempt")
        if why := archive.find_contradiction(attempt, kept):
            raise ValueError(f"kept {why} the attempt names")
        names = [f"{kept.eval}/{kept.sample}/{inner}" for inner in kept.encode_members()]
        if len(names) > archive.MOST_MEMBERS or not all(map(archive.parse_member, names)):
            raise ValueError("kept has a file or log that no archive may hold, or too many")
        return self


def compute_attempt_digest(attempt: Attempt) -> str:
    """Return the SHA-256 of an attempt, in hex, by which runner and server compare it."""
    return sha256(attempt.model_dump_json().encode()).hexdigest()
