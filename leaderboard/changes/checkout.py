"""Files of a revision, written into a folder as plain files, which readers of records read."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from leaderboard.changes.repository import BlobReader, TreeFile, list_paths_below

LARGEST_TEXT: Final = 256 * 1024
"""Bytes of a file of the suite, of models.toml or of the definition of a benchmark version."""
LARGEST_FILE: Final = 32 * 1024 * 1024
"""Bytes of a record of a run, or of a report."""
MOST_BYTES: Final = 1024 * 1024 * 1024
"""Bytes of all files of one revision together."""
_LONGEST_NAME: Final = 255
_LONGEST_PATH: Final = 1_000
_UNREAD_FOLDERS: Final = frozenset({"node_modules", "_generated", "__pycache__"})
_RECORDS: Final = ("runs/", "reports/")
_TEXTS: Final = ("benchmarks/",)


@dataclass(frozen=True, slots=True, order=True)
class UnreadFile:
    """A file of which nothing is known but its name and why it was not read."""

    path: str
    """Below the root of the repository."""
    reason: str


@dataclass(frozen=True, slots=True)
class Places:
    """Where a repository keeps records and suite, as paths below its root."""

    data: str
    evals: str | None
    """None where the suite is not in this repository."""

    @property
    def folders(self) -> tuple[str, ...]:
        """Both folders."""
        return (self.data,) if self.evals is None else (self.data, self.evals)


@dataclass(slots=True)
class RevisionFolder:
    """One revision as it was written into a folder."""

    label: str
    """Name of the revision for readers."""
    root: Path
    places: Places
    contents: Mapping[str, str]
    """Kinds and names of contents by path below the root, of all files of the revision."""
    unread: list[UnreadFile] = field(default_factory=list[UnreadFile])

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.root / self.places.data

    @property
    def evals(self) -> Path | None:
        """The suite."""
        return None if self.places.evals is None else self.root / self.places.evals

    def below(self, folder: str | None) -> list[str]:
        """Return the paths of files below a folder, seen from there."""
        return [] if folder is None else list(list_paths_below(self.contents, folder))

    def refuse(self, path: Path, reason: str) -> None:
        """Remember that a file cannot be used; names of this machine are taken from the reason."""
        name = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else ""
        words = reason.replace(f"{path}: ", "").replace(f"{self.root}/", "")
        self.unread.append(UnreadFile(name or str(path), words))


def write_revision(
    label: str, files: Iterable[TreeFile], places: Places, reader: BlobReader, root: Path
) -> RevisionFolder:
    """Write the files of a revision that descriptions are made of below ``root``."""
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
    """Return how many bytes a file may have; None where nothing reads it."""
    for inside in list_paths_below([path], places.data):
        if inside.startswith(_RECORDS):
            return LARGEST_FILE
        return LARGEST_TEXT if inside.startswith(_TEXTS) or inside == "models.toml" else None
    return None if _UNREAD_FOLDERS & set(path.split("/")) else LARGEST_TEXT


def _find_refusal(file: TreeFile, limit: int, left: int) -> str | None:
    if file.mode == "120000":
        return "is a symbolic link: put the file itself there"
    if not file.is_plain:
        return "is no plain file"
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
    """Write a content; return why it could not be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(reader.read(blob))
    except OSError as error:
        return f"cannot be written: {error.strerror}"
    return None


def list_changed_files(before: RevisionFolder, after: RevisionFolder) -> Iterator[tuple[str, str]]:
    """Yield path and kind (added, changed, removed) of each file that differs, sorted."""
    for path in sorted(before.contents.keys() | after.contents.keys()):
        old, new = before.contents.get(path), after.contents.get(path)
        if old is None:
            yield path, "added"
        elif new is None:
            yield path, "removed"
        elif old != new:
            yield path, "changed"
