# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A hire shop's reports, moved from SQLite: the same rows have the same results."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from check_reports import Reports, make_booking, make_item, make_movement, make_site
from check_rows import Shop

if TYPE_CHECKING:
    from runner.grader import Convex

SITES = [make_site(1, "North"), make_site(2, "east", None), make_site(3, "East", "south")]


def test_empty_tables(convex: Convex) -> None:
    """Reports over empty tables have the rows that they had, if any."""
    reports = Reports(convex, {})
    for path, args in Shop(random.Random(0)).list_calls():  # noqa: S311 - not a secret
        reports.compare(path, **args)


def test_items_are_searched(convex: Convex) -> None:
    """Searches find titles and numbers as before, in their order."""
    texts = (
        *(("AB-1", "Drill"), ("ab-2", None), ("Ab[3", "drill"), ("éb4", "Éclair")),
        *(("ﬀ5", "éclair"), ("🧰6", "🧰"), ("x^", "a_b"), ("x-", "50% off"), ("x]", "ﬀ")),
    )
    items = [
        make_item(number, sku, title, site=number % 5, weight=(None, 2.0, 0.25, 30.5)[number % 4])
        for number, (sku, title) in enumerate(texts, start=1)
    ]
    items[2]["kind"] = items[4]["kind"] = None
    items[1]["retired"] = "2025-01-01"
    reports = Reports(convex, {"sites": SITES, "items": items})
    for text in ("", "D", "É", "%", "__", "a_b", "AB", "[a-z]b", "[xA]", "x?", "*4", "?[5-7]"):
        reports.compare("items:search", text=text, kind="", limit=-1)
    for kind, limit in (("tool", -1), ("tool", 2), ("", 0), ("none", 5)):
        reports.compare("items:search", text="r", kind=kind, limit=limit)
        reports.compare("items:search", text="%", kind=kind, limit=limit)


def test_items_are_paged(convex: Convex) -> None:
    """Pages of items go on behind a title and an id, as before."""
    titles = ("b", "B", None, "a", None, "É", "é", "ﬀ", "🧰", "_1", "C")
    items = [
        make_item(number, f"s{number}", title, daily=number * 95)
        for number, title in enumerate(titles, start=1)
    ]
    reports = Reports(convex, {"items": items})
    for title, number, size in (
        *(("", None, 3), ("b", None, 30), ("B", 1, 3), ("b", 2, -1), ("", 3, 9), ("_1", 10, 9)),
        *(("é", 0, 9), ("C", 11, 9), ("ﬀ", 8, 9), ("🧰", 9, 9), ("B", 0, 0)),
    ):
        reports.compare("items:page", title=title, id=number, size=size)


def test_what_is_free(convex: Convex) -> None:
    """What is free of each item follows from its bookings, also where there are none."""
    kinds = ("tool", None, "tent", "tool", "tent")
    items = [
        make_item(number, f"{'aBé'[number % 3]}{number}", kind=kind, stock=number)
        for number, kind in enumerate(kinds, start=1)
    ]
    bookings = [
        make_booking(1, 1),
        make_booking(2, 2, state=None),
        make_booking(3, 3, ends=None),
        make_booking(4, 3, "2025-03-03 18:00", "2025-03-04 06:00"),
        make_booking(5, 4, state="cancelled", units=3),
        make_booking(6, 5, units=2),
        make_booking(7, 5, "2025-02-28 06:00", "2025-03-01 00:00", units=3),
    ]
    reports = Reports(convex, {"items": items, "bookings": bookings})
    for start, end in (
        ("2025-03-01 00:00", "2025-03-01 06:00"),
        ("2025-03-03 18:00", "2025-03-09 00:00"),
        ("2025-03-09 00:00", "2025-03-01 00:00"),
        ("", "2025-03-09 00:00"),
    ):
        for wanted in ([], ["tent"], ["none"], ["tool", "tent"]):
            reports.compare("items:free", **{"from": start, "to": end, "kinds": wanted})


