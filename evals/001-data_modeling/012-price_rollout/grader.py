# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Prices: a stored field changes its form in three deploys, while the shop stays open."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from runner.grader import Convex

Orders = dict[str, str]

TABLES = ("products", "withdrawn", "priceLog", "orders", "alerts", "notices")
CUSTOMERS = ("ada", "ben", "cleo")
MOST_CALLS = 60
HOUR = 3_600
EXPECTED: list[dict[str, Any]] = []
"""What clients of the given app see in the course of a day; the same in each test."""


def staff(convex: Convex) -> Convex:
    """Return the app as the staff calls it."""
    return convex.as_user("sam", role="staff")


def fill(convex: Convex) -> Orders:
    """Fill the shop of the given app; return its orders by name."""
    convex.deploy("given")
    rows = [
        ("tea", 19.99),
        ("mug", 8.2),
        ("pot", 8.2),
        ("tin", 0.29),
        ("jar", 1.1),
        ("cup", 8.2),
        ("tray", 150),
        ("bowl", 0),
    ]
    loaded = [{"sku": sku, "name": sku.title(), "price": price} for sku, price in rows]
    staff(convex).mutation("catalog/bulk:load", {"shelf": "kitchen", "rows": loaded})
    mill = {"sku": "mill", "name": "Mill", "shelf": "yard", "price": 64.35}
    staff(convex).mutation("catalog/products:add", mill)
    for sku, price in (("tea", 18.99), ("tea", 20.15), ("jar", 1.13)):
        staff(convex).mutation("catalog/products:setPrice", {"sku": sku, "price": price})
    for customer, sku, price in (
        ("ada", "tea", 15.05),
        ("ben", "tea", 17.5),
        ("cleo", "tea", 20.1),
        ("ada", "mug", 5),
        ("cleo", "jar", 1.12),
        ("ben", "pot", 9),
    ):
        watch(convex, customer, sku, price)
    withdraw(convex, "cup", "chipped")
    staff(convex).mutation("catalog/products:setPrice", {"sku": "pot", "price": 8.19})
    staff(convex).mutation("catalog/products:setPrice", {"sku": "pot", "price": 8.2})
    orders = {name: open_order(convex, name.split()[0]) for name in ("ada 1", "ben 1", "ada 2")}
    put(convex, "ada", orders["ada 1"], "tea", 2)
    put(convex, "ada", orders["ada 1"], "tin", 3)
    put(convex, "ben", orders["ben 1"], "jar")
    convex.as_user("ben").mutation("orders/cart:pay", {"order": orders["ben 1"]})
    return orders


def watch(convex: Convex, customer: str, sku: str, price: float) -> None:
    """Set an alert."""
    convex.as_user(customer).mutation("alerts:watch", {"sku": sku, "price": price})


def withdraw(convex: Convex, sku: str, reason: str) -> None:
    """Take a product off its shelf."""
    staff(convex).mutation("catalog/archive:withdraw", {"sku": sku, "reason": reason})


def restore(convex: Convex, sku: str) -> None:
    """Bring a product back to its shelf."""
    staff(convex).mutation("catalog/archive:restore", {"sku": sku})


def set_price(convex: Convex, sku: str, price: float) -> None:
    """Change the price of a product."""
    staff(convex).mutation("catalog/products:setPrice", {"sku": sku, "price": price})


def duplicate(convex: Convex, sku: str, copy: str) -> None:
    """Put a copy of a product on its shelf."""
    staff(convex).mutation("catalog/bulk:duplicate", {"sku": sku, "as": copy})


def open_order(convex: Convex, customer: str) -> str:
    """Open an order."""
    order = convex.as_user(customer).mutation("orders/cart:open")
    assert isinstance(order, str)
    return order


def put(convex: Convex, customer: str, order: str, sku: str, quantity: int = 1) -> None:
    """Put a product into an order."""
    args = {"order": order, "sku": sku, "quantity": quantity}
    convex.as_user(customer).mutation("orders/cart:put", args)


