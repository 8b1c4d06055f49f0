"""The clock of a deployment, on a machine whose processors are busy with other work."""

from pathlib import Path

import pytest

from runner.emulator import embedded
from tests.runner.emulator.conftest import run_in_node
from tests.support.texts import read_texts

pytestmark = pytest.mark.more

CLOCK = Path(embedded.__file__).with_name("clock.mjs").as_uri()
TEXTS = {name: text.replace("CLOCK", CLOCK) for name, text in read_texts(__file__).items()}


@pytest.mark.parametrize("state", ["awake", "asleep"])
def test_waits_for_a_processor_are_not_held_against_functions(state: str) -> None:
    """A move waits for functions, and runs all due jobs, however late each look comes."""
    assert run_in_node(TEXTS["move"].replace("BUSY", state)) == "true 40\n"


def test_what_functions_schedule_before_they_hear_of_the_stop_is_due() -> None:
    """Settling runs a job for the present of a function that does not know yet that time stands."""
    assert run_in_node(TEXTS["late"]) == "1\n"


@pytest.mark.night
def test_a_function_that_never_ends_is_given_up() -> None:
    """The move ends after ten seconds of looks in which nothing else happened."""
    assert run_in_node(TEXTS["stuck"], longest_s=300) == "true\n"
