# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Lessons whose price is held, paid or given back by a component with rules of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
KEY = "top secret"
RATE = 2950
"""Cents an hour: 45 minutes are 22.125 euros, and cost 22.13."""


@dataclass(frozen=True)
class School:
    """A tutor, and a student with money."""

    convex: Convex
    student: Convex
    tutor_user: Convex
    tutor: str

    def pay_in(self, cents: int, payment: str = "p1", user: str = "ada") -> None:
        """Put money into a wallet."""
        path = f"/payments?user={user}&cents={cents}&payment={payment}"
        assert self.convex.http("POST", path, headers={"X-Key": KEY}).status == 204

    def book(self, days: float = 3, minutes: int = 60) -> str:
        """Book a lesson that begins in so many days."""
        args = {
            "tutor": self.tutor,
            "start": self.time(days),
            "minutes": float(minutes),
        }
        return self.student.mutation("lessons:book", args)

    def time(self, days: float) -> float:
        """Return the moment in so many days, in milliseconds."""
        return float(round((self.convex.clock.now() + days * DAY) * 1000))

    def state(self, lesson: str) -> str:
        """Return the state of a lesson."""
        return self.student.query("lessons:get", {"lesson": lesson})["state"]

    def student_money(self) -> tuple[float, float]:
        """Return the free and the held amount of the student."""
        return read_balance(self.student)

    def gains(self) -> tuple[float, float]:
        """Return what the tutor and the platform have got."""
        purse = self.convex.component("purse")
        account = purse.mutation("accounts:open", {"ref": "platform"})
        platform = purse.query("accounts:get", {"account": account})
        assert int(platform["held"]) == 0
        available, held = read_balance(self.tutor_user)
        assert held == 0
        return available, float(int(platform["available"]))

    def call(self, path: str, lesson: str, **args: Any) -> None:  # noqa: ANN401 - arguments
        """Call a mutation about a lesson as its student."""
        self.student.mutation(path, {"lesson": lesson, **args})


def read_balance(user: Convex) -> tuple[float, float]:
    """Return the free and the held amount of a user."""
    balance = user.query("wallet:balance")
    return balance["available"], balance["held"]


def open_school(convex: Convex, rate: int = RATE, money: int = 10_000) -> School:
    """Open a school whose tutor has this rate, and whose student has paid in this money."""
    convex.set_env("CARD_SERVICE_KEY", KEY)
    student, tutor_user = convex.as_user("ada"), convex.as_user("tom")
    student.mutation("users:join", {"name": "Ada"})
    tutor_user.mutation("users:join", {"name": "Tom"})
    tutor = tutor_user.mutation("tutors:setRate", {"rate": float(rate)})
    school = School(convex, student, tutor_user, tutor)
    if money:
        school.pay_in(money)
    return school


def refuses_for_funds(school: School, path: str, args: dict[str, Any]) -> None:
    """Demand that a call is refused because money is missing."""
    with pytest.raises(FunctionFailed) as refusal:
        school.student.mutation(path, args)
    assert refusal.value.data == {"code": "funds"}


def test_the_price_is_held_and_paid(convex: Convex) -> None:
    """A booked lesson holds its price; when it is done tutor and platform get it."""
    school = open_school(convex)
    lesson = school.book(minutes=45)
    assert school.student_money() == (10_000 - 2213, 2213)
    school.tutor_user.mutation("tutors:setRate", {"rate": 9000.0})
    convex.clock.advance(3 * DAY + HOUR)
    school.call("lessons:confirm", lesson)
    assert school.state(lesson) == "done"
    assert school.student_money() == (10_000 - 2213, 0)
    assert school.gains() == (2213 - 221, 221)
    convex.clock.advance(20 * DAY)
    assert (school.student_money(), school.gains()) == ((7787, 0), (1992, 221))


def test_without_money_nothing_is_booked(convex: Convex) -> None:
    """A student who cannot pay is told so, and the tutor stays free."""
    school = open_school(convex, money=2949)
    args = {"tutor": school.tutor, "start": school.time(3), "minutes": 60.0}
    refuses_for_funds(school, "lessons:book", args)
    assert (school.student_money(), convex.table("lessons")) == ((2949, 0), [])
    school.pay_in(1, "p2")
    lesson = school.book(3)
    assert (school.student_money(), school.state(lesson)) == ((0, 2950), "booked")
    refuses_for_funds(school, "lessons:book", {**args, "start": school.time(5)})


