"""A large file for `leaderboard session import`: progress, and a kill in the middle of it."""

import fcntl
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Final

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.session import Session
from tests.leaderboard.commanding import run_on_data
from tests.support.warm_command import ROOT, get_installed_program, make_command_environment

pytestmark = pytest.mark.integration

SESSIONS: Final = 3000
PIPE: Final = 4096
"""Bytes that a pipe holds: the smallest size in Linux."""


def write_large_import(path: Path) -> int:
    """Write a file of sessions whose last third has faulty lines; return the number of them."""
    wrong = 0
    with path.open("w") as file:
        for number in range(SESSIONS):
            question = {"role": "user", "content": f"Question {number}"}
            answer = {"role": "assistant", "content": f"Answer {number}"}
            file.write(f"{json.dumps({'messages': [question, answer]})}\n")
            if number > 2000 and number % 5 == 0:
                file.write("no JSON\n")
                wrong += 1
    return wrong


@pytest.mark.night
def test_a_large_import_shows_progress_and_survives_a_kill(tmp_path: Path) -> None:
    """Reported sessions are whole after SIGKILL; the same file again adds only the rest.

    The import cannot end before it is killed: its messages about faulty lines are not read, and
    are larger than the pipe.
    """
    path, data = tmp_path / "chats.jsonl", tmp_path / "data"
    wrong = write_large_import(path)
    assert wrong * (len(str(path)) + len(": is not JSON")) > 2 * PIPE
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE)
    arguments = ["session", "import", path, "--data", data]
    program = get_installed_program("kill -9 leaves what a true process had not written yet")
    with subprocess.Popen(
        [program, *arguments],
        cwd=ROOT,
        env=make_command_environment(),
        stdout=subprocess.DEVNULL,
        stderr=writing,
    ) as going:
        os.close(writing)
        output = b""
        while not output.endswith(b"2000 sessions so far\n"):
            output += os.read(reading, 1)
            assert going.poll() is None, output
        os.kill(going.pid, signal.SIGKILL)
        going.wait()
    os.close(reading)
    assert output == b"1000 sessions so far\n2000 sessions so far\n"
    sessions = {
        item.stem: read_record(Session, item) for item in DataFolder(data).list_session_files()
    }
    assert 2000 <= len(sessions) < SESSIONS
    again = run_on_data(data, "session", "import", str(path), code=1)
    assert again.stdout == f"{SESSIONS} sessions, {SESSIONS - len(sessions)} new or changed\n"
    assert "3000 sessions so far" in again.stderr
    folder = DataFolder(data)
    assert len(list(folder.list_session_files())) == SESSIONS
    assert all(
        read_record(Session, folder.get_session_file(name)) == item
        for name, item in sessions.items()
    )
    problems = [item for item in check_all(folder) if ".tmp" not in item.path.name]
    assert problems == []
