"""A server that is killed while twenty writers write to it."""

import random
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from records.archives.archive import Archive
from records.checks.check_data import check_all
from records.reader import read_run
from tests.leaderboard.api import serving
from tests.leaderboard.api.processes import ServerProcess
from tests.leaderboard.api.writers import ATTEMPTS
from tests.leaderboard.commanding import PATIENCE_S
from tests.support.warm_command import ROOT, make_command_environment

pytestmark = pytest.mark.integration


@dataclass(frozen=True)
class Storm:
    """Amount of writing while the server is killed, and number of kills."""

    runs: Sequence[Sequence[str]]
    """Letters of the runs that each process writes, with two writers a run."""
    kills: int
    """Number of kills while attempts come in."""
    killed_ends: int
    """Number of runs at whose end the server is killed once more."""


SMALL = Storm(("ab", "cd"), kills=2, killed_ends=1)
LARGE = Storm(("abc", "def", "gh", "ij"), kills=5, killed_ends=5)


@pytest.mark.more
@pytest.mark.parametrize(
    "storm",
    [pytest.param(SMALL, id="small"), pytest.param(LARGE, id="large", marks=pytest.mark.night)],
)
def test_every_acknowledged_attempt_is_there_once(tmp_path: Path, storm: Storm) -> None:
    """Each run has two writers, in two or four processes; the kills are at random moments."""
    made = serving.make_server(tmp_path, ATTEMPTS)
    of_each = [[letter * 32 for letter in letters] for letters in storm.runs]
    run_ids = [run_id for of_one in of_each for run_id in of_one]
    moments = random.Random(20261121)  # noqa: S311 - moments, no secrets
    with ServerProcess(tmp_path, true_process="it is deployed as one") as running:
        writers = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.leaderboard.api.writers", running.address, *runs],
                cwd=ROOT,
                env=make_command_environment(WRITERS_KEY=made.development),
                stdout=subprocess.PIPE,
                text=True,
            )
            for runs in of_each
        ]
        killed = 0
        while killed < storm.kills and any(item.poll() is None for item in writers):
            before = _count_received(tmp_path)
            _wait_for_more(tmp_path, before, moments.randint(1, 20), writers)
            running.kill()
            killed += 1
            # Without the stop the writers may finish all their work before `start` returns.
            _send_signal(writers, signal.SIGSTOP)
            running.start()
            _send_signal(writers, signal.SIGCONT)
        outputs = [item.communicate(timeout=5 * PATIENCE_S)[0] for item in writers]
        assert [item.returncode for item in writers] == [0] * len(writers)
        assert killed > storm.kills // 2
        acknowledged: dict[str, dict[str, str]] = defaultdict(dict)
        for line in "".join(outputs).splitlines():
            run_id, name, digest = line.split()
            assert acknowledged[run_id].setdefault(name, digest) == digest
        with httpx.Client(
            base_url=running.address,
            headers=serving.make_bearer_header(made.development),
            timeout=PATIENCE_S,
        ) as client:
            for run_id in run_ids:
                whole = serving.make_run_with_answers(run_id, evals=ATTEMPTS)
                state = client.get(f"/api/runs/{run_id}").json()
                held = {item["eval"]: item["digest"] for item in state["attempts"]}
                assert len(state["attempts"]) == len(held) == ATTEMPTS
                assert held == acknowledged[run_id]
                _end(
                    running,
                    client,
                    whole,
                    moments if run_id in run_ids[: storm.killed_ends] else None,
                )
                path = made.data.local.get_run_file(whole.run.model.slug, run_id)
                assert read_run(path) == whole.run
                with Archive(
                    made.data.local.get_artifact_file(whole.run.model.slug, run_id)
                ) as archive:
                    assert len(archive.list_places()) == ATTEMPTS
    # A file that a killed writer left half written is reported, and is no record.
    problems = [item for item in check_all(made.data) if item.path.suffix != ".tmp"]
    assert problems == []


def _end(
    running: ServerProcess,
    client: httpx.Client,
    whole: serving.MadeRun,
    moments: random.Random | None,
) -> None:
    """End a run; where there are ``moments``, kill the server while it does so, and ask again."""
    path = f"/api/runs/{whole.run.run_id}/finish"
    if moments is not None:
        killer = threading.Timer(moments.uniform(0, 0.03), running.kill)
        killer.start()
        with suppress(httpx.TransportError):
            client.post(path, json=whole.end)
        killer.join()
        running.start()
    assert client.post(path, json=whole.end).json()["status"] == "completed"


def _send_signal(writers: "list[subprocess.Popen[str]]", sent: signal.Signals) -> None:
    for writer in writers:
        writer.send_signal(sent)


def _count_received(root: Path) -> int:
    return len(list(root.glob("local/inbox/*/[0-9]*.json")))


def _wait_for_more(
    root: Path, before: int, more: int, writers: "list[subprocess.Popen[str]]"
) -> None:
    while _count_received(root) < before + more and any(
        writer.poll() is None for writer in writers
    ):
        time.sleep(0.001)
