"""A run of the suite under coverage, in Python and in jailed Node programs, into a folder."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.power.mutation import ROOT
from tests.power.node_coverage import read_node_coverage
from tests.power.plugin import NODE_COVERAGE
from tests.power.python_coverage import PythonCoverage, Share, combine, write_settings

LEFT_OUT: Final = (
    "tests/runner/jail/test_hostile.py::test_sees_no_environment_of_ours",
    "tests/runner/jail/test_hostile.py::test_sees_no_home_and_no_other_process",
    "tests/runner/grading/fixtures/test_written_tests.py::test_a_suite_sees_one_version_of_the_code",
    "tests/runner/grading/steps/test_lint_snapshot.py::test_a_damaged_snapshot_is_named",
    "tests/runner/grading/test_killed.py::test_an_honest_answer_passes_though_a_program_was_killed[linter]",
    "tests/leaderboard/terminal/test_streams.py::test_a_full_disk_and_a_run_in_use_are_reported_in_one_line",
)
"""Tests that see the recorders (in a jail, on a full disk), or that need the linter's snapshot.

They are not measured."""


def measure(folder: Path, tiers: str, more: Sequence[str]) -> int:
    """Run the tests of ``tiers`` under coverage; return pytest's exit code."""
    settings = write_settings(folder.resolve())
    command = (
        *(sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest"),
        *("-p", "tests.power.plugin", "--tier", tiers, "-n", "3", "--dist", "loadscope", "-q"),
        *(f"--junitxml={folder.resolve() / 'tests.xml'}", "-o", "junit_family=xunit1", *more),
        *(f"--deselect={test}" for test in LEFT_OUT),
    )
    environment = os.environ | {NODE_COVERAGE: str(folder.resolve() / "node")}
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    combine(folder.resolve())
    return code


class SuiteCoverage:
    """The coverage of several runs of the suite, taken together."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Read the files that ``measure`` wrote into ``folders``."""
        whole = [folder.resolve() for folder in folders]
        self._python = PythonCoverage(whole)
        self._node = read_node_coverage([folder / "node" for folder in whole])

    def count_branches(self) -> dict[str, Share]:
        """Return the branches that were taken, by language."""
        node = Share(self._node.taken, self._node.branches)
        return {"Python": self._python.count_branches(), "Node": node}

    def find_tests(self, path: str, line: int) -> frozenset[str]:
        """Return the tests that execute a line of a Python module or a Node program."""
        if path.endswith(".mjs"):
            return self._node.find_tests(path, line)
        return self._python.find_tests(path, line)
