"""The choices that the user makes for an import, and how a number becomes a verdict."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from records.errors import InvalidRecordError
from records.text.visible import make_one_line

_SHOWN: Final = 40
"""Characters of a score in a message."""
_LISTED: Final = 500
"""Characters of the names of scores in a message."""


@dataclass(frozen=True, slots=True)
class ResultChoices:
    """What the command was told about files that do not say it themselves."""

    score: str | None = None
    """The score that decides, of a file that has several."""
    passes_at: float | None = None
    """The lowest score that passes."""
    name: str | None = None
    """The benchmark's name."""
    source: str | None = None
    """Where the results were published."""

    def is_pass(self, path: Path, value: float, location: str) -> bool:
        """Return whether a score passes; path and location are only for messages.

        Raises:
            InvalidRecordError: it is neither 0 nor 1, and no lowest passing score was named.
        """
        if self.passes_at is not None and -math.inf < value < math.inf:
            return value >= self.passes_at
        if value in {0, 1}:
            return value == 1
        raise InvalidRecordError(
            path,
            location,
            f"the score {make_one_line(str(value), _SHOWN)} is neither 0 nor 1: "
            "name the lowest score that passes, such as --pass-at 0.5",
        )


def choose_score(path: Path, named: list[str], choices: ResultChoices, location: str) -> str:
    """Return the score that decides, of those that a file has.

    Raises:
        InvalidRecordError: there is none, none of the chosen name, or several and no choice.
    """
    listed = make_one_line(", ".join(named), _LISTED)
    if choices.score is not None:
        if choices.score not in named:
            raise InvalidRecordError(
                path, location, f"has no score {choices.score!r}; there are: {listed or 'none'}"
            )
        return choices.score
    if not named:
        raise InvalidRecordError(path, location, "has no score")
    if len(named) > 1:
        raise InvalidRecordError(
            path, location, f"has several scores: name one of them by --score: {listed}"
        )
    return named[0]
