"""Accessibility of pages, and the limits of a published page: axe-core, the CSP, headers."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import (  # pyright: ignore[reportMissingTypeStubs]
    Axe,
)
from playwright.sync_api import Browser, Page

from tests.site.example_site import BuiltSite, kinds
from tests.site.serving import published_headers

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("look", "part"),
    [
        ((390, "light"), slice(0, None, 2)),
        ((1280, "dark"), slice(1, None, 2)),
        *(
            pytest.param((width, scheme), slice(None), marks=pytest.mark.night)
            for width in (390, 1280)
            for scheme in ("light", "dark")
        ),
    ],
)
def test_axe_finds_nothing_on_any_page_kind(
    browser: Browser, site: BuiltSite, address: str, look: tuple[int, str], part: slice
) -> None:
    """No violation of axe-core's rules, in either scheme, on a phone and on a desk.

    For a change each kind is examined once, on a phone or on a desk; at night in every way.
    The size of controls is checked, too, 24 by 24 px or as far from their neighbours (WCAG 2.5.8),
    which axe-core leaves out by itself.
    """
    width, scheme = look
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,  # axe is injected by the test; the policy is tested below
    )
    page = context.new_page()
    violations = [
        f"{name}: {violation}"
        for name, path in [*kinds(site).items()][part]
        for violation in _violations(page, address + path)
    ]
    context.close()
    assert violations == []


def _violations(page: Page, address: str) -> Iterator[str]:
    page.goto(address)
    axe: Any = Axe()  # the package has no types
    rules = {"target-size": {"enabled": True}}
    results = axe.run(page, options={"rules": rules, "resultTypes": ["violations"]})
    for violation in results.response["violations"]:
        node = violation["nodes"][0]
        yield f"{violation['id']}: {node['target']} {node['failureSummary']}"


@pytest.mark.integration(reason="every page kind is loaded until the network is idle")
def test_pages_obey_the_published_policy_and_ask_no_other_host(
    browser: Browser, site: BuiltSite, address: str
) -> None:
    """Under netlify.toml's headers no page kind breaks the policy, logs, or calls another host."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith(address) else wrong.append(f"asked {request.url}")
        ),
    )
    for path in kinds(site).values():
        page.goto(address + path, wait_until="networkidle")
    context.close()
    assert wrong == []


def test_headers_are_strict_and_only_hashed_files_are_kept_for_ever() -> None:
    """The policy allows no inline code; files with a hash in their name are cached for a year."""
    page, asset = published_headers("/"), published_headers("/assets/site.0123456789.css")
    policy = page["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page["X-Content-Type-Options"] == "nosniff"
    assert "max-age=63072000" in page["Strict-Transport-Security"]
    assert {"Referrer-Policy", "Permissions-Policy"} <= page.keys()
    assert "must-revalidate" in page["Cache-Control"]
    assert "immutable" in asset["Cache-Control"]
    assert asset["Content-Security-Policy"] == policy


def test_the_front_page_is_light(site: BuiltSite) -> None:
    """A page asks for nothing but a style sheet, the search and the script of tables."""
    html = (site.folder / "index.html").read_text()
    assert html.count('<link rel="stylesheet"') == 1
    assert html.count("<script") == 2
