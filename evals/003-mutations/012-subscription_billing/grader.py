# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Subscriptions billed by the day, whenever the billing runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from check_terms import School

if TYPE_CHECKING:
    from runner.grader import Convex

NIGHTS = pytest.mark.parametrize("nightly", [True, False], ids=["nightly", "missed"])


def test_periods_of_unequal_months(convex: Convex) -> None:
    """Periods begin on the day of the first one, or on the last day of a shorter month."""
    school = School(convex)
    monthly = school.start(school.plan(1, 1000))
    assert len(school.written()) == 1
    school.go(6, 30)
    school.check(300)
    days = [day for day, _ in school.amounts()]
    assert days == ["01-31", "02-28", "03-31", "04-30", "05-31", "06-30"]
    school.cancel(monthly)
    school.go(11, 30)
    school.start(school.plan(3, 2500))
    school.go(2, 29, 1)
    school.start(school.plan(12, 9000))
    school.check(1090)
    school.go(3, 30, 3)
    school.finish()
    yearly = [row["day"] for row in school.ledger.invoices if row["amount"] == 9000]
    assert [day[5:] for day in yearly] == ["02-29", "02-28", "02-28"]
    assert [day for day, amount in school.amounts() if amount == 2500][:4] == [
        "11-30",
        "02-29",
        "05-30",
        "08-30",
    ]


@NIGHTS
def test_trials(convex: Convex, nightly: bool) -> None:  # noqa: FBT001 - a case
    """A trial is free, keeps its length with another plan, is paused, and may be the end."""
    school = School(convex, nightly=nightly)
    short, long = school.plan(1, 1000, 14), school.plan(1, 1500, 60)
    changed, paused, ended, continued = (school.start(short) for _ in range(4))
    school.check(100)
    school.go(2, 3)
    school.change(changed, long)
    school.pause(paused, school.day(2, 20))
    school.cancel(ended)
    school.cancel(continued)
    school.go(2, 13)
    school.keep(continued)
    school.check(100)
    assert school.amounts() == []
    school.go(2, 14)
    school.refuse("ended", "keep", ended)
    school.check()
    assert school.amounts() == [("02-14", 1500), ("02-14", 1000)]
    school.go(3, 1)
    school.change(changed, short)
    school.go(3, 3)
    school.check()
    school.go(3, 5)
    assert school.amounts()[2:] == [("03-03", 1000)]
    school.finish()


@NIGHTS
def test_prices_of_the_day(convex: Convex, nightly: bool) -> None:  # noqa: FBT001 - a case
    """A period costs what the price list has for its first day, whenever it is billed."""
    school = School(convex, nightly=nightly)
    plan, other = school.plan(1, 1000), school.plan(1, 2000)
    subscription = school.start(plan)
    school.announce(plan, school.day(3, 1), 1200)
    school.announce(plan, school.day(3, 31), 1300)
    school.check(120)
    school.go(4, 15)
    school.announce(plan, school.day(4, 30), 700)
    school.announce(other, school.day(4, 20), 3000)
    school.check(120)
    school.go(4, 24)
    school.change(subscription, other)
    school.check(40)
    assert school.amounts()[3:] == [("04-24", 340)]
    school.go(5, 5)
    school.change(subscription, plan)
    school.finish()
    assert [amount for _, amount in school.amounts()] == [1000, 1000, 1300, 340, 3000]
    assert school.ledger.credit == 1929


@NIGHTS
def test_other_plans(convex: Convex, nightly: bool) -> None:  # noqa: FBT001 - a case
    """A change asks for the share of the days left, each share rounded, or gives it as credit."""
    school = School(convex, nightly=nightly)
    low, near, high = school.plan(1, 1005), school.plan(1, 1020), school.plan(1, 3000)
    school.go(4, 1)
    subscription = school.start(low)
    school.refuse("not_available", "changePlan", subscription, plan=school.plan(3, 900).key)
    school.change(subscription, low)
    school.go(4, 30)
    school.change(subscription, near)
    assert school.amounts() == [("04-01", 1005)]
    school.change(subscription, high)
    school.change(subscription, low)
    school.check(40)
    assert (school.amounts()[1:], school.ledger.credit) == ([("04-30", 66)], 66)
    school.go(5, 1)
    school.change(subscription, high)
    assert school.amounts()[2:] == [("05-01", 1005), ("05-01", 1995)]
    assert [row["due"] for row in school.ledger.invoices[2:]] == [939, 1995]
    school.check(40)
    school.go(5, 16)
    school.change(subscription, low)
    assert school.ledger.credit == 1029
    school.go(5, 20)
    school.change(subscription, high)
    assert (school.amounts()[4:], school.ledger.credit) == ([("05-20", 772)], 257)
    school.check(40)
    school.go(7, 15)
    school.change(subscription, near)
    school.finish()


@NIGHTS
def test_pauses(convex: Convex, nightly: bool) -> None:  # noqa: FBT001 - a case
    """A pause keeps the days left, ends by itself, and moves the days on which periods begin."""
    school = School(convex, nightly=nightly)
    low, high = school.plan(1, 1000), school.plan(1, 2000)
    subscription = school.start(low)
    school.go(2, 10)
    school.refuse("not_paused", "resume", subscription)
    school.pause(subscription)
    school.resume(subscription)
    school.go(3, 10)
    school.pause(subscription)
    school.refuse("paused", "pause", subscription)
    school.check(200)
    school.go(3, 20)
    school.change(subscription, high)
    school.go(3, 25)
    school.resume(subscription)
    school.check(70)
    school.go(4, 5)
    school.pause(subscription, school.day(4, 12))
    school.check(70)
    school.go(4, 14)
    school.change(subscription, low)
    school.check(70)
    ends = [item.stand(school.ledger.day)["end"] for item in school.ledger.subscriptions]
    assert ends == [school.day(4, 22).isoformat()]
    school.go(5, 22)
    school.pause(subscription, school.day(12, 1))
    assert school.amounts()[-1] == ("05-22", 1000)
    school.check(200)
    school.go(8, 20)
    school.refuse("not_paused", "resume", subscription)
    school.go(9, 19)
    school.pause(subscription)
    school.go(10, 30)
    school.resume(subscription)
    school.check(200)
    days = [row["day"] for row in school.ledger.invoices]
    assert days[-1] == school.day(5, 22).isoformat()
    school.go(1, 30, 1)
    school.finish()
    assert [day for day, _ in school.amounts()[-3:]] == ["10-31", "11-30", "12-31"]


