"""The findings of `leaderboard suite lint`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A fault of an eval, with its remedy."""

    evaluation: str
    """``category/name``; ``guidelines.md`` for a fault of the suite."""
    file: str
    """The path of the file, relative to the eval's folder."""
    line: int
    rule: str
    advice: str
    """The fault and its remedy, in one line."""

    def __str__(self) -> str:
        """Return the finding as one line."""
        return f"{self.evaluation} {self.file}:{self.line} {self.rule}: {self.advice}"
