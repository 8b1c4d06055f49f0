"""The cache of past builds: summaries of records, stamps and keys of pages, simulated effects.

The cache is a JSON file beside the output folder. A build reads only records and reports whose
stamp differs from the cached stamp, and renders only pages whose key differs from the cached key.
A damaged cache, or one of another program version, counts as empty: all is then built again.
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from generator.sources import Stamp

CACHE: Final = "cache.json"
"""The name of the cache's file."""


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


def load_cache(path: Path, program: str) -> Cache:
    """Return the stored cache, or an empty one if it is unreadable or of another ``program``."""
    try:
        stored = json.loads(path.read_bytes())
        if stored["program"] != program:
            return Cache()
        return Cache(
            files={name: CachedFile(*row) for name, row in stored["files"].items()},
            pages={name: CachedPage(*row) for name, row in stored["pages"].items()},
            plans={name: tuple(evals) for name, evals in stored["plans"].items()},
            effects=stored["effects"],
            notices=tuple(stored["notices"]),
        )
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return Cache()


def store_cache(path: Path, program: str, cache: Cache) -> None:
    """Write the cache; ``program`` is the digest of the program that reads and writes it."""
    new = path.with_suffix(".new")
    fields = {field.name: getattr(cache, field.name) for field in dataclasses.fields(cache)}
    new.write_text(json.dumps({"program": program, **fields}), encoding="utf-8")
    new.replace(path)
