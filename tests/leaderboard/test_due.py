"""When the next run of a model is due."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.due import schedule
from records.registry import ModelEntry
from records.run import Outcome, Run
from tests.records.examples import attempt, eval_name
from tests.records.examples import run as example

pytestmark = pytest.mark.unit

EVALS: Final = (eval_name(0), eval_name(1))
TODAY: Final = date(2026, 11, 24)
PASSED, FAILED, INFRASTRUCTURE, _ = Outcome
JUDGED: Final = {EVALS[0]: PASSED, EVALS[1]: FAILED}


def model(age_days: int | None) -> ModelEntry:
    """Return an entry of a model that was released so many days before TODAY."""
    released = None if age_days is None else TODAY - timedelta(days=age_days)
    return ModelEntry(
        slug="maker/model", name="M", provider="Maker", litellm_id="m/m", released=released
    )


def run_of(
    days_ago: int, outcomes: Mapping[str, Outcome] = JUDGED, cost_usd: float | None = None
) -> Run:
    """Return a run that began so many days before TODAY."""
    run = example()
    attempts = tuple(attempt(name, outcome=outcomes[name]) for name in sorted(outcomes))
    return run.model_copy(
        update={
            "date": TODAY - timedelta(days=days_ago),
            "planned": tuple(sorted(outcomes)),
            "attempts": attempts,
            "totals": run.totals.model_copy(update={"cost_usd": cost_usd}),
        }
    )


def days_after_last(entry: ModelEntry, run: Run) -> int:
    """Return how many days after ``run`` the next is due."""
    due = schedule(entry, [run], EVALS, TODAY)
    assert due.next is not None
    return (due.next - run.date).days


def test_a_model_without_a_run_is_due() -> None:
    """So is one with runs of a part of the suite only."""
    part = run_of(0, {EVALS[0]: PASSED})
    assert schedule(model(0), [], EVALS, TODAY).is_due(TODAY)
    assert schedule(model(0), [part], EVALS, TODAY).is_due(TODAY)


@pytest.mark.parametrize(
    ("age", "days"), [(0, 1), (11, 1), (12, 2), (180, 30), (360, 60), (3000, 60)]
)
def test_the_interval_grows_with_age(age: int, days: int) -> None:
    """From one day in the first week to sixty after a year."""
    assert days_after_last(model(age), run_of(0)) == days


@pytest.mark.parametrize(
    ("cost", "days"), [(None, 1), (0.0, 1), (5.0, 1), (27.5, 8), (50.0, 14), (900.0, 14)]
)
def test_dear_runs_of_a_young_model_are_rarer(cost: float | None, days: int) -> None:
    """One day at $5, fourteen from $50 on; an unknown cost asks for nothing."""
    assert days_after_last(model(0), run_of(0, cost_usd=cost)) == days


def test_an_old_model_waits_for_its_age_whatever_it_costs() -> None:
    """Cost raises an interval and never shortens it."""
    assert days_after_last(model(360), run_of(0, cost_usd=50.0)) == 60


def test_without_a_release_the_age_counts_from_the_first_run() -> None:
    """A model is at least as old as its first run."""
    due = schedule(model(None), [run_of(120), run_of(10)], EVALS, TODAY)
    assert due.next == TODAY - timedelta(days=10) + timedelta(days=20)


@pytest.mark.parametrize(("failures", "days"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 14), (50, 14)])
def test_runs_without_verdicts_cool_down(failures: int, days: int) -> None:
    """After infrastructure the next try waits, longer with each failure in a row."""
    broken = run_of(0, {EVALS[0]: PASSED, EVALS[1]: INFRASTRUCTURE})
    due = schedule(model(0), [broken] * failures, EVALS, TODAY)
    assert due.next == TODAY + timedelta(days=days)
    assert due.last is None


def test_a_failed_run_hastens_nothing() -> None:
    """The interval since the last whole run holds, where it is longer than the cool-down."""
    broken = run_of(0, {EVALS[0]: INFRASTRUCTURE, EVALS[1]: INFRASTRUCTURE})
    due = schedule(model(360), [run_of(1), broken], EVALS, TODAY)
    assert due.next == TODAY + timedelta(days=59)


@given(st.integers(0, 5000), st.none() | st.floats(0, 1e6))
def test_intervals_stay_between_one_and_sixty_days(age: int, cost: float | None) -> None:
    """Whatever the age and the cost."""
    assert 1 <= days_after_last(model(age), run_of(0, cost_usd=cost)) <= 60
