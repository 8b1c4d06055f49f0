"""The clock of a deployment, on a machine whose processors are busy with other work."""

import subprocess
from pathlib import Path

import pytest

from runner.emulator import embedded
from runner.toolchain import find_node
from tests.support.texts import read_texts

pytestmark = pytest.mark.more

TEXTS = read_texts(__file__)

CLOCK = Path(embedded.__file__).with_name("clock.mjs")

MOVE = TEXTS["move"]


@pytest.mark.parametrize("state", ["awake", "asleep"])
def test_waits_for_a_processor_are_not_held_against_functions(state: str) -> None:
    """A move waits for functions, and runs all due jobs, however late each look comes."""
    script = MOVE.replace("CLOCK", CLOCK.as_uri()).replace("BUSY", state)
    command = [find_node(), "--input-type=module", "-e", script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout == "true 40\n", ended.stderr


LATE = TEXTS["late"]


def test_what_functions_schedule_before_they_hear_of_the_stop_is_due() -> None:
    """Settling runs a job for the present of a function that does not know yet that time stands."""
    script = LATE.replace("CLOCK", CLOCK.as_uri())
    command = [find_node(), "--input-type=module", "-e", script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout == "1\n", ended.stderr


STUCK = TEXTS["stuck"]


@pytest.mark.night
def test_a_function_that_never_ends_is_given_up() -> None:
    """The move ends after ten seconds of looks in which nothing else happened."""
    script = STUCK.replace("CLOCK", CLOCK.as_uri())
    command = [find_node(), "--input-type=module", "-e", script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.stdout == "true\n", ended.stderr
