"""Pages of a preview: for this machine alone, before the first build, with links to the desk."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser

from leaderboard.preview.links import find_redirect, with_review_links
from leaderboard.preview.server import POLICY
from tests.leaderboard.commanding import PATIENCE_S, record_prose_run
from tests.leaderboard.commands.test_serve import make_bare_project, serve_project
from tests.site.watching import open_window
from tests.support.warm_command import ROOT

pytestmark = pytest.mark.integration


def _parse_address(address: str) -> tuple[str, int]:
    """Return host and port of an address."""
    url = httpx.URL(address)
    assert url.port is not None
    return url.host, url.port


def test_pages_are_served_with_the_reload_script(unchanged_address: str) -> None:
    """The script is added while serving; files on the disk do not have it."""
    page = httpx.get(f"{unchanged_address}/")
    assert page.status_code == 200
    assert "/__preview/client.js" in page.text
    assert httpx.get(f"{unchanged_address}/__preview/client.js").status_code == 200


def test_an_address_without_a_page_leads_back_to_the_site(unchanged_address: str) -> None:
    """A missing page is the 404 page of the site, and reloads when the page is built."""
    missing = httpx.get(f"{unchanged_address}/models/nobody/nothing/")
    assert missing.status_code == 404
    page = LexborHTMLParser(missing.text)
    assert page.css_matches('main a[href="/"]')
    assert page.css_matches('script[src="/__preview/client.js"]')


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("runs/gone/000-a/000-b/", "/runs/gone/"),
        ("evals/000-fundamentals/", "/evals/"),
        ("runs/", "/changes/"),
    ],
)
def test_an_address_that_moved_leads_to_its_page(
    old: str, new: str, unchanged_address: str
) -> None:
    """The preview follows the rules that Netlify gets: an attempt without a page is its run's."""
    answer = httpx.get(f"{unchanged_address}/{old}")
    assert (answer.status_code, answer.headers["location"]) == (302, new)


def test_a_redirect_never_leads_to_another_host(tmp_path: Path) -> None:
    """An asterisk may stand for an address that begins with slashes."""
    (tmp_path / "_redirects").write_text("/old/* /:splat 302\n")
    assert find_redirect(tmp_path, "/old//evil.example/") == ("/evil.example/", 302)
    assert find_redirect(tmp_path, "/new/") is None
    assert find_redirect(tmp_path / "nowhere", "/old/") is None


def test_nothing_outside_the_site_is_served(unchanged_address: str) -> None:
    """A path that climbs out of the site is not found."""
    with socket.create_connection(_parse_address(unchanged_address)) as raw:
        raw.sendall(
            b"GET /../data/models.toml HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        answer = raw.recv(1 << 16)
    assert b" 404 " in answer.split(b"\r\n")[0]


@pytest.mark.parametrize("path", ["%00", "a" * 5000])
def test_an_address_that_is_no_file_is_not_found(unchanged_address: str, path: str) -> None:
    """An odd address is the visitor's mistake, not the preview's."""
    assert httpx.get(f"{unchanged_address}/{path}").status_code == 404


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost", 200),
        ("[::1]:8000", 200),
        ("192.168.1.7:8000", 200),
        ("leaderboard.example", 421),
        ("127.0.0.1.leaderboard.example:8000", 421),
    ],
)
def test_only_requests_for_this_machine_are_answered(
    host: str, status: int, unchanged_address: str
) -> None:
    """Another site can give this machine a name, and would read pages of it."""
    answer = httpx.get(f"{unchanged_address}/", headers={"Host": host})
    assert answer.status_code == status
    assert ("<title>" in answer.text) is (status == 200)


def test_pages_come_with_the_policy_of_the_published_site(unchanged_address: str) -> None:
    """The author sees a page that the policy forbids before it is published."""
    published = tomllib.loads((ROOT / "netlify.toml").read_text())["headers"][0]["values"]
    assert published["Content-Security-Policy"] == POLICY
    for path in ("/", "/nowhere", "/__preview/client.js"):
        assert httpx.get(f"{unchanged_address}{path}").headers["Content-Security-Policy"] == POLICY


_BUILDING = """
import signal, socket, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # not ignored
from leaderboard.preview.waiting_page import serve_waiting_page

with socket.create_server(("127.0.0.1", 0)) as listening:
    with serve_waiting_page(listening, "desk.example"):
        print(listening.getsockname()[1], flush=True)
        sys.stdin.readline()
    listening.setblocking(True)
    print("built", flush=True)
    connection, _ = listening.accept()
    with connection:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\\r\\ncontent-length: 4\\r\\n\\r\\nsite")
"""


