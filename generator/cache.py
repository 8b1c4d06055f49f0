"""The cache of past builds: summaries of records, stamps and keys of pages, simulated effects.

The cache is an SQLite file beside the output folder. A build reads only records and reports whose
stamp differs from the cached stamp, and renders only pages whose key differs from the cached key.
A damaged cache, or one of another program version, counts as empty: all is then built again.
"""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from generator.sources import Stamp

CACHE: Final = "cache.sqlite"
"""The name of the cache's file."""

_COLUMNS: Final = {
    "about": "key text primary key, value text",
    "files": "path text primary key, stamp text, summary text",
    "pages": "path text primary key, stamp text, key text",
    "plans": "digest text primary key, evals text",
    "effects": "digest text primary key, share text",
}


class CachedFile(NamedTuple):
    """A source file as it was read."""

    stamp: Stamp
    summary: str
    """The summary of a record or report as JSON; empty for other files."""


class CachedPage(NamedTuple):
    """A file of the site as it was written."""

    stamp: Stamp
    key: str
    """Digest of all sources of the file; empty for a file that is made again in each build."""


@dataclass(slots=True)
class Cache:
    """The values that a build keeps for the next build."""

    files: dict[str, CachedFile] = field(default_factory=dict[str, CachedFile])
    """The source files by path."""
    pages: dict[str, CachedPage] = field(default_factory=dict[str, CachedPage])
    """All files of the site, by path below the output folder."""
    plans: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Lists of evals that runs planned, by digest; summaries of runs contain only the digest."""
    effects: dict[str, float | None] = field(default_factory=dict[str, float | None])
    """Effects simulated by `generator.scores.differences.power`, by the digest of their counts."""
    notices: tuple[str, ...] = ()
    """Messages about faults in the sources that did not stop the build."""

    def holds(self, sources: Mapping[str, Stamp]) -> bool:
        """Return whether the site was built from exactly these files with these stamps."""
        return bool(self.pages) and sources == {
            path: file.stamp for path, file in self.files.items()
        }

    def holds_page(self, path: str, key: str) -> bool:
        """Return whether the page at ``path`` was rendered from sources with the digest ``key``."""
        cached = self.pages.get(path)
        return cached is not None and cached.key == key


class CacheFile:
    """The SQLite file of a cache."""

    def __init__(self, path: Path, program: str) -> None:
        """Prepare; ``program`` is the digest of the program that reads and writes the cache."""
        self._path = path
        self._program = program
        self._stored: dict[str, dict[str, tuple[str, ...]]] = {}

    def load(self) -> Cache:
        """Return the stored cache, or an empty one if it is unreadable or of another program."""
        try:
            self._stored = self._read_rows()
        except (sqlite3.Error, TypeError, ValueError):
            self._stored = {}
        if not self._stored:
            return Cache()
        stored = self._stored
        return Cache(
            files={path: CachedFile(*row) for path, row in stored["files"].items()},
            pages={path: CachedPage(*row) for path, row in stored["pages"].items()},
            plans={name: tuple(json.loads(evals)) for name, (evals,) in stored["plans"].items()},
            effects={key: json.loads(share) for key, (share,) in stored["effects"].items()},
            notices=tuple(json.loads(stored["about"]["notices"][0])),
        )

    def _read_rows(self) -> dict[str, dict[str, tuple[str, ...]]]:
        if not self._path.exists():
            return {}
        with closing(sqlite3.connect(self._path)) as file:
            about = dict(file.execute("select * from about"))
            if about.get("program") != self._program:
                return {}
            return {
                table: {key: tuple(row) for key, *row in file.execute(f"select * from {table}")}  # noqa: S608 - names of this module
                for table in _COLUMNS
            }

    def store(self, cache: Cache) -> None:
        """Write the rows that differ from the loaded rows."""
        rows: dict[str, dict[str, tuple[str, ...]]] = {
            "about": {"program": (self._program,), "notices": (json.dumps(cache.notices),)},
            "files": dict(cache.files),
            "pages": dict(cache.pages),
            "plans": {name: (json.dumps(evals),) for name, evals in cache.plans.items()},
            "effects": {key: (json.dumps(share),) for key, share in cache.effects.items()},
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if not self._stored:
            self._path.unlink(missing_ok=True)
        with closing(sqlite3.connect(self._path)) as file, file:
            file.execute("pragma synchronous = off")
            for table, columns in _COLUMNS.items():
                if not self._stored:
                    file.execute(f"create table {table} ({columns})")
                self._store(file, table, rows[table])
        self._stored = rows

    def _store(
        self, file: sqlite3.Connection, table: str, rows: Mapping[str, tuple[str, ...]]
    ) -> None:
        stored = self._stored.get(table, {})
        key, *columns = (column.split()[0] for column in _COLUMNS[table].split(", "))
        file.executemany(
            f"delete from {table} where {key} = ?",  # noqa: S608 - names of this module
            [(name,) for name in stored.keys() - rows.keys()],
        )
        file.executemany(
            f"insert or replace into {table} values (?{', ?' * len(columns)})",  # noqa: S608 - names of this module
            [(name, *row) for name, row in rows.items() if stored.get(name) != row],
        )
