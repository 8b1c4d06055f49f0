"""What the model wrote, as text."""

from collections.abc import Mapping
from dataclasses import dataclass

_HOMES = ("", "convex/")


@dataclass(frozen=True, slots=True)
class Output:
    """The files of an answer, by their paths from the project's root (``convex/notes.ts``)."""

    files: Mapping[str, str]

    def text(self, path: str) -> str:
        """Return the text of a file; ``notes.ts`` means ``convex/notes.ts`` too.

        Raises AssertionError, which fails the test, when the answer has no such file.
        """
        for home in _HOMES:
            if (text := self.files.get(f"{home}{path}")) is not None:
                return text
        raise AssertionError(f"the answer has no file {path}; it has {', '.join(self.files)}")

    def has(self, path: str) -> bool:
        """Tell whether the answer has a file; ``notes.ts`` means ``convex/notes.ts`` too."""
        return any(f"{home}{path}" in self.files for home in _HOMES)
