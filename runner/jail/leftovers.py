"""Folders and control groups of killed runners on this machine."""

from pathlib import Path

from runner.jail.folders import list_left_over_folders, list_temporary_folders
from runner.jail.kernel.cgroups import list_left_over_groups


def list_left_over(*parents: Path) -> list[Path]:
    """Return the paths of folders and control groups whose runners have ended.

    The folders hold answers and take disk space. The next run that uses the same parent folder
    removes them. The search covers ``parents``, ``OUTPUT_TEMPDIR`` and the system's temporary
    folder. Folders of a running runner or of another user are never listed.
    """
    searched = dict.fromkeys((*parents, *list_temporary_folders()))
    folders = [folder for parent in searched for folder in list_left_over_folders(parent)]
    return [*folders, *list_left_over_groups()]
