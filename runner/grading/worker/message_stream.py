"""Messages over a socket: each is a line of JSON."""

import socket
import time

from pydantic import BaseModel

_CHUNK = 1 << 16
_LARGEST = 64_000_000
"""The most bytes of a message; a request contains all files of an answer."""


class StreamClosedError(Exception):
    """The other side has closed the connection, or sent a message that is too long."""


class MessageStream:
    """One side of a connection for messages."""

    def __init__(self, connection: socket.socket) -> None:
        """Use a connected stream socket."""
        self._connection = connection
        self._held = bytearray()

    def send(self, message: BaseModel) -> None:
        """Send a message. Raises StreamClosedError if the other side has closed the connection."""
        try:
            self._connection.settimeout(None)
            self._connection.sendall(message.model_dump_json().encode() + b"\n")
        except OSError as error:
            raise StreamClosedError(str(error)) from error

    def receive(self, deadline: float | None = None) -> bytes:
        """Return the bytes of the next message.

        Raises TimeoutError after ``deadline``, a time of `time.monotonic`; StreamClosedError if the
        other side has closed the connection or sends a message that is too long.
        """
        while (end := self._held.find(b"\n")) < 0:
            if len(self._held) > _LARGEST:
                raise StreamClosedError("a message without an end")
            self._held += self._read(deadline)
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        return line

    def _read(self, deadline: float | None) -> bytes:
        remaining_s = None if deadline is None else deadline - time.monotonic()
        if remaining_s is not None and remaining_s <= 0:
            raise TimeoutError
        self._connection.settimeout(remaining_s)
        try:
            chunk = self._connection.recv(_CHUNK)
        except TimeoutError:
            raise
        except OSError as error:
            raise StreamClosedError(str(error)) from error
        if not chunk:
            raise StreamClosedError("the other side is gone")
        return chunk
