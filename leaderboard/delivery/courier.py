"""The sending of runs by a thread while they are made, and of the rest when they have ended."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from threading import Event, Thread
from time import monotonic
from typing import Final, Self

from leaderboard.delivery.client import AwayError, OtherVerdictsError, RefusedError
from leaderboard.delivery.run_sender import RunSender
from leaderboard.terminal.streams import BAD_USAGE, DONE, INFRASTRUCTURE
from records.text.visible import make_one_line

_LOOK_EVERY_S: Final = 2.0
_LONGEST_PAUSE_S: Final = 30.0
PATIENCE_S: Final = 30.0
"""The longest wait for an unreachable server after the runs have ended."""


class Courier:
    """The sender of runs while they are made; a context manager around their execution.

    Unsent results are in the folders of the runs, and the outbox has a note for each run. No result
    is only in memory, so none is lost if the server does not answer or the runner is killed.
    """

    def __init__(
        self,
        senders: Sequence[RunSender],
        tell: Callable[[str], object],
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Prepare a thread for ``senders``, one for each run.

        ``tell`` gets the messages for the user. ``patience_s`` is the longest wait, in seconds, for
        the server after the runs have ended.
        """
        self._tell = tell
        self._tell_once = cache(tell)
        self._patience_s = patience_s
        self._over = Event()
        self._thread = Thread(target=self._follow, name="courier", daemon=True)
        self._refused: list[RunSender] = []
        self._settled: list[RunSender] = []
        self._broken: list[RunSender] = []
        """The senders that failed during their runs; each gets another try at the end."""
        self._left = list(senders)
        """The senders of runs that the server has not completely, without refused runs."""
        self._was_away = False

    def begin(self) -> None:
        """Announce every run to the server, before any model is asked and paid.

        Raises:
            RefusedError: the server refuses one of the runs.
        """
        try:
            for sender in self._left:
                sender.begin()
        except AwayError as error:
            self._say_away(error)

    @contextmanager
    def send_during_runs(self) -> Generator[None]:
        """Announce the runs, note them in the outbox, and send them during the block.

        Raises:
            RefusedError: the server refuses one of the runs, before any model is asked and paid.
        """
        if not self._left:
            yield
            return
        self.begin()
        for sender in self._left:
            sender.add_note()
        with self:
            yield

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._over.set()
        if kind is not None:
            # A user who stops the program at once need not wait for a server.
            self._thread.join(_LOOK_EVERY_S)
            return
        try:
            self._thread.join()
            self._send_rest()
        except KeyboardInterrupt:
            self._tell("sending was stopped; results are kept here")

    @property
    def exit_code(self) -> int:
        """The exit code: 2 if the server refused a run, 3 if it lacks a part of a run, else 0."""
        if self._refused or self._settled:
            return BAD_USAGE
        return INFRASTRUCTURE if self._left else DONE

    @property
    def is_something_left(self) -> bool:
        """True if the outbox still has the note of a run of this courier."""
        return bool(self._left or self._refused)

    def _follow(self) -> None:
        """Send new attempts until the runs are over; print a message for each fault."""
        pause = _LOOK_EVERY_S
        while not self._over.wait(pause):
            try:
                for sender in self._list_working_senders():
                    self._try(sender, sender.send_new)
            except AwayError as error:
                pause = min(pause * 2, _LONGEST_PAUSE_S)
                self._say_away(error)
            else:
                pause = _LOOK_EVERY_S
                if self._was_away and self._list_working_senders():
                    self._was_away = False
                    self._tell("the server of --report-to answers again, and has what it missed")

    def _list_working_senders(self) -> list[RunSender]:
        return [sender for sender in self._left if sender not in self._broken]

    def _send_rest(self) -> None:
        until = monotonic() + self._patience_s
        waiting = list(self._left)
        while waiting:
            try:
                while waiting:
                    self._try(waiting[0], partial(self._send_end, waiting[0]))
                    waiting.pop(0)
            except AwayError as error:
                self._say_away(error)
                if monotonic() > until:
                    return
                Event().wait(_LOOK_EVERY_S)

    def _send_end(self, sender: RunSender) -> None:
        if sender.send_end():
            self._left.remove(sender)

    def _try(self, sender: RunSender, send: Callable[[], object]) -> None:
        """Call ``send``, which sends a part of a run; report a fault that concerns only this run.

        Raises:
            AwayError: the server does not answer, which concerns all runs.
        """
        try:
            send()
        except AwayError:
            raise
        except OtherVerdictsError as error:
            self._settle(sender, error)
        except RefusedError as error:
            self._left.remove(sender)
            self._refused.append(sender)
            self._tell_once(f"{error.message}; results are kept here")
        except Exception as error:  # noqa: BLE001 - the thread sends the other runs, too
            self._broken.append(sender)
            cause = make_one_line(f"{type(error).__name__}: {error}", 300)
            self._tell_once(f"run {sender.note.run_id[:8]} is kept here, and not sent now: {cause}")

    def _settle(self, sender: RunSender, error: OtherVerdictsError) -> None:
        """End the sending of a run, because the server has other verdicts of it."""
        self._left.remove(sender)
        self._settled.append(sender)
        self._tell_once(sender.drop(error))

    def _say_away(self, error: AwayError) -> None:
        if not self._was_away:
            self._was_away = True
            self._tell(
                f"the server of --report-to is away ({error}): results are kept here, "
                "and are sent once it answers"
            )
