"""The check that the suite beside a data folder is minted, so that its runs can be published."""

from pathlib import Path
from typing import Final

from records.files.data_folder import DataFolder
from records.reader import read_benchmark
from runner.evals.discovery import Suite
from runner.suite.mint import benchmark

CURE: Final = "on main, after the merge: leaderboard suite mint && git add data/benchmarks"


def find_unminted(suite: Suite) -> str | None:
    """Return a sentence if the version of a suite is not minted in the data folder beside it.

    Raises:
        InvalidEvalError: a file of the suite cannot be used.
        RecordsError: a version in the data folder cannot be read.
    """
    data = DataFolder(suite.root.absolute().parent / "data")
    minted = {
        version.version
        for version in map(read_benchmark, data.benchmark_files())
        if version.minted_at is not None
    }
    version = benchmark(suite).version
    if not minted or version in minted:
        return None
    return f"benchmark version {version} is not minted, so no run of it can be published; {CURE}"


def suite_beside(data: DataFolder) -> Path | None:
    """Return the folder of the suite beside a data folder; None if there is none."""
    root = data.root.absolute().parent / "evals"
    return root if (root / "guidelines.md").is_file() else None
