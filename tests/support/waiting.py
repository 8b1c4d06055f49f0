"""Waits for facts that other processes and threads bring about."""

import time
from collections.abc import Callable


def wait_until(
    is_true: Callable[[], object],
    longest_s: float = 60,
    describe: Callable[[], object] = lambda: "it did not come in time",
) -> None:
    """Wait until something is true; after ``longest_s`` seconds the test fails, as described."""
    ends_at = time.monotonic() + longest_s
    while not is_true():
        assert time.monotonic() < ends_at, describe()
        time.sleep(0.02)
