"""Runners that send their runs to a server, the folders that both write, and recorded runs."""

import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from leaderboard.api.keys import KeyStore
from leaderboard.delivery.client import KEY_VARIABLE
from leaderboard.delivery.outbox import OutboxNote
from records.archives.archive import Archive, AttemptArtifact, write_archive
from records.files.data_folder import DataFolder
from records.shapes.run import Run
from records.writer import write_run
from tests.leaderboard.api.serving import MadeRun
from tests.leaderboard.commanding import PATIENCE_S
from tests.records.reading import read_local_run
from tests.runner.conftest import SlowProvider
from tests.support.waiting import wait_until
from tests.support.warm_command import Ended, WarmCommand, make_command_environment, run_command


def get_address(client: httpx.Client) -> str:
    """Return the address of a client's server."""
    return str(client.base_url).rstrip("/")


def record_run(folder: DataFolder, made: MadeRun) -> None:
    """Write the record and the archive of a run that has ended."""
    slug, run_id = made.run.key
    write_archive(folder.get_artifact_file(slug, run_id), made.artifacts.values())
    write_run(folder, made.run)


def make_note(run: Run, address: str) -> OutboxNote:
    """Return the note of a development run."""
    return OutboxNote(
        run_id=run.run_id, model=run.model.slug, channel="development", address=address
    )


EVALS = 6
"""Evals of the suite that runners ask."""
GRADING_RUNNER = "tests.leaderboard.delivery.impatient:wait_briefly"
"""Function that a runner with real grading calls first."""
AS_RUNNER = "tests.leaderboard.delivery.impatient:wait_briefly_and_open_no_grading"
"""Function that all other runners call first: grading is not what is sent."""


def make_key(central: DataFolder, channel: str = "development") -> str:
    """Make a key that may send runs."""
    assert channel in {"development", "production"}
    store = KeyStore(central.keys_file)
    return store.create(channel, ("runs:write",), None, channel)  # pyright: ignore[reportArgumentType]


def start_runner(  # noqa: PLR0913 - the folders, the server and the run
    suite: Path,
    data: Path,
    address: str,
    key: str,
    *more: str,
    provider: SlowProvider | None = None,
    before: str = AS_RUNNER,
) -> WarmCommand:
    """Start a run that is sent to a server; of a baseline, unless a provider is asked.

    It waits seconds for a server that is away when the run has ended. Answers fail at the first
    step; with ``GRADING_RUNNER`` they are graded.
    """
    folders = ("--evals", suite, "--data", data)
    asked = ("openai/slow", "--api-base", provider.address) if provider else ("empty",)
    return WarmCommand(
        ["run", "-m", *asked, *folders, "--report-to", address, *more],
        before=before,
        cwd=data.parent,
        env=make_command_environment(**{KEY_VARIABLE: key} if key else {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def end_runner(run: WarmCommand, code: int) -> str:
    """Return the output of a runner, which must end with ``code``."""
    output, _ = run.communicate(timeout=5 * PATIENCE_S)
    assert run.returncode == code, output
    return output


def read_output_until(text: str | None, run: WarmCommand) -> str:
    """Return the output of a runner up to ``text``; without a text, up to its end."""
    assert run.stdout is not None
    lines: list[str] = []
    for line in run.stdout:
        lines.append(line)
        if text is not None and text in line:
            break
    else:
        run.communicate()
        assert text is None, lines
    return "".join(lines)


def send(data: Path, key: str, *more: str, code: int | None = None) -> Ended:
    """Send the waiting runs."""
    return run_command("send", "--data", data, *more, variables={KEY_VARIABLE: key}, code=code)


def list_waiting_notes(data: Path) -> Sequence[Path]:
    """Return the notes of runs that wait to be sent."""
    return list((data / "local" / "outbox").glob("*.json"))


def _read_archived(folder: DataFolder, run: Run) -> Sequence[AttemptArtifact]:
    """Return the stored answers of a run; empty where it has no archive."""
    path = folder.get_artifact_file(*run.key)
    if not path.exists():
        return ()
    with Archive(path) as archive:
        return [
            archive.read(attempt.eval, attempt.sample)
            for attempt in run.attempts
            if attempt.artifact is not None
        ]


def assert_same(data: Path, central: DataFolder) -> None:
    """The server has the runner's record, byte for byte, and the same answers."""
    run = read_local_run(data)
    own, received = DataFolder(data).local, central.local
    path, received_path = (folder.get_run_file(*run.key) for folder in (own, received))
    assert received_path.read_bytes() == path.read_bytes()
    assert _read_archived(received, run) == _read_archived(own, run)
    assert list_waiting_notes(data) == []


def wait_for_first(central: DataFolder) -> None:
    """Wait until the server has an attempt."""
    wait_until(lambda: list(central.inbox.glob("*/[0-9]*.json")), 5 * PATIENCE_S)


@contextmanager
def stop_midway(provider: SlowProvider) -> Generator[None]:
    """Stop the provider inside the context, after the first answers: no run can end there."""
    provider.wait_until_asked(2 * EVALS)
    with provider.pause():
        yield
