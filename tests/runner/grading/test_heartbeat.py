"""The heartbeat separates a process that stood still from a process with much work."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from runner.grading.grade import Heartbeat

pytestmark = pytest.mark.unit

_STOPPED = """
import sys
import time
from runner.grading.grade import Heartbeat

with Heartbeat() as heartbeat:
    began = time.monotonic()
    print(heartbeat.stood_still_since(began), flush=True)
    sys.stdin.readline()
    print(heartbeat.stood_still_since(began), heartbeat.stood_still_since(time.monotonic()))
"""


@pytest.mark.integration
def test_a_stopped_process_has_stood_still() -> None:
    """SIGSTOP and SIGCONT leave a gap that ended after the moment before them, and no later gap."""
    with subprocess.Popen(
        [sys.executable, "-c", _STOPPED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(3)
        os.kill(process.pid, signal.SIGCONT)
        output, _ = process.communicate("go on\n")
    assert output.strip() == "True False"


def test_an_interpreter_that_is_blocked_has_stood_still() -> None:
    """A regular expression without end lets no other thread run: that is a gap too."""
    with Heartbeat(tick_s=0.01, late_s=0.2) as heartbeat:
        began = time.monotonic()
        blocked = time.monotonic() + 0.5
        length = 18
        while time.monotonic() < blocked or not heartbeat.stood_still_since(began):
            re.fullmatch("(a|a)*b", "a" * length)
            length += 1
        assert heartbeat.stood_still_since(began)
        assert not heartbeat.stood_still_since(time.monotonic())
