"""Files in the place of records: FIFOs, links and devices, and leftovers of killed writers."""

import ast
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from records.archives.archive import Archive
from records.checks.check_data import check_data
from records.errors import InvalidRecordError, MissingRecordError
from records.files import plain_files
from records.files.data_folder import DataFolder
from records.files.plain_files import Log, lock_file, open_plain
from records.reader import read_run
from records.writer import (
    find_leftovers,
    tidy,
    tidy_beside,
    write_atomically,
    write_record,
    write_run,
)
from tests.records import examples

pytestmark = pytest.mark.unit
ROOT = Path(__file__).parents[3]
OPENERS = (open_plain, lock_file, Log, Archive, read_run)
MADE: dict[str, Callable[[Path], None]] = {
    "fifo": os.mkfifo,
    "link": lambda path: path.symlink_to("/etc/hostname"),
    "link to a fifo": lambda path: (os.mkfifo(f"{path}.fifo"), path.symlink_to(f"{path}.fifo"))[1],
    "folder": Path.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
}
ALLOWED = {
    "records/files/plain_files.py: os.open": "the one place",
    "records/writer.py: os.open": "temporary files, which are new",
    "records/writer.py: open": "a device or pipe, to write to it",
    "records/schemas/generate.py: read_text": "documents of the program",
    "records/archives/archive.py: self._zip.open": "a member of an archive",
    "records/foreign/inspect_logs.py: open": "a member of an archive in memory",
}
"""Calls in `records` that open files in other ways, with the reasons."""


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("opener", OPENERS)
def test_only_plain_files_are_opened(
    tmp_path: Path, kind: str, opener: Callable[[Path], object]
) -> None:
    """No call waits or follows a link, and the error names the file."""
    path = tmp_path / "place"
    MADE[kind](path)
    with pytest.raises(InvalidRecordError, match=r"is not a plain file|is a symbolic link"):
        opener(path)


def test_a_device_is_refused() -> None:
    """A device that never ends is no record."""
    with pytest.raises(InvalidRecordError, match="is not a plain file"):
        open_plain(Path("/dev/zero"))


def test_plain_files_are_opened(tmp_path: Path) -> None:
    """Files are read, changed and made; a missing file is an error."""
    path = tmp_path / "place"
    with pytest.raises(MissingRecordError):
        open_plain(path)
    with pytest.raises(MissingRecordError):
        Log(path)
    with Log(path, make=True) as log:
        assert log.append(b"one\n") == 0
        assert log.append(b"two\ncut", durable=False) == 4
        assert log.cut().append(b"three\n") == 8
    with lock_file(tmp_path / "new") as file:
        assert file.read() == b""
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
    with open_plain(path) as file:
        assert file.read() == b"one\ntwo\nthree\n"


@pytest.mark.parametrize("made", ["fifo", "link to a fifo"])
def test_check_waits_for_no_file(tmp_path: Path, made: str) -> None:
    """Where a link, folder, FIFO or device replaces a file of a data folder, check names it."""
    folder = DataFolder(tmp_path)
    write_record(folder.benchmarks, examples.make_benchmark())
    run = examples.make_run("a" * 32)
    write_run(folder, run)
    paths = [
        folder.get_run_file(*run.key),
        folder.get_journal_file(run.model.slug, "b" * 32),
        folder.get_artifact_file(*run.key),
        folder.benchmarks.get_file(examples.make_benchmark().version),
        folder.models_file,
        folder.trials.get_file("c" * 32),
        folder.sessions.get_file("d" * 32),
        folder.imports / "published.json",
    ]
    for path in paths:
        aside = path.with_name(f"{path.name}.aside")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.rename(aside)
        MADE[made](path)
        problems = check_data(folder)
        # A record without digests of answers is not compared with its archive.
        if path.suffix != ".zip" and path.parent != folder.imports:
            assert any(problem.path == path for problem in problems), path
        path.unlink()
        if aside.exists():
            aside.rename(path)


OURS = {"read_bytes", "reader.read_bytes"}
"""The one function that the others call, by its names in modules."""


