"""Folders and control groups of killed runners on this machine."""

from pathlib import Path

from runner.jail.folders import left_over as left_over_folders
from runner.jail.folders import temporary_folders
from runner.jail.kernel.cgroups import left_over as left_over_groups


def left_over(*parents: Path) -> list[Path]:
    """Return the paths of folders and control groups whose runners have ended.

    The folders hold answers and take disk space. The next run that uses the same parent folder
    removes them. The search covers ``parents``, ``OUTPUT_TEMPDIR`` and the system's temporary
    folder. Folders of a running runner or of another user are never listed.
    """
    searched = dict.fromkeys((*parents, *temporary_folders()))
    folders = [folder for parent in searched for folder in left_over_folders(parent)]
    return [*folders, *left_over_groups()]
