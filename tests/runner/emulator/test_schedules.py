"""The state of scheduled functions and crons: runs that are canceled, overlap, or come late."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from runner.backends.backend import Backend
from runner.backends.client import BackendClient
from tests.runner.emulator.conftest import deploy_files, read_project

pytestmark = pytest.mark.integration

PROJECT = "schedules"


def list_marks(client: BackendClient, *texts: str) -> list[tuple[str, float]]:
    """Return the marks with one of these texts, each with its time in seconds."""
    marks = client.list_documents("marks")
    return [(mark["text"], mark["at"] / 1000) for mark in marks if mark["text"] in texts]


def list_jobs(client: BackendClient) -> list[tuple[str, str]]:
    """Return the function and the state of each scheduled function, in the order of scheduling."""
    return [
        (job["name"], job["state"]["kind"]) for job in client.list_documents("_scheduled_functions")
    ]


@pytest.mark.parametrize("by", ["itself", "mutation", "action"])
def test_jobs_of_a_canceled_job_are_canceled(app: BackendClient, by: str) -> None:
    """A job that is canceled while it runs ends, and what it or its calls schedule never runs."""
    job = app.call("mutation", "runs:start", {"by": by})
    app.call_control("settle")
    app.call("mutation", "runs:cancel", {"id": job})
    app.advance_to(app.read_time() + 50)
    assert list_jobs(app) == [("runs.js:scheduleLater", "canceled"), ("runs.js:mark", "canceled")]
    child = app.list_documents("_scheduled_functions")[1]
    assert child["completedTime"] == child["scheduledTime"]
    assert list_marks(app, "child") == []


@pytest.mark.parametrize("by", ["itself", "mutation", "action"])
def test_a_job_that_another_job_schedules_runs(app: BackendClient, by: str) -> None:
    """A job that nobody canceled schedules as ever."""
    app.call("mutation", "runs:start", {"by": by})
    app.advance_to(app.read_time() + 50)
    assert [text for text, _ in list_marks(app, "child")] == ["child"]


def test_a_job_that_cancels_itself_schedules_nothing(app: BackendClient) -> None:
    """A mutation sees its own cancellation when it schedules."""
    app.call("mutation", "runs:startCancelItself")
    app.call_control("settle")
    assert list_jobs(app) == [("runs.js:cancelItself", "canceled"), ("runs.js:mark", "canceled")]


def test_a_call_outside_of_jobs_schedules(app: BackendClient) -> None:
    """A canceled job stops no other call."""
    app.call(
        "mutation", "runs:cancel", {"id": app.call("mutation", "runs:start", {"by": "itself"})}
    )
    app.call("action", "runs:scheduleOutsideOfJobs")
    app.call_control("settle")
    assert [text for text, _ in list_marks(app, "child")] == ["child"]


def test_runs_of_a_cron_never_overlap(app: BackendClient) -> None:
    """After a run of 2.5 intervals, the next one is at the next time of the schedule."""
    start = app.read_time()
    app.advance_to(start + 500)
    first = list_marks(app, "begin")[0][1]
    marks = [(text, round(at - first)) for text, at in list_marks(app, "begin", "end")]
    assert marks == [("begin", 0), ("end", 150), ("begin", 180), ("end", 330), ("begin", 360)]


def test_a_run_of_a_cron_before_a_reset_has_no_next_run(app: BackendClient) -> None:
    """A run that a reset ends does not set a second timer beside the cron's new one."""
    app.advance_to(app.read_time() + 70)
    app.call_control("reset")
    app.advance_to(app.read_time() + 170)
    assert [text for text, _ in list_marks(app, "begin", "end")] == ["begin"]


CALENDAR = """
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();
CRONS
export default crons;
"""
DAY = timedelta(days=1)


def run_crons(backend: Backend, crons: str, days: int) -> tuple[datetime, list[datetime]]:
    """Run a project's crons for some days; return the beginning and the times of the marks."""
    files = {**read_project(PROJECT), "convex/crons.ts": CALENDAR.replace("CRONS", crons)}
    with deploy_files(backend, files) as deployment, BackendClient(deployment.address) as client:
        start = client.read_time()
        client.advance_to(start + days * DAY.total_seconds())
        marks = [time for _, time in list_marks(client, "begin", "mark")]
    return datetime.fromtimestamp(start, UTC), [datetime.fromtimestamp(at, UTC) for at in marks]


def test_crons_run_over_a_year(embedded: Backend) -> None:
    """A job on each month's last day of 31, and one on Wednesdays, run at all of their times."""
    start, times = run_crons(
        embedded,
        'crons.monthly("a", { day: 31, hourUTC: 0, minuteUTC: 0 }, internal.runs.mark, '
        '{ text: "mark" });'
        'crons.cron("b", "0 0 * * 3", internal.runs.mark, { text: "mark" });',
        days=365,
    )
    midnights = [
        start.replace(hour=0, minute=0, second=0, microsecond=0) + n * DAY for n in range(1, 366)
    ]
    expected = [day for day in midnights for due in (day.day == 31, day.weekday() == 2) if due]
    assert times == expected


@pytest.mark.parametrize(("hours", "apart"), [(23, 1), (24, 1), (25, 2), (72, 3)])
def test_a_daily_job_that_takes_long(embedded: Backend, hours: int, apart: int) -> None:
    """The next run is at the first time of the schedule that has not passed when a run ends."""
    cron = (
        'crons.daily("a", { hourUTC: 4, minuteUTC: 30 }, internal.runs.work, '
        f"{{ ms: {hours * 3_600_000} }});"
    )
    _, times = run_crons(embedded, cron, days=7)
    gaps = {later - earlier for earlier, later in pairwise(times)}
    assert gaps == {apart * DAY}