def plan(convex: Convex, sku: str, price: float, hours: float = 1) -> None:
    """Plan a sale that begins in an hour."""
    at = 1000 * (convex.clock.now() + HOUR)
    args = {"sku": sku, "price": price, "at": at, "hours": hours}
    staff(convex).mutation("sales:plan", args)


def show(convex: Convex, orders: Orders) -> dict[str, Any]:
    """Return all that clients can see of the shop."""
    views: dict[str, Any] = {}
    for sku in ("tea", "mug", "jar", "tin", "mill", "fork"):
        views[f"product {sku}"] = convex.query("catalog/products:get", {"sku": sku})
        views[f"history {sku}"] = staff(convex).query("catalog/products:history", {"sku": sku})
    for limit in (2, 50):
        args = {"shelf": "kitchen", "limit": limit}
        views[f"cheapest {limit}"] = convex.query("catalog/browse:cheapest", args)
    for low, high, limit in ((0.29, 8.2, 9), (1.1, 8.2, 2), (8.2, 8.2, 9)):
        args = {"shelf": "kitchen", "from": low, "to": high, "limit": limit}
        views[f"between {low} {high}"] = convex.query("catalog/browse:between", args)
    for shelf in ("kitchen", "yard"):
        views[f"showpiece {shelf}"] = convex.query("catalog/browse:showpiece", {"shelf": shelf})
    views["feed"] = convex.http("GET", "/feed?shelf=kitchen").json()
    views["withdrawn"] = staff(convex).query("catalog/archive:list")
    views["revenue"] = staff(convex).query("orders/service:revenue", {"from": 0, "to": 1e14})
    for customer in CUSTOMERS:
        for name in ("alerts:mine", "alerts:notices", "orders/read:mine"):
            views[f"{customer} {name}"] = convex.as_user(customer).query(name)
    for name, order in orders.items():
        caller = convex.as_user(name.split()[0])
        views[f"order {name}"] = caller.query("orders/read:get", {"order": order})
    return views


def run(convex: Convex) -> bool:
    """Call the rollout once; return true at its end."""
    if "rollout:run" not in convex.functions:
        return True
    done = convex.admin.mutation("rollout:run")
    assert isinstance(done, bool)
    return done


def run_out(convex: Convex, between: Callable[[], None] | None = None) -> None:
    """Call the rollout until it returns true."""
    for _ in range(MOST_CALLS):
        if run(convex):
            return
        if between is not None:
            between()
    pytest.fail(f"the rollout has not ended after {MOST_CALLS} calls")


def deploy(convex: Convex, *steps: int) -> None:
    """Deploy steps, each with its whole rollout."""
    for step in steps:
        convex.deploy(f"step{step}")
        run_out(convex)


def list_prices(value: Any) -> list[Any]:  # noqa: ANN401 - any part of a document
    """Return all prices within documents."""
    parts: list[Any] = []
    prices: list[Any] = []
    if isinstance(value, list):
        parts = cast("list[Any]", value)
    if isinstance(value, dict):
        parts = list(cast("dict[str, Any]", value).values())
        prices = [value["price"]] if "price" in value else []
    return prices + [price for part in parts for price in list_prices(part)]


def check_stored(convex: Convex) -> None:
    """Check that all documents have the new form alone."""
    for table in TABLES:
        for price in list_prices(convex.table(table)):
            assert isinstance(price, dict), f"{table} has a price of the old form: {price}"
            amount = cast("dict[str, Any]", price)["amount"]
            assert price == {"amount": int(amount), "currency": "EUR"}, table


