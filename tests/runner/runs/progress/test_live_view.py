"""The view of runs on a terminal, at three widths and all widths, and their lines in a log."""

import io
import time
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from records.shapes.attempt import Attempt, AttemptKey, Fault, FaultClass, Outcome
from runner.models.requests.heard import TURN
from runner.runs.progress import watcher
from runner.runs.progress.live_view import LiveView, draw_view
from runner.runs.progress.watcher import Lines, RunProgress, WatchedRun
from tests.records.examples import make_attempt, make_eval_name
from tests.support.waiting import wait_until

pytestmark = pytest.mark.unit
NOW = 1000.0


def make_watched_run(slug: str, experiment: str = "default", evals: int = 70) -> WatchedRun:
    """Return a run of this model."""
    return WatchedRun("abcdefgh" * 4, f"{slug} {experiment}", evals)


def make_faulty_attempt(number: int, kind: FaultClass, evidence: str) -> Attempt:
    """Return an attempt without a verdict."""
    bare = make_attempt(make_eval_name(number), outcome=Outcome.INFRASTRUCTURE)
    fault = Fault(kind=kind, evidence=evidence)
    return bare.model_copy(update={"fault": fault, "generation": None, "steps": None})


def make_busy_run(slug: str = "anthropic/claude-opus-5.5") -> RunProgress:
    """Return a run in every state at once, begun ten minutes ago."""
    progress = RunProgress(make_watched_run(slug), began=NOW - 600)
    outcomes = [*[Outcome.PASSED] * 20, *[Outcome.FAILED] * 7]
    for number, outcome in enumerate(outcomes):
        progress.count(make_attempt(make_eval_name(number), outcome=outcome))
    for number in (27, 28):
        kind = FaultClass.RATE_LIMITED
        progress.count(make_faulty_attempt(number, kind, "HTTP 429: Too many requests\nslow down"))
    progress.count(make_faulty_attempt(29, FaultClass.PROVIDER_TIMEOUT, "nothing came for 600 s"))
    for number in (30, 31, 32):
        key = AttemptKey(make_eval_name(number), 1)
        progress.begins_to_wait(key, TURN, None, NOW - 102)
        progress.begins_to_wait(key, "first token", None, NOW - 40)
    progress.begins_to_wait(AttemptKey(make_eval_name(33), 1), "rate limit", NOW + 28, NOW - 30)
    progress.begins_to_wait(AttemptKey(make_eval_name(34), 1), "grading", None, NOW - 4)
    return progress


def make_ended_run(slug: str = "local/smollm2", experiment: str = "no_guidelines") -> RunProgress:
    """Return a run that is over."""
    run = make_watched_run(slug, experiment, 3)
    progress = RunProgress(run, began=NOW - 60, ended="completed")
    for number in range(3):
        progress.count(make_attempt(make_eval_name(number), outcome=Outcome.FAILED))
    progress.cost_usd = None
    return progress


def draw_lines(rows: list[RunProgress], width: int, height: int | None = 40) -> list[str]:
    """Return the lines that are drawn."""
    return [line.rstrip() for line in draw_view(rows, width, height, NOW).plain.splitlines()]


def test_120_columns_show_a_table() -> None:
    """Numbers stand in columns, above the requests under way and the reasons without a verdict."""
    assert draw_lines([make_busy_run(), make_ended_run()], 120) == [
        "                                    done  passed  failed  infra   cost",
        "anthropic/claude-opus-5.5 default  30/70      20       7      3  $6.75  13 min left",
        "  5 under way, oldest 40 s: first token (3), 40 s; grading, 4 s; rate limit, 28 s left",
        "  infra: 2 rate limited, 1 provider timeout: HTTP 429: Too many requests slow down",
        "local/smollm2 no_guidelines          3/3       0       3      0           completed",
        "33/73 in all, $6.75",
    ]


def test_40_columns_abbreviate_nothing_but_the_ends_of_long_lines() -> None:
    """A phone's width shows the same content, over more lines."""
    assert draw_lines([make_busy_run(), make_ended_run()], 40) == [
        "anthropic/claude-opus-5.5 default  30/70",
        "  20 passed, 7 failed, 3 infra, $6.75,",
        "  13 min left",
        "  5 under way, oldest 40 s: first token",
        "  (3), 40 s; grading, 4 s; rate limit, …",
        "  infra: 2 rate limited, 1 provider",
        "  timeout: HTTP 429: Too many requests …",
        "local/smollm2 no_guidelines          3/3",
        "  0 passed, 3 failed, completed",
        "33/73 in all, $6.75",
    ]


def test_runs_that_do_not_fit_have_a_line_each_and_the_rest_comes_last() -> None:
    """The waits of all runs are counted in a common line, and so are the runs not shown."""
    rows = [
        make_ended_run("b/1"),
        make_ended_run("b/2"),
        *(make_busy_run(f"maker/model-{n}") for n in range(5)),
    ]
    assert draw_lines(rows, 80, 8) == [
        "                        done  passed  failed  infra   cost",
        *(
            f"maker/model-{n} default  30/70      20       7      3  $6.75  13 min left"
            for n in range(5)
        ),
        "… and 2 more; 2 of 7 runs have ended",
        "156/356 in all, $33.75, 25 under way, oldest 40 s: first token (15), 40 s; grad…",
    ]


