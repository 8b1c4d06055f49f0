# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A ticket shop whose bookings end unless they are paid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEBHOOK = "/payments/u7Kq2"

Row = dict[str, Any]


def person(name: str) -> str:
    """Return how the shop knows a user."""
    return f"https://users.test|{name}"


class Shop:
    """A shop with one event, ten days from now, of ten seats."""

    def __init__(self, convex: Convex, *, starts_in: float = 10 * DAY, capacity: int = 10) -> None:
        """Create the event."""
        self.convex = convex
        self.event = self.create(starts_in, capacity)

    def create(self, starts_in: float, capacity: int) -> str:
        """Create an event."""
        starts = self.moment(starts_in)
        args: Row = {"title": "Hamlet", "startsAt": starts, "capacity": capacity}
        return cast("str", self.convex.admin.mutation("events:create", args))

    def moment(self, seconds: float) -> float:
        """Return a time from now, in whole milliseconds."""
        return float(round(1000 * (self.convex.clock.now() + seconds)))

    def call(self, name: str, path: str, **args: Any) -> Any:  # noqa: ANN401 - any result
        """Call a mutation as a user."""
        return self.convex.as_user(name).mutation(path, args)

    def office(self, path: str, **args: Any) -> Any:  # noqa: ANN401 - any result
        """Call a mutation of the office or the desk, for the event."""
        return self.convex.admin.mutation(path, args)

    def book(self, name: str, *seats: int) -> str:
        """Book seats of the event."""
        return self.call(name, "bookings:book", event=self.event, seats=list(seats))

    def wait(self, name: str, count: int) -> None:
        """Join the waiting list."""
        self.call(name, "waiting:join", event=self.event, count=count)

    def extend(self, name: str, booking: str) -> float:
        """Extend a booking."""
        return self.call(name, "bookings:extend", booking=booking)

    def pay(self, payment: str, booking: str) -> None:
        """Have the provider tell about a payment."""
        answer = self.convex.http("POST", WEBHOOK, json={"payment": payment, "booking": booking})
        assert answer.status == 204

    def mine(self, name: str) -> list[Row]:
        """Read a user's bookings of the event, the latest first."""
        return cast(
            "list[Row]", self.convex.as_user(name).query("bookings:mine", {"event": self.event})
        )

    def find(self, name: str, booking: str) -> Row:
        """Read one of a user's bookings."""
        return next(row for row in self.mine(name) if row["_id"] == booking)

    def state(self, name: str, booking: str) -> object:
        """Read the state of a user's booking."""
        return self.find(name, booking)["state"]

    def free(self) -> object:
        """Read how many seats are free."""
        row = cast("Row", self.convex.query("events:get", {"event": self.event}))
        return row["free"]

    def refunds(self) -> list[str]:
        """Read what is to be paid back."""
        return sorted(str(row["payment"]) for row in self.convex.table("refunds"))

    def offers(self) -> list[str]:
        """Read who was sent an offer, in this order."""
        return [str(row["person"]).split("|")[1] for row in self.convex.table("mails")]

    def fail(self, data: str, name: str, path: str, **args: Any) -> None:  # noqa: ANN401
        """Demand that a call of a user is refused with this data."""
        with pytest.raises(FunctionFailed) as refusal:
            self.call(name, path, **args)
        assert refusal.value.data == data

    def check(self) -> None:
        """Demand that seats, bookings and free seats agree."""
        bookings = {row["_id"]: row for row in self.convex.table("bookings")}
        alive = {"pending", "paid"}
        seats = self.convex.table("seats")
        taken_seats = {
            (row["event"], row["number"]): row["booking"]
            for row in seats
            if row["booking"] is not None
        }
        booked = {
            (row["event"], number): row["_id"]
            for row in bookings.values()
            if row["state"] in alive
            for number in row["seats"]
        }
        assert taken_seats == booked
        for event in self.convex.table("events"):
            free = [row for row in seats if row["event"] == event["_id"] and row["booking"] is None]
            assert len(free) == event["free"]
            assert all(row["number"] <= event["capacity"] for row in free)
        assert len(set(self.refunds())) == len(self.refunds()), "paid back twice"


