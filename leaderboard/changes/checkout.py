"""The files of a revision, written into a folder as plain files for the readers of records."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from leaderboard.changes.repository import BlobReader, TreeFile, list_paths_below

LARGEST_TEXT: Final = 256 * 1024
"""The most bytes of a file of the suite, of models.toml or of a benchmark version's definition."""
LARGEST_FILE: Final = 32 * 1024 * 1024
"""The most bytes of the record of a run, or of a report."""
MOST_BYTES: Final = 1024 * 1024 * 1024
"""The most bytes of all files of a revision together."""
_LONGEST_NAME: Final = 255
_LONGEST_PATH: Final = 1_000
_UNREAD_FOLDERS: Final = frozenset({"node_modules", "_generated", "__pycache__"})
_RECORDS: Final = ("runs/", "reports/")
_TEXTS: Final = ("benchmarks/",)


class ChangeKind(StrEnum):
    """The kind of a change between two revisions."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"

    @staticmethod
    def compare(before: object, after: object) -> "ChangeKind":
        """Return the kind of change from one value to another; None is a missing value."""
        if before is None:
            return ChangeKind.ADDED
        return ChangeKind.REMOVED if after is None else ChangeKind.CHANGED


@dataclass(frozen=True, slots=True, order=True)
class UnreadFile:
    """A file that was not read, with the reason."""

    path: str
    """The path, relative to the root of the repository."""
    reason: str


@dataclass(frozen=True, slots=True)
class Places:
    """The paths of the data folder and the suite, relative to the root of a repository."""

    data: str
    evals: str | None
    """None if the suite is not in this repository."""

    @property
    def folders(self) -> tuple[str, ...]:
        """The paths of the data folder and of the suite, if it is in the repository."""
        return (self.data,) if self.evals is None else (self.data, self.evals)


@dataclass(slots=True)
class RevisionFolder:
    """A revision whose files were written into a folder."""

    label: str
    """The name of the revision, for readers."""
    root: Path
    places: Places
    contents: Mapping[str, str]
    """The mode and the name of the content of each file, by its path relative to the root."""
    unread: list[UnreadFile] = field(default_factory=list[UnreadFile])

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.root / self.places.data

    @property
    def evals(self) -> Path | None:
        """The folder of the suite; None if the suite is not in the repository."""
        return None if self.places.evals is None else self.root / self.places.evals

    def list_paths(self, folder: str | None) -> list[str]:
        """Return the paths of the files in ``folder``, relative to it."""
        return [] if folder is None else list(list_paths_below(self.contents, folder))

    def refuse(self, path: Path, reason: str) -> None:
        """Add a file to the unread files; paths of this machine are removed from the reason."""
        name = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else ""
        words = reason.replace(f"{path}: ", "").replace(f"{self.root}/", "")
        self.unread.append(UnreadFile(name or str(path), words))


def write_revision(
    label: str, files: Iterable[TreeFile], places: Places, reader: BlobReader, root: Path
) -> RevisionFolder:
    """Write the files of a revision that its description needs into the folder ``root``."""
    all_files = list(files)
    contents = {file.path: f"{file.mode} {file.blob}" for file in all_files}
    folder = RevisionFolder(label, root, places, contents)
    free_bytes = MOST_BYTES
    for file in all_files:
        limit = _find_limit(file.path, places)
        if limit is None:
            continue
        reason = _find_refusal(file, limit, free_bytes)
        if reason is None:
            free_bytes -= file.size
            reason = _write_file(root / file.path, reader, file.blob)
        if reason is not None:
            folder.unread.append(UnreadFile(file.path, reason))
    return folder


def _find_limit(path: str, places: Places) -> int | None:
    """Return the most bytes that a file may have; None if no part of a description needs it."""
    for inside in list_paths_below([path], places.data):
        if inside.startswith(_RECORDS):
            return LARGEST_FILE
        return LARGEST_TEXT if inside.startswith(_TEXTS) or inside == "models.toml" else None
    return None if _UNREAD_FOLDERS & set(path.split("/")) else LARGEST_TEXT


def _find_refusal(file: TreeFile, limit: int, left: int) -> str | None:
    if file.mode == "120000":
        return "is a symbolic link: put the file itself there"
    if not file.is_plain:
        return "is not a plain file"
    if not _is_inside(file.path):
        return "has a name that files here cannot have"
    if file.size > limit:
        return f"is larger than {limit} bytes"
    return f"the files before it have {MOST_BYTES} bytes together" if file.size > left else None


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    lengths = [len(os.fsencode(part)) for part in parts]
    whole = max(lengths) <= _LONGEST_NAME and sum(lengths) <= _LONGEST_PATH
    return (
        whole and not {"", ".", ".."} & set(parts) and path.isprintable() and "\ufffd" not in path
    )


def _write_file(path: Path, reader: BlobReader, blob: str) -> str | None:
    """Write a content to ``path``; return the reason if this is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(reader.read(blob))
    except OSError as error:
        return f"cannot be written: {error.strerror}"
    return None


def list_changed_files(
    before: RevisionFolder, after: RevisionFolder
) -> Iterator[tuple[str, ChangeKind]]:
    """Yield the path and the kind of change of each file that differs, sorted."""
    for path in sorted(before.contents.keys() | after.contents.keys()):
        old, new = before.contents.get(path), after.contents.get(path)
        if old != new:
            yield path, ChangeKind.compare(old, new)
