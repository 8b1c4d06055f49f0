"""Hostile texts of models, logs and reports: on a page they are text."""

from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from tests.site.corpus import VERSION
from tests.site.example_site import BuiltSite
from tests.site.watching import open_watched_page, open_window, resize_window

pytestmark = pytest.mark.integration

_ACTIVE = (
    "main script, main img, main iframe, main object, main embed, main form, main style,"
    " main link, main meta, main base, [onclick], [onerror], [onload]"
)

_TOO_WIDE = """[...document.querySelectorAll('.wide')]
    .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)"""


class Drawn(NamedTuple):
    """The complaints about pages with hostile texts, on a phone and on a desk."""

    phone: list[str]
    desk: list[str]


@pytest.fixture(scope="module")
def drawn(browser: Browser, site: BuiltSite, address: str) -> Drawn:
    """The pages, each loaded once."""
    drawn = Drawn([], [])
    window = open_window(browser, 390, "light")
    page = open_watched_page(window, drawn.phone)
    for path in _list_pages(site):
        page.set_viewport_size({"width": 390, "height": 900})
        page.goto(address + path)
        drawn.phone.extend(f"{path}: {complaint}" for complaint in _list_complaints(page))
        resize_window(page, 1280)
        drawn.desk.extend(f"{path}: {complaint}" for complaint in page.evaluate(_TOO_WIDE))
    window.close()
    return drawn


def test_nothing_hostile_runs_or_hides_or_breaks_the_layout(drawn: Drawn) -> None:
    """On a phone too: no script, no dialog, no broken policy, no page wider than its window.

    The corpus puts markup, templates, marks that turn text around, NULs and 10 MB of log into
    names of models, providers, files and tests, and into parameters, answers, logs, faults and
    reports.
    """
    assert drawn.phone == []


def test_no_name_pushes_its_neighbour_out_of_sight(drawn: Drawn) -> None:
    """Every table fits its window on a desk."""
    assert drawn.desk == []


def test_hostile_text_is_shown_as_it_is(page: Page, site: BuiltSite, address: str) -> None:
    """An attempt's page shows the names of a file and of a test with all their characters."""
    page.goto(address + site.names.attempt)
    for role in ("reply", "Log of tests"):
        page.locator("summary", has_text=role).click()
    text = page.inner_text("main")
    assert "the archive of the run has them" in text
    assert "convex/<img src=x onerror=alert(1)>{{ 7*7 }}⟦U+202E⟧st.js" in text
    assert "test_\"><b onclick=alert(1)>{{ 7*7 }}⟦U+202E⟧['&]" in text
    assert "⟦U+0000⟧⟦U+001B⟧[31m" in text
    whole = page.get_by_role("link", name="the whole text").get_attribute("href")
    assert whole
    reply = page.request.get(page.evaluate("(href) => new URL(href, location).href", whole))
    assert reply.headers["content-type"].startswith("text/plain")
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert len(reply.body()) > 10_000_000
    assert len(page.content()) < 500_000


def _list_pages(site: BuiltSite) -> list[str]:
    names = site.names
    version = f"benchmarks/{VERSION}/"
    below = ("", "categories/002-queries/", "matrix/", "compare/", "guidelines/")
    return [
        *(version + path for path in below),
        *(names.model, names.run, names.attempt, names.attempts, names.report, names.eval),
        *("models/maker1/model-1/", "runs/0010" + "a" * 28 + "/", "reports/", "changes/"),
        *("runs/" + "w" * 32 + "/", site.names.broken),
    ]


def _list_complaints(page: Page) -> list[str]:
    complaints: list[str] = []
    if "{{ 7*7 }}" not in page.content():
        complaints.append("holds nothing hostile, so it shows nothing")
    if page.title().startswith("owned"):
        complaints.append("a script ran")
    if "\u202e" in page.content() or "\0" in page.content():
        complaints.append("text can turn around or hide")
    complaints += [f"{page.locator(_ACTIVE).count()} active elements"] * bool(
        page.locator(_ACTIVE).count()
    )
    links: list[str] = page.evaluate("[...document.links].map((one) => one.protocol)")
    complaints += [f"a link to {scheme}" for scheme in sorted({*links} - {"http:", "https:"})]
    beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [*complaints, f"{beyond} px too wide"] if beyond > 0 else complaints
