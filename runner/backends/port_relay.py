"""A Unix socket whose connections go on to a port of this machine.

A jail has no network, so a grader in a jail reaches a backend on a port by such a socket.
"""

import shutil
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingUnixStreamServer

_CHUNK = 1 << 16


class PortRelay:
    """A relay to a port on the loopback of this machine, until it is closed."""

    def __init__(self, port: int) -> None:
        """Listen at a new socket, whose path is short as paths of sockets must be."""
        self._folder = Path(tempfile.mkdtemp(prefix="relay-"))
        self._folder.chmod(0o755)
        self.path = self._folder / "port.sock"
        self._server = _RelayServer(self.path, port)
        # In a jail the user id is not ours.
        self.path.chmod(0o777)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Accept no further connection, and remove the socket."""
        self._server.shutdown()
        self._server.server_close()
        shutil.rmtree(self._folder, ignore_errors=True)


class _RelayServer(ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, path: Path, port: int) -> None:
        self.port = port
        super().__init__(str(path), _RelayedConnection)


class _RelayedConnection(BaseRequestHandler):
    def handle(self) -> None:
        if not isinstance(self.server, _RelayServer):
            return
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.server.port)) as port:
            back = threading.Thread(target=_pass_on, args=(port, self.request), daemon=True)
            back.start()
            _pass_on(self.request, port)
            back.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    """Send all bytes of one connection to the other, and end it as the first one ends."""
    with suppress(OSError):
        while chunk := source.recv(_CHUNK):
            target.sendall(chunk)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
