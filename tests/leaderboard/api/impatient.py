"""A courier that waits for a server that is away for seconds, and not for half a minute."""

from unittest import mock

from leaderboard.delivery.courier import Courier

PATIENCE_S = 4.0


def wait_briefly() -> None:
    """Shorten the wait of this process; a child of `tests.warm_command` calls it first."""
    mock.patch.object(Courier.__init__, "__defaults__", (PATIENCE_S,)).start()