def test_records_open_files_in_one_place() -> None:
    """A new call that opens a file in another way is found here."""
    calls: set[str] = set()
    for path in sorted((ROOT / "records").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                name = called.rpartition(".")[2]
                outer = called in {"open", "os.open", "io.open", "cls.open"}
                if name in {"read_text", "read_bytes", "open"} and called not in OURS:
                    call = called if outer or called == "self._zip.open" else name
                    calls.add(f"{path.relative_to(ROOT).as_posix()}: {call}")
    assert calls - {"records/journal/journal.py: cls.open"} == set(ALLOWED)


def test_a_file_that_goes_before_its_lock_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that just ended is not said to be executed by another process."""
    path = tmp_path / "run.journal.jsonl"
    path.touch()

    def end_run(*_: int) -> None:
        path.unlink()

    monkeypatch.setattr(plain_files.fcntl, "flock", end_run)
    with pytest.raises(MissingRecordError):
        Log(path, wait=False)


WRITING = """
import sys
from pathlib import Path
from records.writer import open_atomic_file

with open_atomic_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.readline()
"""
RUN = "a" * 32


@contextmanager
def start_writing(path: Path) -> Generator["subprocess.Popen[str]"]:
    """Begin to write a file in another process, and stop in the middle."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITING, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        try:
            yield process
        finally:
            process.kill()


def test_every_folder_of_records_is_looked_at(tmp_path: Path) -> None:
    """A half-written trial, audit or comparison is found as a half-written run is."""
    folder = DataFolder(tmp_path)
    kinds = ("audits", "comparisons", "trials")
    paths = [folder.root / kind / f".x.{'0' * 16}.tmp" for kind in kinds]
    for path in paths:
        path.parent.mkdir()
        path.touch()
    assert sorted(find_leftovers(folder)) == paths


@pytest.mark.integration
@pytest.mark.parametrize("kind", ["record", "journal", "archive"])
def test_leftovers_of_a_killed_writer_are_reported_and_tidied(tmp_path: Path, kind: str) -> None:
    """During the writing the file is ignored; after the kill, check and resume find it."""
    folder = DataFolder(tmp_path)
    path = {
        "record": folder.get_run_file(examples.SLUG, RUN),
        "journal": folder.get_journal_file(examples.SLUG, RUN),
        "archive": folder.get_artifact_file(examples.SLUG, RUN),
    }[kind]
    with start_writing(path) as writer:
        (temporary,) = path.parent.glob(".*.tmp")
        tidy(folder, examples.SLUG, RUN)
        assert (list(find_leftovers(folder)), check_data(folder)) == ([], [])
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    assert list(find_leftovers(folder)) == [temporary]
    (problem,) = check_data(folder)
    assert (problem.path, "writer that was killed" in problem.reason) == (temporary, True)
    tidy(folder, examples.SLUG, "b" * 32)
    assert temporary.exists()
    tidy(folder, examples.SLUG, RUN)
    assert list(path.parent.iterdir()) == []


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    """Only names of the writer are removed; a link is never followed."""
    folder = DataFolder(tmp_path)
    run_folder = folder.get_run_file(examples.SLUG, RUN).parent
    run_folder.mkdir(parents=True)
    mine = tmp_path / "mine"
    mine.write_text("keep me")
    for name in (f".{RUN}.json.tmp", f".{RUN}.json.swp", f"{RUN}.json.{'0' * 16}.tmp"):
        (run_folder / name).write_text("keep me")
    (run_folder / f".{RUN}.json.{'0' * 16}.tmp").symlink_to(mine)
    tidy(folder, examples.SLUG, RUN)
    assert len(list(run_folder.iterdir())) == 4
    assert mine.read_text() == "keep me"


def test_writers_and_tidiers_do_not_collide(tmp_path: Path) -> None:
    """While others tidy the same place all the time, every record is written."""
    path, stop = tmp_path / "run.json", threading.Event()

    def tidy_always() -> None:
        while not stop.is_set():
            tidy_beside(path)

    with ThreadPoolExecutor(2) as pool:
        tidying = [pool.submit(tidy_always) for _ in range(2)]
        try:
            for number in range(300):
                write_atomically(path, b"%d" % number, durable=False)
        finally:
            stop.set()
        assert [each.result() for each in tidying] == [None, None]
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"299", [path])
