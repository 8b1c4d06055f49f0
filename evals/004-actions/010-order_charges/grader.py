# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Orders charged by a service whose answers come late, twice or never."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

PAYLANE = "https://api.paylane.test/v1"
MINUTE = 60
HOUR = 60 * MINUTE
NEVER = 75 * MINUTE
PRICE = 1250
STOCK = 10
PAID = {"status": 201, "json": {"id": "ch_1"}}
UNCERTAIN: dict[str, dict[str, Any]] = {
    "no_answer": {"fail": True},
    "gateway": {"status": 502, "body": "<html>Bad gateway</html>"},
    "in_progress": {"status": 409, "json": {"error": "in progress"}, "after": 20},
}


@dataclass(frozen=True)
class Shop:
    """A shop with one product and one customer."""

    convex: Convex
    ada: Convex
    staff: Convex
    product: str

    def place(self, quantity: int = 2) -> str:
        """Place an order; what is due at once has run."""
        lines = [{"product": self.product, "quantity": quantity}]
        order: str = self.ada.mutation("orders:place", {"lines": lines, "card": "card_a"})
        self.convex.clock.advance(1)
        return order

    def show(self, order: str) -> dict[str, Any]:
        """Return an order as its customer sees it."""
        return self.ada.query("orders:get", {"order": order})

    def state(self, order: str) -> str:
        """Return the state that the customer sees."""
        return self.show(order)["state"]

    def pay_again(self, order: str) -> None:
        """Pay a refused order with another card."""
        self.ada.mutation("orders:payAgain", {"order": order, "card": "card_b"})
        self.convex.clock.advance(1)

    def cancel(self, order: str) -> None:
        """Cancel an order."""
        self.ada.mutation("orders:cancel", {"order": order})

    def wait_for(self, order: str, state: str, within: float) -> None:
        """Wait until an order has a state, in steps of a minute."""
        end = self.convex.clock.now() + within
        while self.state(order) != state:
            assert self.convex.clock.now() < end, f"not {state} but {self.state(order)}"
            self.convex.clock.advance(MINUTE)

    def stock(self) -> float:
        """Return how many goods can be ordered."""
        return self.convex.query("catalog:list")[0]["stock"]

    def gains(self) -> tuple[list[str], float, float, float]:
        """Return the receipts, the points, and the number and amount of the takings."""
        texts = [mail["text"] for mail in self.convex.table("mails")]
        days = self.convex.table("takings")
        amounts = (sum(day["orders"] for day in days), sum(day["amount"] for day in days))
        return texts, self.ada.query("customers:me")["points"], *amounts

    def refunds(self, order: str) -> list[dict[str, Any]]:
        """Return the refunds of an order."""
        return self.staff.query("staff/reports:refundsOf", {"order": order})


def open_shop(convex: Convex) -> Shop:
    """Open a shop, whose payment service does not answer."""
    ada, staff = convex.as_user("ada"), convex.as_user("sam", role="staff")
    ada.mutation("customers:register", {"email": "ada@example.test"})
    product = {"title": "Fern", "price": PRICE, "stock": STOCK}
    return Shop(convex, ada, staff, staff.mutation("catalog:add", product))


def answer_charges(convex: Convex, **reply: Any) -> None:  # noqa: ANN401 - parts of an answer
    """Answer requests to charge."""
    convex.stub_fetch(f"{PAYLANE}/charges", method="POST", **reply)


def answer_refunds(convex: Convex, **reply: Any) -> None:  # noqa: ANN401 - parts of an answer
    """Answer requests to give money back."""
    convex.stub_fetch(f"{PAYLANE}/refunds", method="POST", **reply)


def list_charges(convex: Convex, *charges: dict[str, Any], reference: str = "*") -> None:
    """Answer who asks for the charges of an order."""
    url = f"{PAYLANE}/charges?reference={reference}"
    convex.stub_fetch(url, method="GET", json={"charges": list(charges)})


