"""The gate between backend and page, which counts the answers that the backend still owes."""

import subprocess
from pathlib import Path

import pytest

from runner.emulator import embedded
from runner.toolchain import find_node

pytestmark = pytest.mark.integration

GATE = Path(embedded.__file__).parent / "ui" / "gate.mjs"

SCRIPT = """
const { Gate } = await import("GATE");
const { unanswered } = new Gate();
unanswered.sent('{"type": "Connect"}');
unanswered.sent('{"type": "Action", "requestId": 1}');
const before = unanswered.any;
unanswered.sent('{"type": "Connect"}');
console.log(before, unanswered.any);
"""


def test_an_action_under_way_at_a_cut_is_not_owed_any_more() -> None:
    """A page that is connected again repeats no action, so no answer to it will come."""
    command = [find_node(), "--input-type=module", "-e", SCRIPT.replace("GATE", GATE.as_uri())]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout == "true false\n", ended.stderr
