# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""One inbox for mails, chats and calls, page by page, while the desk is at work."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from check_desk import HOUR, Desk, Row, identity, make_desk, place

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

MANY = 240


def test_the_inbox_has_the_rows_of_the_lists(convex: Convex) -> None:
    """All pages together are the rows of the three lists: pinned ones first, then the newest."""
    desk = make_desk(convex)
    rows = desk.compare(4)
    assert len(rows) == 24
    assert [row["pinned"] for row in rows[:10]] == [True] * 9 + [False]
    assert len(desk.compare(100)) == len(rows)
    assert len(desk.compare(1)) == len(rows)


def test_filters_choose(convex: Convex) -> None:
    """An assignee, nobody, a channel, and both together leave out all other rows."""
    desk = make_desk(convex)
    for assignee in (desk.ana, desk.bo, None):
        assert len(desk.compare(2, assignee=assignee)) >= 3
        for channel in ("email", "chat", "call"):
            assert desk.compare(2, assignee=assignee, channel=channel)
    for channel in ("email", "chat", "call"):
        assert len(desk.compare(3, channel=channel)) > 6


def test_what_is_snoozed_comes_back(convex: Convex) -> None:
    """A row is hidden until its moment, and from then on has its place by that moment."""
    desk = make_desk(convex)
    until = desk.now + 1000 * HOUR
    mail = desk.lists(channel="email")[0]["id"]
    chat = desk.lists(channel="chat")[0]["id"]
    call = desk.lists(channel="call")[0]["id"]
    desk.agent.mutation("emails:snooze", {"email": mail, "until": until + 2})
    desk.agent.mutation("chats:snooze", {"chat": chat, "until": until + 1})
    desk.agent.mutation("calls:remind", {"call": call, "at": until + 3})
    for moment in (until - 1, until, until + 1, until + 2, until + 3, until + HOUR):
        desk.compare(5, moment)
    assert mail not in [row["id"] for row in desk.compare(5, until + 1)]
    assert mail in [row["id"] for row in desk.compare(5, until + 2)]
    desk.agent.mutation("emails:snooze", {"email": mail})
    desk.agent.mutation("calls:remind", {"call": call, "at": None})
    convex.admin.mutation("chats:receive", {"customer": desk.zoe, "text": "hello?"})
    rows = desk.compare(6)
    assert {mail, call} <= {row["id"] for row in rows}


def test_agents_alone_read_it(convex: Convex) -> None:
    """Visitors and users who are no agents are refused."""
    desk = make_desk(convex)
    args = {"paginationOpts": {"numItems": 5, "cursor": None}, "now": desk.now}
    for caller in (convex, convex.as_user("eve")):
        with pytest.raises(FunctionFailed):
            caller.query("inbox:page", args)
    assert len(convex.as_user("bo").query("inbox:page", args)["page"]) == 5


def test_pages_read_little(convex: Convex) -> None:
    """What is handled, snoozed, somebody else's or of another channel is not read for a page."""
    desk = Desk(convex)
    hours = [500 + number / 10 for number in range(MANY)]
    ahead = desk.now + 10 * HOUR * 1000
    desk.store("emails", [desk.email(hour, folder="archive") for hour in hours])
    desk.store("emails", [desk.email(hour, snoozedUntil=ahead) for hour in hours])
    desk.store("emails", [desk.email(hour, snoozedUntil=ahead, pinned=True) for hour in hours])
    first = desk.store("emails", [desk.email(hour, assignee=desk.bo) for hour in hours])
    desk.store("emails", [desk.email(hour, duplicateOf=first[0]) for hour in hours])
    desk.store("chats", [desk.chat(hour, status="done", pinned=True) for hour in hours])
    snooze = {"until": ahead, "by": desk.ana}
    desk.store("chats", [desk.chat(hour, snooze=snooze, agent=desk.bo) for hour in hours])
    desk.store("calls", [desk.call(hour, handled=True) for hour in hours])
    desk.store("calls", [desk.call(hour, remindAt=ahead, starred=True) for hour in hours])
    going_on = [desk.call(hour) for hour in hours]
    for call in going_on:
        del call["endedAt"]
    desk.store("calls", going_on)
    desk.store("emails", [desk.email(hour, assignee=desk.ana) for hour in range(8)])
    desk.store("chats", [desk.chat(hour) for hour in range(8)])
    desk.store("calls", [desk.call(hour, agent=desk.ana) for hour in range(8)])
    desk.update()
    desk.counts = True
    assert len(desk.compare(3, assignee=desk.ana)) == 16
    assert len(desk.compare(3, assignee=None)) == 8
    assert len(desk.compare(3, channel="call")) == 8
    assert len(desk.compare(3, channel="email", assignee=desk.ana)) == 8
    cursor = None
    for _ in range(4):
        page = desk.page(5, cursor)
        cursor = page.cursor


