# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A billing app that takes the signed events of its payment provider."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from runner.grader import Convex, Response

NEW, OLD, FOREIGN = "whsec_grün-1", "whsec_former", "whsec_foreign"
PAYMENTS = "https://api.paywell.test/v3/payments"
DAY = 24 * 3600
NOVEMBER, DECEMBER, JANUARY = 1793880000, 1796212800, 1799150400
"""Moments in November and December 2026 and in January 2027, in seconds."""
BATCH = 25


@pytest.fixture
def app(convex: Convex) -> Convex:
    """The app, with the secrets of a webhook that has just got a new one; the staff calls it."""
    convex.set_env("PAYWELL_SECRET", NEW)
    convex.set_env("PAYWELL_SECRET_OLD", OLD)
    convex.set_env("PAYWELL_KEY", "key")
    return convex.as_user("ada", role="staff")


def sign(body: bytes, moment: int, secret: str) -> str:
    """Return the signature of a body in hexadecimal."""
    return hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()


def send(app: Convex, body: bytes, header: str | None) -> Response:
    """Send a body with this header."""
    headers = {"Content-Type": "application/json"}
    if header is not None:
        headers["Paywell-Signature"] = header
    return app.http("POST", "/paywell", body=body, headers=headers)


def deliver(
    app: Convex, event: dict[str, Any], *, secret: str = NEW, signed_before: float = 0
) -> int:
    """Deliver an event that was signed so many seconds ago, and return the status."""
    body = json.dumps(event).encode()
    moment = int(app.clock.now() - signed_before)
    return send(app, body, f"t={moment},v1={sign(body, moment, secret)}").status


def take(app: Convex, *events: dict[str, Any]) -> None:
    """Deliver events, which must all be answered with 200."""
    assert [deliver(app, event) for event in events] == [200] * len(events)


def make_event(app: Convex, name: str, kind: str, data: object) -> dict[str, Any]:
    """Return an event that Paywell creates now."""
    created = int(app.clock.now())
    return {"id": name, "type": kind, "created": created, "live": True, "data": data}


def make_history(app: Convex, invoice: str, *, cents: int = 5000) -> list[dict[str, Any]]:
    """Return the events of a payment: it fails, then succeeds, then is returned in two parts."""
    first = {"id": "re_1", "cents": 1000, "at": DECEMBER}
    second = {"id": "re_2", "cents": 1500, "at": JANUARY}
    changes: list[tuple[str, str, int | None, list[Any]]] = [
        ("processing", "processing", None, []),
        ("failed", "failed", None, []),
        ("processing", "processing", None, []),
        ("succeeded", "succeeded", NOVEMBER, []),
        ("refunded", "succeeded", NOVEMBER, [first]),
        ("refunded", "succeeded", NOVEMBER, [first, second]),
    ]
    return [
        make_event(
            app,
            f"evt_{invoice}_{version}",
            f"payment.{kind}",
            {
                "id": f"pay_{invoice}",
                "reference": invoice,
                "version": version,
                "status": status,
                "cents": cents,
                "currency": "EUR",
                "paidAt": paid_at,
                "refunds": refunds,
            },
        )
        for version, (kind, status, paid_at, refunds) in enumerate(changes, 1)
    ]


def make_gift(
    app: Convex, customer: str, name: str = "evt_gift", cents: int = 700
) -> dict[str, Any]:
    """Return an event that grants credit to a customer."""
    data = {"reference": customer, "cents": cents, "note": "sorry"}
    return make_event(app, name, "credit.granted", data)


def add_customer(app: Convex, name: str = "Ida") -> str:
    """Add a customer."""
    return str(app.mutation("customers/manage:add", {"name": name, "email": "ida@post.test"}))


def add_invoice(app: Convex, customer: str, *, cents: int = 5000, number: str = "R-1") -> str:
    """Write an open invoice that is due in a year."""
    due = 1000 * (app.clock.now() + 365 * DAY)
    invoice = {"customer": customer, "number": number, "text": "x", "cents": cents, "dueAt": due}
    return str(app.mutation("invoices/manage:create", invoice))


def look_at(app: Convex, invoice: str) -> tuple[Any, ...]:
    """Return how an invoice stands: its status, payment, time of payment and returned money."""
    row = app.query("invoices/manage:get", {"invoice": invoice})
    paid_at = row.get("paidAt")
    return (
        row["status"],
        row.get("paymentStatus"),
        paid_at and paid_at / 1000,
        row["returnedCents"],
    )