def test_idle_items(convex: Convex) -> None:
    """Idle items are listed as before, also where a movement has no item."""
    items = [
        make_item(1, "a", "beta"),
        make_item(2, "b", None, "Alpha"),
        make_item(3, "c", None, None),
        make_item(4, "d", "Gamma"),
    ]
    bookings = [make_booking(1, 1), make_booking(2, 2, state=None)]
    movements = [
        make_movement(1, 3, "2025-03-01"),
        make_movement(2, None, "2025-02-01"),
        make_movement(3, 4, "2025-01-01"),
    ]
    reports = Reports(convex, {"items": items, "bookings": bookings, "movements": movements})
    for since in ("2025-01-01", "2025-02-01", "2025-02-02", "2025-03-01", "2025-03-02", ""):
        for unmoved in (True, False):
            reports.compare("items:idle", since=since, unmoved=unmoved)


def test_labels(convex: Convex) -> None:
    """Labels gather titles and weights as before."""
    rows = (
        *(
            ("ab-1", None, "tool", 1.5),
            ("Ab-2", "Drill", None, None),
            ("éb3", "🧰 box", "tent", 2.0),
        ),
        *(("xyz", None, "tool", 0.25), ("ßyz", "saw", None, 4.0), ("zz-9", "Saw", "Tent", 1.0)),
    )
    items = [
        make_item(10 * site + number, f"{sku}{'' if site == 1 else site}", title, kind, site)
        | {"weight": weight}
        for site in (1, 2, 3)
        for number, (sku, title, kind, weight) in enumerate(rows)
    ]
    items.append(make_item(99, "lost", site=None))
    reports = Reports(convex, {"sites": SITES, "items": items})
    for region in ("north", "", "south", "North"):
        reports.compare("items:labels", region=region)


def test_prices(convex: Convex) -> None:
    """The price list has the names, marks and order that it had."""
    titles = (
        None,
        "Drill",
        "drill",
        "DRILLER",
        "F",
        "fa",
        "É",
        "é",
        "A",
        "`",
        "🧰🧰🧰🧰🧰",
        None,
    )
    items = [
        make_item(number, f"s{number}", title, (None, "tool", "tent")[number % 3])
        | {"daily": (-150, 1999, 250, 1200, 7, 299)[number % 6]}
        for number, title in enumerate(titles, start=1)
    ]
    reports = Reports(convex, {"items": items})
    every = [title for title in titles if title is not None]
    for wanted, euros in ((every, 0), (["dRILL", "É", "FA"], 2), ([""], -2), ([], 20)):
        reports.compare("items:prices", titles=wanted, euros=euros)


def test_bookings_are_found(convex: Convex) -> None:
    """Bookings are found by customer, item and code as before."""
    customers = ("Ada", "ADA", "ada ", None, "Éva", "éva")
    codes = (7, "7", "007", None, "B7", 12)
    bookings = [
        make_booking(number, number % 4 + 1, customer=customer, code=codes[number % 6])
        | {"channel": (None, "web", "till")[number % 3]}
        for number, customer in enumerate(customers * 2, start=1)
    ]
    items = [make_item(number, f"s{number}") for number in range(1, 5)]
    reports = Reports(convex, {"items": items, "bookings": bookings})
    for customer, item, code in (
        *(("ADA", "", ""), ("éVA", "", ""), ("", "1", ""), ("", "02", ""), ("", "3.0", "")),
        *(("", "4x", "x"), ("", "", "7"), ("", "", 7), ("", "", "007"), ("none", "9", 12)),
        *(("ada", "2", "B7"), ("", "", "")),
    ):
        reports.compare("bookings:find", customer=customer, item=item, code=code)


def test_bookings_between(convex: Convex) -> None:
    """Bookings of a span have the days, shares and limits that they had."""
    rows = (
        *(("2025-03-01 00:00", "2025-03-02 18:00", "back", -101, 3, 2.5),),
        *(("2025-03-01 06:00", "2025-02-28 12:00", None, 101, -2, None),),
        *(("2025-03-02 00:00", None, "out", None, 2, 9.75),),
        *(("2025-03-02 12:00", "2025-03-05 06:00", "out", 50, 0, 0.75),),
        *(("2025-03-03 00:00", "2025-03-03 06:00", "held", 100, 3, 1.0),),
    )
    bookings = [
        make_booking(number, 1, start, end, state=state, price=price, units=units)
        | {"deposit": deposit}
        for number, (start, end, state, price, units, deposit) in enumerate(rows, start=1)
    ]
    reports = Reports(convex, {"items": [make_item(1, "a")], "bookings": bookings})
    for start, end in (
        *(("2025-03-01", "2025-03-02"), ("2025-03-01 06:00", "2025-03-03 00:00")),
        *(("2025-03-04", "2025-03-01"), ("2025", "2026"), ("", "2026")),
    ):
        for states in ([], ["back"], ["out", "held"]):
            reports.compare("bookings:between", **{"from": start, "to": end, "states": states})