@contextmanager
def start_building() -> Generator[tuple[subprocess.Popen[str], str]]:
    """Yield a process that builds for as long as it gets no line, and its address."""
    with subprocess.Popen(
        [sys.executable, "-c", _BUILDING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process, f"http://127.0.0.1:{process.stdout.readline().strip()}"
        if process.poll() is None:
            process.kill()


def test_every_address_has_a_page_that_asks_again_until_the_site_is_built() -> None:
    """The page comes at once with 503; the site answers the first request after the build."""
    with start_building() as (process, address):
        for path in ("/", "/models/x/?only=a", "/api/runs"):
            answer = httpx.get(f"{address}{path}", timeout=PATIENCE_S)
            assert answer.status_code == 503
            assert '<meta http-equiv="refresh" content="1">' in answer.text
            assert "Building the site" in answer.text
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "built\n"
        assert httpx.get(address, timeout=PATIENCE_S).text == "site"


def test_a_form_that_comes_too_early_learns_that_nothing_was_saved() -> None:
    """A reload would lose the form; the browser goes back to it."""
    with start_building() as (_, address):
        answer = httpx.post(f"{address}/review/", data={"note": "long"}, timeout=PATIENCE_S)
        assert (answer.status_code, "refresh" in answer.text) == (503, False)
        assert "nothing was saved" in answer.text


def test_only_requests_for_this_machine_see_that_something_is_built() -> None:
    """A page of another site cannot read it through a name of its own."""
    with start_building() as (_, address):
        refused = httpx.get(address, headers={"Host": "elsewhere.example"}, timeout=PATIENCE_S)
        assert refused.status_code == 421


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_the_waiting_page_ends_with_the_build(sent: signal.Signals) -> None:
    """After any end of the build, nobody listens at its port."""
    with start_building() as (process, address):
        assert httpx.get(address, timeout=PATIENCE_S).status_code == 503
        os.kill(process.pid, sent)
        process.wait(timeout=PATIENCE_S)
        until = time.monotonic() + PATIENCE_S
        with suppress(httpx.TransportError):
            # The process that served it gets the end a moment later.
            while time.monotonic() < until:
                httpx.get(address, timeout=PATIENCE_S)
            pytest.fail("the waiting page is served on")


PAGE = b"""<main><details><div id="002-list/"><p>verdict</p></div></details>
<details><div id="002-list/3/"><pre>&lt;div id="009-model/"&gt;</pre></div></details></main>"""


@pytest.mark.parametrize("page", ["", "002-list/3/"])
def test_each_attempt_has_a_link_to_its_session(page: str) -> None:
    """The link is where the attempt begins, with the number of the sample; a text gets none."""
    path = f"runs/4p2bzjf5m6urabcd/001-queries/{page}index.html"
    linked = with_review_links(path, PAGE)
    address = b'<p><a class="tag" href="/review/attempts/4p2bzjf5m6urabcd/001-queries/002-list/'
    assert b'<div id="002-list/">' + address + b'1"' in linked
    assert b'<div id="002-list/3/">' + address + b'3"' in linked
    assert linked.count(address) == 2


@pytest.mark.parametrize(
    "path",
    [
        "index.html",
        "runs/4p2bzjf5m6urabcd/index.html",
        "evals/001-queries/002-list/index.html",
        'runs/4p2bzjf5m6urabcd/001-"><script>/002-list/index.html',
    ],
)
def test_other_pages_have_none(path: str) -> None:
    """Other pages are served as they are built."""
    assert with_review_links(path, PAGE) == PAGE


@pytest.mark.more
def test_an_attempt_is_judged_from_its_page(browser: Browser, tmp_path: Path) -> None:
    """The page of an attempt leads to the desk, which makes the session and shows the answer."""
    project = make_bare_project(tmp_path / "project")
    data = project.root / "data"
    category = "000-fundamentals"
    shutil.copy(ROOT / "evals" / "guidelines.md", project.root / "evals")
    shutil.copytree(
        ROOT / "evals" / category / "000-dome_functions",
        project.root / "evals" / category / "000-dome_functions",
    )
    record = record_prose_run(data, tmp_path / "provider")
    page = open_window(browser, 1280).new_page()
    with serve_project(project) as (site, _):
        page.goto(f"{site}/runs/{record.stem}/")
        page.locator("table a[href*='dome']").first.click()
        page.get_by_role("link", name="Review this attempt").click()
        page.get_by_role("button", name="Make sessions").click()
        expect(page.locator("#answer")).to_contain_text("Prose, no files.")
        page.keyboard.press("3")
        expect(page.get_by_role("heading", level=1)).to_have_text("Nothing is left to judge")
        page.goto(f"{site}/runs/{record.stem}/")
        page.locator("table a[href*='dome']").first.click()
        page.get_by_role("link", name="Review this attempt").click()
        expect(page.locator("[aria-pressed=true]")).to_have_attribute("value", "incorrect")
    page.context.close()