def read_sums(app: Convex, customer: str) -> tuple[float, float]:
    """Return what a customer owes, and their credit."""
    row = app.query("customers/manage:get", {"customer": customer})
    return row["openCents"], row["creditCents"]


def read_months(app: Convex) -> list[tuple[str, float, float]]:
    """Return the months with money, the newest first: what was received, and returned."""
    rows = [
        (row["month"], row["receivedCents"], row["returnedCents"])
        for row in app.query("ledger:months")
    ]
    return [row for row in rows if row[1:] != (0, 0)]


RETURNED = ("paid", "succeeded", NOVEMBER, 2500)
BOOKED = [("2027-01", 0, 1500), ("2026-12", 0, 1000), ("2026-11", 5000, 0)]


def test_a_payment_is_followed(app: Convex) -> None:
    """An invoice and the books follow each event, by the months in which the money moved."""
    customer = add_customer(app)
    invoice = add_invoice(app, customer)
    other = add_invoice(app, customer, cents=300, number="R-2")
    events = make_history(app, invoice)
    for event, status in zip(events[:3], ("processing", "failed", "processing"), strict=True):
        take(app, event)
        assert look_at(app, invoice) == ("open", status, None, 0)
    assert read_sums(app, customer) == (5300, 0)
    take(app, events[3])
    assert look_at(app, invoice) == ("paid", "succeeded", NOVEMBER, 0)
    assert (read_sums(app, customer), read_months(app)) == ((300, 0), BOOKED[2:])
    take(app, *events[4:])
    assert (look_at(app, invoice), read_sums(app, customer)) == (RETURNED, (300, 0))
    assert read_months(app) == BOOKED
    assert look_at(app, other) == ("open", None, None, 0)


def test_events_come_in_any_order(app: Convex) -> None:
    """However often and in whatever order events come, everything is in the end the same."""
    chance = random.Random(5)  # noqa: S311 - an order, not a secret
    count = 8
    for n in range(1, count + 1):
        customer = add_customer(app, f"Ida {n}")
        invoice = add_invoice(app, customer)
        events = make_history(app, invoice)
        order = events[::-1] if n == 1 else chance.sample([*events, *events[2:]], 10)
        take(app, *order)
        assert look_at(app, invoice) == RETURNED, [each["data"]["version"] for each in order]
        assert read_sums(app, customer) == (0, 0)
        assert read_months(app) == [(month, n * got, n * gave) for month, got, gave in BOOKED]


def test_an_event_overtakes_the_reply(app: Convex) -> None:
    """The state by an event stays, though the reply to our request for the payment comes later."""
    customer = add_customer(app)
    invoice, failing = add_invoice(app, customer), add_invoice(app, customer, number="R-2")
    app.stub_fetch(
        PAYMENTS, method="POST", json={"id": "pay", "url": "https://pay.test/"}, after=20
    )
    for each in (invoice, failing):
        app.mutation("checkout:begin", {"invoice": each})
    app.clock.advance(5)
    assert len(app.fetches()) == 2
    take(app, *make_history(app, invoice)[:4], *make_history(app, failing)[:2])
    app.clock.advance(30)
    assert look_at(app, invoice) == ("paid", "succeeded", NOVEMBER, 0)
    assert look_at(app, failing) == ("open", "failed", None, 0)
    invoice_view = app.query("invoices/manage:get", {"invoice": failing})
    assert invoice_view["checkoutUrl"] == "https://pay.test/"
    app.mutation("invoices/byHand:voidInvoice", {"invoice": failing})


def test_the_reply_is_lost(app: Convex) -> None:
    """An event finds its invoice also if no reply told us of the payment."""
    customer = add_customer(app)
    invoice, later = add_invoice(app, customer), add_invoice(app, customer, number="R-2")
    app.stub_fetch(PAYMENTS, method="POST", fail=True, times=1)
    app.mutation("checkout:begin", {"invoice": invoice})
    app.settle()
    take(app, *make_history(app, invoice))
    assert (look_at(app, invoice), read_months(app)) == (RETURNED, BOOKED)
    app.stub_fetch(PAYMENTS, method="POST", json={"id": "pay", "url": "https://pay.test/"})
    app.mutation("checkout:begin", {"invoice": later})
    app.settle()
    assert look_at(app, later) == ("open", "processing", None, 0)


