"""Answers that stall take their own time, and change no verdict beside them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from records.suites.eval_config import EvalLimits
from runner.grading.grade import GradingResult, GradingService
from tests.runner.small_eval import make_node_action, make_value_answer, write_question

pytestmark = pytest.mark.integration

GRADER = """
def test_it(convex):
    convex.action("evil:run")
"""
LOOP = "for (;;) { /* for ever */ }"
BUSY = """
for (let i = 0; i < 40; i++) {
  child_process.spawn("/bin/sh", ["-c", "while :; do :; done"]).on("error", () => {});
}
"""


@pytest.mark.night
@pytest.mark.parametrize(
    "stall",
    [pytest.param(LOOP, id="a loop"), pytest.param(BUSY + LOOP, id="busy processes")],
)
def test_honest_answers_beside_stalling_ones(
    grading: GradingService, tmp_path: Path, stall: str
) -> None:
    """Three answers run at once: stalling and wrong answers fail, and right answers pass."""
    short = write_question(tmp_path / "short", GRADER, limits=EvalLimits(tests_s=4))
    honest = write_question(tmp_path / "honest")
    files = make_value_answer(42, make_node_action(stall))
    with ThreadPoolExecutor(3) as threads:
        stalling = [threads.submit(grading.grade, short, files) for _ in range(2)]
        values = [42, 41, 42, 41]
        beside = [
            threads.submit(grading.grade, honest, make_value_answer(value)) for value in values
        ]
        verdicts: list[GradingResult] = [each.result() for each in beside]
        assert all(each.result().outcome is Outcome.FAILED for each in stalling)
    passed, failed = Outcome.PASSED, Outcome.FAILED
    assert [each.outcome for each in verdicts] == [passed, failed, passed, failed]
    assert all("41.0 == 42" in (each.reason or "") for each in verdicts[1::2])
