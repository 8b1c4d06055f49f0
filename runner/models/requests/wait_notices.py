"""Notices to the watchers of a run about the waits of its attempts."""

from typing import Final, Protocol

TURN: Final = "its turn to ask"
"""The wait of an attempt in the queue, while the questions of other attempts come first."""


class Tell(Protocol):
    """A function that reports why an attempt waits."""

    def __call__(self, what: str, until: float | None = None) -> None:
        """Report that the attempt waits for ``what``, such as ``first token`` or ``rate limit``.

        ``until`` is the end of the wait, on the clock of ``time.monotonic``; None if unknown.
        Called at each change of the reason, from any thread.
        """
        ...


def ignore_wait(what: str, until: float | None = None) -> None:
    """Do nothing: a `Tell` for callers that report to nobody."""
    del what, until