def work(convex: Convex, orders: Orders, part: int) -> None:
    """Do in three parts what customers and staff do in a day."""
    if part == 0:
        set_price(convex, "tea", 17.99)
        set_price(convex, "mug", 8.2)
        set_price(convex, "mug", 7.77)
        set_price(convex, "mug", 8.2)
        put(convex, "ada", orders["ada 1"], "tin", 2)
        put(convex, "ada", orders["ada 1"], "tea")
        withdraw(convex, "tin", "dented")
        restore(convex, "cup")
        duplicate(convex, "pot", "fork")
        watch(convex, "ben", "mug", 6.5)
    if part == 1:
        for old, new in (("ada 1", "ada 3"), ("ben 1", "ben 2")):
            customer, args = old.split()[0], {"order": orders[old]}
            orders[new] = convex.as_user(customer).mutation("orders/service:again", args)
        args = {"order": orders["ada 3"], "sku": "tea", "price": 16.1}
        staff(convex).mutation("orders/service:match", args)
        restore(convex, "tin")
        withdraw(convex, "jar", "sold out")
        row = {"sku": "mug", "name": "Mug", "price": 5.75}
        more = {"sku": "cask", "name": "Cask", "price": 1.15}
        load = {"shelf": "kitchen", "rows": [row, more]}
        staff(convex).mutation("catalog/bulk:load", load)
        orders["cleo 1"] = open_order(convex, "cleo")
        put(convex, "cleo", orders["cleo 1"], "fork", 3)
        put(convex, "ada", orders["ada 2"], "cup")
    if part == 2:
        cut = {"shelf": "kitchen", "percent": 15, "below": 17.99}
        assert staff(convex).mutation("catalog/bulk:cut", cut) == 7
        watch(convex, "cleo", "mill", 70.7)
        set_price(convex, "mill", 66.66)
        take = {"order": orders["ada 1"], "sku": "tin"}
        convex.as_user("ada").mutation("orders/cart:take", take)
        convex.as_user("cleo").mutation("orders/cart:pay", {"order": orders["cleo 1"]})
        convex.as_user("ben").mutation("alerts:unwatch", {"sku": "mug"})
        rename = {"sku": "cup", "name": "Big cup"}
        staff(convex).mutation("catalog/products:rename", rename)


def work_given(convex: Convex) -> list[dict[str, Any]]:
    """Return what clients of the given app see before each part of the day and after the last."""
    if not EXPECTED:
        orders = fill(convex)
        for part in range(3):
            EXPECTED.append(show(convex, orders))
            work(convex, orders, part)
        EXPECTED.append(show(convex, orders))
        convex.clear()
    return EXPECTED


def test_clients_see_the_same_in_each_step(convex: Convex) -> None:
    """All that clients can read is the same before, during and after the change."""
    expected = work_given(convex)[0]
    orders = fill(convex)
    for step in (1, 2, 3):
        convex.deploy(f"step{step}")
        assert show(convex, orders) == expected
        run_out(convex)
    assert show(convex, orders) == expected
    check_stored(convex)


def test_the_last_schema_admits_the_new_form_alone(convex: Convex) -> None:
    """After the third deploy no table takes a price of another form."""
    orders = fill(convex)
    deploy(convex, 1, 2, 3)
    put(convex, "ada", orders["ada 2"], "mug")
    check_stored(convex)
    price = {"amount": 820.0, "currency": "EUR"}
    wrong: list[Any] = [8.2, None, {"amount": 820.0}, {"currency": "EUR"}, price | {"euros": 8.2}]
    for table in TABLES:
        stored = convex.table(table)[-1]
        document = {name: value for name, value in stored.items() if not name.startswith("_")}
        for other in [*wrong, price]:
            changed: dict[str, Any] = json.loads(json.dumps(document))
            holder = changed["lines"][0] if table == "orders" else changed
            holder["price"] = other
            if other is price:
                convex.insert(table, changed)
                continue
            with pytest.raises(FunctionFailed):
                convex.insert(table, changed)


def test_amounts_are_exact(convex: Convex) -> None:
    """Prices that are no exact binary fractions become the right whole numbers of cents."""
    convex.deploy("given")
    prices = [cents / 100 for cents in (1, 29, 57, 58, 113, 115, 819, 1999, 6435, 99_999_999)]
    rows = [{"sku": f"p{n}", "name": "P", "price": price} for n, price in enumerate(prices)]
    staff(convex).mutation("catalog/bulk:load", {"shelf": "yard", "rows": rows})
    deploy(convex, 1, 2)
    more = [{**row, "sku": f"more {row['sku']}"} for row in rows]
    staff(convex).mutation("catalog/bulk:load", {"shelf": "yard", "rows": more})
    deploy(convex, 3)
    amounts = [product["price"]["amount"] for product in convex.table("products")]
    assert amounts == 2 * [1, 29, 57, 58, 113, 115, 819, 1999, 6435, 99_999_999]
    for row in rows + more:
        product_view = convex.query("catalog/products:get", {"sku": row["sku"]})
        assert product_view == {**row, "shelf": "yard"}


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_day_in_each_step(convex: Convex, step: int) -> None:
    """All that customers and staff do has the effects of today, after each of the deploys."""
    expected = work_given(convex)
    orders = fill(convex)
    deploy(convex, *range(1, step + 1))
    for part in range(3):
        work(convex, orders, part)
    assert show(convex, orders) == expected[3]
    deploy(convex, *range(step + 1, 4))
    check_stored(convex)


