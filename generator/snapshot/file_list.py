"""The files of a snapshot with their checksums, and the lists of them that a snapshot holds."""

import json
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final, NamedTuple

from generator.exports.formats import encode_json
from generator.facts.urls import ARCHIVE, MANIFEST

SUMS: Final = "SHA256SUMS"
"""The checksums as `sha256sum -c` reads them."""
ARCHIVE_SUM: Final = f"{ARCHIVE}.sha256"
"""The checksum of the archive."""
_MADE_BY: Final = "leaderboard snapshot"
_UNLISTED: Final = (MANIFEST, SUMS, ARCHIVE, ARCHIVE_SUM)
"""The files of a snapshot that are made after its manifest."""

_MEDIA_TYPES: Final = {
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
    size: int
    """Bytes."""
    sha256: str
    rows: int | None
    """Rows, or runs, that it holds; None where it has neither."""

    @property
    def media_type(self) -> str:
        """Its type on the web."""
        return _MEDIA_TYPES.get(Path(self.path).suffix, "text/plain")


class FileList:
    """The files that were written into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[ListedFile] = []
        """All listed files, in the order of writing."""

    def put(self, path: str, data: bytes, about: str, rows: int | None = None) -> None:
        """Write a file, and list it."""
        target = self.prepare_path(path)
        target.write_bytes(data)
        self.add(path, about, rows)

    def put_json(self, path: str, value: object, about: str) -> None:
        """Write a file of JSON, and list it."""
        self.put(path, encode_json(value), about)

    def prepare_path(self, path: str) -> Path:
        """Return where a file is to be written, in a folder that is there."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def add(self, path: str, about: str, rows: int | None = None) -> None:
        """List a file that was written."""
        target = self.folder / path
        with target.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        self.files.append(ListedFile(path, about, target.stat().st_size, digest, rows))

    def put_manifest(self, head: dict[str, object]) -> None:
        """Write the list of all files so far, below facts on the whole."""
        document: dict[str, object] = {
            "schema_version": 1,
            "made_by": _MADE_BY,
            **head,
            "files": [_describe_file(file) for file in self.list_sorted_files()],
        }
        self.put_json(MANIFEST, document, "All files of the snapshot, with their checksums.")

    def put_sums(self) -> None:
        """Write the checksums of all files so far."""
        lines = [f"{file.sha256}  {file.path}\n" for file in self.list_sorted_files()]
        self.put(SUMS, "".join(lines).encode(), "The checksums, for `sha256sum -c SHA256SUMS`.")

    def list_sorted_files(self) -> list[ListedFile]:
        """Return the files sorted."""
        return sorted(self.files)


def read_earlier_paths(folder: Path) -> list[str] | None:
    """Return the paths of the files of the snapshot in a folder; None if it has no snapshot."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["made_by"] != _MADE_BY:
            return None
        return [*_UNLISTED, *(str(file["path"]) for file in manifest["files"])]
    # No file, no text, no JSON, or JSON of another program.
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None


def _describe_file(file: ListedFile) -> dict[str, Any]:
    return {
        "path": file.path,
        "about": file.about,
        "media_type": file.media_type,
        "bytes": file.size,
        "sha256": file.sha256,
        "rows": file.rows,
    }
