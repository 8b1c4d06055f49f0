"""The form of a finding of `suite lint`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One fault, and what to do about it."""

    evaluation: str
    """``category/name``; ``guidelines.md`` for what concerns the suite."""
    file: str
    """Relative to the eval's folder."""
    line: int
    rule: str
    advice: str
    """What is wrong and what to do, in one line."""

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.evaluation} {self.file}:{self.line} {self.rule}: {self.advice}"
