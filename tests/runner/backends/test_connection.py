"""The HTTP of deployments, correct or broken."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.backends import connection
from runner.backends.connection import Connections, NoAnswerError, UnreachableError

pytestmark = pytest.mark.integration

URL = "http://deployment.test/a?b=c"
TOLD = b"HTTP/1.1 200 OK\r\nX-One: 1\r\nx-one: 2\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
UNTIL_CLOSED = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"
INFORMED = b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + TOLD


@dataclass
class Server:
    """Answers each connection with pieces of bytes, then closes it if ``closes`` is set."""

    path: Path
    pieces: list[bytes] = field(default_factory=list[bytes])
    closes: bool = False
    connections: int = 0
    asked: list[bytes] = field(default_factory=list[bytes])
    closed: threading.Event = field(default_factory=threading.Event)
    """An event that is set when a connection was closed."""

    def serve(self, listening: socket.socket) -> None:
        """Take connections until the socket is closed."""
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                self._answer(connection)
            self.closed.set()

    def _answer(self, connection: socket.socket) -> None:
        try:
            while request := connection.recv(65_536):
                self.asked.append(request)
                for piece in self.pieces:
                    connection.sendall(piece)
                if self.closes:
                    return
        except OSError:
            return


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a Unix socket."""
    server = Server(tmp_path_factory.mktemp("server") / "socket")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(server.path))
        listening.listen()
        thread = threading.Thread(target=server.serve, args=(listening,))
        thread.start()
        yield server
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()


def send_requests(
    server: Server, *pieces: bytes, closes: bool = False, method: str = "GET", times: int = 1
) -> list[tuple[int, dict[str, str], bytes]]:
    """Ask a server with these answers, ``times`` times."""
    server.pieces, server.closes, server.connections = list(pieces), closes, 0
    server.asked.clear()
    connections = Connections(server.path, timeout_s=2)
    try:
        return [connections.send_request(method, URL, None, {}) for _ in range(times)]
    finally:
        connections.close()


@given(
    answer=st.sampled_from([TOLD, CHUNKED, UNTIL_CLOSED, INFORMED]),
    cuts=st.lists(st.integers(1, 90), max_size=5),
)
def test_an_answer_may_come_in_any_pieces(server: Server, answer: bytes, cuts: list[int]) -> None:
    """An answer is the same with a length, in chunks, up to the end, or after an interim answer."""
    positions = sorted({0, *(cut for cut in cuts if cut < len(answer)), len(answer)})
    pieces = [answer[i:j] for i, j in pairwise(positions)]
    [(status, headers, body)] = send_requests(server, *pieces, closes=answer == UNTIL_CLOSED)
    assert (status, body) == (200, b"hello")
    assert "link" not in headers


def test_headers_of_one_name_are_joined(server: Server) -> None:
    """Names are in lower case, values in the order they came."""
    [(_, headers, _)] = send_requests(server, TOLD)
    assert headers == {"x-one": "1, 2", "content-length": "5"}


def test_a_connection_is_kept_for_the_next_request(server: Server) -> None:
    """One connection serves several requests, each with host and target."""
    send_requests(server, TOLD, times=3)
    assert server.connections == 1
    assert server.asked[0] == b"GET /a?b=c HTTP/1.1\r\nhost: deployment.test\r\n\r\n"


def test_a_connection_that_the_other_side_closed_is_replaced(server: Server) -> None:
    """The connection is replaced also where its end was not announced."""
    server.pieces, server.closes, server.connections = [TOLD], True, 0
    connections = Connections(server.path, timeout_s=2)
    for _ in range(2):
        server.closed.clear()
        assert connections.send_request("GET", URL, None, {})[-1] == b"hello"
        assert server.closed.wait(60)
    connections.close()
    assert server.connections == 2


@pytest.mark.parametrize("more", [b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", b"garbage"])
def test_text_after_an_answer_is_nobodys(server: Server, more: bytes) -> None:
    """Extra bytes after an answer do not count as the answer to the next request."""
    answers = send_requests(server, TOLD + more, times=2)
    assert [body for *_, body in answers] == [b"hello"] * 2


def test_an_answer_to_head_has_no_body(server: Server) -> None:
    """The length in the answer is the length of the body for GET."""
    [(_, headers, body)] = send_requests(
        server, b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", method="HEAD"
    )
    assert (headers["content-length"], body) == ("5", b"")


def test_an_answer_without_end_is_not_waited_for(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer larger than any honest answer breaks off."""
    monkeypatch.setattr(connection, "_LARGEST", 4)
    with pytest.raises(UnreachableError, match="larger than 4 bytes"):
        send_requests(server, TOLD)


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_a_body_must_be_empty_where_one_is_expected(server: Server, method: str) -> None:
    """An empty POST declares its length."""
    send_requests(server, TOLD, method=method)
    assert (b"content-length: 0" in server.asked[0]) == (method == "POST")


@pytest.mark.parametrize(
    "answer",
    [TOLD[:-1], CHUNKED[:-5], TOLD[:30], b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 abc OK\r\n\r\n"],
)
def test_a_partial_answer_is_an_error(server: Server, answer: bytes) -> None:
    """A deployment that breaks off, or speaks another protocol, is out of order."""
    with pytest.raises(UnreachableError):
        send_requests(server, answer, closes=True)


def test_silence_is_waited_for_so_long(server: Server) -> None:
    """An answer that stops in the middle ends at the time limit, too."""
    with pytest.raises(NoAnswerError):
        send_requests(server, TOLD[:-1])


def test_nobody_there(tmp_path: Path) -> None:
    """A socket without a server cannot be reached, nor can a link in its place."""
    (tmp_path / "link").symlink_to(tmp_path / "socket")
    for name in ("socket", "link"):
        with pytest.raises(UnreachableError):
            Connections(tmp_path / name, timeout_s=2).send_request("GET", URL, None, {})


@pytest.mark.parametrize("target", ["/a b", "/ä", "/a\x7f"])
def test_addresses_that_cannot_be_asked(server: Server, target: str) -> None:
    """Characters that would end the request's line early are never sent."""
    connections = Connections(server.path, timeout_s=2)
    with pytest.raises(UnreachableError, match="there is no way to ask"):
        connections.send_request("GET", f"http://deployment.test{target}", None, {})


@pytest.mark.parametrize("header", [("x", "a\r\nb: c"), ("x\n", "a"), ("x", "a\0")])
def test_a_header_is_one_line(server: Server, header: tuple[str, str]) -> None:
    """A grader that sends several lines gets an error."""
    connections = Connections(server.path, timeout_s=2)
    with pytest.raises(ValueError, match="several lines"):
        connections.send_request("GET", URL, None, dict([header]))