@pytest.fixture
def shop(convex: Convex) -> Shop:
    """Return a shop with an event."""
    return Shop(convex)


def test_an_unpaid_booking_lapses(convex: Convex, shop: Shop) -> None:
    """After ten minutes without money a booking lapses, and its seats can be booked by anybody."""
    before = convex.clock.now()
    booking = shop.book("ada", 1, 2, 3, 4)
    after = convex.clock.now()
    (row,) = shop.mine("ada")
    assert row["state"] == "pending"
    assert before - 1 <= row["expiresAt"] / 1000 - 10 * MINUTE <= after + 1
    convex.clock.advance(9.5 * MINUTE)
    assert shop.state("ada", booking) == "pending"
    shop.fail("taken", "bo", "bookings:book", event=shop.event, seats=[4])
    shop.fail("too_many_seats", "ada", "bookings:book", event=shop.event, seats=[5, 6, 7])
    convex.clock.advance(MINUTE)
    assert shop.state("ada", booking) == "lapsed"
    assert shop.free() == 10
    shop.book("bo", 4)
    shop.book("ada", 1, 2, 3, 5, 6, 7)
    assert shop.call("ada", "bookings:cancel", booking=booking) is None
    shop.fail("not_pending", "ada", "bookings:change", booking=booking, seats=[8])
    assert shop.free() == 3
    shop.check()


def test_a_paid_booking_stays(convex: Convex, shop: Shop) -> None:
    """What is paid in time, by the provider or at the desk, never lapses."""
    first, second = shop.book("ada", 1, 2), shop.book("bo", 3)
    convex.clock.advance(9 * MINUTE)
    shop.pay("P1", first)
    shop.pay("P1", first)
    shop.office("desk:collect", booking=second)
    convex.clock.advance(2 * DAY)
    assert (shop.state("ada", first), shop.state("bo", second)) == ("paid", "paid")
    assert (shop.free(), shop.refunds()) == (7, [])
    shop.pay("P2", first)
    assert shop.refunds() == ["P2"]
    shop.call("ada", "bookings:cancel", booking=first)
    shop.call("ada", "bookings:cancel", booking=first)
    assert (shop.free(), shop.refunds()) == (9, ["P1", "P2"])
    shop.check()


def test_a_cancelled_booking_ends_once(convex: Convex) -> None:
    """The end of a booking that was cancelled before changes nothing, whoever has its seats."""
    shop = Shop(convex, capacity=2)
    booking = shop.book("ada", 1, 2)
    for name in ("bo", "cy", "eve"):
        shop.wait(name, 1)
    convex.clock.advance(5 * MINUTE)
    shop.call("ada", "bookings:cancel", booking=booking)
    shop.call("ada", "bookings:cancel", booking=booking)
    assert shop.offers() == ["bo", "cy"]
    convex.clock.advance(10 * MINUTE)
    assert shop.offers() == ["bo", "cy"]
    assert shop.state("ada", booking) == "cancelled"
    assert (shop.mine("bo")[0]["state"], shop.free()) == ("pending", 0)
    shop.check()


def test_the_next_who_waits_gets_the_seats(convex: Convex) -> None:
    """Each lapse offers its seats once, to whom they suffice; an offer lasts an hour."""
    shop = Shop(convex, capacity=3)
    shop.book("ada", 1, 2)
    paid = shop.book("bo", 3)
    shop.pay("P1", paid)
    for name, count in (("cy", 3), ("dan", 2), ("eve", 1), ("fay", 1)):
        shop.wait(name, count)
    convex.clock.advance(11 * MINUTE)
    assert shop.offers() == ["dan"]
    (offer,) = shop.mine("dan")
    assert sorted(offer["seats"]) == [1, 2]
    assert 58 < (offer["expiresAt"] / 1000 - convex.clock.now()) / MINUTE < 60
    convex.clock.advance(57 * MINUTE)
    assert shop.state("dan", offer["_id"]) == "pending"
    assert shop.extend("dan", offer["_id"]) == offer["expiresAt"] + 5 * MINUTE * 1000
    convex.clock.advance(4 * MINUTE)
    assert shop.offers() == ["dan"]
    convex.clock.advance(5 * MINUTE)
    assert shop.state("dan", offer["_id"]) == "lapsed"
    assert shop.offers() == ["dan", "eve", "fay"]
    assert len(convex.table("waiting")) == 1
    shop.pay("P2", shop.mine("eve")[0]["_id"])
    convex.clock.advance(70 * MINUTE)
    assert shop.mine("eve")[0]["state"] == "paid"
    assert shop.mine("fay")[0]["state"] == "lapsed"
    assert (shop.offers(), shop.free()) == (["dan", "eve", "fay"], 1)
    shop.check()


