# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The terms of subscriptions, carried out day by day, beside the app that is graded."""

from __future__ import annotations

import calendar
import copy
import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Row = dict[str, Any]
ONE_DAY = dt.timedelta(days=1)
MAX_PAUSE_DAYS = 90


def add_months(day: dt.date, months: int, day_of_month: int) -> dt.date:
    """Return a day of a later month, or the last day of one that is shorter."""
    year, month = divmod(12 * day.year + day.month - 1 + months, 12)
    for number in range(day_of_month, 0, -1):
        try:
            return dt.date(year, month + 1, number)
        except ValueError:
            continue
    raise AssertionError(day_of_month)


def share(price: int, left: int, days: int) -> int:
    """Return the part of a price for the days that are left, half a cent up."""
    return (2 * price * left + days) // (2 * days)


@dataclass
class Plan:
    """A plan, and the days from which on its prices hold."""

    key: str
    months: int
    trial_days: int
    prices: dict[dt.date, int]

    def price_on(self, day: dt.date) -> int:
        """Return the price of a day."""
        return self.prices[max(start for start in self.prices if start <= day)]


@dataclass
class Subscription:
    """A subscription at a moment of the present day."""

    key: str
    plan: Plan
    left: int
    days: int = 0
    price: int = 0
    day_of_month: int = 0
    is_moved: bool = True
    is_cancelled: bool = False
    is_ended: bool = False
    paused_on: dt.date | None = None
    paused_until: dt.date | None = None

    def resume(self, day: dt.date) -> None:
        """Go on with the days that are left."""
        self.is_moved = self.is_moved or day != self.paused_on
        self.paused_on = self.paused_until = None

    def stand(self, day: dt.date) -> Row:
        """Return what the owner sees of it."""
        state = "active" if self.days else "trial"
        if self.is_ended or self.paused_on is not None:
            state = "ended" if self.is_ended else "paused"
            return {"plan": self.plan.key, "state": state, "end": None}
        end = day + self.left * ONE_DAY
        return {"plan": self.plan.key, "state": state, "end": end.isoformat()}


@dataclass
class Ledger:
    """The terms for one customer, carried out day by day."""

    day: dt.date
    credit: int = 0
    subscriptions: list[Subscription] = field(default_factory=list[Subscription])
    invoices: list[Row] = field(default_factory=list[Row])

    def charge(self, amount: int, key: str | None = None) -> None:
        """Write an invoice of today."""
        credit = min(self.credit, amount)
        self.credit -= credit
        amounts: Row = {"amount": amount, "credit": credit, "due": amount - credit}
        self.invoices.append({"subscription": key, "day": self.day.isoformat(), **amounts})

    def begin_period(self, subscription: Subscription) -> None:
        """Begin a period today, and charge it."""
        if subscription.is_moved:
            subscription.day_of_month, subscription.is_moved = self.day.day, False
        months = subscription.plan.months
        end = add_months(self.day, months, subscription.day_of_month)
        subscription.days = subscription.left = (end - self.day).days
        subscription.price = subscription.plan.price_on(self.day)
        self.charge(subscription.price, subscription.key)

    def begin_day(self) -> None:
        """Let the next day begin."""
        self.day += ONE_DAY
        for subscription in self.subscriptions:
            if subscription.is_ended:
                continue
            if subscription.paused_on is not None:
                longest = subscription.paused_on + MAX_PAUSE_DAYS * ONE_DAY
                if self.day in {longest, subscription.paused_until}:
                    subscription.resume(self.day)
                continue
            subscription.left -= 1
            if subscription.left == 0 and subscription.is_cancelled:
                subscription.is_ended = True
            elif subscription.left == 0:
                self.begin_period(subscription)

    def change(self, subscription: Subscription, plan: Plan) -> None:
        """Change to another plan today."""
        subscription.plan = plan
        if not subscription.days:
            return
        former, subscription.price = subscription.price, plan.price_on(self.day)
        new, old = (
            share(price, subscription.left, subscription.days)
            for price in (subscription.price, former)
        )
        if new > old:
            self.charge(new - old, subscription.key)
        self.credit += max(0, old - new)


