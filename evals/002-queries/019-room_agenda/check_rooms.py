# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The old server, run beside the app that is graded, over the same rooms and series."""

from __future__ import annotations

import sys
from datetime import date, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Row = dict[str, Any]
SERVER = Path(__file__).parent / "given/convex/legacy/rooms.py.txt"


def load_server() -> ModuleType:
    """Return the given server as a module."""
    module = ModuleType("old_rooms")
    sys.modules[module.__name__] = module
    code = compile(SERVER.read_text("utf-8"), SERVER.name, "exec")
    exec(code, module.__dict__)  # noqa: S102 - it is the given one
    return module


server = load_server()


def make_series(room: str, start: str, minutes: int = 60, **more: Any) -> Any:  # noqa: ANN401 - of the server
    """Return a series that is in no server yet."""
    more = {"title": "Choir", "zone": "Europe/Berlin", **more}
    if "until" in more:
        more["until"] = date.fromisoformat(more["until"])
    changes = {
        date.fromisoformat(day): server.Change(start and datetime.fromisoformat(start), length)
        for day, start, length in more.pop("changes", ())
    }
    when = datetime.fromisoformat(start)
    return server.Series(room=room, start=when, minutes=minutes, changes=changes, **more)


def format_start(start: datetime) -> str:
    """Return a start as the app stores it."""
    return start.isoformat(timespec="minutes")


def find_last(series: Any) -> str | None:  # noqa: ANN401 - of the server
    """Return the field `last` of a series, as the schema describes it."""
    if series.every is not None and not series.count and series.until is None:
        return None
    days = [
        series.changes.get(day, server.Change(datetime.combine(day, series.start.time())))
        for day in series.planned()
    ]
    begins = [change.start.date() for change in days if change.start is not None]
    return max(begins, default=series.start.date()).isoformat()


def show_series(series: Any) -> Row:  # noqa: ANN401 - of the server
    """Return a series as the app stores it, but without its room."""
    row = {
        "title": series.title,
        "zone": series.zone,
        "start": format_start(series.start),
        "minutes": series.minutes,
        "every": series.every,
        "interval": series.interval,
        "weekdays": series.weekdays,
        "nth": series.nth,
        "count": series.count,
        "until": series.until and series.until.isoformat(),
        "last": find_last(series),
    }
    return {name: value for name, value in row.items() if value is not None}


def show_change(day: date, change: Any) -> Row:  # noqa: ANN401 - of the server
    """Return a change as the app stores it."""
    row = {"day": day.isoformat(), "minutes": change.minutes}
    row["start"] = change.start and format_start(change.start)
    return {name: value for name, value in row.items() if value is not None}