def test_a_booking_is_extended_once(convex: Convex, shop: Shop) -> None:
    """Its owner moves the end of a pending booking by five minutes, and only once."""
    booking, other = shop.book("ada", 1), shop.book("ada", 2)
    assert [row["_id"] for row in shop.mine("ada")] == [other, booking]
    end = shop.find("ada", booking)["expiresAt"]
    shop.fail("no_booking", "bo", "bookings:extend", booking=booking)
    with pytest.raises(FunctionFailed):
        convex.mutation("bookings:extend", {"booking": booking})
    convex.clock.advance(8 * MINUTE)
    assert shop.extend("ada", booking) == end + 5 * MINUTE * 1000
    assert shop.find("ada", booking)["expiresAt"] == end + 5 * MINUTE * 1000
    shop.fail("not_extendable", "ada", "bookings:extend", booking=booking)
    convex.clock.advance(5 * MINUTE)
    assert (shop.state("ada", booking), shop.state("ada", other)) == ("pending", "lapsed")
    shop.fail("not_pending", "ada", "bookings:extend", booking=other)
    assert shop.free() == 9
    convex.clock.advance(3 * MINUTE)
    assert (shop.state("ada", booking), shop.free()) == ("lapsed", 10)
    paid = shop.book("ada", 1)
    shop.pay("P1", paid)
    shop.fail("not_pending", "ada", "bookings:extend", booking=paid)
    shop.check()


def test_changed_seats_have_the_old_end(convex: Convex, shop: Shop) -> None:
    """Other seats are to be paid by the same moment, and their booking is extended once, too."""
    first, second = shop.book("ada", 1, 2), shop.book("ada", 5)
    end = shop.find("ada", first)["expiresAt"]
    late = shop.extend("ada", first)
    convex.clock.advance(6 * MINUTE)
    changed = shop.call("ada", "bookings:change", booking=first, seats=[2, 3])
    plain = shop.call("ada", "bookings:change", booking=second, seats=[6])
    assert shop.find("ada", changed)["expiresAt"] == late == end + 5 * MINUTE * 1000
    shop.fail("not_extendable", "ada", "bookings:extend", booking=changed)
    third = shop.call("ada", "bookings:change", booking=changed, seats=[3, 4])
    shop.fail("not_extendable", "ada", "bookings:extend", booking=third)
    convex.clock.advance(5 * MINUTE)
    assert (shop.state("ada", third), shop.state("ada", plain)) == ("pending", "lapsed")
    assert shop.free() == 8
    convex.clock.advance(5 * MINUTE)
    assert (shop.state("ada", third), shop.free()) == ("lapsed", 10)
    assert shop.state("ada", first) == shop.state("ada", changed) == "cancelled"
    fourth = shop.book("ada", 1)
    end = shop.find("ada", fourth)["expiresAt"]
    fifth = shop.call("ada", "bookings:change", booking=fourth, seats=[7])
    assert shop.extend("ada", fifth) == end + 5 * MINUTE * 1000
    shop.pay("P1", fourth)
    assert shop.refunds() == ["P1"]
    shop.check()


