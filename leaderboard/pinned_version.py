"""The comparison of the version that site.toml pins to the front page with the versions in data."""

from pathlib import Path

from generator.diff.data_diff import DataState
from generator.read.site_settings import read_settings
from generator.scores.front_version import VersionStanding, choose_version_day, describe_pin_behind
from leaderboard.project import find_folder, find_texts
from records.files.data_folder import DataFolder
from records.suites.experiments import DEFAULT


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
            day=choose_version_day(
                benchmark.minted_at,
                (run.date for run in state.runs.values() if run.benchmark_version == version),
            ),
            evals=len(benchmark.evals),
        )
        for version, benchmark in state.benchmarks.items()
    ]
    return describe_pin_behind(pinned, standings)
