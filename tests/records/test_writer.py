import os
import signal
import time
from pathlib import Path
from typing import NoReturn

import pytest

from records.archives.archive import write_archive
from records.reader import parse_run
from records.writer import encode_run, write_atomically
from tests.records import examples

pytestmark = pytest.mark.unit

KILLS = 50


def write_forever(path: Path, size: int) -> NoReturn:
    """Write one version after the other until killed."""
    while True:
        for letter in (b"a", b"b"):
            write_atomically(path, letter * size)


@pytest.mark.integration
def test_a_killed_writer_leaves_old_or_new(tmp_path: Path) -> None:
    """At any moment of the process's death, the file is a whole version, old or new."""
    path = tmp_path / "record.json"
    size = 300_000
    path.write_bytes(b"a" * size)
    for number in range(KILLS):
        child = os.fork()
        if child == 0:
            write_forever(path, size)
        time.sleep(0.0007 * number)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

        assert path.read_bytes() in (b"a" * size, b"b" * size)


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    """The old content stays, and no temporary file does."""
    path = tmp_path / "record.json"
    write_atomically(path, b"old")

    with pytest.raises(ValueError, match="must be sorted"):
        write_archive(
            path, [examples.make_artifact("000-b/000-b"), examples.make_artifact("000-a/000-a")]
        )

    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """The writer does not touch the target of a link."""
    target = tmp_path / "precious"
    target.write_bytes(b"precious")
    path = tmp_path / "record.json"
    path.symlink_to(target)

    write_atomically(path, b"new")

    assert not path.is_symlink()
    assert (path.read_bytes(), target.read_bytes()) == (b"new", b"precious")


def test_each_attempt_is_one_line() -> None:
    """A changed attempt is a changed line; a run without attempts is still JSON."""
    run = examples.make_run(evals=3)
    lines = encode_run(run).decode().splitlines()

    assert sum(line.startswith('    {"eval"') for line in lines) == 3
    assert (
        parse_run(Path("run.json"), encode_run(examples.make_run(planned_only=True))).attempts == ()
    )


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """A pipe stays a pipe, as a device such as /dev/null does, and its reader gets the bytes."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, b"a record")
        assert os.read(reading, 100) == b"a record"
    finally:
        os.close(reading)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
