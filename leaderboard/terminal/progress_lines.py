"""Progress of work on many sessions, as lines on standard error."""

from time import monotonic
from typing import Final

from leaderboard.terminal.streams import say

_FIRST_S: Final = 1
_EVERY_S: Final = 2


class ProgressLines:
    """A printer of progress: no line for short work, else a line every two seconds.

    Each line begins with the name of the work, then the counts.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._next = monotonic() + _FIRST_S
        self._printed = False

    def __call__(self, done: int, total: int) -> None:
        """Print a line with the counts if it is time for one."""
        is_last = done >= total and self._printed
        now = monotonic()
        if now >= self._next or is_last:
            say(f"{self._name}: {done:,} of {total:,}", err=True)
            self._next = now + _EVERY_S
            self._printed = not is_last
