"""Coverage of the Python packages: lines and branches, and the tests that execute a line."""

import json
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import coverage

from tests.power.mutation import PACKAGES, ROOT

SETTINGS = """\
[run]
branch = true
parallel = true
patch =
    _exit
    execv
    fork
    subprocess
source_pkgs =
    {packages}
data_file = {data}
context = ${{PYTEST_CURRENT_TEST-}}
disable_warnings =
    couldnt-parse
    module-not-imported
    no-data-collected
[report]
exclude_also =
    if TYPE_CHECKING:
"""
"""Settings of coverage. The context of a subprocess is the test that started it."""
_PHASE = re.compile(r" \((?:setup|call|teardown)\)$")


@dataclass(frozen=True, slots=True)
class Share:
    """A number of branches, and how many of them were taken."""

    taken: int
    branches: int

    @property
    def percent(self) -> float:
        """The share that was taken."""
        return 100 * self.taken / self.branches


class PythonCoverage:
    """The lines and branches that runs of the suite executed, by test."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Read the combined data of runs."""
        self._coverage = coverage.Coverage(
            data_file=None, config_file=str(folders[0] / "coverage.ini")
        )
        self._data = self._coverage.get_data()
        for folder in folders:
            measured = coverage.CoverageData(str(folder / "combined"))
            measured.read()
            self._data.update(measured)

    def count_branches(self) -> Share:
        """Count branches: jumps from a line with several possible next lines."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "report.json")
            self._coverage.json_report(outfile=str(report))
            totals = json.loads(report.read_text("utf-8"))["totals"]
        return Share(totals["covered_branches"], totals["num_branches"])

    def find_tests(self, path: str, line: int) -> frozenset[str]:
        """Return the tests that execute a line; for a line run at import, those of its module."""
        by_line = self._data.contexts_by_lineno(str(ROOT / path))
        tests = name_tests(by_line.get(line, ()))
        if tests or line not in by_line:
            return tests
        return name_tests(context for contexts in by_line.values() for context in contexts)


def write_settings(folder: Path) -> Path:
    """Write the settings for a run that collects into ``folder``; return their file."""
    (folder / "python").mkdir(parents=True, exist_ok=True)
    file = folder / "coverage.ini"
    packages = "\n    ".join(PACKAGES)
    file.write_text(SETTINGS.format(packages=packages, data=folder / "python" / "data"), "utf-8")
    return file


def combine(folder: Path) -> None:
    """Combine the files that the processes of a run wrote."""
    collected = coverage.Coverage(
        data_file=str(folder / "combined"), config_file=str(folder / "coverage.ini")
    )
    collected.combine([str(file) for file in (folder / "python").iterdir()], strict=True)
    collected.save()


def name_tests(contexts: Iterable[str]) -> frozenset[str]:
    """Return the tests in contexts: a test's id, with a phase of the test in a subprocess."""
    return frozenset(_PHASE.sub("", context) for context in contexts if context)
