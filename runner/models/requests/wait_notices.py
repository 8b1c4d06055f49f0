"""Notices to the watchers of a run: the reason why an attempt waits."""

from typing import Final, Protocol

TURN: Final = "its turn to ask"
"""The wait of an attempt in the queue: other attempts are asked before it."""


class Tell(Protocol):
    """Reports the reason why one attempt waits now."""

    def __call__(self, what: str, until: float | None = None) -> None:
        """Report the wait for ``what``, in a few words: ``first token``, ``rate limit``.

        ``until`` is the end of the wait, on the clock of ``time.monotonic``; None where unknown.
        May be called from any thread, at each change of the reason.
        """
        ...


def unheard(what: str, until: float | None = None) -> None:
    """Be a `Tell` without a receiver."""
    del what, until
