"""The site of a seeded corpus beside the published records, built once and served."""

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from generator.build import Sources, build
from records.folder import DataFolder
from tests.site.corpus import Names, write_corpus

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """A built site."""

    folder: Path
    names: Names


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """Build the published records together with the seeded corpus."""
    place = tmp_path_factory.mktemp("site")
    data = DataFolder(place / "data")
    shutil.copytree(ROOT / "data", data.root, ignore=shutil.ignore_patterns("local"))
    names = write_corpus(data)
    sources = Sources(
        data, ROOT / "site_templates", ROOT / "evals", local=False, method=ROOT / "docs/method.md"
    )
    build(sources, place / "site")
    return BuiltSite(place / "site", names)


@pytest.fixture(scope="session")
def address(site: BuiltSite) -> Iterator[str]:
    """Serve the site on this machine; the address ends in a slash."""
    handler = functools.partial(_Quiet, directory=str(site.folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files with the policy that the site is published under, and logs nothing."""

    def end_headers(self) -> None:
        policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        self.send_header("Content-Security-Policy", policy)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""
