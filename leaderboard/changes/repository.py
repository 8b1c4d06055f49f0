"""A git repository whose revisions are read as data: nothing is checked out or executed.

The files of a revision may come from a stranger. No link is followed, no filter or hook of git
runs, and the number and the sizes of files are limited.
"""

import os
import subprocess
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import click

from leaderboard.suites.changed_evals import explain_git_failure, is_in_repository

MOST_FILES: Final = 100_000
"""The most files of a revision, in the folders that are read."""

_PLAIN: Final = frozenset({"100644", "100755"})
_NO_COMMAND: Final = {
    "GIT_EXTERNAL_DIFF": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a revision."""

    path: str
    """The path, relative to the root of the repository."""
    mode: str
    """The mode in git's form, such as ``100644``; a symbolic link has ``120000``."""
    blob: str
    """Git's name of the content."""
    size: int
    """The number of bytes; 0 if it is not a file."""

    @property
    def is_plain(self) -> bool:
        """True if it is a file with content of its own, and no link or submodule."""
        return self.mode in _PLAIN


@dataclass(frozen=True, slots=True)
class MergedTree:
    """The two trees to compare, of which the second may be the result of a merge."""

    before: str
    """The name of the first tree or commit."""
    after: str
    """The name of the second tree or commit."""
    note: str | None
    """Why they are not the first commit and the merge result; None if they are."""


@dataclass(frozen=True, slots=True)
class Repository:
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

    def list_changed_paths(self, before: str, after: str) -> list[str]:
        """Return the paths of all files that differ between two revisions, sorted."""
        output = self._run_checked(
            "diff-tree", "-r", "-z", "--no-renames", "--name-only", before, after
        )
        return sorted(map(_decode_path, filter(None, output.split(b"\0"))))

    def list_files(self, revision: str, folders: Iterable[str]) -> list[TreeFile]:
        """Return the files of a revision in ``folders``, sorted by path.

        Raises:
            UsageError: there are more than `MOST_FILES`.
        """
        output = self._run_checked(
            *("--literal-pathspecs", "ls-tree", "-r", "-z", "-l", "--full-tree", revision, "--"),
            *(folder or "." for folder in folders),
        )
        entries = [entry for entry in output.split(b"\0") if entry]
        if len(entries) > MOST_FILES:
            raise click.UsageError(f"{revision}: holds more than {MOST_FILES} files")
        return list(map(_parse_entry, entries))

    @contextmanager
    def open_contents(self) -> "Generator[BlobReader]":
        """Open a reader of contents, which works until the end of the block."""
        with subprocess.Popen(
            ["git", "-C", self.root, "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _NO_COMMAND,
        ) as process:
            if process.stdin is not None and process.stdout is not None:
                yield BlobReader(process.stdin, process.stdout)

    def _run_checked(self, *arguments: str) -> bytes:
        done = _run_git(self.root, *arguments)
        if done.returncode:
            raise click.UsageError(f"git {arguments[0]}: {done.stderr.decode(errors='replace')}")
        return done.stdout


@dataclass(frozen=True, slots=True)
class BlobReader:
    """A process of git that returns one content after another."""

    asking: IO[bytes]
    answering: IO[bytes]

    def read(self, blob: str) -> bytes:
        """Return the bytes of a content, by its name in the repository."""
        self.asking.write(f"{blob}\n".encode())
        self.asking.flush()
        *_, size = self.answering.readline().split()
        content = self.answering.read(int(size))
        self.answering.read(1)
        return content


def list_paths_below(paths: Iterable[str], folder: str) -> Iterator[str]:
    """Yield those of ``paths`` that are in ``folder``, relative to it."""
    begin = f"{folder}/" if folder else ""
    return (path.removeprefix(begin) for path in paths if path.startswith(begin))


def _run_git(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    command = ["git", "-c", "core.quotePath=false", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, check=False, env=os.environ | _NO_COMMAND)


def _parse_entry(entry: bytes) -> TreeFile:
    facts, _, path = entry.partition(b"\t")
    mode, _, blob, size = facts.decode().split()
    return TreeFile(_decode_path(path), mode, blob, int(size) if size.isdecimal() else 0)


def _decode_path(path: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 are replaced."""
    return path.decode("utf-8", "replace")