def test_the_shop_is_open_during_the_rollout(convex: Convex) -> None:
    """What is done between the calls of the rollout has the effects of today, and is converted."""
    expected = work_given(convex)
    orders = fill(convex)
    load_many(convex, 130)
    deploy(convex, 1)
    convex.deploy("step2")
    parts = iter(range(3))

    def work_on() -> None:
        for part in islice(parts, 1):
            work(convex, orders, part)
            assert show(convex, orders) == expected[part + 1]

    work_on()
    run_out(convex, work_on)
    for part in parts:
        work(convex, orders, part)
    deploy(convex, 3)
    assert show(convex, orders) == expected[3]
    check_stored(convex)


def load_many(convex: Convex, count: int) -> None:
    """Load many products onto a shelf of their own."""
    rows = [{"sku": f"nail {n}", "name": "Nail", "price": n / 100} for n in range(count)]
    staff(convex).mutation("catalog/bulk:load", {"shelf": "nails", "rows": rows})


def test_the_first_step_can_be_taken_back(convex: Convex) -> None:
    """The given app works with what was written in the first step."""
    expected = work_given(convex)
    orders = fill(convex)
    deploy(convex, 1)
    work(convex, orders, 0)
    convex.deploy("given")
    work(convex, orders, 1)
    deploy(convex, 1)
    work(convex, orders, 2)
    convex.deploy("given")
    assert show(convex, orders) == expected[3]
    deploy(convex, 1, 2, 3)
    check_stored(convex)


def test_the_second_step_can_be_taken_back(convex: Convex) -> None:
    """The first step works with converted data, and what it writes then is converted later."""
    expected = work_given(convex)
    orders = fill(convex)
    deploy(convex, 1, 2)
    work(convex, orders, 0)
    convex.deploy("step1")
    work(convex, orders, 1)
    deploy(convex, 2)
    convex.deploy("step1")
    work(convex, orders, 2)
    assert show(convex, orders) == expected[3]
    deploy(convex, 2, 3)
    assert show(convex, orders) == expected[3]
    check_stored(convex)


def test_a_half_done_rollout_can_be_taken_back(convex: Convex) -> None:
    """The first step works with data of both forms, and what it writes then is converted later."""
    expected = work_given(convex)
    orders = fill(convex)
    load_many(convex, 230)
    deploy(convex, 1)
    parts = iter(range(3))

    def take_back() -> None:
        for part in islice(parts, 1):
            convex.deploy("step1")
            work(convex, orders, part)
            assert show(convex, orders) == expected[part + 1]
            convex.deploy("step2")

    convex.deploy("step2")
    run_out(convex, take_back)
    for part in parts:
        work(convex, orders, part)
    deploy(convex, 3)
    assert show(convex, orders) == expected[3]
    check_stored(convex)


def test_the_third_step_can_be_taken_back(convex: Convex) -> None:
    """The second step works with what was written in the third."""
    expected = work_given(convex)
    orders = fill(convex)
    deploy(convex, 1, 2, 3)
    work(convex, orders, 0)
    deploy(convex, 2)
    work(convex, orders, 1)
    deploy(convex, 3)
    work(convex, orders, 2)
    deploy(convex, 2)
    assert show(convex, orders) == expected[3]
    deploy(convex, 3)
    check_stored(convex)


