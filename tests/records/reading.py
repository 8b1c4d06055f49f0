"""Records of a data folder, read for tests that expect a single one."""

from pathlib import Path

from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.run import Run


def read_local_run(data: Path) -> Run:
    """Read the only development run of a data folder."""
    (path,) = DataFolder(data).local.list_run_files()
    return read_run(path)
