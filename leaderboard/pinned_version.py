"""Versions that wait for a maintainer: a pinned version that is behind, one that is not minted."""

from pathlib import Path
from typing import TYPE_CHECKING

from generator.diff.data_diff import DataState
from generator.read.site_settings import read_settings
from generator.scores.front_version import VersionStanding, choose_version_day, describe_pin_behind
from leaderboard.git import is_in_repository
from leaderboard.project import find_folder, find_texts
from records.files.data_folder import DataFolder
from records.reader import read_benchmark
from records.suites.experiments import DEFAULT

if TYPE_CHECKING:
    from runner.evals.discovery import Suite

_CURE = "leaderboard suite mint"
_CURE_IN_GIT = f"on main, after the merge: {_CURE} && git add data/benchmarks"


def find_pin_behind(data: DataFolder, templates: Path | None = None) -> str | None:
    """Return a sentence if the pinned version is behind another; None without a pinned version.

    Without ``templates``, the site.toml of the project is read.
    """
    folder = templates or find_texts() or find_folder("templates")
    if not (folder / "site.toml").is_file():
        return None
    pinned = read_settings(folder).current_version
    if pinned is None:
        return None
    state = DataState.from_folder("now", data)
    ranked = [
        version
        for (version, experiment, _), row in state.rows.items()
        if experiment == DEFAULT and row.rank is not None
    ]
    standings = [
        VersionStanding(
            version=version,
            minted_at=benchmark.minted_at,
            ranked=ranked.count(version),
            rows=sum(of == version for of, _, _ in state.rows),
            day=choose_version_day(
                benchmark.minted_at,
                (run.date for run in state.runs.values() if run.benchmark_version == version),
            ),
            evals=len(benchmark.evals),
        )
        for version, benchmark in state.benchmarks.items()
    ]
    return describe_pin_behind(pinned, standings)


def find_unminted(suite: "Suite") -> str | None:
    """Return a sentence if the version of a suite is not minted in the data folder beside it.

    Raises:
        InvalidEvalError: a file of the suite cannot be used.
        RecordsError: a version in the data folder cannot be read.
    """
    # Imported here: it needs the extra `run`, and `check` looks for a pin without it.
    from runner.suite.mint import make_benchmark  # noqa: PLC0415

    data = DataFolder(suite.root.absolute().parent / "data")
    minted = {
        version.version
        for version in map(read_benchmark, data.benchmarks.list_files())
        if version.minted_at is not None
    }
    version = make_benchmark(suite).version
    if not minted or version in minted:
        return None
    cure = _CURE_IN_GIT if is_in_repository(data.root) else _CURE
    return f"benchmark version {version} is not minted, so no run of it can be published; {cure}"
