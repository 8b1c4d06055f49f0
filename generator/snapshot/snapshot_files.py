"""The files of a snapshot: their list, and tar archives.

The bytes of an archive follow from its content. Files of gzip may be put one behind the other, and
are read as one. So parts of an archive can be packed in several processes.
"""

import gzip
import tarfile
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time
from hashlib import file_digest
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

_LEVEL = 6
_MODE = 0o644
ENDING = b"\0" * tarfile.BLOCKSIZE * 2
"""The end of an archive, which stands behind its parts."""


def encode_entries(files: Mapping[str, bytes], seconds: int) -> bytes:
    """Return files as they stand in an archive; their time is in seconds since 1970."""
    entries = BytesIO()
    # It is not closed, because the end of an archive stands behind its last part.
    archive = tarfile.open(fileobj=entries, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115
    for path, data in sorted(files.items()):
        archive.addfile(_build_entry(path, len(data), seconds), BytesIO(data))
    return entries.getvalue()


def pack_entries(entries: bytes) -> bytes:
    """Return a packed part of an archive."""
    return gzip.compress(entries, _LEVEL, mtime=0)


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


_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".gz": "application/gzip",
}


class ListedFile(NamedTuple):
    """A file of a snapshot."""

    path: str
    """Below the snapshot's folder."""
    about: str
    """Its content, in a sentence."""
    media_type: str
    """Its type on the web."""
    bytes: int
    sha256: str
    rows: int | None
    """Rows, or runs, that it holds; None where it has neither."""


class FileList:
    """The files that were written into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[ListedFile] = []
        """All listed files, in the order of writing."""

    def put(self, path: str, data: bytes, about: str, rows: int | None = None) -> None:
        """Write a file, and list it."""
        self.prepare_path(path).write_bytes(data)
        self.add(path, about, rows)

    def prepare_path(self, path: str) -> Path:
        """Return where a file is to be written, in a folder that is there."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def append(self, path: str, data: bytes) -> None:
        """Write data behind those of a file that is not listed yet."""
        with self.prepare_path(path).open("ab") as file:
            file.write(data)

    def add(self, path: str, about: str, rows: int | None = None) -> None:
        """List a file that was written."""
        target = self.folder / path
        with target.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        media_type = _MEDIA_TYPES.get(target.suffix, "text/plain")
        size = target.stat().st_size
        self.files.append(ListedFile(path, about, media_type, size, digest, rows))

    def list_sorted_files(self) -> list[ListedFile]:
        """Return the files sorted."""
        return sorted(self.files)