def test_money_for_a_paid_or_void_invoice_is_credit(app: Convex) -> None:
    """Such money, less what was returned of it, is the customer's, and in no month."""
    for settle, args, status in (
        ("markPaid", {"at": 1000.0 * JANUARY}, "paid"),
        ("voidInvoice", {}, "void"),
    ):
        for order in (slice(None), slice(None, None, -1)):
            customer = add_customer(app)
            invoice = add_invoice(app, customer)
            events = make_history(app, invoice)
            take(app, *events[:2])
            app.mutation(f"invoices/byHand:{settle}", {"invoice": invoice, **args})
            before = read_months(app)
            take(app, *events[2:][order], events[4])
            paid_at = JANUARY if status == "paid" else None
            assert look_at(app, invoice) == (status, "succeeded", paid_at, 0)
            assert read_sums(app, customer) == (0, 2500)
            assert read_months(app) == before


def test_money_is_returned_by_hand_too(app: Convex) -> None:
    """Money that we return by hand and money that Paywell returns add up."""
    customer = add_customer(app)
    invoice = add_invoice(app, customer)
    events = make_history(app, invoice)
    take(app, *events[:5])
    by_hand = {"invoice": invoice, "cents": 1800, "at": 1000 * DECEMBER}
    app.mutation("invoices/byHand:markReturned", by_hand)
    take(app, *events[3:])
    assert look_at(app, invoice) == ("paid", "succeeded", NOVEMBER, 4300)
    assert read_months(app) == [BOOKED[0], ("2026-12", 0, 2800), BOOKED[2]]


def test_the_same_is_billed_again(app: Convex) -> None:
    """An invoice that is billed once more has a payment of its own."""
    customer = add_customer(app)
    invoice = add_invoice(app, customer)
    take(app, *make_history(app, invoice))
    due = 1000 * (app.clock.now() + 365 * DAY)
    copy = {"invoice": invoice, "number": "R-2", "dueAt": due}
    again = str(app.mutation("invoices/copy:again", copy))
    assert (look_at(app, again), read_sums(app, customer)) == (("open", None, None, 0), (5000, 0))
    take(app, *make_history(app, again)[:2])
    assert look_at(app, again) == ("open", "failed", None, 0)
    take(app, *make_history(app, again)[2:])
    assert (look_at(app, again), read_sums(app, customer)) == (RETURNED, (0, 0))
    assert read_months(app) == [(month, 2 * got, 2 * gave) for month, got, gave in BOOKED]


def test_credit_is_granted_once(app: Convex) -> None:
    """A gift is added to the customer's credit once, however often its event is sent."""
    customer, other = add_customer(app), add_customer(app, "Eve")
    gift = make_gift(app, customer)
    take(app, gift, gift, make_gift(app, customer, "evt_second", 50), gift)
    app.clock.advance(3 * DAY)
    take(app, gift)
    assert (read_sums(app, customer), read_sums(app, other)) == ((0, 750), (0, 0))


def test_customers_were_merged(app: Convex) -> None:
    """Events reach the customer who is left, whether they name the customer or an invoice."""
    former, between, survivor = (add_customer(app, name) for name in ("Ida", "Ida B.", "Ida Berg"))
    invoice = add_invoice(app, former)
    events = make_history(app, invoice)
    take(app, *events[:3])
    app.mutation("customers/merge:merge", {"from": former, "into": between})
    app.mutation("customers/merge:merge", {"from": between, "into": survivor})
    take(app, *events[3:], make_gift(app, former), make_gift(app, between, "evt_second", 50))
    assert (look_at(app, invoice), read_sums(app, survivor)) == (RETURNED, (0, 750))


def test_events_without_use_are_answered(app: Convex) -> None:
    """Events of other types, and for what is gone or never was, are answered with 200."""
    customer = add_customer(app)
    invoice = add_invoice(app, customer)
    events = make_history(app, invoice)
    take(app, events[3])
    app.mutation("customers/manage:remove", {"customer": customer})
    lone_customer = add_customer(app)
    strange = {**events[3]["data"], "reference": "R-1"}
    take(
        app,
        *events[4:],
        make_gift(app, customer),
        make_gift(app, "Ida", "evt_2"),
        make_event(app, "evt_3", "payment.succeeded", strange),
        make_event(app, "evt_4", "payout.paid", {"cents": 9}),
        make_event(app, "evt_5", "credit.expired", {"reference": lone_customer, "cents": 9}),
        make_event(app, "evt_6", "account.updated", None),
    )
    assert (read_sums(app, lone_customer), read_months(app)) == ((0, 0), BOOKED[2:])


