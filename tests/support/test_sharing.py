"""Folders that several workers need."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.sharing import make_once

pytestmark = pytest.mark.unit


def test_threads_that_ask_at_the_same_time_share_a_folder(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A single thread makes the folder, and each thread reads the page in it."""
    tmp_path_factory.getbasetemp()
    together = threading.Barrier(4)
    calls: list[Path] = []

    def make(folder: Path) -> None:
        calls.append(folder)
        (folder / "page").write_text("whole")

    def ask(_: int) -> str:
        together.wait()
        folder = make_once(tmp_path_factory, "asked-at-once", make)
        return (folder / "page").read_text()

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(ask, range(4))] == ["whole"] * 4
    assert len(calls) == 1


def test_a_failed_folder_is_made_anew(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """The next call removes the remains of the failed attempt."""

    def fail(folder: Path) -> None:
        (folder / "rest").touch()
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - it has no text
        make_once(tmp_path_factory, "made-anew", fail)
    folder = make_once(tmp_path_factory, "made-anew", lambda folder: (folder / "page").touch())
    assert [path.name for path in folder.iterdir()] == ["page"]
