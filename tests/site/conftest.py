"""The site of a seeded corpus beside the published records, built once and served."""

import functools
import http.server
import shutil
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

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


@functools.cache
def _header_rules() -> tuple[tuple[str, dict[str, str]], ...]:
    rules = tomllib.loads((ROOT / "netlify.toml").read_text())["headers"]
    return tuple((rule["for"], rule["values"]) for rule in rules)


def published_headers(path: str) -> dict[str, str]:
    """Return the headers that netlify.toml gives a path; later rules win."""
    found: dict[str, str] = {}
    for pattern, values in _header_rules():
        if path.startswith(pattern.rstrip("*")):
            found |= values
    return found


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files with the headers that the site is published under, and logs nothing."""

    def end_headers(self) -> None:
        for name, value in published_headers(self.path).items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium."""
    if not Path("/usr/bin/chromium").exists():
        pytest.skip("needs Chromium: scripts/system-packages chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=_ARGUMENTS)
        yield browser
        browser.close()


def kinds(site: BuiltSite) -> dict[str, str]:
    """Return a page of every kind, by name."""
    names = site.names
    version = "benchmarks/feedfacecafe/"
    return {
        "front": "",
        "with": "with-guidelines/",
        "without": "without-guidelines/",
        "version": version,
        "category": "categories/002-queries/",
        "version-category": f"{version}categories/002-queries/",
        "guidelines": "guidelines/",
        "version-guidelines": f"{version}guidelines/",
        "matrix": "matrix/",
        "version-matrix": f"{version}matrix/",
        "compare": "compare/",
        "compare-chosen": "compare/?models=openai/gpt-5.2-codex,openai/gpt-5.3-codex",
        "evals": "evals/",
        "eval": names.eval,
        "model": "models/google/gemini-3-flash-preview/",
        "hostile-model": "models/maker1/model-1/",
        "own-model": names.model,
        "run": "runs/jn7fgntkq2361jyv9dm924012s81x8gp/",
        "own-run": names.run,
        "attempt": names.attempt,
        "reports": "reports/",
        "report": names.report,
        "archive": "benchmarks/",
        "changes": "changes/",
        "about": "about/",
        "missing": "404.html",
    }
