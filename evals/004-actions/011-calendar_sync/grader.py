# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Calendars that follow those of a service, page by page, while users change their events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from runner.grader import Convex

KALENDO = "https://api.kalendo.test/v1"
MINUTE = 60
HOUR = 3600
DAY_MS = 24 * HOUR * 1000
MINUTE_MS = 60_000
NEVER = 90 * MINUTE
LOST: dict[str, dict[str, Any]] = {
    "no_answer": {"fail": True},
    "overload": {"status": 503, "body": "<html>busy</html>"},
}


@dataclass(frozen=True)
class Planner:
    """The planner, as a signed-in user sees it."""

    convex: Convex
    user: Convex
    monday: float

    def connect(self, remote: str) -> str:
        """Connect a calendar, and wait for what is due at once."""
        args = {"name": remote.title(), "remote": remote}
        calendar: str = self.user.mutation("calendars:connect", args)
        self.convex.clock.advance(1)
        return calendar

    def sync(self, calendar: str) -> None:
        """Press the button, and wait for what is due at once."""
        self.user.mutation("sync:now", {"calendar": calendar})
        self.convex.clock.advance(1)

    def event(self, name: str, version: int = 1, *, hour: float = 9, **changes: Any) -> Any:  # noqa: ANN401 - JSON
        """Return an event as Kalendo lists it; it takes an hour."""
        start = self.monday + hour * HOUR * 1000
        return {
            "id": name,
            "version": version,
            "title": name.title(),
            "start": start,
            "end": start + HOUR * 1000,
            **changes,
        }

    def week(self) -> dict[str, dict[str, Any]]:
        """Return the events of the week by title; each title must be there once."""
        events = self.user.query("events:week", {"from": self.monday})
        by_title = {event["title"]: event for event in events}
        assert len(by_title) == len(events), [event["title"] for event in events]
        return by_title

    def titles(self, calendar: str | None = None) -> set[str]:
        """Return the titles of the week's events."""
        return {
            title
            for title, event in self.week().items()
            if calendar is None or event["calendar"] == calendar
        }

    def change(self, title: str, /, **change: Any) -> None:  # noqa: ANN401 - arguments
        """Change an event."""
        self.user.mutation("events:update", {"event": self.week()[title]["id"], **change})

    def remove(self, title: str) -> None:
        """Remove an event."""
        self.user.mutation("events:remove", {"event": self.week()[title]["id"]})

    def note(self, title: str, text: str) -> None:
        """Add a note to an event."""
        self.user.mutation("notes:add", {"event": self.week()[title]["id"], "text": text})

    def notes(self, title: str) -> list[str]:
        """Return the notes of an event."""
        return self.user.query("notes:list", {"event": self.week()[title]["id"]})

    def busy(self) -> float:
        """Return the busy minutes of all days."""
        return sum(row["minutes"] for row in self.convex.table("busy"))


