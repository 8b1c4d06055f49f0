"""Notices of what an attempt under way waits for, told to whoever watches the run."""

from typing import Final, Protocol

TURN: Final = "its turn to ask"
"""What an attempt waits for that is next to nothing yet: others are asked before it."""


class Tell(Protocol):
    """Says of one attempt that is under way what it waits for now."""

    def __call__(self, what: str, until: float | None = None) -> None:
        """Say that it waits for ``what``, in a few words: ``first token``, ``rate limit``.

        ``until`` is when the wait ends, on the clock of ``time.monotonic``; None where nobody
        knows. May be called from any thread, as often as what is waited for changes.
        """
        ...


def unheard(what: str, until: float | None = None) -> None:
    """Be a `Tell` that tells nobody."""
    del what, until
