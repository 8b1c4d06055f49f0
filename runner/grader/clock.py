"""The deployment's time."""

from runner.backends.client import BackendClient
from runner.grader.speaking import speaking


class Clock:
    """Moves a deployment's time forward, without waiting for it.

    Whatever falls due on the way runs, in its order and each at its own time, and is waited for.
    """

    def __init__(self, client: BackendClient) -> None:
        """Steer by a deployment's test controls."""
        self._client = client

    def now(self) -> float:
        """Return the deployment's Unix time in seconds."""
        with speaking("read the clock"):
            return self._client.now()

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.advance_to(self.now() + seconds)

    def advance_to(self, unix: float) -> None:
        """Let time pass up to a Unix time in seconds."""
        with speaking("advance the clock"):
            self._client.advance_to(unix)
