"""Temporary folders of an ended runner stay no longer than until the start of the next runner."""

import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from runner.jail import JailSpec, folders, open_jail
from runner.jail.kernel import cgroups
from runner.workspace import create_workspace

pytestmark = pytest.mark.integration


@contextmanager
def _begin_in_child(begin: Callable[[Path], object], parent: Path) -> Generator[int]:
    """Have another process begin a work; it is killed without a warning after the block."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        held = begin(parent)
        os.write(write_end, b"x")
        time.sleep(600)
        os._exit(held is None)
    os.close(write_end)
    try:
        assert os.read(read_end, 1) == b"x"
        yield child
    finally:
        os.close(read_end)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _begin_attempt(parent: Path) -> object:
    made = create_workspace(parent)
    workspace = made.__enter__()
    workspace.write({"convex/answer.ts": "x"})
    (workspace.scratch / "closed" / "deeper").mkdir(parents=True)
    (workspace.scratch / "closed").chmod(0)
    return made


@pytest.fixture(autouse=True)
def _at_the_start() -> None:  # pyright: ignore[reportUnusedFunction]
    """A runner tidies each place once: here every test is a runner's start."""
    folders._remove_left_over.cache_clear()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def test_leftovers_of_a_killed_runner_go(tmp_path: Path) -> None:
    """A workspace of a killed runner is removed when the next workspace is made."""
    with _begin_in_child(_begin_attempt, tmp_path):
        assert list(tmp_path.iterdir())
    with create_workspace(tmp_path) as workspace:
        assert list(tmp_path.iterdir()) == [workspace.root]


def test_folders_in_use_stay(tmp_path: Path) -> None:
    """A folder of a live runner is not removed, here or elsewhere."""
    with _begin_in_child(partial(folders.hold, "attempt"), tmp_path):
        (theirs,) = tmp_path.iterdir()
        with create_workspace(tmp_path) as workspace:
            folders._remove_left_over.cache_clear()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            with create_workspace(tmp_path) as another:
                assert set(tmp_path.iterdir()) == {theirs, workspace.root, another.root}


def test_foreign_files_stay(tmp_path: Path) -> None:
    """Links, files, folders of other names, and those of other users are left alone."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("x")
    parent = tmp_path / "place"
    parent.mkdir()
    (parent / "convex-leaderboard-attempt-link").symlink_to(elsewhere)
    (parent / "convex-leaderboard-attempt-file").write_text("x")
    (parent / "convex-leaderboards").mkdir()
    if os.geteuid() == 0:
        theirs = parent / "convex-leaderboard-attempt-theirs"
        theirs.mkdir()
        os.chown(theirs, 54321, 54321)
    before = set(parent.iterdir())
    folders.hold("attempt", parent).remove()
    assert set(parent.iterdir()) == before
    assert (elsewhere / "kept").exists()


def test_makers_and_tidiers_do_not_collide(tmp_path: Path) -> None:
    """While others tidy the same place all the time, every folder that is held stays."""
    stop = threading.Event()

    def tidy() -> None:
        while not stop.is_set():
            folders._remove_left_over.__wrapped__(tmp_path)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]

    threads = [threading.Thread(target=tidy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(200):
            held = folders.hold("attempt", tmp_path)
            (held.path / "file").write_text("x")
            assert (held.path / "file").read_text() == "x"
            held.remove()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(
    not cgroups._find_parents(),  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    reason="needs control groups",
)
def test_control_groups_of_a_killed_runner_are_reported_and_go(tmp_path: Path) -> None:
    """The kernel's folders of a killed runner's jails are listed, and gone after the next jail."""
    jail = open_jail("bwrap")
    spec = JailSpec(("/bin/sleep", "600"))
    with _begin_in_child(lambda _: jail.start(spec), tmp_path) as child:
        pass

    def list_their_groups() -> list[Path]:
        return [each for each in cgroups.list_left_over_groups() if f"-{child}-" in each.name]

    assert list_their_groups()
    deadline = time.monotonic() + 60
    while list_their_groups() and time.monotonic() < deadline:
        # The kernel may still be ending the processes in them.
        cgroups.remove_left_over()
        time.sleep(0.05)
    assert list_their_groups() == []
