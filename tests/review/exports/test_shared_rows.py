"""Worker processes make the same rows as one process, in the same order."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.terminal.error_messages import report_error
from leaderboard.terminal.streams import ExitCode
from records.files.data_folder import DataFolder
from review.exports import task as tasks
from review.exports.formats import FORMATS, ExportCounts
from review.exports.prepared import ExportOptions, Row
from review.selection import SessionSelection
from review.store import SessionStore
from tests.review.corpus import NASTY, make_marked_session, make_message, make_session
from tests.review.desking import make_attempt_session, make_talk

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SessionStore:
    """Return a store with nasty sessions, a large and a damaged session, and a lost label."""
    made = SessionStore(DataFolder(tmp_path_factory.mktemp("data")))
    long = [make_message("user" if n % 2 == 0 else "assistant", f"{n} " * 900) for n in range(60)]
    lost = make_session(300, make_message("user", "q"), expected_output="never answered")
    for session_made in (
        *NASTY,
        make_marked_session(),
        *map(make_talk, range(100, 120)),
        make_attempt_session(40),
        lost,
    ):
        made.write(session_made, durable=False)
    made.write(make_session(110, *long, title="long"), durable=False)
    made.folder.get_session_file(make_talk(112).id).write_text("{half")
    return made


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share exports of any size, three sessions at a time, even beside the threads of pytest."""
    monkeypatch.setattr(tasks, "_SESSIONS_AT_ONCE", 3)
    monkeypatch.setattr(tasks, "FEWEST", 1)
    monkeypatch.setattr(tasks, "can_share", lambda: True)


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("name", ["openai", "deepeval", "text", "parquet"])
def test_the_same_file_and_counts_in_one_process_and_in_several(
    store: SessionStore, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Problems, lost labels and strings that look like secrets are in the same places."""
    task = tasks.ExportTask(store, SessionSelection(), FORMATS[name], ExportOptions())
    plan, shared, alone = task.make_quick_plan(), ExportCounts(), ExportCounts()
    several = b"".join(task.encode_file(plan, shared))
    monkeypatch.setattr(tasks, "can_share", lambda: False)
    assert several == b"".join(task.encode_file(plan, alone))
    assert replace(shared, problems=alone.problems) == alone
    (problem,), (same,) = shared.problems, alone.problems
    assert str(problem) == str(same)


def make_pid_rows(paths: Sequence[Path], counts: ExportCounts) -> Iterator[Row]:
    """Yield a row with the process that makes it for each path."""
    for path in paths:
        counts.rows += 1
        yield {"path": path, "pid": os.getpid()}


def write_sized_files(folder: Path, count: int) -> list[Path]:
    """Write files, with a large file before the last."""
    paths = [folder / f"{number:03}" for number in range(count)]
    for path in paths:
        path.write_bytes(b"x" * (100_000 if path == paths[-2] else 10))
    return paths


def test_workers_make_small_sessions_and_no_large_one(tmp_path: Path) -> None:
    """A large session has many rows, which are never in memory together."""
    paths, counts = write_sized_files(tmp_path, 100), ExportCounts()
    rows = list(tasks.make_rows_in_workers(make_pid_rows, paths, counts))
    assert [row["path"] for row in rows] == paths
    assert counts.rows == 100
    assert [row["path"] for row in rows if row["pid"] == os.getpid()] == [paths[-2]]


def test_an_export_that_is_left_early_leaves_no_worker(tmp_path: Path) -> None:
    """The disk may be full, or a person may press Ctrl-C."""
    rows = tasks.make_rows_in_workers(
        make_pid_rows, write_sized_files(tmp_path, 200), ExportCounts()
    )
    next(rows)
    assert multiprocessing.active_children()
    rows.close()
    assert not multiprocessing.active_children()


def test_a_killed_worker_ends_the_export(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The export fails instead of ending with a short file, in one line and without a traceback."""

    def die(paths: Sequence[Path], counts: ExportCounts) -> Iterator[Row]:
        if paths[0].name == "032":
            os.kill(os.getpid(), signal.SIGKILL)
        return make_pid_rows(paths, counts)

    with pytest.raises(ChildProcessError, match="a worker of the export") as failure:
        list(tasks.make_rows_in_workers(die, write_sized_files(tmp_path, 100), ExportCounts()))
    assert report_error(failure.value) == ExitCode.INFRASTRUCTURE
    assert capsys.readouterr().err == f"leaderboard: {failure.value}\n"


def test_an_error_of_a_worker_is_raised_here(tmp_path: Path) -> None:
    """The command ends as if a single process had failed."""

    def fail(paths: Sequence[Path], counts: ExportCounts) -> Iterator[Row]:
        if paths[0].name == "032":
            raise LookupError("thirty-two")
        return make_pid_rows(paths, counts)

    with pytest.raises(LookupError, match="thirty-two"):
        list(tasks.make_rows_in_workers(fail, write_sized_files(tmp_path, 100), ExportCounts()))


def test_a_process_with_threads_does_not_fork() -> None:
    """A server's other threads may hold locks, which a forked process would wait for."""
    wait = threading.Event()
    thread = threading.Thread(target=wait.wait)
    thread.start()
    assert not tasks.can_share()
    wait.set()
    thread.join()