def test_sales_begin_and_end(convex: Convex) -> None:
    """A sale that was planned in one deploy begins in the next, and ends in the one after."""
    orders = fill(convex)
    prices: list[float] = []

    def note(sku: str) -> None:
        product: Any = convex.query("catalog/products:get", {"sku": sku})
        prices.append(product["price"])

    plan(convex, "mug", 3.33, hours=1)
    plan(convex, "tray", 99.95, hours=3)
    plan(convex, "mill", 0.58, hours=4)
    deploy(convex, 1)
    convex.clock.advance(HOUR + 1)
    note("mug")
    deploy(convex, 2)
    plan(convex, "pot", 2.2, hours=1.5)
    convex.clock.advance(HOUR)
    note("mug")
    note("tray")
    convex.clock.advance(1)
    convex.deploy("step1")
    note("pot")
    convex.clock.advance(HOUR)
    note("tray")
    set_price(convex, "mill", 50.5)
    deploy(convex, 2, 3)
    plan(convex, "tin", 0.01)
    convex.clock.advance(HOUR)
    note("pot")
    note("tray")
    note("mill")
    note("tin")
    convex.clock.advance(HOUR)
    note("tin")
    note("mill")
    assert prices == [3.33, 8.2, 99.95, 2.2, 99.95, 8.2, 150, 50.5, 0.01, 0.29, 50.5]
    history = show(convex, orders)["history mug"]
    assert [(entry["price"], entry["by"]) for entry in history] == [
        (8.2, "sam"),
        (3.33, "sales"),
        (8.2, "sales"),
    ]
    assert [run.path for run in convex.scheduled() if run.state not in ("success", "pending")] == []
    check_stored(convex)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_lists_of_the_supplier_arrive(convex: Convex, step: int) -> None:
    """A list that was asked for before a deploy is stored after it."""
    orders = fill(convex)
    deploy(convex, *range(1, step))
    rows = [
        {"sku": "tea", "price": 16.99},
        {"sku": "sand", "price": 1},
        {"sku": "mug", "price": 8.2},
    ]
    convex.stub_fetch("https://supplier.example/prices", json={"rows": rows}, after=60)
    staff(convex).mutation("supplier:refresh")
    convex.settle()
    convex.deploy(f"step{step}")
    convex.clock.advance(61)
    views = show(convex, orders)
    assert views["product tea"]["price"] == 16.99
    assert views["history tea"][-1] == {"sku": "tea", "price": 16.99, "by": "supplier"}
    assert len(views["history mug"]) == 1
    assert [len(views[f"{who} alerts:notices"]) for who in CUSTOMERS] == [0, 2, 1]


def test_calls_are_bounded(convex: Convex) -> None:
    """A call converts at most a hundred documents, and reads for customers take few documents."""
    convex.deploy("given")
    load_many(convex, 140)
    watch(convex, "ada", "nail 139", 1)
    deploy(convex, 1)
    convex.limit(documents_read=330, documents_written=115)
    for step in (2, 3):
        convex.deploy(f"step{step}")
        for _ in range(MOST_CALLS):
            check_reads(convex)
            before = count_converted(convex)
            done = run(convex)
            assert count_converted(convex) - before <= 100
            if done:
                break
        check_reads(convex)
    check_stored(convex)


def count_converted(convex: Convex) -> int:
    """Count the documents of the new form."""
    prices = (price for table in TABLES for price in list_prices(convex.table(table)))
    return sum(isinstance(price, dict) for price in prices)


def check_reads(convex: Convex) -> None:
    """Check that customers read a few documents of a shelf of many."""
    calls: list[tuple[str, dict[str, Any], list[float]]] = [
        ("cheapest", {"limit": 2}, [0, 0.01]),
        ("between", {"from": 0.7, "to": 1.39, "limit": 3}, [0.7, 0.71, 0.72]),
    ]
    for name, args, prices in calls:
        footprint = convex.footprint(
            f"catalog/browse:{name}", {"shelf": "nails", **args}, kind="query"
        )
        assert [product["price"] for product in footprint.value] == prices
        assert footprint.documents_read <= 12
    footprint = convex.footprint("catalog/browse:showpiece", {"shelf": "nails"}, kind="query")
    assert footprint.value["price"] == 1.39
    assert footprint.documents_read <= 12
