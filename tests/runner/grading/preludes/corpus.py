"""Stored preludes, and the way to put a prelude over an answer."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

CORPUS: Final = Path(__file__).parent / "corpus"
_PACKAGE: Final = "package.json"
_NEW: Final = "new:"


@dataclass(frozen=True, slots=True)
class Prelude:
    """A prelude of the corpus: text before an answer's own, or fields of its package.json."""

    name: str
    note: str
    """The aim of the prelude, in a line."""
    into: str
    """A pattern of files that get the text at their start, or ``new:`` and a path of a new file."""
    text: str
    merge: Mapping[str, Any]
    """Fields that are laid over package.json."""

    def put_over(self, files: Mapping[str, str]) -> dict[str, str] | None:
        """Put the prelude over an answer; return None if the answer has no place for it."""
        if self.merge:
            package = json.loads(files.get(_PACKAGE, "{}"))
            return {**files, _PACKAGE: json.dumps(_merge_fields(package, self.merge))}
        if self.into.startswith(_NEW):
            return {**files, self.into.removeprefix(_NEW): self.text}
        paths = [path for path in files if self._fits(path)]
        if not paths:
            return None
        return {**files, **{path: self._put_before(files[path]) for path in paths}}

    def _put_before(self, text: str) -> str:
        """Put the prelude before a text; references to types count only in a file's first lines."""
        lines = text.splitlines(keepends=True)
        first = list(takewhile(lambda line: line.startswith("///"), lines))
        return "".join([*first, self.text, *lines[len(first) :]])

    def _fits(self, path: str) -> bool:
        if self.into.startswith("convex/") and path.endswith(".test.ts"):
            return False
        return fnmatch(path, self.into)


def read_corpus() -> tuple[Prelude, ...]:
    """Return all preludes, by name."""
    return tuple(_read(path) for path in sorted(CORPUS.iterdir()))


def _read(path: Path) -> Prelude:
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        described = json.loads(text)
        return Prelude(path.stem, described["note"], _PACKAGE, "", described["merge"])
    head = re.match(r"// note: (.*)\n// into: (.*)\n", text)
    assert head is not None, f"{path}: a prelude begins with lines of its note and its place"
    note, into = head.groups()
    return Prelude(path.stem, note, into, text[head.end() :], {})


def _merge_fields(fields: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **fields,
        **{
            name: {**fields[name], **value} if isinstance(fields.get(name), dict) else value
            for name, value in more.items()
        },
    }