def test_a_free_lesson_costs_nothing(convex: Convex) -> None:
    """Lessons of tutors who teach for nothing need no money, whatever happens to them."""
    school = open_school(convex, rate=0, money=0)
    done, cancelled = school.book(3), school.book(4)
    school.call("lessons:changeLength", done, minutes=90.0)
    convex.clock.advance(3.5 * DAY)
    school.call("lessons:confirm", done)
    school.call("lessons:cancel", cancelled)
    silent = school.book(2)
    convex.clock.advance(5 * DAY)
    states = [school.state(lesson) for lesson in (done, cancelled, silent)]
    assert states == ["done", "cancelled", "done"]
    assert (school.student_money(), school.gains()) == ((0, 0), (0, 0))


def test_the_smallest_amounts(convex: Convex) -> None:
    """A fee or a share of less than a cent is nothing, and hinders nobody."""
    school = open_school(convex, rate=60, money=100)
    cheap = school.book(2, minutes=9)
    penny = school.book(2.5, minutes=1)
    assert school.student_money() == (90, 10)
    convex.clock.advance(2 * DAY + HOUR)
    school.call("lessons:confirm", cheap)
    assert school.gains() == (9, 0)
    school.call("lessons:cancel", penny)
    assert (school.student_money(), school.gains()) == ((91, 0), (9, 0))
    school.tutor_user.mutation("tutors:setRate", {"rate": 20.0})
    nothing = school.book(2, minutes=1)
    assert school.student_money() == (91, 0)
    school.call("lessons:changeLength", nothing, minutes=30.0)
    assert school.student_money() == (81, 10)


def test_cancelling_in_time_costs_nothing(convex: Convex) -> None:
    """A student who cancels a day before the lesson gets everything back, and can book again."""
    school = open_school(convex, money=3000)
    for _ in range(2):
        lesson = school.book(days=1 + 1 / 24)
        assert school.student_money() == (50, 2950)
        school.call("lessons:cancel", lesson)
        assert (school.student_money(), school.state(lesson)) == (
            (3000, 0),
            "cancelled",
        )
    convex.clock.advance(20 * DAY)
    assert (school.student_money(), school.gains()) == ((3000, 0), (0, 0))


def test_cancelling_late_costs_half(convex: Convex) -> None:
    """A student who cancels late pays half, of which we take our fee."""
    school = open_school(convex)
    lesson = school.book(days=1.5, minutes=45)
    convex.clock.advance(0.5 * DAY + HOUR)
    school.call("lessons:cancel", lesson)
    assert school.student_money() == (10_000 - 1106, 0)
    assert school.gains() == (1106 - 110, 110)


@pytest.mark.parametrize("by", ["tutor", "staff"])
def test_what_the_tutor_cancels_costs_nothing(convex: Convex, by: str) -> None:
    """If the tutor cancels, however late, or does not come, the student gets everything back."""
    school = open_school(convex)
    lesson = school.book(days=1)
    convex.clock.advance(DAY - HOUR if by == "tutor" else DAY + 2 * HOUR)
    if by == "tutor":
        school.tutor_user.mutation("lessons:cancel", {"lesson": lesson})
    else:
        staff = convex.as_user("sam", role="staff")
        staff.mutation("staff/noShow:report", {"lesson": lesson})
    assert (school.state(lesson), school.student_money()) == ("cancelled", (10_000, 0))
    assert school.gains() == (0, 0)


def test_another_length_is_another_price(convex: Convex) -> None:
    """The price of the new length is held, at the rate of the booking, as often as it changes."""
    school = open_school(convex, money=3000)
    lesson = school.book(minutes=60)
    school.tutor_user.mutation("tutors:setRate", {"rate": 9000.0})
    for minutes, price in ((30, 1475), (61, 2999), (60, 2950), (30, 1475), (60, 2950)):
        school.call("lessons:changeLength", lesson, minutes=float(minutes))
        assert school.student_money() == (3000 - price, price)
    refuses_for_funds(school, "lessons:changeLength", {"lesson": lesson, "minutes": 62.0})
    assert school.student_money() == (50, 2950)
    lesson_view = school.student.query("lessons:get", {"lesson": lesson})
    assert lesson_view["minutes"] == 60
    school.call("lessons:changeLength", lesson, minutes=61.0)
    convex.clock.advance(3 * DAY + 2 * HOUR)
    school.call("lessons:confirm", lesson)
    assert (school.student_money(), school.gains()) == ((1, 0), (2999 - 299, 299))


