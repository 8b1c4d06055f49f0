"""Patterns of failures: messages that several share, and sections that fail more than average."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from runner.reports.evidence import FailedAttempt

FEWEST: Final = 2
"""The number of failures from which a message or section is a pattern."""
MOST_NAMED: Final = 3
"""The most evals of a pattern that are named; further evals are only counted."""
LONGEST_SHAPE: Final = 120
"""The most characters of a message's shape (see `generalize_message`)."""

_PLACE: Final = re.compile(
    r"(?<![\w./-])[\w./-]+\.(?:tsx?|py|mjs|json)(?:[:(]\d+(?:[:,]\d+)?\)?)?:?"
)
_QUOTED: Final = re.compile(r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`")
_NUMBER: Final = re.compile(r"\b\d+(?:\.\d+)?")
_BRACKETED: Final = re.compile(r"[\[{][^\n]*")


@dataclass(frozen=True, slots=True)
class Pattern:
    """Failures that share the shape of their message, or a section of the guidelines."""

    kind: Literal["message", "section"]
    shared: str
    """The shape of the message, or the slug of the section."""
    failures: Sequence[FailedAttempt]
    of: int | None = None
    """For a section: the number of planned attempts that exercise it."""
    in_all: tuple[int, int] | None = None
    """For a section: the numbers of failed and of planned attempts of the run."""

    @property
    def evals(self) -> list[str]:
        """The evals of these failures, sorted."""
        return sorted({failure.attempt.eval for failure in self.failures})

    @property
    def claim(self) -> str:
        """The pattern in words."""
        number = len(self.failures)
        if self.of is None or self.in_all is None:
            return f"{number} failed with \u201c{self.shared}\u201d"
        failed, planned = self.in_all
        return (
            f"{number} of {self.of} attempts that exercise {self.shared} failed "
            f"({number / self.of:.0%}), of all {failed} of {planned} ({failed / planned:.0%})"
        )

    @property
    def examples(self) -> list[str]:
        """The evals of these failures that are named: the first ones."""
        return self.evals[:MOST_NAMED]

    @property
    def left_out_note(self) -> str:
        """The number of evals that are not named, in words; empty if there are none."""
        left_out = len(self.evals) - MOST_NAMED
        return f" and {left_out} more" if left_out > 0 else ""


def find_patterns(
    failures: Sequence[FailedAttempt], exercised: Mapping[str, int], planned: int
) -> list[Pattern]:
    """Return the patterns of at least two failures: messages first, then sections.

    A section is a pattern only if its attempts fail more often than the attempts of the whole run.
    Otherwise many failures may only mean that many evals exercise the section.

    Args:
        failures: the failed attempts of one run.
        exercised: the number of the run's attempts that exercise each section of the guidelines.
        planned: the number of attempts that the run planned.
    """
    in_all = len(failures), planned
    messages = _group_failures(failures, lambda failure: [generalize_message(failure.message)])
    sections = _group_failures(failures, lambda failure: failure.sections)
    return [
        *(Pattern("message", shared, group) for shared, group in messages),
        *(
            Pattern("section", shared, group, exercised[shared], in_all)
            for shared, group in sections
            if len(group) * planned > exercised[shared] * len(failures)
        ),
    ]


def generalize_message(message: str) -> str:
    """Return the shape of a message: its first line without the parts that differ between cases.

    File names are removed, and placeholders replace numbers, quoted texts and values in brackets.
    So failures with the same cause mostly have messages of the same shape.
    """
    first = next((line for line in message.splitlines() if line.strip()), "")
    text = _PLACE.sub("", first[: 4 * LONGEST_SHAPE])
    for pattern, instead in ((_QUOTED, "…"), (_BRACKETED, "…"), (_NUMBER, "N")):
        text = pattern.sub(instead, text)
    return " ".join(text.split())[:LONGEST_SHAPE]


def _group_failures(
    failures: Sequence[FailedAttempt], keys: Callable[[FailedAttempt], Sequence[str]]
) -> list[tuple[str, list[FailedAttempt]]]:
    """Return each key that several failures share, with these failures; the most common first."""
    groups: defaultdict[str, list[FailedAttempt]] = defaultdict(list)
    for failure in failures:
        for key in keys(failure):
            groups[key].append(failure)
    shared = [(key, group) for key, group in groups.items() if key and len(group) >= FEWEST]
    return sorted(shared, key=lambda pair: (-len(pair[1]), pair[0]))
