"""Servers of plain HTTP on loopback, for answers that no ASGI server would give."""

from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class SilentHandler(BaseHTTPRequestHandler):
    """A handler of requests that prints no log."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Print nothing."""

    def send_content(
        self, content: bytes, status: int = 200, kind: str = "application/json", **more: str
    ) -> None:
        """Send a whole answer; ``more`` are headers, with underscores for hyphens."""
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(content)), **more}
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serve_handler(handler: type[BaseHTTPRequestHandler]) -> Generator[str]:
    """Serve a handler in a thread; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
