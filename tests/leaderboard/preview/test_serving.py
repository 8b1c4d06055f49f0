"""Pages of a preview: for this machine alone, before the first build, with links to the desk."""

import shutil
import socket
import tomllib
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser

from leaderboard.preview.links import find_redirect, with_review_links
from leaderboard.preview.server import POLICY
from tests.leaderboard.commanding import record_prose_run
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
