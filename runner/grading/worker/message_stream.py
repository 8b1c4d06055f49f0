"""Lines of JSON over a socket, one message each."""

import socket
import time

from pydantic import BaseModel

_CHUNK = 1 << 16
_LARGEST = 64_000_000
"""Bytes of one message; a request holds all of an answer's files."""


class StreamClosedError(Exception):
    """The other side is gone."""


class MessageStream:
    """One end of a conversation in messages."""

    def __init__(self, connection: socket.socket) -> None:
        """Talk over a connected stream socket."""
        self._connection = connection
        self._held = bytearray()

    def send(self, message: BaseModel) -> None:
        """Send one message. Raises StreamClosedError when nobody is there to take it."""
        try:
            self._connection.settimeout(None)
            self._connection.sendall(message.model_dump_json().encode() + b"\n")
        except OSError as error:
            raise StreamClosedError(str(error)) from error

    def receive(self, deadline: float | None = None) -> bytes:
        """Return the next message.

        Raises TimeoutError past the deadline (on the monotonic clock), StreamClosedError when the
        other side is gone or sends no end of a line.
        """
        while (end := self._held.find(b"\n")) < 0:
            if len(self._held) > _LARGEST:
                raise StreamClosedError("a message without an end")
            self._held += self._read(deadline)
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        return line

    def close(self) -> None:
        """End the conversation."""
        self._connection.close()

    def _read(self, deadline: float | None) -> bytes:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        try:
            chunk = self._connection.recv(_CHUNK)
        except TimeoutError:
            raise
        except OSError as error:
            raise StreamClosedError(str(error)) from error
        if not chunk:
            raise StreamClosedError("the other side is gone")
        return chunk
