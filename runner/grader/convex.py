"""A deployed backend, as a grader sees it (not connected to anything yet)."""

from typing import Self

from runner.grader.messages import Connection


class Convex:
    """Calls the functions of a deployment, and looks behind them."""

    @classmethod
    def connect(cls, connection: Connection) -> Self:
        """Reach a deployment."""
        del connection
        return cls()

    def reset(self) -> None:
        """Empty it."""
