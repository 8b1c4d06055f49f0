"""A folder that several workers need is made by one of them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.sharing import make_once

pytestmark = pytest.mark.unit


def test_a_folder_is_made_once_and_shared_by_all_who_need_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Of several that ask at the same time one makes it, and all see what it holds."""
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


def test_a_folder_that_could_not_be_made_is_made_anew(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """The rest of the first attempt is gone."""

    def fail(folder: Path) -> None:
        (folder / "rest").touch()
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - it has no text
        make_once(tmp_path_factory, "made-anew", fail)
    folder = make_once(tmp_path_factory, "made-anew", lambda folder: (folder / "page").touch())
    assert [path.name for path in folder.iterdir()] == ["page"]