def test_a_booking_that_moves_keeps_its_end(convex: Convex, shop: Shop) -> None:
    """Handed over or put on other seats, a booking lapses at its old end, with the seats it has."""
    booking = shop.book("ada", 1, 2)
    other = shop.book("ada", 3)
    shop.extend("ada", other)
    end = shop.find("ada", booking)["expiresAt"]
    convex.clock.advance(6 * MINUTE)
    for each in (booking, other):
        shop.call("ada", "bookings:handOver", booking=each, to=person("bo"))
    shop.office("desk:reseat", booking=booking, **{"from": 2, "to": 9})
    assert shop.find("bo", booking)["expiresAt"] == end
    shop.fail("no_booking", "ada", "bookings:extend", booking=booking)
    shop.fail("not_extendable", "bo", "bookings:extend", booking=other)
    shop.book("cy", 2)
    convex.clock.advance(5 * MINUTE)
    assert shop.state("bo", booking) == "lapsed"
    shop.book("dan", 1, 9)
    assert shop.free() == 6
    shop.check()


def test_the_desk_has_no_end(convex: Convex, shop: Shop) -> None:
    """What the desk reserves stays until it is fetched or dropped, though sales end."""
    args: Row = {"event": shop.event, "name": "Ida"}
    first = shop.office("desk:reserve", seats=[1, 2], **args)
    second = shop.office("desk:reserve", seats=[3], **args)
    convex.clock.advance(10 * DAY - 30 * MINUTE)
    assert [row["state"] for row in convex.table("bookings")] == ["pending", "pending"]
    shop.office("desk:collect", booking=first)
    shop.office("desk:drop", booking=second)
    shop.office("desk:sell", seats=[3, 4], **args)
    assert shop.free() == 6
    shop.check()


def test_old_bookings_have_no_end(convex: Convex) -> None:
    """What is pending at the deploy stays so until it is paid, changed or cancelled."""
    convex.deploy("given")
    shop = Shop(convex, capacity=8)
    first, second, third = (shop.book("ada", n, n + 1) for n in (1, 3, 5))
    shop.book("fay", 7, 8)
    shop.wait("eve", 2)
    shop.call("fay", "bookings:cancel", booking=shop.mine("fay")[0]["_id"])
    assert shop.offers() == ["eve"]
    convex.deploy("answer")
    assert [row["expiresAt"] for row in shop.mine("ada")] == [None] * 3
    shop.fail("not_extendable", "ada", "bookings:extend", booking=first)
    convex.clock.advance(3 * HOUR)
    changed = shop.call("ada", "bookings:change", booking=second, seats=[4, 3])
    shop.call("ada", "bookings:handOver", booking=third, to=person("bo"))
    convex.clock.advance(3 * HOUR)
    assert shop.find("ada", changed)["expiresAt"] is None
    shop.fail("not_extendable", "bo", "bookings:extend", booking=third)
    states = [shop.state("ada", first), shop.state("ada", changed), shop.state("bo", third)]
    assert [*states, shop.mine("eve")[0]["state"]] == ["pending"] * 4
    shop.wait("cy", 2)
    shop.call("ada", "bookings:cancel", booking=changed)
    convex.clock.advance(2 * HOUR)
    assert shop.mine("cy")[0]["state"] == "lapsed"
    shop.pay("P1", first)
    assert (shop.state("ada", first), shop.free(), shop.refunds()) == ("paid", 2, [])
    shop.check()


def test_sales_end(convex: Convex) -> None:
    """No end is later than the end of web sales; then seats are the desk's, whoever waits."""
    shop = Shop(convex, starts_in=HOUR + 20 * MINUTE, capacity=4)
    closing = convex.clock.now() + 20 * MINUTE
    early = shop.book("ada", 1)
    convex.clock.advance(8 * MINUTE)
    middle = shop.book("bo", 2)
    cancelled = shop.book("ada", 3)
    shop.wait("eve", 1)
    for name in ("fay", "gus"):
        shop.wait(name, 2)
    convex.clock.advance(MINUTE)
    assert abs(shop.extend("bo", middle) / 1000 - closing) < 5
    shop.call("ada", "bookings:cancel", booking=cancelled)
    assert shop.offers() == ["eve"]
    assert abs(shop.mine("eve")[0]["expiresAt"] / 1000 - closing) < 5
    convex.clock.advance(5 * MINUTE)
    assert shop.state("ada", early) == "lapsed"
    assert shop.offers() == ["eve", "fay"]
    convex.clock.advance(5.5 * MINUTE)
    assert shop.state("bo", middle) == "pending"
    convex.clock.advance(2 * MINUTE)
    states = [shop.state("bo", middle), shop.mine("eve")[0]["state"], shop.mine("fay")[0]["state"]]
    assert states == ["lapsed"] * 3
    assert (shop.offers(), shop.free()) == (["eve", "fay"], 4)
    shop.pay("P1", middle)
    assert (shop.state("bo", middle), shop.refunds()) == ("lapsed", ["P1"])
    assert shop.call("bo", "bookings:cancel", booking=middle) is None
    shop.office("desk:sell", event=shop.event, seats=[1, 2, 3, 4], name="Ida")
    shop.check()


