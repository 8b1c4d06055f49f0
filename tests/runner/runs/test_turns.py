"""Runs of a trial take turns: all make an attempt before any makes the next."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.shapes.attempt import AttemptKey
from runner.runs.execute import take_turns

pytestmark = pytest.mark.unit

PLACES = [AttemptKey(f"000-fundamentals/{number:03}-task", 1) for number in range(6)]


@given(st.lists(st.lists(st.sampled_from(PLACES), unique=True, max_size=6), min_size=1, max_size=5))
def test_each_place_is_passed_on_from_run_to_run(runs: list[list[AttemptKey]]) -> None:
    """Every place of every run comes once, and all runs make an attempt before the next attempt."""
    ordered = list(take_turns(runs))
    assert sorted(ordered) == sorted((key, at) for at, run in enumerate(runs) for key in run)
    assert len(list(groupby(ordered, key=lambda turn: turn[0]))) == len({p for p, _ in ordered})


def test_another_run_begins_each_turn() -> None:
    """No run is always the first to ask, or always the last."""
    ordered = list(take_turns([PLACES, PLACES, PLACES]))
    assert [number for _, number in ordered[:9]] == [0, 1, 2, 1, 2, 0, 2, 0, 1]