def lists_as(
    key: str, status: str = "succeeded", amount: int = 2 * PRICE, charge: str = "ch_1"
) -> dict[str, Any]:
    """Return an entry of the list of charges."""
    return {"id": charge, "key": key, "amount": amount, "status": status}


def break_down(convex: Convex) -> None:
    """Let Paylane answer nothing from now on."""
    convex.stub_fetch(f"{PAYLANE}/*", fail=True)


def sent(convex: Convex, path: str = "/charges") -> list[tuple[str, dict[str, Any]]]:
    """Return the keys and bodies of all requests to charge or to give back."""
    return [
        (fetch.headers["idempotency-key"], json.loads(fetch.body))
        for fetch in convex.fetches()
        if (fetch.method, fetch.url) == ("POST", PAYLANE + path)
    ]


def sent_once(convex: Convex, path: str = "/charges") -> tuple[str, dict[str, Any]]:
    """Return the key and the body that all requests to charge or to give back have in common."""
    requests = sent(convex, path)
    assert requests
    assert all(request == requests[0] for request in requests), requests
    assert 8 <= len(requests[0][0]) <= 64
    return requests[0]


def test_a_definite_answer_is_final(convex: Convex) -> None:
    """A charge that succeeds pays the order, one that the bank refuses gives the goods back."""
    shop = open_shop(convex)
    answer_charges(convex, **PAID)
    order = shop.place()
    key, body = sent_once(convex)
    assert body == {
        "amount": 2 * PRICE,
        "currency": "EUR",
        "card": "card_a",
        "reference": shop.show(order)["number"],
    }
    list_charges(convex, lists_as(key))
    assert shop.show(order)["state"] == "paid"
    gains = (["Thank you! We have charged 25.00 EUR."], 25, 1, 2 * PRICE)
    assert (shop.gains(), shop.stock()) == (gains, STOCK - 2)
    answer_charges(convex, status=402, json={"reason": "No money."})
    refused = shop.place(3)
    list_charges(convex, lists_as(sent(convex)[-1][0], "refused", 3 * PRICE))
    assert shop.show(refused)["state"] == "refused"
    assert shop.show(refused)["refusal"] == "No money."
    convex.clock.advance(HOUR)
    assert [shop.state(order), shop.state(refused)] == ["paid", "refused"]
    assert (shop.gains(), shop.stock()) == (gains, STOCK - 2)
    assert len(sent(convex)) == 2
    assert [row["id"] for row in shop.ada.query("orders:mine")] == [refused, order]


@pytest.mark.parametrize("reply", UNCERTAIN.values(), ids=UNCERTAIN.keys())
def test_a_lost_answer_is_no_refusal(convex: Convex, reply: dict[str, Any]) -> None:
    """Without a definite answer the order is never refused, and the charge is not made again."""
    shop = open_shop(convex)
    answer_charges(convex, **PAID)
    answer_charges(convex, times=1, **reply)
    list_charges(convex)
    order = shop.place()
    list_charges(convex, lists_as(sent_once(convex)[0]))
    assert shop.state(order) in {"charging", "paid"}
    convex.clock.advance(HOUR)
    assert shop.state(order) == "paid"
    sent_once(convex)
    gains = (["Thank you! We have charged 25.00 EUR."], 25, 1, 2 * PRICE)
    assert (shop.gains(), shop.stock()) == (gains, STOCK - 2)


def test_an_outage_loses_no_sale(convex: Convex) -> None:
    """While Paylane is away the order waits, and it is charged when Paylane is back."""
    shop = open_shop(convex)
    convex.clock.advance(13 * MINUTE)
    break_down(convex)
    order = shop.place()
    convex.clock.advance(34 * MINUTE)
    assert (shop.state(order), shop.stock()) == ("charging", STOCK - 2)
    list_charges(convex)
    answer_charges(convex, **PAID)
    convex.clock.advance(11 * MINUTE)
    assert shop.state(order) == "paid"
    assert shop.gains() == (["Thank you! We have charged 25.00 EUR."], 25, 1, 2 * PRICE)
    assert shop.stock() == STOCK - 2