def test_an_event_is_rescheduled(convex: Convex, shop: Shop) -> None:
    """Sales that end earlier end what is open by then; sales that end later move no end."""
    first = shop.book("ada", 1)
    reserved = shop.office("desk:reserve", event=shop.event, seats=[8], name="Ida")
    shop.office(
        "events:reschedule",
        event=shop.event,
        startsAt=shop.moment(HOUR + 4 * MINUTE),
    )
    convex.clock.advance(3 * MINUTE)
    assert shop.state("ada", first) == "pending"
    convex.clock.advance(2 * MINUTE)
    assert shop.state("ada", first) == "lapsed"
    later = shop.moment(5 * DAY)
    shop.office("events:reschedule", event=shop.event, startsAt=later)
    second = shop.book("ada", 2)
    shop.office("events:reschedule", event=shop.event, startsAt=later + 1000 * DAY)
    convex.clock.advance(9 * MINUTE)
    third = shop.book("ada", 3)
    convex.clock.advance(2 * MINUTE)
    assert (shop.state("ada", second), shop.state("ada", third)) == ("lapsed", "pending")
    soon = shop.moment(30 * MINUTE)
    shop.office("events:reschedule", event=shop.event, startsAt=soon)
    convex.clock.advance(1)
    assert (shop.state("ada", third), shop.free()) == ("lapsed", 9)
    assert cast("Row", convex.query("events:get", {"event": shop.event}))["startsAt"] == soon
    shop.fail("sales_ended", "ada", "bookings:book", event=shop.event, seats=[1])
    assert (convex.document("bookings", reserved) or {})["state"] == "pending"
    shop.check()


def test_the_hall_changes_while_seats_are_held(convex: Convex) -> None:
    """Seats that a smaller hall has no more are gone when their booking lapses, and else stay."""
    shop = Shop(convex, capacity=5)
    booking = shop.book("ada", 3, 4, 5)
    shop.wait("bo", 3)
    shop.office("events:setCapacity", event=shop.event, capacity=4)
    assert shop.free() == 2
    convex.clock.advance(11 * MINUTE)
    assert shop.state("ada", booking) == "lapsed"
    assert shop.offers() == ["bo"]
    assert all(number <= 4 for number in shop.mine("bo")[0]["seats"])
    assert shop.free() == 1
    shop.call("bo", "bookings:cancel", booking=shop.mine("bo")[0]["_id"])
    shop.pay("P1", booking)
    assert (shop.state("ada", booking), shop.refunds()) == ("lapsed", ["P1"])
    shop.check()
    with pytest.raises(FunctionFailed, match="bad_capacity"):
        shop.office("events:setCapacity", event=shop.event, capacity=-1)
    held = shop.book("cy", 4)
    shop.office("events:setCapacity", event=shop.event, capacity=3)
    shop.office("events:setCapacity", event=shop.event, capacity=6)
    convex.clock.advance(11 * MINUTE)
    assert (shop.state("cy", held), shop.free()) == ("lapsed", 6)
    shop.pay("P2", booking)
    assert (shop.state("ada", booking), shop.free()) == ("paid", 3)
    shop.check()


