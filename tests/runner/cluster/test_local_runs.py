"""Imports of Dask: not for runs without a cluster, and with settings that the user can mend."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.warm_command import BIN, ROOT

pytestmark = pytest.mark.more
_RUN = """
import sys
from leaderboard.commands.running import run_command
from tests.runner.first_step_only import grade_first_step_only

grade_first_step_only()
run_command.main(sys.argv[1:], standalone_mode=False)
names = {name.partition(".")[0] for name in sys.modules}
print(sorted(names & {"dask", "distributed", "tornado", "cryptography"}))
"""


def test_a_local_run_imports_nothing_of_a_cluster(prose_suite: Path, tmp_path: Path) -> None:
    """After a whole run, no module of Dask and none of certificates is loaded."""
    (tmp_path / "data").mkdir()
    folders = ["--evals", str(prose_suite), "--data", str(tmp_path / "data")]
    done = subprocess.run(
        [sys.executable, "-c", _RUN, "-m", "empty", *folders],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "10 failed" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]", done.stdout


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
