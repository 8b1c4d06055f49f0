"""A fault that a reader can find by its file and line."""

from pathlib import Path
from typing import NamedTuple


class Fault(NamedTuple):
    """A fault in a file."""

    file: Path
    """Relative to the root of the repository."""
    line: int
    """Counted from 1."""
    words: str

    def __str__(self) -> str:
        """Return it as compilers print theirs."""
        return f"{self.file.as_posix()}:{self.line}: {self.words}"