def test_rows_of_one_moment_are_turned_cheaply(convex: Convex) -> None:
    """Many rows with the same moment are on pages once each, which read as little as others."""
    desk = Desk(convex)
    desk.store("emails", [desk.email(5) for _ in range(90)])
    desk.store("chats", [desk.chat(5) for _ in range(90)])
    desk.store("emails", [desk.email(6, snoozedUntil=desk.at(9)) for _ in range(90)])
    desk.store("calls", [desk.call(5, remindAt=desk.at(9)) for _ in range(90)])
    desk.store("emails", [desk.email(4, pinned=False) for _ in range(30)])
    desk.update()
    desk.counts = True
    rows = desk.compare(12)
    assert len({identity(row) for row in rows}) == 390


def test_pages_hold_while_rows_change(convex: Convex) -> None:
    """Rows that are deleted, moved or pinned between pages neither repeat nor hide others."""
    desk = make_desk(convex)
    before = desk.lists()
    seen: list[Row] = []
    changed: set[tuple[object, object]] = set()
    cursor = None
    for number in range(30):
        page = desk.page(3, cursor)
        seen += page.rows
        if page.is_done:
            break
        cursor = page.cursor
        last = page.rows[-1]
        changed.add(identity(last))
        change_row(desk, last, number)
        text = f"new {number}"
        mail = {"from": "new@a.test", "subject": text, "body": "", "messageId": text}
        convex.admin.mutation("emails:receive", mail)
        convex.clock.advance(60)
    must_be_once(before, seen, changed)


def change_row(desk: Desk, row: Row, number: int) -> None:
    """Take a row out of its place, in another manner each time."""
    id_, agent = row["id"], desk.agent
    match row["channel"], number % 3:
        case "email", 0:
            desk.convex.delete("emails", str(id_))
        case "email", 1:
            agent.mutation("emails:move", {"email": id_, "folder": "archive"})
        case "email", _:
            agent.mutation("emails:pin", {"email": id_, "pinned": not row["pinned"]})
        case "chat", 0:
            agent.mutation("chats:setStatus", {"chat": id_, "status": "done"})
        case "chat", 1:
            agent.mutation("chats:reply", {"chat": id_, "text": "yes"})
        case "chat", _:
            agent.mutation("chats:pin", {"chat": id_, "pinned": not row["pinned"]})
        case _, 0:
            agent.mutation("calls:remind", {"call": id_, "at": desk.now + HOUR * 1000})
        case _, 1:
            agent.mutation("calls:handle", {"call": id_, "handled": True})
        case _:
            agent.mutation("calls:star", {"call": id_, "starred": not row["pinned"]})


def must_be_once(before: list[Row], seen: list[Row], changed: set[tuple[object, object]]) -> None:
    """Demand that each row that kept its place was seen once."""
    for row in before:
        if identity(row) not in changed:
            times = sum(identity(other) == identity(row) for other in seen)
            assert times == 1, f"{row['title']} was on {times} pages"


def test_pages_hold_while_rows_wake(convex: Convex) -> None:
    """Rows that wake up while pages are turned do not disturb those that were there."""
    desk = Desk(convex)
    wake = [desk.now + 1000 * 60 * minute for minute in range(1, 12)]
    desk.store("emails", [desk.email(hour) for hour in range(12)])
    desk.store("emails", [desk.email(hour, snoozedUntil=at) for hour, at in enumerate(wake)])
    desk.store("calls", [desk.call(hour, remindAt=at) for hour, at in enumerate(wake)])
    desk.store("chats", [desk.chat(hour) for hour in range(12)])
    desk.update()
    before = desk.lists()
    seen = desk.turn(3, between=lambda _: convex.clock.advance(90))
    must_be_once(before, seen, set())
    assert len(seen) == len({identity(row) for row in seen})
    convex.clock.advance(600)
    assert len(desk.compare(7)) == 46


