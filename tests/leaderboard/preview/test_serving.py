"""Pages of a preview: the pages of the site, for this machine alone, under its policy."""

import socket
import tomllib
from pathlib import Path

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from leaderboard.preview.links import find_redirect
from leaderboard.preview.server import POLICY
from tests.leaderboard.preview.previewing import (
    ROOT,
)

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
