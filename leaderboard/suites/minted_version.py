"""The check that the suite beside a data folder is minted, so that its runs can be published."""

from typing import Final

from leaderboard.suites.changed_evals import is_in_repository
from records.files.data_folder import DataFolder
from records.reader import read_benchmark
from runner.evals.discovery import Suite
from runner.suite.mint import make_benchmark

_CURE: Final = "leaderboard suite mint"
_CURE_IN_GIT: Final = f"on main, after the merge: {_CURE} && git add data/benchmarks"


def find_unminted(suite: Suite) -> str | None:
    """Return a sentence if the version of a suite is not minted in the data folder beside it.

    Raises:
        InvalidEvalError: a file of the suite cannot be used.
        RecordsError: a version in the data folder cannot be read.
    """
    data = DataFolder(suite.root.absolute().parent / "data")
    minted = {
        version.version
        for version in map(read_benchmark, data.list_benchmark_files())
        if version.minted_at is not None
    }
    version = make_benchmark(suite).version
    if not minted or version in minted:
        return None
    cure = _CURE_IN_GIT if is_in_repository(data.root) else _CURE
    return f"benchmark version {version} is not minted, so no run of it can be published; {cure}"