def test_what_never_arrives_is_refused(convex: Convex) -> None:
    """An order whose charge did not reach Paylane is refused within the hour, not much earlier."""
    shop = open_shop(convex)
    answer_charges(convex, fail=True)
    list_charges(convex)
    order = shop.place()
    convex.clock.advance(40 * MINUTE)
    assert shop.state(order) == "charging"
    convex.clock.advance(21 * MINUTE)
    assert (shop.state(order), shop.stock()) == ("refused", STOCK)
    requests = len(sent(convex))
    convex.clock.advance(30 * MINUTE)
    assert len(sent(convex)) == requests
    assert (shop.state(order), shop.stock(), shop.gains()) == ("refused", STOCK, ([], 0, 0, 0))


def test_a_request_that_hangs_is_looked_after(convex: Convex) -> None:
    """A request without an end does not hold the order; its late answer changes nothing."""
    shop = open_shop(convex)
    answer_charges(convex, after=NEVER, **PAID)
    list_charges(convex)
    order = shop.place()
    convex.clock.advance(100)
    key, _ = sent_once(convex)
    assert shop.state(order) == "charging"
    list_charges(convex, lists_as(key, "pending"))
    convex.clock.advance(8 * MINUTE)
    assert shop.state(order) == "charging"
    list_charges(convex, lists_as(key))
    convex.clock.advance(51 * MINUTE)
    assert shop.state(order) == "paid"
    convex.clock.advance(20 * MINUTE)
    sent_once(convex)
    gains = (["Thank you! We have charged 25.00 EUR."], 25, 1, 2 * PRICE)
    assert (shop.gains(), shop.stock()) == (gains, STOCK - 2)


@pytest.mark.parametrize("charged", [True, False], ids=["charged", "not_charged"])
def test_a_long_outage_ends_truly(convex: Convex, charged: bool) -> None:  # noqa: FBT001 - a case
    """After the hour nothing is charged any more; the truth is found when Paylane is back."""
    shop = open_shop(convex)
    break_down(convex)
    order = shop.place()
    convex.clock.advance(66 * MINUTE)
    assert shop.state(order) == "charging"
    requests = sent(convex)
    answer_charges(convex, **PAID)
    list_charges(convex, *([lists_as(requests[0][0])] if charged else []))
    with suppress(FunctionFailed):
        shop.staff.mutation("staff/orders:chargeNow", {"order": order})
    convex.clock.advance(11 * MINUTE)
    assert shop.state(order) == ("paid" if charged else "refused")
    assert sent(convex) == requests
    assert shop.stock() == (STOCK - 2 if charged else STOCK)
    assert shop.gains()[1:] == ((25, 1, 2 * PRICE) if charged else (0, 0, 0))
    if charged:
        sent_once(convex)


@pytest.mark.parametrize(
    ("status", "place"),
    [("succeeded", 0), ("succeeded", 1), ("refused", 1)],
    ids=["succeeded_first", "succeeded_last", "refused"],
)
def test_paying_again_is_another_charge(convex: Convex, status: str, place: int) -> None:
    """A refused order that is paid again is charged anew, with its own hour and outcome."""
    shop = open_shop(convex)
    answer_charges(convex, status=402, json={"reason": "No money."})
    order = shop.place()
    first = sent_once(convex)[0]
    refused = lists_as(first, "refused", charge="ch_0")
    list_charges(convex, refused)
    convex.clock.advance(90 * MINUTE)
    assert shop.state(order) == "refused"
    answer_charges(convex, fail=True)
    shop.pay_again(order)
    assert shop.state(order) == "charging"
    second, body = sent(convex)[1]
    assert second != first
    assert body["card"] == "card_b"
    charges = [refused]
    charges.insert(place, lists_as(second, "pending"))
    list_charges(convex, *charges)
    convex.clock.advance(10 * MINUTE)
    assert shop.state(order) == "charging"
    charges[place] = lists_as(second, status)
    list_charges(convex, *charges)
    convex.clock.advance(51 * MINUTE)
    assert shop.state(order) == ("paid" if status == "succeeded" else "refused")
    assert {key for key, _ in sent(convex)} == {first, second}
    receipts = ["Thank you! We have charged 25.00 EUR."]
    assert shop.gains() == (
        (receipts, 25, 1, 2 * PRICE) if shop.state(order) == "paid" else ([], 0, 0, 0)
    )
    assert shop.stock() == (STOCK - 2 if shop.state(order) == "paid" else STOCK)


