"""The deployment's time."""

from typing import Protocol


class _Controls(Protocol):
    def now(self) -> float: ...
    def advance_to(self, unix_s: float) -> None: ...


class Clock:
    """Moves a deployment's time forward, without waiting for it.

    Whatever falls due on the way runs, in its order and each at its own time, and is waited for.
    """

    def __init__(self, controls: _Controls) -> None:
        """Steer by these controls."""
        self._controls = controls

    def now(self) -> float:
        """Return the deployment's Unix time in seconds."""
        return self._controls.now()

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.advance_to(self.now() + seconds)

    def advance_to(self, unix: float) -> None:
        """Let time pass up to a Unix time in seconds."""
        self._controls.advance_to(unix)
