"""The lines of a run in a log: a line per event, and a reminder after a long silence."""

import io
import time

import pytest

from records.shapes.attempt import AttemptKey
from runner.runs.progress.watcher import Lines, WatchedRun
from tests.records.examples import make_attempt, make_eval_name

pytestmark = pytest.mark.unit


def test_silence_is_broken_by_the_cause_of_the_wait() -> None:
    """A log without events repeats the reason of the wait, and that an attempt waits.

    The log stays silent while no attempt is under way.
    """
    log = io.StringIO()
    watched = WatchedRun("a" * 32, "maker/model default", 3)
    reminder = "1 under way, oldest"
    with Lines(log, silence_s=0.05) as lines:
        lines.report_start(watched, ())
        time.sleep(0.3)
        assert reminder not in log.getvalue()
        until = time.monotonic() + 500
        lines.report_wait(watched, AttemptKey(make_eval_name(0), 1), "rate limit", until)
        ends_at = time.monotonic() + 60
        while log.getvalue().count(reminder) < 3:
            assert time.monotonic() < ends_at, log.getvalue()
            time.sleep(0.02)
        assert "rate limit, 8 min left" in log.getvalue()
        lines.report_attempt(watched, make_attempt(make_eval_name(0)))
        log_text = log.getvalue()
        time.sleep(0.3)
        assert log.getvalue() == log_text
        lines.report_end(watched)
    assert (
        log.getvalue().splitlines()[-1].endswith("default stopped, 2 left: 1 of 3: 1 passed, $0.25")
    )


def test_the_cost_of_failed_tries_is_reported_beside_that_of_the_answers() -> None:
    """Both costs are paid, and failed tries may have the larger part."""
    log = io.StringIO()
    watched = WatchedRun("a" * 32, "maker/model default", 3)
    with Lines(log) as lines:
        lines.report_start(watched, ())
        dear = make_attempt(make_eval_name(0)).model_copy(update={"failed_tries_usd": 13.2})
        lines.report_attempt(watched, dear)
        lines.report_end(watched)
    assert log.getvalue().splitlines()[-1].endswith("$0.25, failed tries $13.20 at most")
