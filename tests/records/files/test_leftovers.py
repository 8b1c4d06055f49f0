"""Files of killed writers, which are reported and removed; files of living writers stay."""

import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.writer import find_leftovers, tidy, tidy_beside, write_atomically
from tests.records import examples

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
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