def test_a_loaded_page_keeps_its_ends(convex: Convex) -> None:
    """With both cursors a page holds all rows between them, more or fewer than at first."""
    desk = make_desk(convex)
    now = desk.now
    first = desk.page(6, None, now)
    second = desk.page(6, first.cursor, now)
    third = desk.page(6, second.cursor, now)
    again = desk.page(6, first.cursor, now, second.cursor)
    assert again.rows == second.rows
    assert desk.page(6, again.cursor, now).rows == third.rows

    # Rows go from the second page, and from both its ends; others come to the first.
    for number, row in enumerate((first.rows[-1], second.rows[-1], second.rows[2])):
        leave(desk, row, number)
    for number in range(3):
        text = f"new {number}"
        mail = {"from": "new@a.test", "subject": text, "body": "", "messageId": text}
        id_ = convex.admin.mutation("emails:receive", mail)
        desk.agent.mutation("emails:pin", {"email": id_, "pinned": True})
    now = desk.now
    expected = sorted(desk.lists(now), key=place)
    pages = [
        desk.page(6, None, now, first.cursor),
        desk.page(6, first.cursor, now, second.cursor),
        desk.page(6, second.cursor, now, third.cursor),
    ]
    assert [len(page.rows) for page in pages] == [8, 4, 6]
    rows = [row for page in pages for row in page.rows]
    cursor = pages[-1].cursor
    for _ in range(10):
        page = desk.page(6, cursor, now)
        rows += page.rows
        cursor = page.cursor
        if page.is_done:
            break
    assert [place(row) for row in rows] == [place(row) for row in expected]
    assert sorted(rows, key=str) == sorted(expected, key=str)


def leave(desk: Desk, row: Row, number: int) -> None:
    """Take a row out of the inbox."""
    id_, agent = row["id"], desk.agent
    match row["channel"]:
        case "email":
            folder = ("archive", "trash")[number % 2]
            agent.mutation("emails:move", {"email": id_, "folder": folder})
        case "chat":
            agent.mutation("chats:setStatus", {"chat": id_, "status": "done"})
        case _:
            agent.mutation("calls:handle", {"call": id_, "handled": True})


def test_any_work_at_any_time(convex: Convex) -> None:
    """Whatever agents do while pages of any size are turned, rows that stay are seen once."""
    rng = random.Random(7)  # noqa: S311 - a test needs no secrets
    desk = Desk(convex)
    hour = lambda: rng.randrange(1, 6)  # noqa: E731 - a die
    for _ in range(25):
        assignee = rng.choice([{}, {"assignee": None}, {"assignee": desk.ana}])
        pinned = rng.choice([{}, {"pinned": False}, {"pinned": True}])
        snooze = rng.choice([{}, {}, {"snoozedUntil": desk.at(hour())}])
        desk.store("emails", [desk.email(hour(), **assignee, **pinned, **snooze)])
    for _ in range(15):
        snooze = rng.choice([{}, {"snooze": {"until": desk.at(hour()), "by": desk.bo}}])
        agent = rng.choice([None, desk.ana])
        desk.store("chats", [desk.chat(hour(), agent=agent, pinned=hour() > 3, **snooze)])
        star = rng.choice([{}, {"starred": True}])
        remind = rng.choice([None, desk.at(hour())])
        desk.store("calls", [desk.call(hour(), remindAt=remind, **star)])
    desk.update()
    for number in range(4):
        filters = {"assignee": None} if number == 3 else {}
        before = desk.lists(**filters)
        changed: set[tuple[object, object]] = set()

        def work(turn: int) -> None:
            row = rng.choice(desk.lists())
            changed.add(identity(row))
            change_row(desk, row, turn)

        seen = desk.turn(rng.randrange(2, 9), between=work, **filters)
        must_be_once(before, seen, changed)
        desk.compare(5, **filters)


def test_everything_else_stays(convex: Convex) -> None:
    """The documents and the other functions are as they were."""
    desk = make_desk(convex)
    tables = ("agents", "customers", "emails", "chats", "calls")
    stored = {table: convex.table(table) for table in tables}
    desk.compare(5)
    convex.deploy("given")
    functions = dict(convex.functions)
    convex.deploy("answer")
    assert {table: convex.table(table) for table in tables} == stored
    now = convex.functions
    for path, function in functions.items():
        assert (now[path].kind, now[path].visibility) == (function.kind, function.visibility)
    assert convex.crons["empty the trash"].path == "janitor:emptyTrash"
