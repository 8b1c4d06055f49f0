"""Runs without a cluster do not import its packages."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.warm_command import ROOT

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
