"""Dask reads its settings when it is imported: a fault in them is for the user to mend."""

import subprocess
from pathlib import Path

import pytest

from tests.support.warm_command import BIN, ROOT

pytestmark = pytest.mark.more


def test_settings_that_are_no_yaml_are_named(prose_suite: Path, tmp_path: Path) -> None:
    """The message names the file and its fault, and does not call it a bug of this program."""
    settings = tmp_path / "cluster.yaml"
    settings.write_text("distributed: [\n")
    done = subprocess.run(
        [BIN / "leaderboard", "suite", "check", "--evals", prose_suite, "--cluster", "local:1"],
        cwd=ROOT,
        env={"PATH": str(BIN), "DASK_CONFIG": str(settings)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "name another one in DASK_CONFIG" in done.stderr
    assert str(settings) in done.stderr
    assert "malformed" in done.stderr
    assert "bug" not in done.stderr