def test_customers(convex: Convex) -> None:
    """The last booking of each customer, and customers who did not come back, are as before."""
    rows = (
        *(("Ada", "2025-03-01", "back", 100, "web"), ("ADA", "2025-03-01", None, None, "web")),
        *(("Éva", "2025-02-01", "out", 5, None), ("éva", "2025-04-01", "cancelled", 6, "till")),
        *((None, "2025-01-01", "back", -5, "web"), (None, "2025-05-01", "held", 7, None)),
        *(("bo", "2025-01-01", None, None, None), ("BO", "2024-01-01", None, 3, None)),
        *(("Cy", "2025-01-01", "back", 1, "web"), ("Zed", "2025-01-02", "back", 1, "till")),
    )
    bookings = [
        make_booking(number, 1, f"{day} 06:00", customer=customer, state=state, price=price)
        | {"channel": channel, "deposit": (None, 2.0, 30.25)[number % 3]}
        for number, (customer, day, state, price, channel) in enumerate(rows, start=1)
    ]
    reports = Reports(convex, {"items": [make_item(1, "a")], "bookings": bookings})
    for least in (0, 1, 2):
        reports.compare("bookings:latest", least=least)
    for since in ("2025-01-02", "2025-03-01", "2025-06-01", ""):
        reports.compare("bookings:lost", since=since)


def test_clashes_and_overdue(convex: Convex) -> None:
    """Bookings that meet, and those that are late, are told as before."""
    rows = (
        *((1, "01-01 06:00", "01-31 18:00", "out", 5, "Ada", None),),
        *((1, "01-31 12:00", "02-03 06:00", "held", 5, "ADA", "web"),),
        *((1, "01-31 18:00", None, "out", 5, "Bo", "till"),),
        *((1, "01-02 00:00", "01-29 06:00", None, None, None, "web"),),
        *((1, "01-02 00:00", "01-30 06:00", None, 5, "bo", "web"),),
        *((2, "01-02 00:00", "01-31 00:00", "cancelled", None, "Éva", None),),
        *((2, "01-02 00:00", "01-31 00:00", "cancelled", 5, "Éva", None),),
        *((2, "01-10 00:00", "01-27 00:00", "out", 5, "éva", "web"),),
        *((2, "01-20 00:00", "02-28 18:00", "back", None, None, None),),
        *((2, "01-21 00:00", "02-02 00:00", "held", None, None, None),),
        *((1, "01-10 00:00", "01-20 06:00", "held", 5, "Bo", "web"),),
    )
    bookings = [
        make_booking(number, item, f"2025-{start}", None if end is None else f"2025-{end}")
        | {"state": state, "price": price, "customer": customer, "channel": channel}
        for number, (item, start, end, state, price, customer, channel) in enumerate(rows, start=1)
    ]
    items = [make_item(1, "a"), make_item(2, "b")]
    reports = Reports(convex, {"items": items, "bookings": bookings})
    for item in (None, 1, 2, 3):
        reports.compare("bookings:clashes", item=item)
    for now, grace in (
        *(("2025-02-03 06:00", "3"), ("2025-02-03 06:00", ""), ("2025-02-02 18:00", "2")),
        *(("2025-06-01 00:00", "30"), ("", "1"), ("2025-01-31 18:00", "0")),
    ):
        reports.compare("bookings:overdue", now=now, grace=grace)


