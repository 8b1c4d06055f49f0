"""The clock of a deployment, on a machine whose processors are busy with other work."""

import subprocess
from pathlib import Path

import pytest

from runner.emulator import embedded
from runner.toolchain import find_node

pytestmark = pytest.mark.more

CLOCK = Path(embedded.__file__).with_name("clock.mjs")

MOVE = """
const RealDate = Date;
let late = 0;
// Each look at the time is a second later than it would be: the process waited for a processor.
globalThis.Date = class extends RealDate {
  static now() {
    return RealDate.now() + (late += 1000);
  }
};
const { Clock } = await import("CLOCK");
let looks = 0;
let fired = 0;
const busy = () => (looks++ < 50 ? "BUSY" : "idle");
const turn = async () => false;
const clock = new Clock({ busy, turn, heard: async () => {}, changed() {} });
for (let n = 0; n < 40; n++) clock.at(clock.now, () => (fired += 1));
await clock.advanceTo(clock.now + 1e9);
console.log(looks > 50, fired);
"""


@pytest.mark.parametrize("state", ["awake", "asleep"])
def test_waits_for_a_processor_are_not_held_against_functions(state: str) -> None:
    """A move waits for functions, and runs all due jobs, however late each look comes."""
    script = MOVE.replace("CLOCK", CLOCK.as_uri()).replace("BUSY", state)
    command = [find_node(), "--input-type=module", "-e", script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout == "true 40\n", ended.stderr


STUCK = """
const { Clock } = await import("CLOCK");
const heard = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const turn = async () => true;
const clock = new Clock({ busy: () => "awake", turn, heard, changed() {} });
const began = performance.now();
await clock.settle();
const seconds = (performance.now() - began) / 1000;
console.log(seconds > 5);
"""


@pytest.mark.night
def test_a_function_that_never_ends_is_given_up() -> None:
    """The move ends after ten seconds of looks in which nothing else happened."""
    script = STUCK.replace("CLOCK", CLOCK.as_uri())
    command = [find_node(), "--input-type=module", "-e", script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.stdout == "true\n", ended.stderr
