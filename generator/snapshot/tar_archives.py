"""Archives whose bytes follow from their content: sorted, with given times, without owners.

Files of gzip may be put one behind the other, and are read as one. So parts of an archive can be
packed in several processes.
"""

import gzip
import tarfile
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time
from io import BytesIO
from pathlib import Path
from typing import Final

_LEVEL: Final = 6
_BLOCK: Final = tarfile.BLOCKSIZE
_MODE: Final = 0o644


def encode_entries(files: Mapping[str, bytes], seconds: int) -> bytes:
    """Return files as they stand in an archive; their time is in seconds since 1970."""
    entries = BytesIO()
    for path, data in sorted(files.items()):
        entries.write(_build_entry(path, len(data), seconds).tobuf(tarfile.PAX_FORMAT))
        entries.write(data)
        entries.write(b"\0" * (-len(data) % _BLOCK))
    return entries.getvalue()


def pack_entries(entries: bytes) -> bytes:
    """Return a packed part of an archive."""
    return gzip.compress(entries, _LEVEL, mtime=0)


def pack_ending() -> bytes:
    """Return the packed end of an archive, which stands behind its parts."""
    return pack_entries(b"\0" * _BLOCK * 2)


def write_archive_of(
    folder: Path, paths: Iterable[str], root: str, day: date | None, out: Path
) -> None:
    """Pack files of a folder, below ``root`` in the archive.

    Their time is the midnight of the day, UTC, or the first second of 1970 if there is no day.
    """
    seconds = int(datetime.combine(day, time(), UTC).timestamp()) if day else 0
    with (
        out.open("wb") as raw,
        gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(paths):
            with (folder / path).open("rb") as file:
                size = file.seek(0, 2)
                file.seek(0)
                archive.addfile(_build_entry(f"{root}/{path}", size, seconds), file)


def _build_entry(path: str, size: int, seconds: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    entry.size, entry.mtime, entry.mode = size, seconds, _MODE
    return entry
