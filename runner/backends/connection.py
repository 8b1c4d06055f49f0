"""An HTTP/1.1 client for deployments, over TCP or a Unix socket.

It does little work for each request, because a grading makes hundreds of small requests.
"""

import os
import re
import select
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from runner.errors import BackendBrokenError
from runner.jail.deadlines import Deadline

_LARGEST = 256_000_000
"""The most bytes of an answer's body; no honest deployment sends so many."""
_PIECE = 65_536
_PORT = 80
_FINAL = 200
"""The lowest status of a final answer; after a lower status another answer follows."""
_FRAMING = frozenset({"content-length", "transfer-encoding"})
_HAVE_BODIES = frozenset({"POST", "PUT", "PATCH"})
_TARGET = re.compile(r"[!-~]+")
_LINE_BREAK = re.compile(r"[\r\n\0]")
"""Characters that would end a header, and begin a header that nobody wrote."""


class NoAnswerError(BackendBrokenError):
    """A deployment did not answer in time."""


class UnreachableError(BackendBrokenError):
    """A deployment cannot be reached, or closed the connection too early."""


class _Answer:
    """An HTTP answer that arrives in pieces; httptools' parser calls the ``on_`` methods."""

    def __init__(self, method: str) -> None:
        self.headers: dict[str, str] = {}
        self.whole = False
        self.keeps = False
        """True if the connection can be used again."""
        self.status = 0
        self._to_head = method == "HEAD"
        self._parser = HttpResponseParser(self)
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def body(self) -> bytes:
        return b"".join(self._parts)

    def take(self, piece: bytes) -> None:
        """Parse the next bytes; no bytes mean that the connection has ended.

        Raises ConnectionError or HttpParserError.
        """
        try:
            if piece:
                self._parser.feed_data(piece)
            elif self.status < _FINAL or _FRAMING & self.headers.keys():
                raise ConnectionError("it closed the connection before the end of its answer")
            else:
                self.whole = True
        except HttpParserUpgrade:
            self.whole = True
        except HttpParserError:
            # If bytes follow a whole answer, the connection is not used again.
            self.keeps = False
            if not self.whole:
                raise
        if self._size > _LARGEST:
            raise ConnectionError(f"its answer is larger than {_LARGEST} bytes")

    def on_message_begin(self) -> None:
        if self.whole:
            raise ValueError("an answer that nobody asked for")

    def on_header(self, name: bytes, value: bytes) -> None:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        earlier = self.headers.get(key)
        # HTTP allows a list as several headers of the same name (RFC 9110, 5.3).
        self.headers[key] = text if earlier is None else f"{earlier}, {text}"

    def on_headers_complete(self) -> None:
        self.status = self._parser.get_status_code()
        self.whole = self._to_head and self.status >= _FINAL

    def on_body(self, part: bytes) -> None:
        if not self._to_head:
            self._size += len(part)
            self._parts.append(part)

    def on_message_complete(self) -> None:
        if self.status < _FINAL:
            self.headers.clear()
        elif not self._to_head:
            self.whole, self.keeps = True, self._parser.should_keep_alive()


class _Connection:
    """An open connection to a host, or to a Unix socket that serves any host."""

    def __init__(self, host: str, path: Path | None, timeout_s: float) -> None:
        """Open the connection. Raises OSError."""
        if path is None:
            parts = urlsplit(f"//{host}")
            address = (parts.hostname or "", parts.port or _PORT)
            self._socket = socket.create_connection(address, timeout_s)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout_s)
        try:
            # Jailed programs can write to the socket's folder, and could replace the socket by a
            # link. With O_NOFOLLOW the link itself is opened; it is no socket, so this fails.
            descriptor = os.open(path, os.O_PATH | os.O_NOFOLLOW)
            try:
                self._socket.connect(f"/proc/self/fd/{descriptor}")
            finally:
                os.close(descriptor)
        except OSError:
            self._socket.close()
            raise

    def exchange(self, method: str, request: bytes, deadline: Deadline) -> _Answer:
        """Send a request; wait for its answer and return it.

        Raises OSError or HttpParserError, and closes the connection before.
        """
        answer = _Answer(method)
        try:
            self._socket.sendall(request)
            while not answer.whole:
                answer.take(self._receive(deadline))
        except (OSError, HttpParserError):
            self.close()
            raise
        return answer

    def _receive(self, deadline: Deadline) -> bytes:
        """Return the next piece; wait until the socket's timeout, or the deadline if it is later.

        Raises TimeoutError.
        """
        try:
            return self._socket.recv(_PIECE)
        except TimeoutError:
            if (remaining_s := deadline.compute_left_s()) <= 0:
                raise
        ready, _, _ = select.select([self._socket], [], [], remaining_s)
        return self._socket.recv(_PIECE) if ready else self._receive(deadline)

    def is_stale(self) -> bool:
        """Return true if the other side has closed this idle connection, or sent bytes unasked."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def close(self) -> None:
        self._socket.close()


class Connections:
    """Connections that stay open for the next request. Safe to use from several threads."""

    def __init__(
        self, path: Path | None, timeout_s: float, waited_s: Callable[[], float] = lambda: 0.0
    ) -> None:
        """Begin without a connection.

        ``path`` is the Unix socket, or None for TCP. ``timeout_s`` limits each wait for an answer.
        ``waited_s`` returns the seconds that the other side has waited for a processor so far; this
        time does not count.
        """
        self._path = path
        self._timeout_s = timeout_s
        self._waited_s = waited_s
        self._lock = threading.Lock()
        self._idle: dict[str, list[_Connection]] = {}

    def send_request(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; return the answer's status, headers (names in lower case) and body.

        Redirects are not followed. Raises NoAnswerError or UnreachableError, also for an invalid
        address, and ValueError for a header with a line break.
        """
        parts = urlsplit(url)
        host = parts.netloc
        target = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
        if not _TARGET.fullmatch(target + host):
            raise UnreachableError(f"there is no way to ask for {target!r} of {host!r}")
        sent = {"host": host, **headers}
        if body is not None or method in _HAVE_BODIES:
            sent["content-length"] = str(len(body or b""))
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {text}" for name, text in sent.items())]
        if wrong := next(filter(_LINE_BREAK.search, lines), None):
            raise ValueError(f"a header of several lines: {wrong!r}")
        request = "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")
        try:
            connection = self._take(host)
            deadline = Deadline(self._timeout_s, self._waited_s)
            answer = connection.exchange(method, request, deadline)
        except TimeoutError as error:
            raise NoAnswerError("the deployment does not answer: it took too long") from error
        except (OSError, HttpParserError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise UnreachableError(f"the deployment does not answer: {reason}") from error
        if answer.keeps:
            with self._lock:
                self._idle.setdefault(self._get_key(host), []).append(connection)
        else:
            connection.close()
        return answer.status, answer.headers, answer.body

    def close(self) -> None:
        """Close all idle connections."""
        with self._lock:
            connections = [connection for idle in self._idle.values() for connection in idle]
            self._idle.clear()
        for connection in connections:
            connection.close()

    def _take(self, host: str) -> _Connection:
        with self._lock:
            idle = self._idle.get(self._get_key(host), [])
            while idle:
                connection = idle.pop()
                if not connection.is_stale():
                    return connection
                connection.close()
        return _Connection(host, self._path, self._timeout_s)

    def _get_key(self, host: str) -> str:
        # Over a Unix socket the same server answers for all hosts.
        return "" if self._path else host
