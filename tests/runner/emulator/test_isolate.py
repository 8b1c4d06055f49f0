"""The backend's end of the connection to the process of the code, beside a process of the test."""

import subprocess
from pathlib import Path

import pytest

from runner.emulator import embedded
from runner.toolchain import find_node
from tests.support.texts import read_texts

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)

EMULATOR = Path(embedded.__file__).parent

BEGIN = TEXTS["begin"]


def run_beside_backend(script: str, tmp_path: Path) -> str:
    """Run a script after BEGIN; return its output."""
    isolate = EMULATOR / "functions" / "isolate.mjs"
    ended = subprocess.run(
        [
            find_node(),
            "--input-type=module",
            "-e",
            BEGIN.replace("ISOLATE", isolate.as_uri()) + script,
            tmp_path / "code.sock",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


SWAPPED = TEXTS["swapped"]


def test_a_process_that_begins_anew_may_be_heard_before_the_old_one_ends(tmp_path: Path) -> None:
    """On a busy machine the backend may see both at once: the new process is not refused."""
    assert run_beside_backend(SWAPPED, tmp_path) == "renewed\n"


CROSSED = TEXTS["crossed"]


def test_an_answer_may_cross_the_end_of_its_mutation(tmp_path: Path) -> None:
    """A mutation that ended before the last answer arrived may still ask for more."""
    answered = run_beside_backend(CROSSED, tmp_path)
    assert answered == "insert 1, insert 2, insert 3, insert 4\n"