def test_the_queue_is_not_under_way() -> None:
    """Attempts still in the queue are counted apart, and do not raise the oldest age."""
    row = make_busy_run()
    for number in range(40, 60):
        row.begins_to_wait(AttemptKey(make_eval_name(number), 1), TURN, None, NOW - 500)
    assert draw_lines([row], 120)[2] == (
        "  5 under way, oldest 40 s: first token (3), 40 s; grading, 4 s; rate limit, 28 s left; "
        "20 in the queue"
    )
    again = RunProgress(make_watched_run("a/b", evals=2))
    again.begins_to_wait(AttemptKey(make_eval_name(0), 1), "first token", None, NOW - 50)
    again.begins_to_wait(AttemptKey(make_eval_name(0), 1), TURN, None, NOW - 20)
    assert draw_lines([again], 120)[2] == "  1 in the queue"
    again.begins_to_wait(AttemptKey(make_eval_name(0), 1), "first token", None, NOW - 5)
    assert draw_lines([again], 120)[2] == "  1 under way, oldest 50 s: first token, 5 s"


def test_a_long_name_keeps_both_its_ends() -> None:
    """The name keeps its start, which has the maker, and its end, which has the variant."""
    row = make_busy_run("openrouter/meta-llama-llama-4-maverick-17b-128e-instruct")
    (line, *_) = draw_lines([row], 40)
    assert line == "openrouter/meta-…instruct default  30/70"


SLUGS = st.from_regex(r"[a-z]{1,20}/[a-z0-9.-]{1,60}", fullmatch=True)


@given(
    slugs=st.lists(SLUGS, min_size=1, max_size=30),
    over=st.integers(0, 30),
    width=st.integers(20, 200),
    height=st.integers(4, 60),
)
def test_no_picture_is_larger_than_its_terminal(
    slugs: list[str], over: int, width: int, height: int
) -> None:
    """The terminal would break longer lines, and the view could not draw over itself."""
    rows = [
        make_ended_run(slug) if at < over else make_busy_run(slug) for at, slug in enumerate(slugs)
    ]
    lines = draw_lines(rows, width, height)
    assert len(lines) <= height
    assert max(map(cell_len, lines)) <= width


def test_no_time_is_reported_before_anything_is_known() -> None:
    """Before the first outcome of this session there is no pace, despite earlier attempts."""
    progress = RunProgress(make_watched_run("a/b", evals=9), before=1, began=NOW - 60)
    progress.count(make_attempt(make_eval_name(0)))
    assert progress.estimate_seconds_left(NOW) is None
    progress.count(make_attempt(make_eval_name(1)))
    assert progress.estimate_seconds_left(NOW) == 60 * 7


def test_a_pause_is_part_of_the_time_that_is_left() -> None:
    """A run with an attempt that waits a day for its next try does not end in 28 seconds."""
    progress = RunProgress(make_watched_run("a/b", evals=3), began=NOW - 14)
    progress.count(make_attempt(make_eval_name(0)))
    assert progress.estimate_seconds_left(NOW) == 28
    progress.begins_to_wait(AttemptKey(make_eval_name(1), 1), "rate limit", NOW + 86_400, NOW)
    assert progress.estimate_seconds_left(NOW) == 86_400
    assert "24 h left" in draw_lines([progress], 80)[1]


def test_a_provider_s_words_are_shown_and_not_obeyed() -> None:
    """Evidence with escapes is drawn as code points: the terminal never receives the escapes."""
    row = make_busy_run()
    fault = "HTTP 429: \x1b]0;owned\x07\x1b[2J"
    row.count(make_faulty_attempt(40, FaultClass.RATE_LIMITED, fault))
    row.begins_to_wait(AttemptKey(make_eval_name(41), 1), "\x1b[2Jtoken", None, NOW)
    drawn = draw_view([row], 120, None, NOW).plain
    assert "⟦U+001B⟧]0;owned⟦U+0007⟧" in drawn
    assert not set("\x1b\x07") & set(drawn)


def test_waits_may_be_reported_from_any_thread_while_it_draws() -> None:
    """Attempts come and go in three threads while the view is drawn."""
    terminal = io.StringIO()
    view = LiveView(terminal)
    watched = make_watched_run("maker/model")

    def report_attempts(first: int) -> None:
        for number in range(first, 69, 3):
            key = AttemptKey(make_eval_name(number), 1)
            view.report_wait(watched, key, "first token")
            view.report_wait(watched, key, "grading")
            view.report_attempt(watched, make_attempt(make_eval_name(number)))
        view.report_event("one is through")

    with view:
        view.report_start(watched, ())
        threads = [Thread(target=report_attempts, args=(first,)) for first in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        view.report_end(watched)
    assert "run abcdefgh: maker/model default, 70 attempts" in terminal.getvalue()
    assert terminal.getvalue().count("one is through") == 3
    assert "69/70" in terminal.getvalue()
    assert "stopped, 1 left" in terminal.getvalue()


def test_silence_is_broken_by_the_cause_of_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log without events repeats the reason of the wait, and that an attempt waits.

    The log stays silent while no attempt is under way.
    """
    monkeypatch.setattr(watcher, "SILENCE_S", 0.05)
    log = io.StringIO()
    watched = WatchedRun("a" * 32, "maker/model default", 3)
    reminder = "1 under way, oldest"
    with Lines(log) as lines:
        lines.report_start(watched, ())
        time.sleep(0.3)
        assert reminder not in log.getvalue()
        until = time.monotonic() + 500
        lines.report_wait(watched, AttemptKey(make_eval_name(0), 1), "rate limit", until)
        wait_until(lambda: log.getvalue().count(reminder) >= 3, describe=log.getvalue)
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
        dear = make_attempt(make_eval_name(0), failed_tries_usd=13.2)
        lines.report_attempt(watched, dear)
        lines.report_end(watched)
    assert log.getvalue().splitlines()[-1].endswith("$0.25, failed tries $13.20 at most")
