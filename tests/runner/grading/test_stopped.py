"""A runner that was stopped gives the verdicts that it would have given."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runner.small_eval import EVALS
from tests.support.texts import read_texts

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)

_LIMIT_S = 10
_GRADER = TEXTS["grader"]
_DESK = TEXTS["desk"]


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
