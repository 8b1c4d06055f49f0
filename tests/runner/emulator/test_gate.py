"""The gate between backend and page, which counts the answers that the backend still owes."""

from pathlib import Path

import pytest

from runner.emulator import embedded
from tests.runner.emulator.conftest import run_in_node

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
    assert run_in_node(SCRIPT.replace("GATE", GATE.as_uri())) == "true false\n"