def test_weeks_and_months(convex: Convex) -> None:
    """Sales by week and by month have the weeks, months and means that they had."""
    rows = (
        *(("2024-12-29", 100), ("2024-12-30", -101), ("2025-01-01", None), ("2025-01-05", 333)),
        *(("2025-01-06", -3), ("2025-01-06", -4), ("2025-01-31", 10), ("2025-02-28", None)),
        *(("2025-03-03", 5), ("2025-03-31", 6), ("2023-01-01", 1), ("2023-01-02", 2)),
        *(("2024-01-01", 3), ("2024-02-29", 4), ("2024-12-31", -1)),
    )
    bookings = [
        make_booking(number, 1, f"{day} 18:00", price=price)
        | {"channel": (None, "web")[number % 2], "state": ("out", "back", None)[number % 5 // 2]}
        for number, (day, price) in enumerate(rows, start=1)
    ]
    reports = Reports(convex, {"items": [make_item(1, "a")], "bookings": bookings})
    for channel in ("", "web", "none"):
        reports.compare("sales:weeks", channel=channel)
    for day, months in (("2024-12-31", 5), ("2025-01-30", 0), ("2025-03-31", -2), ("", 2)):
        reports.compare("sales:months", **{"from": day, "months": months})


def test_rankings_and_sites(convex: Convex) -> None:
    """Rankings and sums of sites count the rows that they counted."""
    items = [
        make_item(number, f"s{number}", site=site, daily=100 * (number % 3))
        for number, site in enumerate((1, 1, 1, None, 2, 2, 1, 3), start=1)
    ]
    items[6]["retired"] = "2025-01-01"
    prices = ((1, 100), (1, 200), (2, 300), (3, None), (4, -50), (5, 70), (5, -70), (7, 9), (6, 0))
    bookings = [
        make_booking(number, item, f"2025-0{number % 3 + 1}-01 00:00", price=price, units=number)
        for number, (item, price) in enumerate(prices, start=1)
    ]
    bookings += [
        make_booking(10 + item, item, "2025-06-01 00:00", state=state)
        for item, state in ((8, "cancelled"), (2, None), (4, "cancelled"))
    ]
    sites = [*SITES, make_site(4, "Empty", "south"), make_site(5, "empty", "south")]
    reports = Reports(convex, {"sites": sites, "items": items, "bookings": bookings})
    for site, offset in ((None, 0), (None, 3), (1, 0), (2, -1), (3, 0), (9, 0)):
        reports.compare("sales:ranking", site=site, offset=offset)
    for day in ("2025-01-01", "2025-03-01", "2025-06-01", "2026-01-01", ""):
        reports.compare("sales:sites", **{"from": day})


def test_stock(convex: Convex) -> None:
    """Movements have the levels, means and words that they had."""
    rows: tuple[tuple[int | None, str, int, str | None], ...] = (
        *((1, "2025-03-02", 18, "bought #7"), (1, "2025-03-01", -18, None)),
        *((1, "2025-03-02", 5, ""), (1, "2025-03-01", -6, "lost 3")),
        *((1, "2025-03-05", 30, "Bought #012x"), (2, "2025-03-09", 2, "7up")),
        *((None, "2025-03-01", 4, "bought #-2"), (3, "2025-03-01", 5, "100% # 5")),
        (None, "2025-03-01", 4, "bought #-2"),
    )
    movements = [make_movement(number, *row) for number, row in enumerate(rows, start=1)]
    items = [make_item(number, f"s{number}", stock=5) for number in range(1, 5)]
    bookings = [
        make_booking(1, 1, "2025-03-01 18:00", units=6, channel="lost 3"),
        make_booking(2, 1, "2025-03-01 00:00", units=6, channel="lost 3"),
        make_booking(3, 2, "2025-03-01 00:00", state=None),
        make_booking(4, 2, "2025-03-01 00:00", channel=None),
    ]
    tables = {"items": items, "bookings": bookings, "movements": movements}
    reports = Reports(convex, tables)
    for item in (1, 2, 9):
        reports.compare("stock:history", item=item)
    for pattern in ("%", "b%", "%!#%", "%!%%", "_o%", "", "LOST 3", "!!"):
        for least in (0, 5, 8):
            reports.compare("stock:reasons", pattern=pattern, least=least)
    for day in ("2025-03-01", "2025-03-02", "2025-03-09", "2025-01-01", ""):
        reports.compare("stock:differences", day=day)
        reports.compare("stock:diary", day=day)


def test_many_shops(convex: Convex) -> None:
    """All reports over rows at random are those of SQLite."""
    for seed in range(6):
        shop = Shop(random.Random(seed))  # noqa: S311 - not a secret
        reports = Reports(convex, shop.make_tables())
        for _ in range(2):
            for path, args in shop.list_calls():
                reports.compare(path, **args)