def open_planner(convex: Convex, user: str = "ada") -> Planner:
    """Open the planner of a user, beside a service that does not answer."""
    monday = (convex.clock.now() * 1000 // DAY_MS + 2) * DAY_MS
    return Planner(convex, convex.as_user(user), monday)


def answer(convex: Convex, calendar: str, query: str, *events: Any, **fields: Any) -> None:  # noqa: ANN401 - JSON
    """Answer the request for events with this query string; fields are those of the page."""
    reply = {name: fields.pop(name) for name in ("after", "times", "status") if name in fields}
    content = {"events": list(events), **fields}
    for address in {query, query or "?"}:
        url = f"{KALENDO}/calendars/{calendar}/events{address}"
        convex.stub_fetch(url, method="GET", json=content, **reply)


def lose(convex: Convex, calendar: str, query: str, **reply: Any) -> None:  # noqa: ANN401 - parts of an answer
    """Let requests for events with this query string fail."""
    convex.stub_fetch(f"{KALENDO}/calendars/{calendar}/events{query}", method="GET", **reply)


def answer_change(convex: Convex, method: str, name: str, **reply: Any) -> None:  # noqa: ANN401 - parts of an answer
    """Answer the request to change or delete an event."""
    convex.stub_fetch(f"{KALENDO}/events/{name}", method=method, **reply)


def reads(convex: Convex) -> list[str]:
    """Return the calendars and query strings of all requests for events."""
    start = f"{KALENDO}/calendars/"
    return [
        fetch.url.removeprefix(start).replace("/events", "").removesuffix("?")
        for fetch in convex.fetches()
        if fetch.method == "GET"
    ]


def told(convex: Convex) -> list[tuple[str, str, Any]]:
    """Return the method, event and title of all requests that change events."""
    return [
        (
            fetch.method,
            fetch.url.removeprefix(f"{KALENDO}/events/"),
            json.loads(fetch.body)["title"] if fetch.body else None,
        )
        for fetch in convex.fetches()
        if fetch.method != "GET"
    ]


def test_only_changes_are_read(convex: Convex) -> None:
    """After the first sync only changes are read: new, changed and deleted events, page by page."""
    planner = open_planner(convex)
    answer(convex, "work", "", planner.event("standup"), planner.event("review"), nextPage="p&2")
    answer(convex, "work", "?page=p%262", planner.event("lunch", hour=12), nextSync="s+1")
    calendar = planner.connect("work")
    assert planner.titles(calendar) == {"Standup", "Review", "Lunch"}
    assert planner.busy() == 180
    planner.note("Standup", "Bring coffee")
    planner.note("Review", "Ask Bob")
    changed = planner.event("standup", 2, title="Daily", hour=10)
    answer(convex, "work", "?since=s%2B1", changed, nextPage="p3")
    deleted = {"id": "review", "version": 2, "deleted": True}
    answer(convex, "work", "?page=p3", deleted, planner.event("demo"), nextSync="s2")
    planner.sync(calendar)
    assert planner.titles(calendar) == {"Daily", "Lunch", "Demo"}
    assert planner.notes("Daily") == ["Bring coffee"]
    assert planner.week()["Daily"]["start"] == changed["start"]
    assert len(convex.table("notes")) == 1
    assert (planner.busy(), len(convex.table("reminders"))) == (180, 3)
    answer(convex, "work", "?since=s2", nextSync="s3")
    convex.clock.advance(16 * MINUTE)
    assert planner.titles() == {"Daily", "Lunch", "Demo"}
    pages = ["work", "work?page=p%262", "work?since=s%2B1", "work?page=p3", "work?since=s2"]
    assert reads(convex) == pages
    assert told(convex) == []


@pytest.mark.parametrize("reply", LOST.values(), ids=LOST.keys())
def test_a_lost_page_loses_nothing(convex: Convex, reply: dict[str, Any]) -> None:
    """A sync that breaks off at a page is made up for by the next one."""
    planner = open_planner(convex)
    answer(convex, "work", "", planner.event("standup"), nextSync="s1")
    calendar = planner.connect("work")
    answer(convex, "work", "?since=s1", planner.event("review"), nextPage="p2")
    answer(convex, "work", "?page=p2", planner.event("lunch"), nextSync="s2")
    lose(convex, "work", "?page=p2", times=1, **reply)
    answer(convex, "work", "?since=s2", nextSync="s3")
    planner.sync(calendar)
    assert "Lunch" not in planner.titles()
    planner.sync(calendar)
    convex.clock.advance(16 * MINUTE)
    assert planner.titles(calendar) == {"Standup", "Review", "Lunch"}
    assert planner.busy() == 180


def test_an_expired_token_reads_all(convex: Convex) -> None:
    """If Kalendo has forgotten the token, all is read; only what is gone there is removed."""
    planner = open_planner(convex)
    own = planner.user.mutation("calendars:add", {"name": "Mine"})
    times = {"start": planner.monday, "end": planner.monday + HOUR * 1000}
    planner.user.mutation("events:create", {"calendar": own, "title": "Private", **times})
    answer(convex, "club", "", planner.event("dance"), nextSync="c1")
    planner.connect("club")
    events = [planner.event(name) for name in ("standup", "review", "lunch")]
    answer(convex, "work", "", *events, nextSync="s1")
    calendar = planner.connect("work")
    for title in ("Standup", "Review", "Lunch"):
        planner.note(title, f"Note on {title}")
    lose(convex, "work", "?since=s1", status=410, json={"error": "too old"})
    answer(convex, "work", "", planner.event("lunch", 3, title="Brunch"), nextPage="p2")
    lose(convex, "work", "?page=p2", fail=True)
    planner.sync(calendar)
    assert {"Standup", "Review"} <= planner.titles(calendar)
    answer(convex, "work", "?page=p2", planner.event("standup"), nextSync="s9")
    answer(convex, "work", "?since=s9", nextSync="s10")
    answer(convex, "club", "?since=c1", nextSync="c1")
    planner.sync(calendar)
    assert planner.titles(calendar) == {"Standup", "Brunch"}
    assert planner.titles() == {"Standup", "Brunch", "Private", "Dance"}
    assert planner.notes("Standup") == ["Note on Standup"]
    assert planner.notes("Brunch") == ["Note on Lunch"]
    assert planner.busy() == 240
    # An answer may have read with the new token already, to see what moved meanwhile.
    for token in ("s9", "s10"):
        answer(convex, "work", f"?since={token}", planner.event("demo"), nextSync="s11")
    planner.sync(calendar)
    assert planner.titles(calendar) == {"Standup", "Brunch", "Demo"}
    assert told(convex) == []


def test_an_older_version_is_left_out(convex: Convex) -> None:
    """An event that comes twice keeps its newest version, whatever comes last."""
    planner = open_planner(convex)
    newest = planner.event("standup", 5, title="Daily", hour=11)
    answer(convex, "work", "", newest, nextPage="p2")
    answer(convex, "work", "?page=p2", planner.event("standup", 4), nextSync="s1")
    calendar = planner.connect("work")
    assert planner.titles(calendar) == {"Daily"}
    assert planner.week()["Daily"]["start"] == newest["start"]


@pytest.mark.parametrize("first", ["left", "entered"])
@pytest.mark.parametrize("full", [False, True], ids=["changes", "all_again"])
def test_a_move_keeps_the_event(convex: Convex, first: str, full: bool) -> None:  # noqa: FBT001 - a case
    """An event that moves to another connected calendar is there once, with its notes."""
    planner = open_planner(convex)
    answer(convex, "work", "", planner.event("standup"), planner.event("lunch"), nextSync="s1")
    answer(convex, "club", "", planner.event("dance"), nextSync="c1")
    work, club = planner.connect("work"), planner.connect("club")
    planner.note("Lunch", "Book a table")
    leaving_event = {"id": "lunch", "version": 2, "deleted": True, "movedTo": "club"}
    answer(convex, "work", "?since=s1", leaving_event, nextSync="s2")
    moved = planner.event("lunch", 2)
    if full:
        lose(convex, "club", "?since=c1", status=410, json={"error": "too old"})
        answer(convex, "club", "", planner.event("dance"), moved, nextSync="c2")
    else:
        answer(convex, "club", "?since=c1", moved, nextSync="c2")
    for calendar in [work, club] if first == "left" else [club, work]:
        planner.sync(calendar)
    assert planner.titles(work) == {"Standup"}
    assert planner.titles(club) == {"Dance", "Lunch"}
    assert planner.notes("Lunch") == ["Book a table"]
    assert planner.busy() == 180


def test_a_move_meets_a_full_sync(convex: Convex) -> None:
    """What comes to a calendar while all of it is read is not taken for gone."""
    planner = open_planner(convex)
    answer(convex, "work", "", planner.event("lunch"), nextSync="s1")
    answer(convex, "club", "", planner.event("dance"), nextSync="c1")
    work, club = planner.connect("work"), planner.connect("club")
    planner.note("Lunch", "Book a table")
    lose(convex, "club", "?since=c1", status=410, json={"error": "too old"})
    answer(convex, "club", "", nextPage="p2")
    answer(convex, "club", "?page=p2", planner.event("dance"), nextSync="c2", after=9)
    planner.sync(club)
    convex.clock.advance(1)
    leaving_event = {"id": "lunch", "version": 2, "deleted": True, "movedTo": "club"}
    answer(convex, "work", "?since=s1", leaving_event, nextSync="s2")
    planner.sync(work)
    convex.clock.advance(10)
    answer(convex, "club", "?since=c2", planner.event("lunch", 2), nextSync="c3")
    planner.sync(club)
    assert planner.titles(club) == {"Dance", "Lunch"}
    assert planner.notes("Lunch") == ["Book a table"]


def test_a_second_start_does_nothing(convex: Convex) -> None:
    """While a calendar is synced, another start reads nothing; another calendar is free."""
    planner = open_planner(convex)
    answer(convex, "work", "", planner.event("standup"), nextSync="s1", after=9)
    answer(convex, "club", "", planner.event("dance"), nextSync="c1")
    calendar = planner.connect("work")
    for _ in range(2):
        planner.sync(calendar)
        convex.clock.advance(1)
    planner.connect("club")
    assert planner.titles() == {"Dance"}
    convex.clock.advance(10)
    assert planner.titles() == {"Dance", "Standup"}
    assert reads(convex) == ["work", "club"]
    answer(convex, "work", "?since=s1", planner.event("review"), nextSync="s2")
    planner.sync(calendar)
    assert planner.titles(calendar) == {"Standup", "Review"}


def test_a_lost_run_changes_nothing(convex: Convex) -> None:
    """A run without an answer does not block the calendar, and its late answer is dropped."""
    planner = open_planner(convex)
    answer(convex, "work", "", planner.event("standup"), nextSync="s1")
    calendar = planner.connect("work")
    answer(convex, "work", "?since=s1", planner.event("ghost"), nextSync="s2", after=40 * MINUTE)
    planner.sync(calendar)
    answer(convex, "work", "?since=s1", planner.event("standup", 3, title="Daily"), nextSync="s5")
    answer(convex, "work", "?since=s5", planner.event("review"), nextSync="s6")
    answer(convex, "work", "?since=s6", nextSync="s6")
    convex.clock.advance(33 * MINUTE)
    assert planner.titles() == {"Daily"}
    convex.clock.advance(9 * MINUTE)
    planner.sync(calendar)
    assert planner.titles() == {"Daily", "Review"}
    assert "work?since=s2" not in reads(convex)


def test_a_change_is_told_once(convex: Convex) -> None:
    """What users change, shift or remove goes to Kalendo, and after its answer not again."""
    planner = open_planner(convex)
    names = ("standup", "review", "lunch")
    early = planner.event("early", hour=24)
    answer(convex, "work", "", early, *map(planner.event, names), nextSync="s1")
    planner.connect("work")
    for name in names:
        answer_change(convex, "PUT", name, json={"id": name, "version": 2})
    answer_change(convex, "DELETE", "lunch", json={"id": "lunch", "version": 2})
    own = planner.user.mutation("calendars:add", {"name": "Mine"})
    start = planner.monday + 9 * HOUR * 1000
    times = {"start": start, "end": start + HOUR * 1000}
    planner.user.mutation("events:create", {"calendar": own, "title": "Private", **times})
    planner.change("Standup", title="Daily")
    planner.remove("Lunch")
    convex.clock.advance(1)
    assert len(told(convex)) == 2
    assert set(told(convex)) == {("DELETE", "lunch", None), ("PUT", "standup", "Daily")}
    shift = {"from": start, "minutes": 30}
    assert planner.user.mutation("tools/shift:restOfDay", shift) == 3
    planner.change("Private", title="Secret")
    planner.remove("Secret")
    convex.clock.advance(1)
    assert sorted(told(convex)[2:]) == [("PUT", "review", "Review"), ("PUT", "standup", "Daily")]
    bodies = [json.loads(fetch.body) for fetch in convex.fetches() if fetch.method == "PUT"]
    assert bodies[-1]["start"] == start + 30 * MINUTE_MS
    assert bodies[-1]["end"] == start + 90 * MINUTE_MS
    lunch = {"id": "lunch", "version": 2, "deleted": True}
    shifted = [planner.event(name, 3, hour=9.5) for name in ("review", "standup")]
    shifted[1]["title"] = "Daily"
    answer(convex, "work", "?since=s1", lunch, *shifted, nextSync="s2")
    answer(convex, "work", "?since=s2", nextSync="s2")
    convex.clock.advance(40 * MINUTE)
    assert planner.titles() == {"Daily", "Review", "Early"}
    assert len(told(convex)) == 4


@pytest.mark.parametrize("reply", LOST.values(), ids=LOST.keys())
def test_what_kalendo_did_not_confirm_is_told_again(convex: Convex, reply: dict[str, Any]) -> None:
    """A change without an answer outlives each sync, and is sent by the next."""
    planner = open_planner(convex)
    names = ("standup", "lunch")
    answer(convex, "work", "", *map(planner.event, names), nextSync="s1")
    calendar = planner.connect("work")
    answer_change(convex, "PUT", "standup", json={"id": "standup", "version": 9})
    answer_change(convex, "DELETE", "lunch", json={"id": "lunch", "version": 9})
    answer_change(convex, "PUT", "standup", times=2, **reply)
    answer_change(convex, "DELETE", "lunch", times=2, **reply)
    planner.change("Standup", title="Daily")
    planner.remove("Lunch")
    convex.clock.advance(1)
    foreign = [planner.event("standup", 4, title="Sit down"), planner.event("lunch", 4)]
    answer(convex, "work", "?since=s1", *foreign, nextSync="s2")
    answer(convex, "work", "?since=s2", nextSync="s3")
    answer(convex, "work", "?since=s3", nextSync="s3")
    planner.sync(calendar)
    assert planner.titles() == {"Daily"}
    assert len(told(convex)) == 4
    planner.sync(calendar)
    assert planner.titles() == {"Daily"}
    assert len(told(convex)) == 6
    planner.sync(calendar)
    convex.clock.advance(20 * MINUTE)
    assert len(told(convex)) == 6
    assert set(told(convex)) == {("PUT", "standup", "Daily"), ("DELETE", "lunch", None)}
    assert planner.busy() == 60


def test_an_edit_meets_a_waiting_sync(convex: Convex) -> None:
    """A page that was read before an edit or a removal does not undo it."""
    planner = open_planner(convex)
    names = ("standup", "lunch", "review")
    answer(convex, "work", "", *map(planner.event, names), nextSync="s1")
    calendar = planner.connect("work")
    page = [planner.event(name, 2) for name in names]
    answer(convex, "work", "?since=s1", *page, nextSync="s2", after=6)
    planner.sync(calendar)
    answer_change(convex, "PUT", "standup", json={"id": "standup", "version": 3})
    answer_change(convex, "DELETE", "lunch", json={"id": "lunch", "version": 3})
    answer_change(convex, "PUT", "review", json={"id": "review", "version": 3}, after=9)
    planner.change("Standup", title="Daily")
    planner.remove("Lunch")
    planner.change("Review", title="Retro")
    convex.clock.advance(6)
    assert planner.titles() == {"Daily", "Retro"}
    convex.clock.advance(6)
    assert planner.titles() == {"Daily", "Retro"}
    assert len(told(convex)) == 3


def test_an_edit_meets_a_waiting_edit(convex: Convex) -> None:
    """An edit during the request for the one before follows after its answer, and is not lost."""
    planner = open_planner(convex)
    answer(convex, "work", "", planner.event("standup"), nextSync="s1")
    calendar = planner.connect("work")
    answer_change(convex, "PUT", "standup", json={"id": "standup", "version": 3})
    answer_change(convex, "PUT", "standup", json={"id": "standup", "version": 2}, after=9, times=1)
    planner.change("Standup", title="Daily")
    convex.clock.advance(3)
    planner.change("Daily", title="Weekly")
    convex.clock.advance(2)
    assert told(convex) == [("PUT", "standup", "Daily")]
    echo = planner.event("standup", 2, title="Daily")
    answer(convex, "work", "?since=s1", echo, nextSync="s2")
    answer(convex, "work", "?since=s2", nextSync="s2")
    planner.sync(calendar)
    assert planner.titles() == {"Weekly"}
    convex.clock.advance(5)
    planner.sync(calendar)
    assert planner.titles() == {"Weekly"}
    assert told(convex) == [("PUT", "standup", "Daily"), ("PUT", "standup", "Weekly")]


def test_a_lost_edit_request_does_not_block(convex: Convex) -> None:
    """A request that hangs does not hold later edits for ever, and its late answer is harmless."""
    planner = open_planner(convex)
    answer(convex, "work", "", planner.event("standup"), nextSync="s1")
    planner.connect("work")
    answer(convex, "work", "?since=s1", nextSync="s1")
    answer_change(convex, "PUT", "standup", json={"id": "standup", "version": 3})
    answer_change(convex, "PUT", "standup", after=40 * MINUTE, fail=True, times=1)
    planner.change("Standup", title="Daily")
    convex.clock.advance(MINUTE)
    planner.change("Daily", title="Weekly")
    convex.clock.advance(32 * MINUTE)
    assert told(convex)[-1] == ("PUT", "standup", "Weekly")
    requests = len(told(convex))
    convex.clock.advance(30 * MINUTE)
    assert planner.titles() == {"Weekly"}
    assert len(told(convex)) == requests


@pytest.mark.parametrize("way", ["listed", "answered"])
def test_what_is_deleted_there_is_gone(convex: Convex, way: str) -> None:
    """An event that was deleted at Kalendo goes, also if the user has just changed it."""
    planner = open_planner(convex)
    answer(convex, "work", "", planner.event("standup"), nextSync="s1")
    calendar = planner.connect("work")
    planner.note("Standup", "Bring coffee")
    answer_change(convex, "PUT", "standup", fail=True)
    if way == "answered":
        answer_change(convex, "PUT", "standup", status=404, json={"error": "gone"})
    planner.change("Standup", title="Daily")
    convex.clock.advance(1)
    deleted = {"id": "standup", "version": 2, "deleted": True}
    answer(convex, "work", "?since=s1", *([deleted] if way == "listed" else []), nextSync="s2")
    answer(convex, "work", "?since=s2", nextSync="s2")
    planner.sync(calendar)
    assert planner.week() == {}
    assert (planner.busy(), convex.table("reminders"), convex.table("notes")) == (0, [], [])
    requests = len(told(convex))
    planner.sync(calendar)
    convex.clock.advance(20 * MINUTE)
    assert len(told(convex)) == requests


def test_disconnecting_ends_the_sync(convex: Convex) -> None:
    """What arrives after a calendar was disconnected is dropped, and Kalendo keeps its events."""
    planner = open_planner(convex)
    answer(convex, "club", "", planner.event("dance"), nextSync="c1")
    planner.connect("club")
    answer(convex, "work", "", planner.event("standup"), nextSync="s1")
    calendar = planner.connect("work")
    answer(convex, "work", "?since=s1", planner.event("review"), nextSync="s2", after=9)
    planner.sync(calendar)
    planner.user.mutation("calendars:disconnect", {"calendar": calendar})
    convex.clock.advance(15)
    assert planner.titles() == {"Dance"}
    assert (len(convex.table("events")), len(convex.table("reminders"))) == (1, 1)
    assert planner.busy() == 60
    answer(convex, "work", "", planner.event("standup", 2), nextSync="s7")
    calendar = planner.connect("work")
    assert planner.titles(calendar) == {"Standup"}
    assert told(convex) == []


def test_users_of_one_calendar_do_not_meet(convex: Convex) -> None:
    """Two users who have connected the same calendar have events of their own."""
    ada, bob = open_planner(convex), open_planner(convex, "bob")
    answer(convex, "work", "", ada.event("standup"), nextSync="s1")
    of_ada = ada.connect("work")
    bob.connect("work")
    ada.note("Standup", "Bring coffee")
    assert (ada.titles(), bob.titles()) == ({"Standup"}, {"Standup"})
    deleted = {"id": "standup", "version": 2, "deleted": True}
    answer(convex, "work", "?since=s1", deleted, nextSync="s2")
    ada.sync(of_ada)
    assert (ada.week(), bob.titles()) == ({}, {"Standup"})


def test_stored_events_are_kept(convex: Convex) -> None:
    """Events that were imported before the deploy keep their notes, and are not doubled."""
    convex.deploy("given")
    planner = open_planner(convex)
    events = [planner.event("standup"), planner.event("review")]
    answer(convex, "work", "", *events, nextSync="s1")
    calendar = planner.connect("work")
    planner.note("Standup", "Bring coffee")
    planner.note("Review", "Ask Bob")
    convex.deploy("answer")
    changed = planner.event("standup", 7, title="Daily")
    answer(convex, "work", "", changed, planner.event("demo"), nextSync="s2")
    answer(convex, "work", "?since=s2", nextSync="s2")
    planner.sync(calendar)
    assert planner.titles(calendar) == {"Daily", "Demo"}
    assert planner.notes("Daily") == ["Bring coffee"]
    assert (planner.busy(), len(convex.table("notes"))) == (120, 1)
    planner.sync(calendar)
    assert reads(convex)[-1] == "work?since=s2"


def test_a_large_calendar_is_synced_in_parts(convex: Convex) -> None:
    """No transaction reads or writes all events of a large calendar, also if all is read again."""
    planner = open_planner(convex)
    answer(convex, "work", "", planner.event("standup"), nextSync="s1")
    calendar = planner.connect("work")
    (row,) = convex.table("events")
    fields = {name: value for name, value in row.items() if not name.startswith("_")}
    many = [{**fields, "remote": f"old{n}", "title": f"Old {n}"} for n in range(1200)]
    convex.insert_many("events", many)
    convex.insert_many("calendars", [{"owner": "eve", "name": "Eve's"}] * 450)
    convex.limit(documents_read=400)
    leaving_event = {"id": "old3", "version": 2, "deleted": True, "movedTo": "elsewhere"}
    answer(convex, "work", "?since=s1", planner.event("lunch"), leaving_event, nextSync="s2")
    planner.sync(calendar)
    titles = {event["title"] for event in convex.table("events")}
    assert {"Standup", "Lunch", "Old 4"} <= titles
    assert "Old 3" not in titles
    convex.limit(documents_read=2000, documents_written=1100)
    lose(convex, "work", "?since=s2", status=410, json={"error": "too old"})
    answer(convex, "work", "", *map(planner.event, ("standup", "old7")), nextSync="s3")
    answer(convex, "work", "?since=s3", nextSync="s3")
    planner.sync(calendar)
    convex.clock.advance(20 * MINUTE)
    assert planner.titles() == {"Standup", "Old7"}
