"""Revisions of a git repository, whose files git writes into temporary folders as plain data.

The files of a revision may come from a stranger. Only the needed files are written, into a work
tree with an index of its own: no hook, filter or attribute of git has an effect, no link is
followed, no file can be executed, and the number and the sizes of files are limited.
"""

import os
import subprocess
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import click

from generator.diff.data_diff import ChangeKind
from leaderboard.git import explain_git_failure, is_in_repository
from runner.jail.folders import hold

MOST_FILES = 100_000
"""The most files of a revision, in the folders that are read."""
LARGEST_TEXT = 256 * 1024
"""The most bytes of a file of the suite, of models.toml or of a benchmark version's definition."""
LARGEST_FILE = 32 * 1024 * 1024
"""The most bytes of the record of a run, or of a report."""
MOST_BYTES = 1024 * 1024 * 1024
"""The most bytes of all files of a revision together."""
_LONGEST_NAME = 255
_LONGEST_PATH = 1_000
_PLAIN = frozenset({"100644", "100755"})
"""The modes of files with content of their own, in git's form."""
_LINK = "120000"
_UNREAD_FOLDERS = frozenset({"node_modules", "_generated", "__pycache__"})
_HARMLESS = (
    *("-c", "core.quotePath=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "core.attributesFile=/dev/null", "-c", "core.autocrlf=false"),
    *("-c", "core.fsmonitor=false"),
)
_NO_COMMAND = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_EXTERNAL_DIFF": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}


class TreeFile(NamedTuple):
    """A file of a revision."""

    mode: str
    """The mode in git's form, such as ``100644``."""
    blob: str
    """Git's name of the content."""
    size: int
    """The number of bytes; 0 if it is not a file."""


class MergedTree(NamedTuple):
    """The two trees to compare, of which the second may be the result of a merge."""

    before: str
    """The name of the first tree or commit."""
    after: str
    """The name of the second tree or commit."""
    note: str | None
    """Why they are not the first commit and the merge result; None if they are."""


@dataclass(frozen=True, slots=True, order=True)
class UnreadFile:
    """A file that was not read, with the reason."""

    path: str
    """The path, relative to the root of the repository."""
    reason: str


class Places(NamedTuple):
    """The paths of the data folder and the suite, relative to the root of a repository."""

    data: str
    """Empty if the data folder is the root."""
    evals: str | None
    """None if the suite is not in this repository."""

    def find_in_data(self, path: str) -> str | None:
        """Return ``path`` relative to the data folder; None if it is not in it."""
        return _find_inside(path, self.data)

    def find_in_evals(self, path: str) -> str | None:
        """Return ``path`` relative to the suite; None if it is not in it."""
        return None if self.evals is None else _find_inside(path, self.evals)

    def include(self, path: str) -> bool:
        """Return whether ``path`` is in the data folder or in the suite."""
        return self.find_in_data(path) is not None or self.find_in_evals(path) is not None


def _find_inside(path: str, folder: str) -> str | None:
    begin = f"{folder}/" if folder else ""
    return path.removeprefix(begin) if path.startswith(begin) else None


@dataclass(slots=True)
class RevisionFolder:
    """A revision whose files were written into a folder."""

    label: str
    """The name of the revision, for readers."""
    root: Path
    places: Places
    files: Mapping[str, TreeFile]
    """All files of the revision, by path relative to the root of the repository."""
    unread: list[UnreadFile] = field(default_factory=list[UnreadFile])
    records: dict[str, object] = field(default_factory=dict[str, object])
    """The usable records of the data folder, by path relative to the root."""

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.root / self.places.data

    @property
    def evals(self) -> Path | None:
        """The folder of the suite; None if the suite is not in the repository."""
        return None if self.places.evals is None else self.root / self.places.evals

    def refuse(self, path: Path, reason: str) -> None:
        """Add a file to the unread files; paths of this machine are removed from the reason."""
        name = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else ""
        words = reason.replace(f"{path}: ", "").replace(f"{self.root}/", "")
        self.unread.append(UnreadFile(name or str(path), words))


def list_changed_files(
    before: RevisionFolder, after: RevisionFolder
) -> Iterator[tuple[str, ChangeKind]]:
    """Yield the path and the kind of change of each file that differs, sorted."""
    for path in sorted(before.files.keys() | after.files.keys()):
        old, new = before.files.get(path), after.files.get(path)
        if old != new:
            yield path, ChangeKind.compare(old, new)


class Repository(NamedTuple):
    """A git repository."""

    root: Path
    """The root of its working tree."""

    @classmethod
    def find_containing(cls, folder: Path) -> "Repository":
        """Return the repository that contains ``folder``.

        Raises:
            UsageError: there is none, or git is not installed.
        """
        try:
            done = _run_git(folder, "rev-parse", "--show-toplevel")
        except FileNotFoundError as error:
            raise click.UsageError("git is not installed: only runs can be compared") from error
        if done.returncode:
            if not is_in_repository(folder):
                raise click.UsageError(f"{folder}: is in no git repository")
            reason = explain_git_failure(folder, done.stderr.decode(errors="replace"))
            raise click.UsageError(f"{folder}: git refuses: {reason}")
        return cls(Path(os.fsdecode(done.stdout.removesuffix(b"\n"))))

    def find_commit(self, revision: str) -> str:
        """Return the whole name of the commit that ``revision`` names.

        Raises:
            UsageError: there is no such revision.
        """
        verify = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        done = _run_git(self.root, *verify)
        if done.returncode:
            raise click.UsageError(
                f"{revision}: no run, no guidelines file and no revision of git: git log names them"
            )
        return done.stdout.decode().strip()

    def merge(self, base: str, head: str) -> MergedTree:
        """Return the trees of the commit ``base`` and of the result of merging ``head`` into it.

        If git cannot merge them, the trees are those of ``head`` and of the commit at which it
        began; without a common history, those of both commits.
        """
        merge = _run_git(self.root, "merge-tree", "--write-tree", "--no-messages", base, head)
        if merge.returncode == 0:
            return MergedTree(base, merge.stdout.decode().strip(), None)
        began = _run_git(self.root, "merge-base", base, head)
        if began.returncode:
            note = "The two have no common history: they are compared as they are."
            return MergedTree(base, head, note)
        note = (
            "A merge is not possible without conflicts: the branch is compared with the "
            "commit at which it began."
        )
        return MergedTree(began.stdout.decode().strip(), head, note)

    @contextmanager
    def write_revisions(
        self, trees: Mapping[str, tuple[str, str]], places: Places
    ) -> Generator[list[RevisionFolder]]:
        """Write revisions into temporary folders, which exist until the end of the block.

        ``trees`` has the label and the tree of each folder, by the folder's name. The folders of a
        process that was killed are removed by the next process that makes some.
        """
        home = hold("diff", Path(tempfile.gettempdir()))
        try:
            yield [
                self._write_revision(label, tree, places, home.path / name)
                for name, (label, tree) in trees.items()
            ]
        finally:
            home.remove()

    def _write_revision(self, label: str, tree: str, places: Places, root: Path) -> RevisionFolder:
        files: dict[str, TreeFile] = {}
        listing = self._run_checked("ls-tree", "-r", "-z", "-l", "--full-tree", tree)
        for entry in listing.split(b"\0"):
            facts, _, name = entry.partition(b"\t")
            if name:
                mode, _, blob, size = facts.decode().split()
                number = int(size) if size.isdecimal() else 0
                # Strange bytes of a path are replaced, and the file is refused below.
                files[name.decode("utf-8", "replace")] = TreeFile(mode, blob, number)
        if sum(map(places.include, files)) > MOST_FILES:
            raise click.UsageError(f"{label}: holds more than {MOST_FILES} files")
        folder = RevisionFolder(label, root, places, files)
        entries: list[str] = []
        free_bytes = MOST_BYTES
        for path, file in files.items():
            limit = _find_limit(path, places)
            if limit is None:
                continue
            reason = _find_refusal(path, file, limit, free_bytes)
            if reason is None:
                free_bytes -= file.size
                entries.append(path)
            else:
                folder.unread.append(UnreadFile(path, reason))
        root.mkdir()
        # The index has no .gitattributes file, so no file of the revision names a filter.
        index = "".join(f"100644 {files[path].blob}\t{path}\0" for path in entries).encode()
        work_tree = {"GIT_INDEX_FILE": f"{root}.index", "GIT_WORK_TREE": str(root)}
        self._run_checked("update-index", "-z", "--index-info", text=index, environment=work_tree)
        _run_git(self.root, "checkout-index", "--all", "--quiet", environment=work_tree)
        folder.unread += [
            UnreadFile(path, "cannot be written: its name is too long, or the disk is full")
            for path in entries
            if not (root / path).is_file()
        ]
        return folder

    def _run_checked(
        self, *arguments: str, text: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> bytes:
        done = _run_git(self.root, *arguments, text=text, environment=environment)
        if done.returncode:
            raise click.UsageError(f"git {arguments[0]}: {done.stderr.decode(errors='replace')}")
        return done.stdout


def _run_git(
    folder: Path,
    *arguments: str,
    text: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        ["git", *_HARMLESS, "-C", str(folder), *arguments],
        input=text,
        capture_output=True,
        check=False,
        env={**os.environ, **_NO_COMMAND, **(environment or {})},
    )


def _find_limit(path: str, places: Places) -> int | None:
    """Return the most bytes that a file may have; None if no part of a description needs it."""
    names = path.split("/")
    if names[-1] == ".gitattributes":
        return None
    inside = places.find_in_data(path)
    if inside is not None:
        if inside.startswith(("runs/", "reports/")):
            return LARGEST_FILE
        is_text = inside.startswith("benchmarks/") or inside == "models.toml"
        return LARGEST_TEXT if is_text else None
    is_read = places.find_in_evals(path) is not None and not _UNREAD_FOLDERS & set(names)
    return LARGEST_TEXT if is_read else None


def _find_refusal(path: str, file: TreeFile, limit: int, free_bytes: int) -> str | None:
    """Return why a file is not written; None if it is."""
    if file.mode == _LINK:
        return "is a symbolic link: put the file itself there"
    if file.mode not in _PLAIN:
        return "is not a plain file"
    names = path.split("/")
    lengths = [len(os.fsencode(name)) for name in names]
    is_too_long = max(lengths) > _LONGEST_NAME or sum(lengths) > _LONGEST_PATH
    is_strange = not path.isprintable() or "\ufffd" in path
    if is_too_long or is_strange or {"", ".", "..", ".git"} & {name.lower() for name in names}:
        return "has a name that files here cannot have"
    if file.size > limit:
        return f"is larger than {limit} bytes"
    if file.size > free_bytes:
        return f"the files before it have {MOST_BYTES} bytes together"
    return None
