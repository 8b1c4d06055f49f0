"""What the last build knew: its inputs with their summaries, and the pages it wrote.

A file beside the output. One that another program version wrote, or that is damaged, is as good as
none: everything is then built again.
"""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from generator.sources import Stamp

STATE: Final = "state.sqlite"
"""What its file is called."""

_SCHEMA: Final = """
create table about (program text not null);
create table inputs (path text primary key, size int, changed int, inode int, said text);
create table plans (name text primary key, evals text not null);
create table units (name text primary key, key text not null);
create table notices (text text not null);
create table pages (
  path text primary key, unit text not null, size int, changed int, inode int
);
"""


class Input(NamedTuple):
    """A file as it was read."""

    stamp: Stamp
    said: str
    """What was kept of it, as JSON; empty where nothing needs to be kept."""


class KeptOutput(NamedTuple):
    """A file as it was written."""

    unit: str
    """What it was made with."""
    stamp: Stamp


@dataclass(slots=True)
class State:
    """All that a build remembers."""

    inputs: dict[str, Input] = field(default_factory=dict[str, Input])
    plans: dict[str, str] = field(default_factory=dict[str, str])
    """Lists of evals that runs planned, as JSON, by digest."""
    units: dict[str, str] = field(default_factory=dict[str, str])
    """Digest of everything that each unit's pages were made from."""
    pages: dict[str, KeptOutput] = field(default_factory=dict[str, KeptOutput])
    notices: list[str] = field(default_factory=list[str])
    """What is wrong in the sources, and did not keep the site from being built."""
    whole: bool = True
    """Whether the output still holds all of it."""

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamp of every input."""
        return {path: one.stamp for path, one in self.inputs.items()}

    def copy(self) -> "State":
        """Return a state that can be changed while this one stays."""
        return State(
            dict(self.inputs),
            dict(self.plans),
            dict(self.units),
            dict(self.pages),
            [*self.notices],
            self.whole,
        )

    def see(self, stamp: Callable[[str], Stamp], paths: Iterable[str]) -> None:
        """Take note of the stamps of files that were just put in place."""
        for path in paths:
            self.pages[path] = KeptOutput(self.pages[path].unit, stamp(path))


def same_input(before: Input | None, stamp: Stamp, said: str) -> Input:
    """Return what was kept of a file, as the object that it was if nothing about it changed."""
    after = Input(stamp, said)
    return before if before is not None and before == after else after


class StateFile:
    """Where a state is kept."""

    def __init__(self, path: Path, program: str) -> None:
        self._path = path
        self._program = program
        self._kept = State()

    def load(self) -> State:
        """Return what was kept; nothing if it is not this program's or cannot be read."""
        self._kept = State()
        if self._path.exists():
            try:
                with closing(sqlite3.connect(self._path)) as file:
                    self._kept = self._read(file)
            except (sqlite3.Error, TypeError, ValueError):
                pass  # as good as none
        return self._kept.copy()

    def _read(self, file: sqlite3.Connection) -> State:
        if file.execute("select program from about").fetchall() != [(self._program,)]:
            return State()
        return State(
            {
                path: Input((size, changed, inode), said)
                for path, size, changed, inode, said in file.execute("select * from inputs")
            },
            dict(file.execute("select * from plans").fetchall()),
            dict(file.execute("select * from units").fetchall()),
            {
                path: KeptOutput(unit, (size, changed, inode))
                for path, unit, size, changed, inode in file.execute("select * from pages")
            },
            [text for (text,) in file.execute("select text from notices")],
        )

    def keep(self, state: State) -> None:
        """Write what changed since it was loaded or kept last."""
        if not self._kept.pages:
            self._path.unlink(missing_ok=True)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._path)) as file, file:
            file.execute("pragma synchronous = off")
            if not self._kept.pages:
                file.executescript(_SCHEMA)
                file.execute("insert into about values (?)", (self._program,))
            self._write(file, state)
        self._kept = state.copy()

    def _write(self, file: sqlite3.Connection, state: State) -> None:
        kept = self._kept
        if state.notices != kept.notices:
            file.execute("delete from notices")
            file.executemany("insert into notices values (?)", [(one,) for one in state.notices])
        _forget(file, "inputs", "path", kept.inputs.keys() - state.inputs.keys())
        _forget(file, "plans", "name", kept.plans.keys() - state.plans.keys())
        _forget(file, "units", "name", kept.units.keys() - state.units.keys())
        _forget(file, "pages", "path", kept.pages.keys() - state.pages.keys())
        file.executemany(
            "insert or replace into inputs values (?, ?, ?, ?, ?)",
            [
                (path, *one.stamp, one.said)
                for path, one in state.inputs.items()
                if kept.inputs.get(path) is not one
            ],
        )
        file.executemany(
            "insert or replace into plans values (?, ?)",
            [one for one in state.plans.items() if kept.plans.get(one[0]) != one[1]],
        )
        file.executemany(
            "insert or replace into units values (?, ?)",
            [one for one in state.units.items() if kept.units.get(one[0]) != one[1]],
        )
        file.executemany(
            "insert or replace into pages values (?, ?, ?, ?, ?)",
            [
                (path, one.unit, *one.stamp)
                for path, one in state.pages.items()
                if kept.pages.get(path) is not one
            ],
        )


def _forget(file: sqlite3.Connection, table: str, column: str, names: Iterable[str]) -> None:
    file.executemany(
        f"delete from {table} where {column} = ?",  # noqa: S608 - names of this module
        [(name,) for name in names],
    )
