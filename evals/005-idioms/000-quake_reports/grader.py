# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Reports of earthquakes: verified by an outside service, and by nobody who calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

SERVICE = "https://verify.quakes.test/check"
PUBLIC = {"reports:submit", "reports:list", "reports:recheck"}
REPORT = {"station": "Húsavík 3", "magnitude": 4.25}


def answering(convex: Convex, *, plausible: object) -> None:
    """Let the service answer every question so."""
    convex.stub_fetch(SERVICE, method="POST", json={"plausible": plausible})


def submit(convex: Convex, **changes: float) -> str:
    """Submit a report as anybody can, let its verification happen, and return the id."""
    report = convex.mutation("reports:submit", {**REPORT, **changes})
    assert isinstance(report, str)
    convex.settle()
    return report


def status(convex: Convex, report: str) -> object:
    """Return a report's status as it is stored."""
    document = convex.document("reports", report)
    assert document is not None
    return document["status"]


def listed(convex: Convex) -> list[Any]:
    """Return the list as anybody sees it."""
    reports = convex.query("reports:list")
    assert isinstance(reports, list)
    return cast("list[Any]", reports)


def test_a_submitted_report_is_stored(convex: Convex) -> None:
    """The report has what was submitted, and its id is returned."""
    answering(convex, plausible=True)
    report = submit(convex)
    (document,) = convex.table("reports")
    assert document["_id"] == report
    assert {name: document[name] for name in REPORT} == REPORT


def test_a_plausible_report_is_confirmed(convex: Convex) -> None:
    """After submitting, without anything more being called, the report is confirmed."""
    answering(convex, plausible=True)
    assert status(convex, submit(convex)) == "confirmed"


def test_an_implausible_report_is_rejected(convex: Convex) -> None:
    """A report that the service does not find plausible is rejected."""
    answering(convex, plausible=False)
    assert status(convex, submit(convex)) == "rejected"


def test_the_service_is_asked_once_with_exactly_the_report(convex: Convex) -> None:
    """One POST request with station and magnitude as JSON, and nothing else of the report."""
    answering(convex, plausible=True)
    submit(convex, magnitude=-0.5)
    (fetch,) = convex.fetches()
    headers = {name.lower(): value for name, value in fetch.headers.items()}
    assert (fetch.method, fetch.url) == ("POST", SERVICE)
    assert headers["content-type"].startswith("application/json")
    assert json.loads(fetch.body or "") == {**REPORT, "magnitude": -0.5}


def test_the_verification_belongs_to_the_report(convex: Convex) -> None:
    """What runs in the background is scheduled with the report, and closed to the outside."""
    answering(convex, plausible=True)
    submit(convex)
    (job,) = convex.scheduled()
    assert convex.functions[job.path].visibility == "internal"


def test_without_a_report_there_is_no_verification(convex: Convex) -> None:
    """A call that is refused stores nothing, schedules nothing and asks nobody."""
    answering(convex, plausible=True)
    for args in ({}, {"station": "Húsavík 3"}, {**REPORT, "magnitude": "strong"}):
        with pytest.raises(FunctionFailed):
            convex.mutation("reports:submit", args)
    convex.settle()
    assert convex.table("reports") == []
    assert convex.scheduled() == []
    assert convex.fetches() == []


@pytest.mark.parametrize(
    "reply",
    [
        {"status": 500, "json": {"plausible": True}},
        {"status": 404, "body": "gone"},
        {"status": 201, "json": {"plausible": True}},
        {"body": "plausible"},
        {"json": {"verdict": "plausible"}},
        {"json": {"plausible": "true"}},
        {"json": None, "body": "null"},
    ],
    ids=[
        "server_error",
        "not_found",
        "created",
        "no_json",
        "no_verdict",
        "verdict_as_text",
        "null",
    ],
)
def test_what_is_no_answer_leaves_a_report_unverified(
    convex: Convex, reply: dict[str, Any]
) -> None:
    """Another status or another body than agreed is no answer: the report is unverified."""
    convex.stub_fetch(SERVICE, method="POST", **reply)
    assert status(convex, submit(convex)) == "unverified"


def test_no_connection_leaves_a_report_unverified(convex: Convex) -> None:
    """If the service cannot be reached, the report is unverified."""
    convex.stub_fetch(SERVICE, method="POST", fail=True)
    assert status(convex, submit(convex)) == "unverified"


