"""From an attempt on the served site to its session at the desk."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from leaderboard.preview.links import with_review_links
from tests.leaderboard.commanding import run_on_data, serve_provider
from tests.leaderboard.commands.test_serve import make_bare_project, serve_project
from tests.site.watching import open_window
from tests.support.warm_command import ROOT

pytestmark = pytest.mark.integration

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
    with serve_provider(
        tmp_path / "provider", {"default": {"text": "Prose, no files."}}
    ) as address:
        options = ("-m", "openai/small", "--api-base", address, "-f", "000-dome_functions")
        run_on_data(data, "run", *options)
    (record,) = (data / "local" / "runs").rglob("*.json")
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