def test_a_late_refusal_meets_the_second_payment(convex: Convex) -> None:
    """A late refusal of the first payment leaves the second payment as it is."""
    shop = open_shop(convex)
    began = convex.clock.now()
    answer_charges(convex, status=402, json={"reason": "No money."})
    answer_charges(convex, status=402, json={"reason": "No money."}, after=58 * MINUTE, times=1)
    list_charges(convex)
    order = shop.place()
    first = sent_once(convex)[0]
    refused = lists_as(first, "refused", charge="ch_0")
    list_charges(convex, refused)
    shop.wait_for(order, "refused", HOUR)
    answer_charges(convex, fail=True)
    shop.pay_again(order)
    second = next(key for key, _ in sent(convex) if key != first)
    list_charges(convex, refused, lists_as(second, "pending"))
    convex.clock.advance_to(max(convex.clock.now(), began + 59 * MINUTE))
    assert (shop.state(order), shop.stock()) == ("charging", STOCK - 2)
    list_charges(convex, refused, lists_as(second))
    answer_charges(convex, **PAID)
    convex.clock.advance(HOUR)
    assert shop.state(order) == "paid"
    assert shop.stock() == STOCK - 2


CANCELLED: dict[str, dict[str, Any]] = {
    "answered": {"after": 20, **PAID},
    "answered_late": {"after": 20 * MINUTE, **PAID},
    "lost": {"after": 20, "fail": True},
    "never": {"after": NEVER, "fail": True},
}


@pytest.mark.parametrize("reply", CANCELLED.values(), ids=CANCELLED.keys())
def test_a_cancelled_order_is_paid_back(convex: Convex, reply: dict[str, Any]) -> None:
    """An order that is cancelled while it is charged stays cancelled, and the money goes back."""
    shop = open_shop(convex)
    convex.clock.advance(40)
    answer_charges(convex, **PAID)
    answer_charges(convex, times=1, **reply)
    answer_refunds(convex, status=201, json={"id": "re_1"})
    list_charges(convex)
    order = shop.place()
    key, _ = sent_once(convex)
    convex.clock.advance(5)
    shop.cancel(order)
    assert (shop.state(order), shop.stock()) == ("cancelled", STOCK)
    requests = sent(convex)
    convex.clock.advance(95)
    list_charges(convex, lists_as(key))
    requests = sent(convex)
    convex.clock.advance(HOUR)
    shop.cancel(order)
    convex.clock.advance(20 * MINUTE)
    assert (shop.state(order), shop.stock()) == ("cancelled", STOCK)
    assert shop.refunds(order) == [{"charge": "ch_1", "amount": 2 * PRICE, "state": "done"}]
    assert sent_once(convex, "/refunds")[1] == {"charge": "ch_1", "amount": 2 * PRICE}
    assert shop.gains() == ([], 0, 0, 0)
    assert sent(convex) == requests


def test_a_cancelled_order_is_not_charged_any_more(convex: Convex) -> None:
    """Whoever cancels while Paylane is away is not charged afterwards, and gets nothing back."""
    shop = open_shop(convex)
    break_down(convex)
    order = shop.place()
    convex.clock.advance(70)
    shop.cancel(order)
    requests = sent(convex)
    answer_charges(convex, **PAID)
    list_charges(convex)
    convex.clock.advance(70 * MINUTE)
    assert sent(convex) == requests
    assert (shop.state(order), shop.stock(), shop.refunds(order)) == ("cancelled", STOCK, [])


