"""What `leaderboard migrate` does: records of older versions are rewritten in the current shape."""

from pathlib import Path

from records.folder import DataFolder
from records.reader import parse_run, read_bytes
from records.writer import run_bytes, write_atomically


def migrate_folder(folder: DataFolder) -> list[Path]:
    """Rewrite each run whose bytes are not those the current program writes; return their paths.

    Raises:
        InvalidRecordError: a record cannot be read; those before it are rewritten already, and
            running again goes on from there.
    """
    return [path for path in folder.run_files() if _rewritten(path)]


def _rewritten(path: Path) -> bool:
    old = read_bytes(path)
    new = run_bytes(parse_run(path, old))
    if new == old:
        return False
    write_atomically(path, new)
    return True
