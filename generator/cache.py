"""The cache of the last build: stamps of its sources, and stamps, digests and keys of its files.

The cache is a JSON file beside the output folder; summaries of records are in files of their own
(`generator.read.run_summaries`). A damaged cache, or one of another program version, counts as
empty: all is then built again.
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from generator.sources import Stamp, compute_digest, stamp_there

CACHE = "cache.json"
"""The name of the cache's file."""


class CachedPage(NamedTuple):
    """A file of the site as it was written."""

    stamp: Stamp
    digest: str
    key: str
    """Digest of the sources: for pages of a run or of two runs, of all of them, for a twin, of its
    page; empty for other files, which are made again in each build."""

    def is_in_place(self, out: Path, path: str) -> bool:
        """Return whether the file is as it was written, also if it was copied since."""
        if stamp_there(out, path) == self.stamp:
            return True
        try:
            return compute_digest((out / path).read_bytes()) == self.digest
        except OSError:
            return False


@dataclass(slots=True)
class Cache:
    """The values that a build keeps for the next build."""

    files: Mapping[str, Stamp] = field(default_factory=dict[str, Stamp])
    """The source files by path."""
    pages: dict[str, CachedPage] = field(default_factory=dict[str, CachedPage])
    """All files of the site, by path below the output folder."""
    notices: tuple[str, ...] = ()
    """Messages about faults in the sources that did not stop the build."""

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
            files={f"{name}": f"{stamp}" for name, stamp in stored["files"].items()},
            pages={name: CachedPage(*row) for name, row in stored["pages"].items()},
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
