"""Our Node programs are bundled once, and a test run comes before any deploy of an answer."""

from pathlib import Path

import pytest

from runner.emulator.embedded import prepare_programs
from runner.errors import ToolchainBrokenError
from runner.grading.convex_steps import open_backend
from runner.jail import open_jail
from runner.toolchain import find_toolchain

pytestmark = pytest.mark.more

ROOT = Path(__file__).parents[3]


def test_programs_are_packed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second user of the programs finds them in the cache, with no other file there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    jail, toolchain = open_jail("bwrap"), find_toolchain(ROOT / "evals")
    folder = prepare_programs(jail, toolchain).source
    packed = (folder / "server.cjs").stat()
    assert prepare_programs(jail, toolchain).source == folder
    assert (folder / "server.cjs").stat() == packed
    assert list(folder.parent.iterdir()) == [folder]
    assert {path.name for path in folder.iterdir()} == {
        *("server.cjs", "inside.cjs", "renderer.cjs", "window.cjs", "vendor.js")
    }


def test_a_backend_that_does_not_run_is_not_the_models_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The backend cannot be opened: otherwise, every answer would fail at its deploy."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    jail, toolchain = open_jail("bwrap"), find_toolchain(ROOT / "evals")
    (prepare_programs(jail, toolchain).source / "server.cjs").write_text("process.exit(1);")
    with (
        pytest.raises(ToolchainBrokenError, match="deploys no empty project"),
        open_backend("embedded", jail, toolchain),
    ):
        pytest.fail("it was opened")
