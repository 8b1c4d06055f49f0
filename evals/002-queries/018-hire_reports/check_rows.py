# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Rows of a hire shop, and arguments of its reports, at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

from check_reports import make_booking, make_item, make_movement, make_site

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from check_reports import Tables

DAYS = ("2024-12-29", "2024-12-31", "2025-01-01", "2025-01-05", "2025-01-06", "2025-01-31")
HOURS = ("00:00", "06:00", "12:00", "18:00")
SKUS = ("AB-1", "ab-2", "Ab[3", "éb*4", "ﬀ_5", "🧰-6", "xyz", "zz?8")
TITLES = (None, "Drill", "drill", "Éclair", "éclair", "🧰 box", "ﬀ", "a_b", "50% off")
KINDS = (None, "tool", "tent", "Tool")
CUSTOMERS = (None, "Ada", "ADA", "Éva", "éva", "Bo_", "bo")
STATES = (None, "held", "out", "back", "cancelled")
CHANNELS = (None, "web", "till")
CODES = (None, 7, "7", "007", 12, "B7")
REASONS = (None, "bought #7", "lost", "sold #012x", "count: #", "bought 3 of #-2")


class Shop:
    """A shop whose rows and arguments this chance decides."""

    def __init__(self, chance: random.Random) -> None:
        """Keep the chance."""
        self.choose = chance.choice
        self.number = chance.randint

    def make_moment(self) -> str:
        """Return a moment."""
        return f"{self.choose(DAYS)} {self.choose(HOURS)}"

    def make_tables(self) -> Tables:
        """Return the rows of all tables."""
        choose, number = self.choose, self.number
        sites = [
            make_site(each, choose(("Ost", "ost", "West_", "Éa")), choose((None, "north", "south")))
            for each in range(1, 5)
        ]
        items = [
            make_item(
                each + 1,
                sku,
                choose(TITLES),
                choose(KINDS),
                choose((None, 1, 1, 2, 3)),
                daily=choose((0, 99, 250, 1999)),
                weight=choose((None, 0.25, 2.0, 12.5)),
                stock=number(0, 6),
                retired=choose((None, None, None, "2025-01-01")),
            )
            for each, sku in enumerate(SKUS)
        ]
        bookings = [
            make_booking(
                each,
                number(1, len(items)),
                self.make_moment(),
                choose((None, self.make_moment(), self.make_moment())),
                customer=choose(CUSTOMERS),
                units=choose((0, 1, 2, 3, -2)),
                state=choose(STATES),
                price=choose((None, 100, 333, -101, 2500, 0)),
                deposit=choose((None, 0.0, 2.5, 30.25)),
                channel=choose(CHANNELS),
                code=choose(CODES),
            )
            for each in range(1, 29)
        ]
        movements = [
            make_movement(
                each,
                choose((None, 1, 1, 1, 2, 3)),
                choose(DAYS),
                choose((1, 5, -6, 18, -18, 30, -31)),
                choose(REASONS),
            )
            for each in range(1, 21)
        ]
        return {"sites": sites, "items": items, "bookings": bookings, "movements": movements}

    def list_calls(self) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield a call of each report."""
        choose, number = self.choose, self.number
        start, end = sorted((self.make_moment(), self.make_moment()))
        day = choose(DAYS)
        yield (
            "items:search",
            {
                "text": choose(("", "l", "É", "__", "A", "a?-", "[a-e]b", "%")),
                "kind": choose(("", "", "tool")),
                "limit": choose((-1, 3)),
            },
        )
        yield (
            "items:page",
            {"title": choose(("", "DRILL", "é")), "id": choose((None, 3, 0)), "size": 4},
        )
        kinds = choose(([], ["tool"], ["tent", "Tool"]))
        yield "items:free", {"from": start, "to": end, "kinds": kinds}
        yield "items:idle", {"since": day, "unmoved": choose((True, False))}
        titles = choose((["DRILL", "é"], [], ["éclair", "Éclair", ""]))
        yield "items:prices", {"titles": titles, "euros": choose((0, 1, 2))}
        yield "items:labels", {"region": choose(("", "north", "south"))}
        yield (
            "bookings:find",
            {
                "customer": choose(("", "ada", "ÉVA", "bo_")),
                "item": choose(("", "1", "002", "3.0", "4x")),
                "code": choose(("", "7", 7, "b7", 12)),
            },
        )
        states = choose(([], ["cancelled"], ["back", "out"]))
        yield "bookings:between", {"from": start, "to": end, "states": states}
        yield "bookings:latest", {"least": choose((0, 1, 3))}
        yield "bookings:lost", {"since": day}
        yield "bookings:clashes", {"item": choose((None, number(1, 8)))}
        yield "bookings:overdue", {"now": end, "grace": choose(("", "0", "3", "10"))}
        yield "sales:weeks", {"channel": choose(("", "web"))}
        yield "sales:months", {"from": choose((*DAYS, "")), "months": number(0, 4)}
        yield "sales:ranking", {"site": choose((None, None, 1, 2)), "offset": choose((0, 0, 2, -1))}
        yield "sales:sites", {"from": choose((*DAYS, ""))}
        yield "stock:history", {"item": number(1, 3)}
        pattern = choose(("%", "B%", "%!#%", "count!: _", "_o%"))
        yield "stock:reasons", {"pattern": pattern, "least": choose((0, 5, 20))}
        yield "stock:differences", {"day": choose((*DAYS, ""))}
        yield "stock:diary", {"day": day}