@pytest.mark.parametrize("text", ["plain", "mark", "spaces"])
def test_the_bytes_are_signed(app: Convex, text: str) -> None:
    """A body is good as it was sent: with a byte order mark, escapes, or blanks."""
    customer = add_customer(app)
    gift = {**make_gift(app, customer), "note": "für Ida"}
    body = {
        "plain": json.dumps(gift, ensure_ascii=False).encode(),
        "mark": b"\xef\xbb\xbf" + json.dumps(gift).encode(),
        "spaces": json.dumps(gift, indent=2).replace("700", "7.0e2").encode() + b"\r\n",
    }[text]
    moment = int(app.clock.now())
    signature = sign(body, moment, NEW)
    assert send(app, body, f"t={moment},v1={signature}").status == 200
    assert read_sums(app, customer) == (0, 700)
    changed = body.replace(b"evt_gift", b"evt_gif2")
    assert send(app, changed, f"t={moment},v1={signature}").status == 400
    assert read_sums(app, customer) == (0, 700)


def test_one_right_signature_is_enough(app: Convex) -> None:
    """Both secrets are good; signatures by others, and whatever else is there, do no harm."""
    customer = add_customer(app)
    for n, pattern in enumerate(
        (
            "t={t},v1={new}",
            "t={t},v1={old}",
            "t={t},v1={foreign},v1={new}",
            "v1={old},v1={foreign},t={t}",
            "v1=zz,t={t},v0=1,v1={NEW},next",
        ),
        1,
    ):
        body = json.dumps(make_gift(app, customer, f"evt_{n}", 1)).encode()
        t = int(app.clock.now())
        new, old, foreign = (sign(body, t, secret) for secret in (NEW, OLD, FOREIGN))
        header = pattern.format(t=t, new=new, old=old, foreign=foreign, NEW=new.upper())
        assert send(app, body, header).status == 200, pattern
        assert read_sums(app, customer) == (0, n)


def test_what_is_not_signed_is_refused(app: Convex) -> None:
    """Status 400 without a signature that is right for this body and moment; nothing changes."""
    customer = add_customer(app)
    body = json.dumps(make_gift(app, customer)).encode()
    t = int(app.clock.now())
    good = sign(body, t, NEW)
    bare = hmac.new(NEW.encode(), body, hashlib.sha256).hexdigest()
    for header in (
        None,
        "",
        f"t={t}",
        f"v1={good}",
        f"t={t},v1=",
        f"t={t},v1=xyz",
        f"t={t},v1={good[:-2]}",
        f"t={t},v1={sign(body, t, FOREIGN)}",
        f"t={t},v1={bare}",
        f"t={t + 1},v1={good}",
        f"t={t},v0={good}",
    ):
        assert send(app, body, header).status == 400, header
    assert (read_sums(app, customer), app.table("paywellReceipts")) == ((0, 0), [])


@pytest.mark.parametrize("former", ["", "  ", None], ids=["empty", "blanks", "never_set"])
def test_no_former_secret_is_left(convex: Convex, former: str | None) -> None:
    """Without a former secret only the present one is good, and not an empty one either."""
    app = convex.as_user("ada", role="staff")
    app.set_env("PAYWELL_SECRET", NEW)
    if former is not None:
        app.set_env("PAYWELL_SECRET_OLD", former)
    customer = add_customer(app)
    for secret in (OLD, "", " ", "  ", "undefined"):
        assert deliver(app, make_gift(app, customer), secret=secret) == 400, repr(secret)
    assert read_sums(app, customer) == (0, 0)
    take(app, make_gift(app, customer))
    assert read_sums(app, customer) == (0, 700)


def test_signatures_are_good_for_five_minutes(app: Convex) -> None:
    """Requests are taken within five minutes of their signing, before and after our time."""
    customer = add_customer(app)
    for n, (ago, status) in enumerate(((310, 400), (-310, 400), (290, 200), (-290, 200))):
        gift = make_gift(app, customer, f"evt_{n}", 1)
        assert deliver(app, gift, signed_before=ago) == status, ago
        assert read_sums(app, customer)[1] == max(0, n - 1)