class School:
    """An app with one customer, and the ledger that it has to agree with."""

    def __init__(self, convex: Convex, *, nightly: bool = False) -> None:
        """Open in the January before a leap year, with the billing called each night or never."""
        self.convex = convex
        self.nightly = nightly
        year = dt.datetime.fromtimestamp(convex.clock.now(), dt.UTC).year + 1
        self.year = next(later for later in range(year, year + 4) if calendar.isleap(later + 1))
        self.ledger = Ledger(dt.date(self.year, 1, 31))
        self.set_clock()
        self.customer = str(self.call("customers:register", name="Ada"))

    def set_clock(self, hour: int = 10) -> None:
        """Go to an hour of the ledger's day."""
        moment = dt.datetime.combine(self.ledger.day, dt.time(hour), dt.UTC)
        self.convex.clock.advance_to(moment.timestamp())

    def call(self, path: str, /, **args: Any) -> Any:  # noqa: ANN401 - any result
        """Call a mutation as the customer."""
        return self.convex.as_user("ada").mutation(path, args)

    def ask(self, path: str, /, **args: Any) -> Any:  # noqa: ANN401 - any result
        """Call a query as the customer."""
        return self.convex.as_user("ada").query(path, args)

    def staff(self, path: str, /, **args: Any) -> Any:  # noqa: ANN401 - any result
        """Call a mutation of the staff."""
        return self.convex.as_user("sam", role="staff").mutation(path, args)

    def refuse(self, code: str, path: str, subscription: Subscription, /, **args: Any) -> None:  # noqa: ANN401
        """Demand that something is refused which the customer wants to do with a subscription."""
        with pytest.raises(FunctionFailed) as refusal:
            self.call(f"subscriptions:{path}", subscription=subscription.key, **args)
        assert refusal.value.data == {"code": code}

    def run(self) -> None:
        """Call the billing until it returns true."""
        for _ in range(50):
            if self.convex.admin.mutation("billing:run", {}) is True:
                return
        pytest.fail("the billing never ends")

    def day(self, month: int, day: int, later: int = 0) -> dt.date:
        """Return a day of the first year or of a later one."""
        return dt.date(self.year + later, month, day)

    def go(self, month: int, day: int, later: int = 0) -> None:
        """Let days pass, with or without the nightly calls, to ten o'clock of a day."""
        end = self.day(month, day, later)
        while self.ledger.day < end:
            before = copy.deepcopy(self.ledger.subscriptions)
            self.ledger.begin_day()
            stands = [(item.is_ended, item.paused_on, item.left) for item in before]
            now = [
                (item.is_ended, item.paused_on, item.left + 1) for item in self.ledger.subscriptions
            ]
            if self.nightly and stands != now:
                self.set_clock(0)
                self.run()
        self.set_clock()

    def plan(self, months: int, price: int, trial_days: int = 0) -> Plan:
        """Add a plan."""
        args: Row = {"months": months, "trialDays": trial_days, "price": price}
        key = str(self.staff("plans:add", title=f"Plan {price}", **args))
        return Plan(key, months, trial_days, {self.ledger.day: price})

    def announce(self, plan: Plan, start: dt.date, price: int) -> None:
        """Announce a price."""
        row: Row = {"plan": plan.key, "from": start.isoformat(), "price": price}
        self.staff("plans:announcePrice", **row)
        plan.prices[start] = price

    def start(self, plan: Plan) -> Subscription:
        """Start a subscription."""
        key = str(self.call("subscriptions:start", plan=plan.key))
        subscription = Subscription(key, plan, plan.trial_days)
        self.ledger.subscriptions.append(subscription)
        if plan.trial_days == 0:
            self.ledger.begin_period(subscription)
        return subscription

    def change(self, subscription: Subscription, plan: Plan) -> None:
        """Change to another plan."""
        self.call("subscriptions:changePlan", subscription=subscription.key, plan=plan.key)
        self.ledger.change(subscription, plan)

    def pause(self, subscription: Subscription, until: dt.date | None = None) -> None:
        """Pause, and perhaps tell until when."""
        arguments = {} if until is None else {"until": until.isoformat()}
        self.call("subscriptions:pause", subscription=subscription.key, **arguments)
        subscription.paused_on, subscription.paused_until = self.ledger.day, until

    def resume(self, subscription: Subscription) -> None:
        """End a pause."""
        self.call("subscriptions:resume", subscription=subscription.key)
        subscription.resume(self.ledger.day)

    def cancel(self, subscription: Subscription) -> None:
        """Cancel, which ends a paused subscription at once."""
        self.call("subscriptions:cancel", subscription=subscription.key)
        subscription.is_cancelled = True
        subscription.is_ended = subscription.paused_on is not None

    def keep(self, subscription: Subscription) -> None:
        """Take a cancellation back."""
        self.call("subscriptions:keep", subscription=subscription.key)
        subscription.is_cancelled = False

    def give(self, amount: int) -> None:
        """Give the customer credit."""
        self.staff("staff/customers:giveCredit", customer=self.customer, amount=amount)
        self.ledger.credit += amount

    def write(self, amount: int) -> None:
        """Write an invoice by hand."""
        args: Row = {"customer": self.customer, "amount": amount, "text": "A book"}
        self.staff("staff/customers:writeInvoice", **args)
        self.ledger.charge(amount)

    def written(self) -> list[Row]:
        """Return the customer's invoices that are written, the oldest first."""
        rows = [row for row in self.convex.table("invoices") if row["customer"] == self.customer]
        names = ("day", "amount", "credit", "due")
        return [
            {"subscription": row.get("subscription"), **{name: row[name] for name in names}}
            for row in rows
        ]

    def amounts(self) -> list[tuple[str, int]]:
        """Return the month and day and the amount of each invoice by the ledger."""
        return [(row["day"][5:], row["amount"]) for row in self.ledger.invoices]

    def check(self, days: int = 0) -> None:
        """Demand that everything is as the ledger has it, now and some days from now."""
        day = self.ledger.day
        for item in self.ledger.subscriptions:
            state = self.ask("subscriptions:get", subscription=item.key, today=day.isoformat())
            assert state == item.stand(day)
        later = copy.deepcopy(self.ledger)
        for _ in range(days):
            later.begin_day()
        written = self.written()
        assert written == self.ledger.invoices[: len(written)]
        listed = self.ask("invoices:upcoming", until=later.day.isoformat())
        names = ("subscription", "day", "amount", "due")
        unwritten = later.invoices[len(written) :]
        assert listed == [{name: row[name] for name in names} for row in unwritten]

    def finish(self) -> None:
        """Check, let the billing do all that is left, and check the invoices and the credit."""
        self.check(400)
        for _ in range(2):
            self.run()
            assert self.written() == self.ledger.invoices
            assert self.ask("customers:me")["credit"] == self.ledger.credit
        newest = [(row["day"], row["amount"]) for row in self.ask("invoices:mine")]
        rows = reversed(self.ledger.invoices[-100:])
        assert newest == [(row["day"], row["amount"]) for row in rows]
        self.check(400)
