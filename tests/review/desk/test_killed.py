"""Twenty writers at the desk, whose server is killed: no acknowledged label is lost or doubled."""

import json
import random
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.leaderboard.commands.test_serve import make_bare_project
from tests.review.corpus import store_of
from tests.review.desk.processes import KillableServer
from tests.review.desking import make_talk, read_form_fields

BUILDING: Final = 503
"""The answer of a server that was just started, and builds its site."""

pytestmark = pytest.mark.integration

WRITERS: Final = 20
SESSIONS: Final = [f"session-{number:04}" for number in range(100, 104)]


class Writers:
    """People who write notes on shared sessions, and keep the acknowledged notes."""

    def __init__(self, address: str) -> None:
        self.acknowledged: list[str] = []
        self.refused = 0
        self._address = address
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Let each thread finish its current request."""
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _write(self, writer: int) -> None:
        chance = random.Random(writer)  # noqa: S311 - no secret
        number = 0
        with httpx.Client(base_url=self._address, timeout=120) as client:
            while not self._done.is_set():
                number += 1
                note = f"writer {writer} note {number}"
                session = chance.choice(SESSIONS)
                try:
                    self._send(client, session, note)
                except httpx.TransportError:
                    time.sleep(0.2)  # the server is being killed, or started
                except httpx.HTTPStatusError as error:
                    if error.response.status_code != BUILDING:
                        raise
                    time.sleep(0.2)

    def _send(self, client: httpx.Client, session: str, note: str) -> None:
        path = f"sessions/{session}"
        answer = client.post(path, data={**read_form_fields(client, path), "evalNotes": note})
        with self._lock:
            if answer.status_code == 303:
                self.acknowledged.append(note)
            elif answer.status_code != BUILDING:
                assert answer.status_code == 412, answer.text
                self.refused += 1


@pytest.mark.more
@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.night)])
def test_every_acknowledged_label_is_there_once(tmp_path: Path, kills: int) -> None:
    """The server may be killed at any time; a form with an older version is refused."""
    project = make_bare_project(tmp_path)
    store = store_of(project.root / "data", [make_talk(number) for number in range(100, 104)])
    server = KillableServer(project)
    writers = Writers(server.start())
    chance = random.Random(20261124)  # noqa: S311 - no secret
    try:
        writers.start()
        for _ in range(kills):
            before = len(writers.acknowledged)
            until = time.monotonic() + 120
            while len(writers.acknowledged) < before + 10 and time.monotonic() < until:
                time.sleep(0.05)
            time.sleep(chance.uniform(0, 0.3))
            server.kill()
            server.start()
    finally:
        writers.end()
        server.kill()
    events = [
        json.loads(line)
        for session in SESSIONS
        for line in store.folder.get_label_file(session).read_bytes().split(b"\n")[:-1]
    ]
    note_counts = Counter(event["after"] for event in events)
    assert len(writers.acknowledged) >= kills * 10
    assert [note for note in writers.acknowledged if note_counts[note] != 1] == []
    assert max(note_counts.values()) == 1
    assert {event["via"] for event in events} == {"desk"}
    for session in SESSIONS:  # each change was made of the one before it: none overwrote another
        changes = [event for event in store.read(session).events if event.field == "evalNotes"]
        befores = [event.before for event in changes]
        assert befores == ["", *(event.after for event in changes[:-1])]
