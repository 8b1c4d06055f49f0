"""The width of a queue after the results of its requests, by the clock of a simulated server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.models.concurrency.provider_queue import ConcurrencyLimit

pytestmark = pytest.mark.unit


def test_refusals_in_one_burst_halve_the_width_once() -> None:
    """All refusals of requests that were in flight together count as one refusal."""
    width = ConcurrencyLimit(16, 16)
    news = [width.record_refusal(1.0, 16, now=2.0) for _ in range(16)]
    assert news == [True] + [False] * 15
    assert width.limit == 8


def test_successes_widen_it_again_up_to_its_ceiling() -> None:
    """Each queue's worth of successes allows one more request at once."""
    width = ConcurrencyLimit(4, 6)
    for _ in range(5):
        width.record_success(4, 100, 1.0)
    assert width.limit == 5
    for _ in range(100):
        width.record_success(4, 100, 1.0)
    assert width.limit == 6


def _simulate_server(width: ConcurrencyLimit, seconds_at: list[float], replies: int) -> None:
    """Let a server answer that takes ``seconds_at[n]`` for each of n + 1 requests at once."""
    for _ in range(replies):
        took = seconds_at[min(width.limit, len(seconds_at)) - 1]
        width.record_success(width.limit, 1000, took)


@pytest.mark.parametrize(
    ("seconds_at", "settled"),
    [
        ([10.0] * 64, 64),
        ([10.0 * n for n in range(1, 65)], 1),
        ([10.0, 10.0, 15.0, 20.0] + [5.0 * n for n in range(5, 65)], 2),
        ([10.0] * 8 + [1.25 * n for n in range(9, 65)], 8),
    ],
    ids=["bears all", "one after another", "two places", "eight places"],
)
def test_a_server_is_asked_as_much_at_once_as_makes_it_quicker(
    seconds_at: list[float], settled: int
) -> None:
    """The width settles at the last doubling that brought more text per second."""
    width = ConcurrencyLimit(1, 64)
    _simulate_server(width, seconds_at, 400)
    assert width.limit == settled


def test_a_refusal_narrows_a_measured_limit_for_good() -> None:
    """The limit never again exceeds the value to which the refusal reduced it."""
    width = ConcurrencyLimit(1, 64)
    _simulate_server(width, [10.0] * 64, 8)
    assert width.limit > 1
    width.record_refusal(1002.0, busy=2, now=1003.0)
    assert width.limit == 1
    _simulate_server(width, [10.0] * 64, 400)
    assert width.limit == 1


@given(
    st.integers(1, 40),
    st.integers(1, 40),
    st.lists(
        st.tuples(st.sampled_from(["succeeded", "refused"]), st.integers(1, 50)),
        max_size=200,
    ),
)
def test_the_width_stays_between_one_and_the_ceiling(
    start: int, ceiling: int, events: list[tuple[str, int]]
) -> None:
    """The width stays in its bounds after any events in any order."""
    width = ConcurrencyLimit(start, ceiling)
    for now, (event, number) in enumerate(events, 1):
        if event == "succeeded":
            width.record_success(width.limit, number, 0.5)
        else:
            width.record_refusal(now - 0.5, number, float(now))
        assert 1 <= width.limit <= ceiling
