"""Pairs of answers at the desk in a real browser: judged by keys, and accessible."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from review.comparisons import ComparisonStore
from review.store import SessionStore
from tests.review.desk.browsed_desk import press
from tests.review.desk.judged_pairs import (
    MADE,
    ONE,
    PLACE,
    THREE,
    TWO,
    judge_all,
    list_model_pairs,
    store_beside,
)
from tests.review.desk.looks import LOOKS, Look, name_look, open_look

pytestmark = pytest.mark.integration


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """A store without sessions, beside a comparison in which a model answered once."""
    return store_beside(tmp_path / "data", MADE)


def test_keys_judge_every_pair(page: Page, address: str, store: SessionStore) -> None:
    """A, B and E judge, u takes back; after the last pair the list offers the results."""
    page.goto(f"{address}{PLACE}/next")
    press(page, "e")
    press(page, "k")
    expect(page.locator("[aria-pressed=true]")).to_have_attribute("value", "equal")
    press(page, "u")
    expect(page.locator("[aria-pressed=true]")).to_have_count(0)
    for key in "abeAbe":
        press(page, key)
    expect(page).to_have_url(re.compile("/comparisons$"))
    expect(page.locator("tbody tr td").last).to_have_text("Results")
    log = ComparisonStore(store.folder.local).read_log(MADE.comparison_id)
    assert len([event for event in log if event.undoes is None]) == 7
    assert len(log) == 8


@pytest.mark.parametrize("look", LOOKS, ids=name_look)
def test_axe_finds_nothing_and_every_page_fits(browser: Browser, address: str, look: Look) -> None:
    """The list, a pair folded and unfolded, and results are checked like the desk's other pages."""
    with open_look(browser, look) as looked:
        page = looked.page
        page.goto(f"{address}comparisons")
        looked.examine("comparisons")
        page.goto(f"{address}{PLACE}/{list_model_pairs(MADE)[0].number}")
        looked.examine("pair")
        page.locator("summary").first.click()
        page.keyboard.press("?")
        looked.examine("pair-keys")
        with httpx.Client(base_url=address) as client:
            judge_all(client)
        for path in ("comparisons", f"{PLACE}/results"):
            page.goto(f"{address}{path}")
            looked.examine(f"{path.rpartition('/')[2]}-judged")
        expect(page.locator("tbody th")).to_have_text([ONE, TWO, THREE])
