"""Sends runs while they are being made, from a thread, and what is left when they have ended."""

from collections.abc import Callable, Sequence
from threading import Event, Thread
from time import monotonic
from typing import Final, Self

from leaderboard.delivery.client import AwayError, RefusedError
from leaderboard.delivery.sending import RunSender
from leaderboard.exits import BAD_USAGE, DONE, INFRASTRUCTURE

_LOOK_EVERY_S: Final = 2.0
_LONGEST_PAUSE_S: Final = 30.0
PATIENCE_S: Final = 30.0
"""How long a server that is away is waited for once the runs have ended."""


class Courier:
    """Sends runs as they go; a context manager around their execution.

    What was not sent lies where runs lie, and the outbox has a note of it: nothing is held in
    memory only, so a server that is away and a runner that is killed lose nothing.
    """

    def __init__(
        self,
        senders: Sequence[RunSender],
        tell: Callable[[str], object],
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Send by ``senders``; ``tell`` is told what the user should hear."""
        self._senders = senders
        self._tell = tell
        self._patience_s = patience_s
        self._over = Event()
        self._thread = Thread(target=self._follow, name="courier", daemon=True)
        self._refused: RefusedError | None = None
        self._left = list(senders)
        self._was_away = False

    def begin(self) -> None:
        """Tell the server of every run, before anybody is asked and paid.

        Raises:
            RefusedError: the server does not take one of the runs.
        """
        try:
            for sender in self._senders:
                sender.begin()
        except AwayError as error:
            self._say_away(error)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._over.set()
        # Whoever stops at once does not wait for a server.
        self._thread.join(None if kind is None else _LOOK_EVERY_S)
        if kind is None:
            self._send_rest()

    @property
    def exit_code(self) -> int:
        """2 where the server refused, 3 where it does not have all of every run, else 0."""
        if self._refused is not None:
            return BAD_USAGE
        return INFRASTRUCTURE if self._left else DONE

    def _follow(self) -> None:
        pause = _LOOK_EVERY_S
        while self._refused is None and not self._over.wait(pause):
            try:
                for sender in self._senders:
                    sender.send_new()
            except AwayError as error:
                pause = min(pause * 2, _LONGEST_PAUSE_S)
                self._say_away(error)
            except RefusedError as error:
                self._refuse(error)
            else:
                pause = _LOOK_EVERY_S
                if self._was_away:
                    self._was_away = False
                    self._tell("the server of --report-to answers again, and has what it missed")

    def _send_rest(self) -> None:
        until = monotonic() + self._patience_s
        while self._left and self._refused is None:
            try:
                while self._left:
                    if not self._left[0].send_end():
                        return
                    self._left.pop(0)
            except AwayError as error:
                self._say_away(error)
                if monotonic() > until:
                    return
                Event().wait(_LOOK_EVERY_S)
            except RefusedError as error:
                self._refuse(error)

    def _say_away(self, error: AwayError) -> None:
        if not self._was_away:
            self._was_away = True
            self._tell(
                f"the server of --report-to is away ({error}): results are kept here, "
                "and are sent once it answers"
            )

    def _refuse(self, error: RefusedError) -> None:
        self._refused = error
        self._tell(f"{error.message}; results are kept here")
