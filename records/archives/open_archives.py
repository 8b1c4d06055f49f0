"""Archives of several runs, of which attempts are read in any order."""

from contextlib import ExitStack
from pathlib import Path
from typing import Self

from records.archives.archive import Archive, AttemptArtifact


class OpenArchives:
    """Archives that are opened once, at their first attempt; a context manager that closes them."""

    def __init__(self) -> None:
        """Open nothing yet."""
        self._stack = ExitStack()
        self._archives: dict[Path, Archive] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def read(self, path: Path, evaluation: str, sample: int) -> AttemptArtifact:
        """Return the files of one attempt in the archive at ``path``.

        Raises:
            MissingRecordError: there is no such archive, or the attempt is not in it.
            InvalidRecordError: the archive is damaged or hostile.
        """
        if path not in self._archives:
            self._archives[path] = self._stack.enter_context(Archive(path))
        return self._archives[path].read(evaluation, sample)