@pytest.mark.parametrize(
    ("plausible", "expected"), [(True, "confirmed"), (False, "rejected"), (None, "unverified")]
)
def test_a_recheck_returns_and_stores_the_new_status(
    convex: Convex, plausible: object, expected: str
) -> None:
    """Whatever the status was, it becomes what the service says now, and only for that report."""
    answering(convex, plausible=plausible)
    other = convex.insert("reports", {**REPORT, "status": "pending"})
    for before in ("pending", "confirmed", "rejected", "unverified"):
        report = convex.insert("reports", {**REPORT, "status": before})
        assert convex.action("reports:recheck", {"id": report}) == expected
        assert status(convex, report) == expected
    assert status(convex, other) == "pending"


def test_a_recheck_of_a_report_that_is_gone(convex: Convex) -> None:
    """The result is null, nobody is asked, and nothing is written."""
    report = convex.insert("reports", {**REPORT, "status": "pending"})
    convex.clear()
    answering(convex, plausible=True)
    assert convex.action("reports:recheck", {"id": report}) is None
    assert convex.fetches() == []
    assert convex.table("reports") == []


def test_the_list_is_newest_first(convex: Convex) -> None:
    """The newest report comes first, each with exactly its four fields."""
    stations = ["Grímsey", "Flatey", "Kópasker"]
    ids = [
        convex.insert("reports", {"station": name, "magnitude": 2.0, "status": "rejected"})
        for name in stations
    ]
    expected = [
        {"_id": report, "station": name, "magnitude": 2.0, "status": "rejected"}
        for report, name in zip(ids, stations, strict=True)
    ]
    assert listed(convex) == expected[::-1]


def test_the_list_ends_after_fifty(convex: Convex) -> None:
    """However many reports there are, the 50 newest are listed."""
    reports = [{**REPORT, "magnitude": n / 10, "status": "confirmed"} for n in range(120)]
    ids = convex.insert_many("reports", reports)
    assert [report["_id"] for report in listed(convex)] == ids[:69:-1]


def test_an_empty_list(convex: Convex) -> None:
    """Without reports the list is empty."""
    assert listed(convex) == []


def test_nothing_else_can_be_called_from_outside(convex: Convex) -> None:
    """Three functions are public; all others refuse a caller, whatever they do."""
    public = {path for path, found in convex.functions.items() if found.visibility == "public"}
    assert public == PUBLIC
    report = convex.insert("reports", {**REPORT, "status": "pending"})
    for path in set(convex.functions) - PUBLIC:
        for attempt in (convex.query, convex.mutation, convex.action):
            with pytest.raises(FunctionFailed):
                attempt(path, {"id": report, "status": "confirmed"})
    assert status(convex, report) == "pending"


def test_a_status_cannot_be_submitted(convex: Convex) -> None:
    """A call that brings a status, or a verdict, is refused."""
    for extra in ({"status": "confirmed"}, {"plausible": True}, {"id": "x"}):
        with pytest.raises(FunctionFailed):
            convex.mutation("reports:submit", {**REPORT, **extra})
    assert convex.table("reports") == []


def test_a_recheck_cannot_be_told_its_result(convex: Convex) -> None:
    """A recheck takes an id and nothing else."""
    answering(convex, plausible=False)
    report = convex.insert("reports", {**REPORT, "status": "pending"})
    for extra in ({"status": "confirmed"}, {"plausible": True}):
        with pytest.raises(FunctionFailed):
            convex.action("reports:recheck", {"id": report, **extra})
    assert status(convex, report) == "pending"


def test_other_statuses_cannot_be_stored(convex: Convex) -> None:
    """The schema admits the four statuses and no others."""
    with pytest.raises(FunctionFailed):
        convex.insert("reports", {**REPORT, "status": "plausible"})
    with pytest.raises(FunctionFailed):
        convex.insert("reports", REPORT)


@pytest.mark.parametrize("wrong", [{"station": 3.0}, {"magnitude": "strong"}])
def test_reports_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """A station that is no text, or a magnitude that is no number, is refused everywhere."""
    convex.insert("reports", {**REPORT, "status": "pending"})
    with pytest.raises(FunctionFailed):
        convex.insert("reports", {**REPORT, "status": "pending", **wrong})
    with pytest.raises(FunctionFailed):
        convex.mutation("reports:submit", {**REPORT, **wrong})
    assert len(convex.table("reports")) == 1