def test_late_money_is_taken(convex: Convex, shop: Shop) -> None:
    """Where its seats are still to be had, a lapsed booking is paid after all, once."""
    booking = shop.book("ada", 1, 2)
    shop.office("desk:reseat", booking=booking, **{"from": 1, "to": 7})
    convex.clock.advance(3 * HOUR)
    shop.book("bo", 1)
    shop.pay("P1", booking)
    shop.pay("P1", booking)
    assert shop.state("ada", booking) == "paid"
    assert (shop.free(), shop.refunds()) == (7, [])
    shop.fail("taken", "cy", "bookings:book", event=shop.event, seats=[7])
    shop.fail("too_many_seats", "ada", "bookings:book", event=shop.event, seats=[3, 4, 5, 6, 8])
    shop.pay("P2", booking)
    assert shop.refunds() == ["P2"]
    shop.wait("eve", 2)
    convex.clock.advance(DAY)
    assert shop.state("ada", booking) == "paid"
    shop.call("ada", "bookings:cancel", booking=booking)
    assert shop.refunds() == ["P1", "P2"]
    assert shop.offers() == ["eve"]
    shop.check()


@pytest.mark.parametrize(
    "obstacle", ["one_seat_taken", "waited_for", "blocked", "too_many", "called_off", "sales_ended"]
)
def test_late_money_goes_back(convex: Convex, obstacle: str) -> None:
    """Where its owner could not book its seats now, a lapsed booking's money goes back, once."""
    shop = Shop(convex, capacity=7, starts_in=DAY)
    booking = shop.book("ada", 1, 2)
    if obstacle == "waited_for":
        shop.book("cy", 3, 4, 5, 6, 7)
        shop.wait("bo", 2)
    convex.clock.advance(11 * MINUTE)
    assert shop.state("ada", booking) == "lapsed"
    if obstacle == "one_seat_taken":
        shop.book("bo", 2)
    elif obstacle == "blocked":
        shop.office("people:block", person=person("ada"))
    elif obstacle == "too_many":
        shop.book("ada", 3, 4, 5, 6, 7)
    elif obstacle == "called_off":
        shop.office("events:callOff", event=shop.event)
        convex.settle()
    elif obstacle == "sales_ended":
        convex.clock.advance(23 * HOUR)
    free = shop.free()
    shop.pay("P1", booking)
    shop.pay("P1", booking)
    assert (shop.state("ada", booking), shop.free(), shop.refunds()) == ("lapsed", free, ["P1"])
    shop.check()


def test_an_event_is_called_off(convex: Convex, shop: Shop) -> None:
    """Of an event that is called off, pending bookings are cancelled at once, and do not lapse."""
    pending, paid = shop.book("ada", 1), shop.book("bo", 2)
    shop.pay("P1", paid)
    shop.wait("eve", 6)
    shop.office("events:callOff", event=shop.event)
    convex.settle()
    shop.fail("not_pending", "ada", "bookings:extend", booking=pending)
    convex.clock.advance(HOUR)
    assert (shop.state("ada", pending), shop.state("bo", paid)) == ("cancelled", "cancelled")
    shop.pay("P2", pending)
    assert (shop.refunds(), shop.offers()) == (["P1", "P2"], [])
    shop.check()


def test_lapsed_bookings_are_deleted(convex: Convex) -> None:
    """What came to nothing goes after thirty days, or with its person, and has no end then."""
    shop = Shop(convex, starts_in=90 * DAY)
    shop.book("ada", 1)
    cancelled = shop.book("ada", 2)
    shop.call("ada", "bookings:cancel", booking=cancelled)
    shop.book("bo", 3, 4)
    shop.office("people:forget", person=person("bo"))
    assert (shop.mine("bo"), shop.free()) == ([], 9)
    convex.clock.advance(29 * DAY)
    assert sorted(row["state"] for row in shop.mine("ada")) == ["cancelled", "lapsed"]
    convex.clock.advance(2.5 * DAY)
    assert shop.mine("ada") == []
    shop.book("cy", 5)
    convex.clock.advance(HOUR)
    shop.office("people:forget", person=person("cy"))
    assert convex.table("bookings") == []
    assert shop.free() == 10
    shop.check()
