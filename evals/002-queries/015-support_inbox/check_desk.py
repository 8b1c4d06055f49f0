# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A support desk: stored rows of three channels, and pages of the inbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from runner.grader import Convex

Row = dict[str, object]
HOUR = 60 * 60
LISTS = {"email": "emails:list", "chat": "chats:list", "call": "calls:list"}


def most_read(size: int) -> int:
    """Return the documents that a page of this size may read."""
    return 4 * size + 60


def identity(row: Row) -> tuple[object, object]:
    """Return the fields that tell rows apart."""
    return row["channel"], row["id"]


def place(row: Row) -> tuple[bool, float]:
    """Return what rows are ordered by."""
    at = row["at"]
    assert isinstance(at, int | float)
    return not row["pinned"], -float(at)


@dataclass
class Page:
    """A page of the inbox."""

    rows: list[Row]
    is_done: bool
    cursor: str


class Desk:
    """The desk of the agents ana and bo: rows are stored with the given app, then read."""

    def __init__(self, convex: Convex) -> None:
        """Deploy the given app and store two agents and a customer."""
        self.convex = convex
        self.counts = False
        convex.deploy("given")
        self.start = float(round(convex.clock.now()) - 1000 * HOUR)
        agents = [{"token": f"https://users.test|{name}", "name": name} for name in ("ana", "bo")]
        self.ana, self.bo = convex.insert_many("agents", agents)
        customer = {"name": "Zoe", "email": "zoe@a.test", "phone": "+1"}
        self.zoe = convex.insert("customers", customer)
        self.agent = convex.as_user("ana")

    def at(self, hours: float) -> float:
        """Return the moment so many hours after the beginning, in milliseconds."""
        return 1000 * (self.start + hours * HOUR)

    @property
    def now(self) -> float:
        """The present moment, in milliseconds."""
        return float(round(1000 * self.convex.clock.now()))

    # --- Stored data -------------------------------------------------------------------------

    def email(self, hours: float, **fields: object) -> dict[str, object]:
        """Make a mail of an hour; ``fields`` that are None are left out."""
        return leave_out(
            customer=self.zoe,
            subject=f"mail {hours}",
            body="text",
            messageId=f"m{hours}",
            folder="inbox",
            receivedAt=self.at(hours),
            read=False,
        ) | dict(fields)

    def chat(self, hours: float, **fields: object) -> dict[str, object]:
        """Make a chat whose last message is of an hour."""
        return leave_out(
            customer=self.zoe,
            topic=f"chat {hours}",
            status="open",
            lastMessageAt=self.at(hours),
            unread=1,
            pinned=False,
        ) | {"agent": None, **fields}

    def call(self, hours: float, **fields: object) -> dict[str, object]:
        """Make a call that ended at an hour."""
        made = {"number": f"+{hours}", "endedAt": self.at(hours), "handled": False, "heard": False}
        return {**made, "remindAt": None, **fields}

    def store(self, table: str, documents: Iterable[Mapping[str, object]]) -> list[str]:
        """Store rows of the given app's schema; call this before ``update``."""
        return self.convex.insert_many(table, list(documents))

    def update(self) -> None:
        """Deploy the answer over what is stored."""
        self.convex.deploy("answer")

    # --- Reading -----------------------------------------------------------------------------

    def lists(self, now: float | None = None, **filters: str | None) -> list[Row]:
        """Return the rows of the three lists that pass the filters, in any order."""
        moment = self.now if now is None else now
        rows: list[Row] = []
        for channel, path in LISTS.items():
            if filters.get("channel", channel) == channel:
                rows += self.agent.query(path, {"now": moment})
        return [row for row in rows if filters.get("assignee", row["assignee"]) == row["assignee"]]

    def page(
        self,
        size: int,
        cursor: str | None = None,
        now: float | None = None,
        end: str | None = None,
        **filters: str | None,
    ) -> Page:
        """Read a page; if ``counts`` is set, it may read no more than is promised."""
        opts: dict[str, object] = {"numItems": size, "cursor": cursor}
        if end is not None:
            opts["endCursor"] = end
        args = {"paginationOpts": opts, "now": self.now if now is None else now, **filters}
        value = self._count(size, args) if self.counts else self.agent.query("inbox:page", args)
        page = Page(value["page"], value["isDone"], value["continueCursor"])
        if end is None:
            assert len(page.rows) <= size
            assert len(page.rows) == size or page.is_done, "a page is not full"
        return page

    def _count(self, size: int, args: Mapping[str, object]) -> Any:  # noqa: ANN401 - a result
        call = self.agent.footprint("inbox:page", args, kind="query")
        most = most_read(size)
        assert call.documents_read <= most, f"{call.documents_read} documents for {size} rows"
        return call.value

    def turn(
        self,
        size: int,
        now: float | None = None,
        between: Callable[[int], None] | None = None,
        **filters: str | None,
    ) -> list[Row]:
        """Turn all pages, and do something after each; return the rows of all."""
        rows: list[Row] = []
        cursor = None
        for number in range(200):
            page = self.page(size, cursor, now, **filters)
            rows += page.rows
            if page.is_done:
                return rows
            cursor = page.cursor
            if between is not None:
                between(number)
        message = "the pages have no end"
        raise AssertionError(message)

    def compare(self, size: int, now: float | None = None, **filters: str | None) -> list[Row]:
        """Demand that all pages together are the lists, in order; return the rows."""
        moment = self.now if now is None else now
        expected = self.lists(moment, **filters)
        rows = self.turn(size, moment, None, **filters)
        assert [place(row) for row in rows] == sorted(place(row) for row in expected)
        assert sorted(rows, key=str) == sorted(expected, key=str)
        return rows


