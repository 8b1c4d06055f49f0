"""Time, schedule, environment and the outside world, under the control of tests."""

import threading
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from runner.backends.backend import Backend
from runner.backends.client import BackendClient, FunctionError
from runner.errors import BackendBrokenError
from runner.grading.fixtures.convex import Convex
from tests.runner.emulator.conftest import open_client, read_project
from tests.support.waiting import wait_until

pytestmark = pytest.mark.integration
CALENDAR = ("daily", "weekly", "by string")
"""Texts of the notes that the project's crons write at a time of day."""


def list_states(client: BackendClient) -> list[str]:
    """Return the states of all functions ever scheduled."""
    return [job["state"]["kind"] for job in client.list_documents("_scheduled_functions")]


def list_notes(client: BackendClient) -> list[dict[str, Any]]:
    """Return the notes that do not depend on the time of day at which the tests run."""
    return [note for note in client.list_documents("notes") if note["text"] not in CALENDAR]


def list_note_texts(client: BackendClient) -> list[str]:
    """Return the texts of these notes, oldest first."""
    return [note["text"] for note in list_notes(client)]


def test_scheduled_functions_run_at_their_own_time(controlled: BackendClient) -> None:
    """Moving time runs the jobs that fall due on the way, in order, each at its due time."""
    start = controlled.read_time()
    for ms, text in ((60_000, "second"), (30_000, "first"), (600_000, "not yet")):
        controlled.call("mutation", "notes:later", {"ms": ms, "text": text})
    controlled.advance_to(start + 120)
    assert list_note_texts(controlled) == ["first", "second"]
    times = [note["rank"] / 1000 - start for note in list_notes(controlled)]
    assert times == [pytest.approx(30, abs=5), pytest.approx(60, abs=5)]
    assert sorted(list_states(controlled)) == ["pending", "success", "success"]


def test_due_functions_run_by_themselves(controlled: BackendClient) -> None:
    """A function scheduled for now runs soon after; settling waits for it."""
    controlled.call("mutation", "notes:later", {"ms": 0, "text": "now"})
    controlled.call_control("settle")
    assert (list_note_texts(controlled), list_states(controlled)) == (["now"], ["success"])


def test_a_failed_mutation_schedules_nothing(controlled: BackendClient) -> None:
    """Scheduling is part of the transaction."""
    with pytest.raises(Exception, match="rolled back"):
        controlled.call("mutation", "notes:laterRefused")
    controlled.call_control("settle")
    assert (list_note_texts(controlled), list_states(controlled)) == ([], [])


def test_a_scheduled_function_that_throws_is_failed(controlled: BackendClient) -> None:
    """The state of the job is failed."""
    controlled.call("mutation", "notes:laterCrash")
    controlled.call_control("settle")
    assert list_states(controlled) == ["failed"]


def test_a_cancelled_function_does_not_run(controlled: BackendClient) -> None:
    """The job stays listed as canceled."""
    job = controlled.call("mutation", "notes:later", {"ms": 1000, "text": "never"})
    controlled.call("mutation", "notes:cancel", {"id": job})
    controlled.advance_to(controlled.read_time() + 10)
    assert (list_note_texts(controlled), list_states(controlled)) == ([], ["canceled"])


def test_crons_run_on_the_moved_clock(controlled: BackendClient) -> None:
    """An interval of 90 minutes runs three times in five hours."""
    controlled.advance_to(controlled.read_time() + 5 * 3600)
    assert list_note_texts(controlled).count("often") == 3


def test_a_sleeping_action_wakes_when_time_is_moved(controlled: BackendClient) -> None:
    """An action that waits an hour ends at once when the clock moves by an hour."""
    answers: list[object] = []
    call = threading.Thread(
        target=lambda: answers.append(controlled.call("action", "notes:sleepy", {"ms": 3_600_000}))
    )
    call.start()
    ends_at = time.monotonic() + 60
    while call.is_alive() and time.monotonic() < ends_at:  # it may not sleep yet
        controlled.advance_to(controlled.read_time() + 3601)
        call.join(0.3)
    assert answers == ["woke up"]


def test_fetches_are_answered_by_stubs_and_recorded(controlled: BackendClient) -> None:
    """The newest stub that fits answers as often as it may; without one there is no network."""
    Convex(controlled).stub_fetch("https://example.test/*", status=418, body=b"teapot")
    Convex(controlled).stub_fetch("https://example.test/once", body=b"once", times=1)
    ask = {"url": "https://example.test/once"}
    assert controlled.call("action", "notes:asks", ask) == {"status": 200, "body": "once"}
    assert controlled.call("action", "notes:asks", ask) == {"status": 418, "body": "teapot"}
    elsewhere = controlled.call("action", "notes:asks", {"url": "https://elsewhere.test/"})
    assert elsewhere == {"status": 0, "body": "fetch failed"}
    seen = [(fetch.method, fetch.url, fetch.body) for fetch in Convex(controlled).fetches()]
    assert seen[0] == ("POST", "https://example.test/once", b"ping")
    assert len(seen) == 3


