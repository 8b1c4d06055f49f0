"""Serves a built site on this machine as the published site: netlify.toml's headers, compressed."""

import functools
import gzip
import http.server
import threading
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from leaderboard.preview.links import find_redirect
from tests.site.example_site import ROOT


@contextmanager
def serve_folder(folder: Path, *, follows_rules: bool = True) -> Generator[str]:
    """Serve ``folder`` on a free port; yield the address, which ends in a slash.

    A host that does not follow the rules of `_redirects` serves the page for missing addresses.
    """
    kind = _Published if follows_rules else _PublishedWithoutRules
    handler = functools.partial(kind, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@functools.cache
def _read_header_rules() -> tuple[tuple[str, dict[str, str]], ...]:
    rules = tomllib.loads((ROOT / "netlify.toml").read_text())["headers"]
    return tuple((rule["for"], rule["values"]) for rule in rules)


def find_published_headers(path: str) -> dict[str, str]:
    """Return the headers that netlify.toml gives a path; later rules win."""
    headers: dict[str, str] = {}
    for pattern, values in _read_header_rules():
        if path.startswith(pattern.rstrip("*")):
            headers |= values
    return headers


class _Published(http.server.SimpleHTTPRequestHandler):
    """Serves files with the published headers and the 404 page, and logs nothing."""

    protocol_version = "HTTP/1.1"
    follows_rules = True

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        status = HTTPStatus.OK
        if path.is_dir():
            path = path / "index.html"
        moved = None
        if self.follows_rules and not path.is_file():
            moved = find_redirect(Path(self.directory), self.path)
        if moved is not None:
            self.send_response(moved[1])
            self.send_header("Location", moved[0])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if not path.is_file():
            path, status = Path(self.directory) / "404.html", HTTPStatus.NOT_FOUND
        self._send(path, status)

    def _send(self, path: Path, status: HTTPStatus) -> None:
        content = path.read_bytes()
        packed = "gzip" in self.headers.get("Accept-Encoding", "") and path.suffix != ".png"
        if packed:
            content = gzip.compress(content, 6, mtime=0)
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(len(content)))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        for name, value in find_published_headers(self.path).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Write no log."""


class _PublishedWithoutRules(_Published):
    """Serves files as a host that does not know `_redirects`."""

    follows_rules = False