def leave_out(**fields: object) -> dict[str, object]:
    """Return the fields that are there."""
    return {name: value for name, value in fields.items() if value is not None}


def make_desk(convex: Convex) -> Desk:
    """Make a desk with rows of every form that the given app stores, then deploy the answer."""
    desk = Desk(convex)
    ana, bo = desk.ana, desk.bo
    past, ahead = desk.at(700), desk.now + 1000 * HOUR
    email, chat, call = desk.email, desk.chat, desk.call
    first = desk.store("emails", [email(1), email(2, pinned=True), email(3, pinned=False)])
    desk.store(
        "emails",
        [
            email(4, assignee=None, read=True),
            email(5, assignee=ana, pinned=True),
            email(6, assignee=bo, subject=""),
            email(7, assignee=None, pinned=True),
            email(8, folder="archive"),
            email(9, folder="trash", pinned=True),
            email(10, duplicateOf=first[0]),
            email(11, snoozedUntil=past),
            email(12, snoozedUntil=ahead),
            email(13, snoozedUntil=past + 1, pinned=True, assignee=ana),
            email(14, snoozedUntil=ahead, pinned=True),
            email(710, assignee=None, pinned=False),
        ],
    )
    gone = desk.convex.insert("customers", {"name": "Yan", "email": "yan@a.test"})
    desk.store(
        "chats",
        [
            chat(1.5),
            chat(2.5, pinned=True, unread=0),
            chat(3, agent=ana),
            chat(4, agent=bo, pinned=True),
            chat(5.5, status="done"),
            chat(6.5, snooze={"until": past, "by": ana}),
            chat(7.5, snooze={"until": ahead, "by": bo}, pinned=True),
            chat(8.5, snooze={"until": past + 2, "by": bo}, agent=ana, pinned=True),
            chat(720, customer=gone),
        ],
    )
    going_on = call(9.5)
    del going_on["endedAt"]
    desk.store(
        "calls",
        [
            call(1),
            call(2, starred=True, customer=desk.zoe),
            call(3, agent=ana, heard=True),
            call(4, agent=bo, starred=True),
            call(5, handled=True),
            call(6, remindAt=past),
            call(7, remindAt=ahead, starred=True),
            call(8, remindAt=past - 1, agent=ana, customer=gone),
            call(730),
            going_on,
        ],
    )
    desk.convex.delete("customers", gone)
    desk.update()
    return desk
