"""The snapshot of the linter: made once for its sources, and the start of every worker."""

import os
import re
import shutil
import time
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from runner.errors import JailBrokenError, ToolchainBrokenError
from runner.grading.steps.checks import Linter, find_snapshot
from runner.jail import Jail
from runner.toolchain import Toolchain
from runner.workspace import Workspace
from tests.runner.grading.steps.conftest import RIGHT

pytestmark = pytest.mark.integration

FLOATING = """
import { mutation } from "./_generated/server";
import { v } from "convex/values";
export const add = mutation({
  args: { n: v.number() },
  handler: async (ctx, args) => { ctx.db.insert("items", args); },
});
"""


@pytest.fixture(scope="session")
def user_snapshot(jail: Jail, toolchain: Toolchain) -> Path:
    """Return the snapshot from which the linters of all tests start."""
    return find_snapshot(jail, toolchain).source


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of snapshots, which is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "convex-leaderboard" / "linters"


@pytest.mark.night
def test_a_snapshot_is_made_once_and_the_next_needs_no_sources(
    cache: Path, jail: Jail, toolchain: Toolchain, workspace: Workspace
) -> None:
    """The second linter finds it; rules with types work in a worker that starts from it."""
    (old := cache / "of-other-sources").mkdir(parents=True)
    (recent := cache / "of-recent-sources").mkdir()
    last_use = time.time() - 8 * 86_400
    os.utime(old, (last_use, last_use))
    folder = find_snapshot(jail, toolchain).source
    made = (folder / "lint_worker.blob").stat()
    assert {path.name for path in folder.iterdir()} == {"lint_worker.blob"}
    assert made.st_mode & 0o022 == 0, "nobody else may write it"
    assert set(cache.iterdir()) == {folder, recent}, "those without use for a week are gone"
    assert find_snapshot(jail, toolchain).source == folder
    assert (folder / "lint_worker.blob").stat() == made
    workspace.write({**RIGHT, "convex/more.ts": FLOATING})
    with Linter(jail, toolchain) as linter:
        result = linter.lint(workspace, 60)
    assert result.step.outcome is Outcome.FAILED
    assert "no-floating-promises" in result.log


def test_a_damaged_snapshot_is_named(
    user_snapshot: Path, cache: Path, jail: Jail, toolchain: Toolchain
) -> None:
    """The message has the folder to remove."""
    shutil.copytree(user_snapshot, cache / user_snapshot.name)
    folder = find_snapshot(jail, toolchain).source
    blob = folder / "lint_worker.blob"
    with blob.open("r+b") as file:
        file.truncate(1_000_000)
    with (
        Linter(jail, toolchain) as linter,
        pytest.raises(JailBrokenError, match=re.escape(f"remove {folder}, and it is made anew")),
    ):
        linter.prepare()
    assert folder.parent == cache


def test_a_snapshot_that_cannot_be_made_is_not_the_models_failure(
    cache: Path, jail: Jail, toolchain: Toolchain
) -> None:
    """The message names the linter: a file stands in the place of the folder."""
    cache.parent.mkdir()
    cache.write_text("")
    with pytest.raises(ToolchainBrokenError, match="our linters could not be made"):
        find_snapshot(jail, toolchain)
