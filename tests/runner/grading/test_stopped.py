"""A runner that was stopped gives the verdicts that it would have given."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runner.small_eval import EVALS

pytestmark = pytest.mark.integration

_LIMIT_S = 10
_GRADER = """
import time
from pathlib import Path

def test_value(convex, request):
    with Path({began!r}).open("a") as began:
        began.write("graded\\n")
    time.sleep(2)
    reference = request.getfixturevalue("reference")
    assert convex.query("notes:value") == reference.query("notes:value")
"""
_DESK = """
import sys
from pathlib import Path

from runner.grading.answer_steps import ServiceSettings
from runner.grading.grade import GradingService
from records.suites.eval_config import EvalLimits
import pytest

from tests.runner.small_eval import EVALS, make_value_answer, write_question

folder, limit_s = Path(sys.argv[1]), int(sys.argv[2])
grader = (folder / "grader.txt").read_text()
evaluation = write_question(folder, grader, limits=EvalLimits(tests_s=limit_s))
with GradingService(ServiceSettings(suite_root=EVALS, workers=1)) as grading:
    graded = grading.grade(evaluation, make_value_answer(42))
print(graded.outcome, graded.reason)
"""


@pytest.mark.night
def test_a_runner_that_was_stopped_for_longer_than_a_limit(tmp_path: Path) -> None:
    """Tests that waited for the runner past their limit run again, and the right answer passes."""
    began = tmp_path / "began"
    (tmp_path / "grader.txt").write_text(_GRADER.format(began=str(began)))
    with subprocess.Popen(
        [sys.executable, "-c", _DESK, str(tmp_path), str(_LIMIT_S)],
        cwd=EVALS.parent,
        stdout=subprocess.PIPE,
        text=True,
    ) as runner:
        while not began.exists():
            assert runner.poll() is None, "it ended before the tests began"
            time.sleep(0.02)
        os.kill(runner.pid, signal.SIGSTOP)
        # Tests may take four times the limit at most, on a machine of any load.
        time.sleep(4 * _LIMIT_S + 2)
        os.kill(runner.pid, signal.SIGCONT)
        output, _ = runner.communicate()
    assert output.strip() == "passed None"
    assert began.read_text().count("graded") == 2