def test_the_tutor_changes_the_length(convex: Convex) -> None:
    """If the tutor makes a lesson longer, the student's money is held."""
    school = open_school(convex)
    lesson = school.book(minutes=60)
    school.pay_in(500, "p2", "tom")
    school.tutor_user.mutation("lessons:changeLength", {"lesson": lesson, "minutes": 120.0})
    assert (school.student_money(), read_balance(school.tutor_user)) == (
        (4100, 5900),
        (500, 0),
    )


@pytest.mark.parametrize("days", [6, 13, 29])
def test_a_lesson_far_ahead_stays_paid(convex: Convex, days: int) -> None:
    """What is held for a lesson does not come free before the lesson is done."""
    school = open_school(convex)
    lesson = school.book(days=days)
    for _ in range(days):
        convex.clock.advance(DAY)
        assert school.student_money() == (10_000 - 2950, 2950)
    convex.clock.advance(2 * DAY)
    assert (school.state(lesson), school.student_money()) == ("booked", (7050, 2950))
    convex.clock.advance(3 * HOUR)
    assert (school.state(lesson), school.student_money()) == ("done", (7050, 0))
    assert school.gains() == (2950 - 295, 295)


def test_a_moved_lesson_stays_paid(convex: Convex) -> None:
    """A lesson that is moved, and made longer, stays paid until it has taken place."""
    school = open_school(convex)
    lesson = school.book(days=2)
    convex.clock.advance(DAY)
    school.call("lessons:reschedule", lesson, start=school.time(20))
    school.call("lessons:changeLength", lesson, minutes=30.0)
    convex.clock.advance(19 * DAY)
    school.call("lessons:changeLength", lesson, minutes=60.0)
    school.call("lessons:reschedule", lesson, start=school.time(16))
    convex.clock.advance(17 * DAY)
    assert school.student_money() == (7050, 2950)
    school.call("lessons:confirm", lesson)
    assert (school.student_money(), school.gains()) == ((7050, 0), (2655, 295))


def test_the_hourly_job_pays_every_lesson(convex: Convex) -> None:
    """Lessons of several students, with and without a price, are all closed and paid by the job."""
    school = open_school(convex)
    bob = convex.as_user("bob")
    bob.mutation("users:join", {"name": "Bob"})
    school.pay_in(2950, "p2", "bob")
    lessons = [school.book(1), school.book(1.1)]
    args = {"tutor": school.tutor, "start": school.time(1.2), "minutes": 60.0}
    bob.mutation("lessons:book", args)
    convex.clock.advance(1.1 * DAY + 49 * HOUR + 2 * HOUR)
    assert [school.state(lesson) for lesson in lessons] == ["done", "done"]
    convex.clock.advance(3 * HOUR)
    assert (read_balance(bob), school.student_money()) == ((0, 0), (4100, 0))
    assert school.gains() == (3 * 2655, 3 * 295)


@pytest.mark.parametrize("end", ["confirm", "silent", "late", "length", "staff"])
def test_lessons_from_before_are_paid_in_cash(convex: Convex, end: str) -> None:
    """A lesson that was booked before the deploy costs nothing in the wallet, however it ends."""
    convex.deploy("given")
    school = open_school(convex)
    lesson = school.book(days=1)
    convex.deploy("answer")
    if end == "late":
        convex.clock.advance(2 * HOUR)
        school.call("lessons:cancel", lesson)
    if end == "length":
        school.call("lessons:changeLength", lesson, minutes=120.0)
        school.call("lessons:reschedule", lesson, start=school.time(1))
    assert school.student_money() == (10_000, 0)
    if end in {"confirm", "length"}:
        convex.clock.advance(DAY + 3 * HOUR)
        school.call("lessons:confirm", lesson)
    if end == "staff":
        staff = convex.as_user("sam", role="staff")
        staff.mutation("staff/noShow:report", {"lesson": lesson})
    convex.clock.advance(4 * DAY)
    states = {"late": "cancelled", "staff": "cancelled"}
    assert school.state(lesson) == states.get(end, "done")
    assert (school.student_money(), school.gains()) == ((10_000, 0), (0, 0))


def test_the_component_is_left_alone(convex: Convex) -> None:
    """The component of the other team keeps its functions."""
    paths = set(convex.component("purse").functions)
    assert {"holds:place", "holds:settle", "holds:warn", "accounts:credit"} <= paths