@NIGHTS
def test_cancelling(convex: Convex, nightly: bool) -> None:  # noqa: FBT001 - a case
    """A cancelled subscription ends with its period, in a pause at once, and can be kept before."""
    school = School(convex, nightly=nightly)
    low, high = school.plan(1, 1000), school.plan(1, 2000)
    ended, continued, late, paused, resumed = (school.start(low) for _ in range(5))
    school.go(2, 3)
    school.cancel(ended)
    school.cancel(continued)
    school.refuse("cancelled", "pause", ended)
    school.refuse("not_cancelled", "keep", late)
    school.pause(paused)
    school.pause(resumed, school.day(2, 20))
    school.check(60)
    school.go(2, 27)
    school.cancel(late)
    school.cancel(paused)
    school.cancel(resumed)
    school.change(ended, high)
    school.keep(continued)
    for path in ("resume", "keep", "cancel"):
        school.refuse("ended", path, paused)
    school.check(60)
    school.go(3, 1)
    for path in ("keep", "cancel", "pause"):
        school.refuse("ended", path, late)
    school.refuse("ended", "changePlan", ended, plan=low.key)
    school.check(60)
    school.go(3, 16)
    school.keep(resumed)
    school.check(60)
    school.finish()
    assert [amount for _, amount in school.amounts()] == [1000] * 5 + [35, 1000]


@NIGHTS
def test_credit_goes_by_days(convex: Convex, nightly: bool) -> None:  # noqa: FBT001 - a case
    """Credit is used by the invoices in the order of their days, never by one before it came."""
    school = School(convex, nightly=nightly)
    low, high, least = school.plan(1, 1000), school.plan(1, 3000), school.plan(1, 400)
    school.go(2, 1)
    first = school.start(low)
    school.go(2, 10)
    second = school.start(high)
    school.go(3, 20)
    school.change(second, least)
    assert school.ledger.credit > 1000
    school.check(60)
    school.go(4, 5)
    school.give(5000)
    school.check(60)
    school.go(5, 5)
    other = convex.as_user("ben").mutation("customers:register", {"name": "Ben"})
    school.staff("staff/customers:writeInvoice", customer=other, amount=90, text="A book")
    school.write(700)
    school.check(60)
    school.go(6, 10)
    third = school.start(high)
    school.pause(first, school.day(6, 20))
    school.check(90)
    school.go(7, 15)
    school.give(900)
    school.change(third, low)
    school.pause(second, school.day(8, 9))
    school.check(90)
    school.go(9, 11)
    school.start(low)
    school.finish()


def test_calls_that_write_a_part(convex: Convex) -> None:
    """A call writes a hundred invoices at most, and reads little; people go on between calls."""
    school = School(convex)
    plan, other, later = school.plan(1, 1000), school.plan(1, 1800), school.plan(1, 900, 700)
    for number in range(25):
        student = convex.as_user(f"student {number}")
        student.mutation("customers:register", {"name": "Student"})
        for _ in range(10):
            student.mutation("subscriptions:start", {"plan": later.key})
    mine = [school.start(plan) for _ in range(10)]
    school.give(12_345)
    school.go(12, 31)
    assert len(school.ledger.invoices) == 120
    assert convex.admin.mutation("billing:run", {}) is False
    assert 10 < len(school.written()) <= 110
    school.check(40)
    school.change(mine[3], other)
    school.cancel(mine[4])
    school.finish()
    school.go(1, 31, 1)
    convex.limit(documents_read=250)
    school.run()
    convex.limit(documents_read=20_000)
    school.finish()


@NIGHTS
def test_a_long_history(convex: Convex, nightly: bool) -> None:  # noqa: FBT001 - a case
    """Two years of pauses, changes, prices and credit come out the same, however often we bill."""
    school = School(convex, nightly=nightly)
    low, high = school.plan(1, 1999, 10), school.plan(1, 3499)
    quarter, half = school.plan(3, 5000), school.plan(3, 7777)
    monthly, long = school.start(low), school.start(quarter)
    school.go(2, 5)
    school.pause(monthly, school.day(3, 3))
    school.announce(high, school.day(5, 8), 3333)
    school.go(4, 1)
    school.change(monthly, high)
    school.pause(long)
    school.check(120)
    school.go(5, 31)
    school.change(long, half)
    school.change(monthly, low)
    school.announce(half, school.day(6, 30), 6001)
    school.go(7, 9)
    school.cancel(monthly)
    school.change(long, quarter)
    school.check(120)
    school.go(8, 1)
    school.keep(monthly)
    school.go(8, 31)
    school.pause(monthly)
    school.give(2500)
    school.go(11, 29)
    school.check(120)
    school.change(monthly, high)
    school.go(12, 31)
    school.pause(long, school.day(2, 29, 1))
    school.write(123)
    school.go(3, 31, 1)
    school.change(long, half)
    school.start(high)
    school.go(1, 30, 2)
    school.finish()