class House:
    """Rooms of the app, and the same in the old server."""

    def __init__(self, convex: Convex, *rooms: str) -> None:
        """Store rooms."""
        self.convex = convex
        self.server = server.Rooms([])
        self.rooms: dict[str, str] = {}
        self.ids: dict[int, str] = {}
        self.add_rooms(*rooms)

    def add_rooms(self, *names: str) -> None:
        """Store rooms."""
        ids = self.convex.insert_many("rooms", [{"name": name} for name in names])
        self.rooms |= dict(zip(names, ids, strict=True))

    def store(self, *many: Any, is_seen: bool = True) -> None:  # noqa: ANN401 - of the server
        """Store series with their changes, as they were imported.

        Those that no agenda of the test sees may be kept from the server, which looks at each.
        """
        rows = [show_series(one) | {"room": self.rooms[one.room]} for one in many]
        ids = self.convex.insert_many("series", rows)
        changes: list[Row] = []
        for one, key in zip(many, ids, strict=True):
            if is_seen:
                self.server.series.append(one)
            self.ids[id(one)] = key
            changes += [
                show_change(day, change) | {"series": key} for day, change in one.changes.items()
            ]
        self.convex.insert_many("changes", changes)

    def check(self, room: str, first: str, days: int = 14, zone: str = "Europe/Berlin") -> Any:  # noqa: ANN401 - JSON
        """Compare an agenda, and return it."""
        args = {"room": self.rooms[room], "first": first, "days": days, "zone": zone}
        shown = self.convex.query("agenda:show", args)
        expected = self.server.agenda(room, date.fromisoformat(first), days, zone)
        for page in expected:
            for entry in page["entries"]:
                entry["series"] = self.ids[id(entry["series"])]
        for page, other in zip(shown, expected, strict=True):
            assert page == other
        return shown

    def attempt(self, path: str, args: Row, method: Any, *given: Any) -> Any:  # noqa: ANN401 - of the server
        """Do the same in the app and in the server, and compare the refusals."""
        expected = refusal = result = made = None
        try:
            made = method(*given)
        except server.Refused as error:
            expected = str(error)
        try:
            result = self.convex.mutation(path, args)
        except FunctionFailed as error:
            refusal = error.data if error.data is not None else error.message
        assert refusal == expected
        if made is not None:
            assert isinstance(result, str)
            self.ids[id(made)] = result
        elif expected is None:
            assert result is None
        return expected if made is None else made

    def add(self, series: Any) -> Any:  # noqa: ANN401 - of the server
        """Add a series; return it, or the refusal."""
        args = show_series(series) | {"room": self.rooms[series.room]}
        args.pop("last", None)
        return self.attempt("series:add", args, self.server.add, series)

    def skip(self, series: Any, day: str) -> Any:  # noqa: ANN401 - of the server
        """Skip a day; return the refusal."""
        args = {"series": self.ids[id(series)], "day": day}
        return self.attempt("series:skip", args, self.server.skip, series, date.fromisoformat(day))

    def move(self, series: Any, day: str, start: str, minutes: int | None = None) -> Any:  # noqa: ANN401 - of the server
        """Move a day; return the refusal."""
        args: Row = {"series": self.ids[id(series)], "day": day, "start": start}
        if minutes is not None:
            args["minutes"] = minutes
        given = (date.fromisoformat(day), datetime.fromisoformat(start), minutes)
        return self.attempt("series:move", args, self.server.move, series, *given)

    def follow(self, series: Any, day: str, **more: Any) -> Any:  # noqa: ANN401 - of the server
        """Change a day and all that follow; return the new series, or the refusal."""
        args = {"series": self.ids[id(series)], "day": day, **more}
        start = more.get("start")
        given = (
            date.fromisoformat(day),
            start and datetime.fromisoformat(start),
            more.get("minutes"),
            more.get("title"),
        )
        return self.attempt("series:follow", args, self.server.follow, series, *given)

    def compare_tables(self) -> None:
        """Compare what is stored of all series that have a day, as far as it has an effect."""
        names = {key: name for name, key in self.rooms.items()}
        changes: dict[str, list[Row]] = {}
        for row in self.convex.table("changes"):
            changes.setdefault(row["series"], []).append(row)
        stored = {row["_id"]: row for row in self.convex.table("series")}
        for series in self.server.series:
            key = self.ids[id(series)]
            row = stored[key]
            assert names[row["room"]] == series.room
            assert fill_series(row) == fill_series(show_series(series))
            planned = {
                day.isoformat(): fill_change(show_change(day, change))
                for day, change in series.changes.items()
                if series.is_planned(day)
            }
            found = {
                change["day"]: fill_change(change)
                for change in changes.get(key, [])
                if series.is_planned(date.fromisoformat(change["day"]))
            }
            assert found == planned


def fill_change(row: Row) -> tuple[Any, Any]:
    """Return a change as it is compared: a day that is skipped has no length."""
    start = row.get("start")
    return start, (row.get("minutes") or None) if start else None


def fill_series(row: Row) -> Row:
    """Return a series as it is compared: what is nothing is absent."""
    names = ("title", "zone", "start", "minutes", "every", "interval", "nth", "count")
    fields = {name: row.get(name) or None for name in (*names, "until", "last")}
    return fields | {"weekdays": sorted(set(row.get("weekdays") or []))}