@pytest.mark.parametrize("path", ["notes:asks", "notes:asksThroughAnother"])
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"status": 200, "body": b"late"}, {"status": 200, "body": "late"}),
        ({"fail": True}, {"status": 0, "body": "fetch failed"}),
    ],
    ids=["answer", "failure"],
)
def test_an_answer_comes_late(
    controlled: BackendClient, path: str, answer: dict[str, Any], expected: dict[str, object]
) -> None:
    """An action, also a called one, waits by the deployment's clock, and others run meanwhile."""
    Convex(controlled).stub_fetch("https://example.test/", after=3600, **answer)
    answers: list[object] = []
    ask = {"url": "https://example.test/"}
    call = threading.Thread(target=lambda: answers.append(controlled.call("action", path, ask)))
    call.start()
    ends_at = time.monotonic() + 60
    wait_until(Convex(controlled).fetches)
    start = controlled.read_time()
    controlled.advance_to(start + 1800)
    controlled.call("mutation", "notes:later", {"ms": 0, "text": "meanwhile"})
    controlled.call_control("settle")
    assert (list_note_texts(controlled), answers) == (["meanwhile"], [])
    while call.is_alive() and time.monotonic() < ends_at:
        controlled.advance_to(controlled.read_time() + 1801)
        call.join(0.3)
    assert answers == [expected]


def test_the_environment_can_be_set(controlled: BackendClient) -> None:
    """Functions see variables that were set, and the deployment's own addresses."""
    controlled.call_control("env", {"name": "GREETING", "value": "hello"})
    expected = {"GREETING": "hello", "CONVEX_SITE_URL": "http://deployment.site.convex.test"}
    for name, value in expected.items():
        assert controlled.call("query", "notes:environment", {"name": name}) == value


def test_a_reset_leaves_nothing(controlled: BackendClient) -> None:
    """Documents, files, schedule, stubs, variables and moved time are gone."""
    controlled.call("mutation", "notes:later", {"ms": 60_000, "text": "later"})
    controlled.call("mutation", "notes:add", {"text": "x", "rank": 1})
    controlled.store(b"x")
    controlled.call_control("env", {"name": "GREETING", "value": "hello"})
    Convex(controlled).stub_fetch("https://example.test/")
    controlled.advance_to(controlled.read_time() + 10)
    controlled.call_control("reset")
    assert abs(controlled.read_time() - time.time()) < 5
    assert list_note_texts(controlled) == []
    for table in ("_storage", "_scheduled_functions"):
        assert controlled.list_documents(table) == []
    assert controlled.call("query", "notes:environment", {"name": "GREETING"}) is None
    assert controlled.call("action", "notes:asks", {"url": "https://example.test/"})["status"] == 0
    controlled.advance_to(controlled.read_time() + 70)
    assert list_note_texts(controlled) == []


def test_limits_can_be_lowered(controlled: BackendClient) -> None:
    """A transaction over a lower limit fails as at the real limit, until a reset."""
    controlled.insert("notes", [{"text": f"{n}", "rank": n} for n in range(5)])
    controlled.call_control("limits", {"documentsRead": 4})
    with pytest.raises(FunctionError, match=r"Too many documents read .*limit: 4\)"):
        controlled.call("query", "notes:list", {})
    assert len(controlled.list_documents("notes")) == 5
    controlled.call_control("reset")
    controlled.insert("notes", [{"text": f"{n}", "rank": n} for n in range(5)])
    assert len(controlled.call("query", "notes:list", {})) == 5


def test_limits_cannot_be_raised(controlled: BackendClient) -> None:
    """The limits of the real backend stay in force, and unknown names are refused."""
    assert (
        controlled.call_control("limits", {"documentsWritten": 10**9})["documentsWritten"] == 16_000
    )
    with pytest.raises(BackendBrokenError, match="There is no limit called sleep"):
        controlled.call_control("limits", {"sleep": 1})


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


SCHEDULES = """
import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();
CRONS
export default crons;
"""
DAY = timedelta(days=1)


def run_crons(backend: Backend, crons: str, days: int) -> tuple[datetime, list[datetime]]:
    """Run a project's crons for some days; return the beginning and the times of the marks."""
    files = {**read_project(PROJECT), "convex/crons.ts": SCHEDULES.replace("CRONS", crons)}
    with open_client(backend, files) as client:
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
