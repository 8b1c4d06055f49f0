"""The disk space of a jailed program's writable folders."""

import os
from contextlib import suppress
from pathlib import Path

_MOST_ENTRIES = 20_000
_ENTRY_BYTES = 4096
"""Bytes that each entry counts in addition to its blocks, so that many empty files count too."""


def count_written_bytes(folders: tuple[Path, ...]) -> int:
    """Return the disk space of all files in bytes; of sparse files only the blocks in use.

    Returns a number above any limit if there are 20,000 entries or more.
    """
    total = seen = 0
    waiting = [str(folder) for folder in folders]
    while waiting and seen < _MOST_ENTRIES:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                seen += 1
                total += _ENTRY_BYTES
                with suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                if seen >= _MOST_ENTRIES:
                    return 1 << 62
    return total