REFUNDS: dict[str, dict[str, Any]] = {
    "no_answer": {"fail": True, "times": 3},
    "overload": {"status": 503, "body": "busy", "times": 2},
    "never": {"after": NEVER, "fail": True, "times": 1},
}


@pytest.mark.parametrize("reply", REFUNDS.values(), ids=REFUNDS.keys())
def test_a_refund_is_tried_until_it_is_done(convex: Convex, reply: dict[str, Any]) -> None:
    """A refund without an answer is sent again as the same one, until it is confirmed."""
    shop = open_shop(convex)
    answer_charges(convex, **PAID)
    answer_refunds(convex, status=201, json={"id": "re_1"})
    answer_refunds(convex, **reply)
    order = shop.place()
    list_charges(convex, lists_as(sent_once(convex)[0]))
    shop.cancel(order)
    convex.clock.advance(1)
    assert [row["state"] for row in shop.refunds(order)] == ["waiting"]
    convex.clock.advance(40 * MINUTE)
    assert shop.refunds(order) == [{"charge": "ch_1", "amount": 2 * PRICE, "state": "done"}]
    requests = len(sent(convex, "/refunds"))
    convex.clock.advance(40 * MINUTE)
    sent_once(convex, "/refunds")
    assert len(sent(convex, "/refunds")) == requests
    assert (shop.gains()[1], shop.stock()) == (0, STOCK)


def test_a_discount_meets_the_charge(convex: Convex) -> None:
    """A discount during a charge changes no request; the charged amount counts."""
    shop = open_shop(convex)
    answer_charges(convex, **PAID)
    answer_charges(convex, fail=True, times=1)
    answer_refunds(convex, status=201, json={"id": "re_1"})
    list_charges(convex)
    order = shop.place()
    list_charges(convex, lists_as(sent_once(convex)[0]))
    with suppress(FunctionFailed):
        shop.staff.mutation("staff/orders:discount", {"order": order, "percent": 20})
    convex.clock.advance(HOUR)
    assert shop.state(order) == "paid"
    sent_once(convex)
    assert shop.show(order)["total"] == 2 * PRICE
    assert shop.gains() == (["Thank you! We have charged 25.00 EUR."], 25, 1, 2 * PRICE)
    shop.cancel(order)
    convex.clock.advance(MINUTE)
    assert shop.refunds(order) == [{"charge": "ch_1", "amount": 2 * PRICE, "state": "done"}]


def test_a_discount_before_paying_again(convex: Convex) -> None:
    """A refused order that became cheaper is charged with its new total."""
    shop = open_shop(convex)
    answer_charges(convex, status=402, json={"reason": "No money."})
    order = shop.place()
    list_charges(convex, lists_as(sent_once(convex)[0], "refused"))
    shop.staff.mutation("staff/orders:discount", {"order": order, "percent": 20})
    answer_charges(convex, **PAID)
    shop.pay_again(order)
    assert sent(convex)[-1][1]["amount"] == 2000
    assert (shop.state(order), shop.show(order)["total"]) == ("paid", 2000)
    assert shop.gains() == (["Thank you! We have charged 20.00 EUR."], 20, 1, 2000)


def test_the_button_charges_nothing_twice(convex: Convex) -> None:
    """The button "Try now", pressed while Paylane works, charges and thanks nobody twice."""
    shop = open_shop(convex)
    answer_charges(convex, after=30, **PAID)
    list_charges(convex)
    order = shop.place()
    list_charges(convex, lists_as(sent_once(convex)[0], "pending"))
    for _ in range(2):
        shop.staff.mutation("staff/orders:chargeNow", {"order": order})
        convex.clock.advance(10)
    assert shop.state(order) == "charging"
    list_charges(convex, lists_as(sent_once(convex)[0]))
    convex.clock.advance(HOUR)
    assert shop.state(order) == "paid"
    sent_once(convex)
    gains = (["Thank you! We have charged 25.00 EUR."], 25, 1, 2 * PRICE)
    assert (shop.gains(), shop.stock()) == (gains, STOCK - 2)


