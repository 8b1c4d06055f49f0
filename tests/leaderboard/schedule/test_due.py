"""The day on which the next run of a model is due."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.night import schedule
from records.shapes.attempt import CarriedOver, Outcome
from records.shapes.registry import ModelEntry
from records.shapes.run import Run
from records.shapes.totals import compute_run_totals
from tests.records.examples import make_attempt, make_eval_name, make_generation
from tests.records.examples import make_run as example

pytestmark = pytest.mark.unit

EVALS: Final = (make_eval_name(0), make_eval_name(1))
TODAY: Final = date(2026, 11, 24)
PASSED, FAILED, INFRASTRUCTURE, _ = Outcome
JUDGED: Final = {EVALS[0]: PASSED, EVALS[1]: FAILED}


def make_model_entry(age_days: int | None) -> ModelEntry:
    """Return an entry of a model that was released this number of days before TODAY."""
    released = None if age_days is None else TODAY - timedelta(days=age_days)
    return ModelEntry(
        slug="maker/model", name="M", provider="Maker", litellm_id="m/m", released=released
    )


def make_past_run(
    days_ago: int, outcomes: Mapping[str, Outcome] = JUDGED, cost_usd: float | None = None
) -> Run:
    """Return a run that began this number of days before TODAY."""
    run = example()
    share = None if cost_usd is None else cost_usd / len(outcomes)
    attempts = tuple(
        make_attempt(name, outcome=outcomes[name]).model_copy(
            update={"generation": make_generation(share)}
        )
        for name in sorted(outcomes)
    )
    return run.model_copy(
        update={
            "date": TODAY - timedelta(days=days_ago),
            "planned": tuple(sorted(outcomes)),
            "attempts": attempts,
            "totals": compute_run_totals(attempts),
        }
    )


def count_days_to_next(entry: ModelEntry, run: Run) -> int:
    """Return the number of days from ``run`` to the next."""
    due = schedule(entry, [run], EVALS, TODAY)
    assert due.next is not None
    return (due.next - run.date).days


def test_a_model_without_a_run_is_due() -> None:
    """A model without a run, or only with runs of a part of the suite, is due."""
    part = make_past_run(0, {EVALS[0]: PASSED})
    assert schedule(make_model_entry(0), [], EVALS, TODAY).is_due(TODAY)
    assert schedule(make_model_entry(0), [part], EVALS, TODAY).is_due(TODAY)


@pytest.mark.parametrize(
    ("age", "cost", "days"),
    [
        *((0, None, 1), (11, None, 1), (12, None, 2), (180, None, 30), (360, None, 60)),
        *((3000, None, 60), (360, 50.0, 60)),
        *((0, 0.0, 1), (0, 5.0, 1), (0, 27.5, 8), (0, 50.0, 14), (0, 900.0, 14)),
    ],
)
def test_the_interval_grows_with_age_and_cost(age: int, cost: float | None, days: int) -> None:
    """It is a day in the first week, and sixty days after a year; a cost never shortens it.

    It is one day at $5, fourteen from $50 on; an unknown cost does not change it.
    """
    assert count_days_to_next(make_model_entry(age), make_past_run(0, cost_usd=cost)) == days


def test_without_a_release_the_age_counts_from_the_first_run() -> None:
    """A model is at least as old as its first run."""
    due = schedule(make_model_entry(None), [make_past_run(120), make_past_run(10)], EVALS, TODAY)
    assert due.next == TODAY - timedelta(days=10) + timedelta(days=20)


def make_unfinished_run(began: int, ended: int | None, status: str) -> Run:
    """Return a run without all verdicts that began and ended these numbers of days before TODAY."""
    broken = make_past_run(began, {EVALS[0]: PASSED, EVALS[1]: INFRASTRUCTURE})
    end = None if ended is None else datetime.combine(TODAY, time(), UTC) - timedelta(days=ended)
    return broken.model_copy(update={"finished_at": end, "status": status})


@pytest.mark.parametrize(
    ("began", "ended", "status", "days"),
    [
        (0, None, "running", 0),
        (5, 0, "aborted", 0),
        (0, 0, "completed", 1),
        (1, 0, "completed", 1),
        (2, 0, "completed", 2),
        (4, 0, "completed", 4),
        (8, 0, "completed", 8),
        (30, 0, "completed", 14),
    ],
)
def test_an_unfinished_run_goes_on(began: int, ended: int | None, status: str, days: int) -> None:
    """A stopped or killed run goes on at once; a run without verdicts waits ever longer.

    It does not wait for the end of the interval: the money is of use only for a whole run.
    """
    run = make_unfinished_run(began, ended, status)
    due = schedule(make_model_entry(0), [run], EVALS, TODAY, run)
    assert due.next == TODAY + timedelta(days=days)
    assert due.last is None
    whole = make_past_run(began + 1)
    assert schedule(make_model_entry(360), [whole, run], EVALS, TODAY, run).next == due.next


def test_a_run_that_cannot_go_on_does_not_count() -> None:
    """Only a whole run delays the next."""
    run = make_unfinished_run(20, 20, "completed")
    assert schedule(make_model_entry(0), [run], EVALS, TODAY).is_due(TODAY)


@pytest.mark.parametrize("carried", [1, 2])
def test_a_run_that_carried_answers_over_delays_the_next(carried: int) -> None:
    """The interval begins on the day of that run, also with older answers."""
    run = make_past_run(0, cost_usd=50.0)
    origin = CarriedOver(run="e" * 32, asked_from=datetime(2026, 9, 1, tzinfo=UTC), prompt="0" * 64)
    attempts = tuple(
        attempt.model_copy(update={"carried_over": origin}) if number < carried else attempt
        for number, attempt in enumerate(run.attempts)
    )
    current = run.model_copy(update={"attempts": attempts, "totals": compute_run_totals(attempts)})
    due = schedule(make_model_entry(0), [current], EVALS, TODAY)
    assert not due.is_due(TODAY)
    # As long as after a run that paid for all: the next one will.
    assert (due.last, due.next) == (TODAY, TODAY + timedelta(days=14))


def test_a_retired_model_is_never_due() -> None:
    """The provider does not answer from the day of the retirement."""
    retiring = make_model_entry(0).model_copy(update={"retires": TODAY})
    assert not schedule(retiring, [], EVALS, TODAY).is_due(TODAY)
    assert schedule(retiring, [], EVALS, TODAY).is_due(TODAY - timedelta(days=1))


@given(st.integers(0, 5000), st.none() | st.floats(0, 1e6))
def test_intervals_stay_between_one_and_sixty_days(age: int, cost: float | None) -> None:
    """No age and no cost of a model leads to another interval."""
    assert 1 <= count_days_to_next(make_model_entry(age), make_past_run(0, cost_usd=cost)) <= 60
