"""Folders and control groups that killed runners left on this machine."""

from pathlib import Path

from runner.jail.folders import left_over as left_over_folders
from runner.jail.folders import temporary_folders
from runner.jail.kernel.cgroups import left_over as left_over_groups


def left_over(*places: Path) -> list[Path]:
    """List the folders and control groups of runners that are gone.

    ``leaderboard check`` may print them: they hold answers and take disk space, and are no fault of
    any record. The next run that uses the same place removes them. The search covers the named
    places, ``OUTPUT_TEMPDIR`` and the system's temporary folder. Folders of a running runner or of
    another user are never listed.
    """
    looked_into = dict.fromkeys((*places, *temporary_folders()))
    folders = [folder for parent in looked_into for folder in left_over_folders(parent)]
    return [*folders, *left_over_groups()]