def find_night(app: Convex) -> float:
    """Return the next but one moment at which the nightly jobs begin."""
    return (app.clock.now() // DAY + 2) * DAY + 3 * 3600


def test_a_receipt_is_kept_while_its_event_can_come(app: Convex) -> None:
    """An event that was sent again in its last minutes is known, and then its receipt goes."""
    customer = add_customer(app)
    night = find_night(app)
    app.clock.advance_to(night - 120)
    gift = make_gift(app, customer)
    take(app, gift)
    # Thirty days later it is signed once more, two minutes before the jobs of the night.
    app.clock.advance_to(night + 30 * DAY + 60)
    assert len(app.table("paywellReceipts")) == 1
    assert deliver(app, gift, signed_before=185) == 200
    assert read_sums(app, customer) == (0, 700)
    app.clock.advance_to(night + 31 * DAY + 600)
    assert app.table("paywellReceipts") == []


def test_a_late_receipt_goes_with_its_event(app: Convex) -> None:
    """How long a receipt is kept depends on when Paywell made the event, not on when it came."""
    customer = add_customer(app)
    night = find_night(app)
    app.clock.advance_to(night + 3600)
    early, late = make_gift(app, customer), make_gift(app, customer, "evt_late", 1)
    app.clock.advance(3600)
    take(app, early)
    app.clock.advance_to(night + 29 * DAY)
    take(app, late, early)
    app.clock.advance_to(night + 30 * DAY + 1800)
    take(app, early, late)
    assert len(app.table("paywellReceipts")) == 2
    app.clock.advance_to(night + 31 * DAY + 600)
    assert app.table("paywellReceipts") == []
    assert read_sums(app, customer) == (0, 701)


def test_receipts_are_deleted_in_batches(app: Convex) -> None:
    """No transaction deletes more than a job's batch, or reads all; one night is enough."""
    customer = add_customer(app)
    night = find_night(app)
    app.clock.advance_to(night + 3600)
    count = BATCH + 10
    old = [make_gift(app, customer, f"evt_{n}", 1) for n in range(count)]
    app.clock.advance_to(night + 20 * DAY)
    fresh = [make_gift(app, customer, f"evt_new_{n}", 1) for n in range(2 * BATCH + 15)]
    take(app, *fresh, *old)
    assert len(app.table("paywellReceipts")) == len(fresh) + count
    app.limit(documents_written=BATCH, documents_read=2 * BATCH + 10)
    app.clock.advance_to(night + 31 * DAY + 600)
    assert len(app.table("paywellReceipts")) == len(fresh)
    take(app, fresh[0], fresh[-1])
    assert read_sums(app, customer) == (0, len(fresh) + count)


def test_other_routes_are_as_before(app: Convex) -> None:
    """What is asked of the app without Paywell has its answers."""
    health = app.http("GET", "/health")
    assert (health.status, health.json()) == (200, {"ok": True})
    customer = add_customer(app)
    take(app, make_gift(app, customer))
    path = f"/statement?customer={customer}"
    headers = {"Authorization": "Bearer books"}
    assert app.http("GET", path, headers=headers).status == 401
    app.set_env("BOOKKEEPING_KEY", "books")
    assert app.http("GET", path).status == 401
    statement = app.http("GET", path, headers=headers).json()
    assert (statement["name"], statement["creditCents"]) == ("Ida", 700)
    assert app.http("GET", "/statement?customer=x", headers=headers).status == 404


def test_invoices_of_before_are_followed(app: Convex) -> None:
    """Invoices that were written, and checkouts that began, before the change go on."""
    app.deploy("given")
    customer = add_customer(app)
    begun, plain = add_invoice(app, customer), add_invoice(app, customer, number="R-2")
    app.stub_fetch(PAYMENTS, method="POST", json={"id": "pay", "url": "https://pay.test/"})
    app.mutation("checkout:begin", {"invoice": begun})
    app.settle()
    assert look_at(app, begun)[1] == "processing"
    app.deploy("answer")
    take(app, *make_history(app, begun)[:2], *make_history(app, plain))
    assert look_at(app, begun) == ("open", "failed", None, 0)
    take(app, *make_history(app, begun)[2:])
    assert look_at(app, begun) == look_at(app, plain) == RETURNED
    assert read_sums(app, customer) == (0, 0)