def test_orders_from_before_the_deploy_are_settled(convex: Convex) -> None:
    """Orders and refunds that hang when the new code is deployed come to the right end."""
    convex.deploy("given")
    shop = open_shop(convex)
    answer_charges(convex, **PAID)
    cancelled = shop.place(1)
    answer_refunds(convex, fail=True)
    shop.cancel(cancelled)
    answer_charges(convex, after=NEVER, **PAID)
    charged, lost = shop.place(2), shop.place(3)
    shop.staff.mutation("staff/orders:discount", {"order": charged, "percent": 20})
    convex.clock.advance(10 * MINUTE)
    (old_key, _), (lost_key, _) = sent(convex)[1:]
    assert old_key != lost_key
    number = shop.show(charged)["number"]
    list_charges(convex)
    list_charges(convex, lists_as(old_key, charge="ch_2"), reference=number)
    answer_charges(convex, status=201, json={"id": "ch_3"})
    answer_refunds(convex, status=201, json={"id": "re_1"})
    convex.deploy("answer")
    convex.clock.advance(HOUR)
    assert (shop.state(charged), shop.show(charged)["total"]) == ("paid", 2 * PRICE)
    assert [row["state"] for row in shop.refunds(cancelled)] == ["done"]
    sent_once(convex, "/refunds")
    requests = [body["reference"] for _, body in sent(convex)[3:]]
    assert number not in requests
    assert shop.state(lost) == ("paid" if requests else "refused")
    assert shop.stock() == STOCK - 2 - (3 if requests else 0)
    assert "Thank you! We have charged 25.00 EUR." in shop.gains()[0]
    shop.cancel(charged)
    convex.clock.advance(MINUTE)
    assert shop.refunds(charged) == [{"charge": "ch_2", "amount": 2 * PRICE, "state": "done"}]


def test_other_orders_are_not_read(convex: Convex) -> None:
    """However many orders were paid or paid back, the ones that wait are looked after."""
    shop = open_shop(convex)
    answer_refunds(convex, status=201, json={"id": "re_1"})
    answer_charges(convex, status=201, json={"id": "ch_paid"}, times=1)
    shop.place(1)
    answer_charges(convex, status=201, json={"id": "ch_cancelled"}, times=1)
    cancelled = shop.place(1)
    shop.cancel(cancelled)
    convex.clock.advance(1)
    orders, refunds = (
        [{key: value for key, value in row.items() if not key.startswith("_")} for row in rows]
        for rows in (convex.table("orders"), convex.table("refunds"))
    )
    assert [row["state"] for row in (*orders, *refunds)] == ["paid", "cancelled", "done"]
    for n in range(240):
        # Paylane's charges have ids of their own.
        copies = [
            {key: f"ch_{n}" if str(value)[:3] == "ch_" else value for key, value in row.items()}
            for row in (orders[n % 2], refunds[0])
        ]
        convex.insert("orders", copies[0] | {"number": f"F-{n}"})
        if n % 2:
            convex.insert("refunds", copies[1])
    convex.limit(documents_read=60)
    answer_charges(convex, status=201, json={"id": "ch_order"})
    answer_charges(convex, fail=True, times=1)
    answer_refunds(convex, fail=True, times=1)
    list_charges(convex)
    order = shop.place()
    answer_charges(convex, status=201, json={"id": "ch_other"}, times=1)
    other = shop.place()
    number = shop.show(order)["number"]
    key = next(key for key, body in sent(convex) if body["reference"] == number)
    list_charges(convex, lists_as(key, charge="ch_order"), reference=number)
    shop.cancel(other)
    convex.clock.advance(HOUR)
    assert shop.state(order) == "paid"
    assert [row["state"] for row in shop.refunds(other)] == ["done"]
