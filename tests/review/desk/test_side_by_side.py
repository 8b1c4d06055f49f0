"""Pairs of answers in the desk: no names, judged by forms and keys, undone, hostile texts shown."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from selectolax.lexbor import LexborHTMLParser

from generator.scores.intervals import compute_session_interval
from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from review.comparisons import ComparisonStore, list_answered_pairs, make_comparison_rows
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
    post_choice,
    store_beside,
)
from tests.review.desk.looks import LOOKS, Look, name_look, open_look
from tests.site.test_links import list_complaints

pytestmark = pytest.mark.unit


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """A store without sessions, beside a comparison in which a model answered once."""
    return store_beside(tmp_path / "data", MADE)


def _list_choices(data: DataFolder) -> list[str | None]:
    events = ComparisonStore(data.local).read_log(MADE.comparison_id)
    preferences = [
        row.preferred for row in make_comparison_rows(MADE, events, compute_session_interval)
    ]
    return [row and f"{row.wins}-{row.losses}-{row.equal}" for row in preferences[:2]]


def test_a_pair_is_shown_without_names(client: httpx.Client) -> None:
    """No page and no address has names; each side is that of the seed."""
    for pair in list_answered_pairs(MADE):
        page = client.get(f"{PLACE}/{pair.number}").raise_for_status()
        assert "secret" not in page.text
        tree = LexborHTMLParser(page.text)
        sides = [element.text() for element in tree.css(".two .answer")]
        words = {ONE: "Fern", TWO: "Moss", THREE: "Lichen"}
        assert [words[slug] in text for slug, text in zip(pair.sides, sides, strict=True)] == [
            True,
            True,
        ]
        (request,) = tree.css(".said.user .text")
        assert request.text().startswith("Question")
        assert tree.css(".two script, .two img, .two iframe, .two style") == []
    assert "secret" not in client.get("comparisons").raise_for_status().text


def test_a_form_judges_and_leads_on(client: httpx.Client, store: SessionStore) -> None:
    """A side is written as its model; the next page is the next pair."""
    data = store.folder
    first, second = list_model_pairs(MADE)[:2]
    answer = post_choice(client, first, "a" if first.sides[0] == ONE else "b")
    waiting = [pair.number for pair in list_answered_pairs(MADE) if pair.number > first.number]
    assert answer.headers["location"] == f"/review/{PLACE}/{waiting[0]}"
    assert _list_choices(data) == ["1-0-0", "0-1-0"]
    post_choice(client, second, "equal")
    assert _list_choices(data) == ["1-0-1", "0-1-1"]
    post_choice(client, second, "b" if second.sides[0] == ONE else "a")
    assert _list_choices(data) == ["1-1-0", "1-1-0"]
    assert check_all(data) == []


def test_a_judgement_is_taken_back(client: httpx.Client, store: SessionStore) -> None:
    """An undo has its own line; the judgement before counts again; without any, nothing changes."""
    data = store.folder
    pair = list_model_pairs(MADE)[0]
    path = f"{PLACE}/{pair.number}"
    for better in ("equal", "a"):
        post_choice(client, pair, better)
    pressed = LexborHTMLParser(client.get(path).text).css("[aria-pressed=true]")
    assert [entry.attributes["value"] for entry in pressed] == ["a"]
    assert post_choice(client, pair, "", "/undo").headers["location"] == f"/review/{path}"
    assert _list_choices(data) == ["0-0-1", "0-0-1"]
    post_choice(client, pair, "", "/undo")
    post_choice(client, pair, "", "/undo")
    assert _list_choices(data) == [None, None]
    log = ComparisonStore(data.local).read_log(MADE.comparison_id)
    assert [entry.undoes for entry in log] == [None, None, log[1].id, log[0].id]


def test_results_have_names_once_every_pair_is_judged(client: httpx.Client) -> None:
    """Until then their address leads to a pair; then each model has a row with its judgements."""
    address = f"{PLACE}/results"
    for pair in list_answered_pairs(MADE):
        early = client.get(address)
        assert early.headers["location"] == f"/review/{PLACE}/{pair.number}"
        assert "secret" not in early.text
        against = {ONE: "equal", TWO: "b" if pair.sides[0] == TWO else "a"}
        with_three = THREE in pair.sides
        post_choice(client, pair, "equal" if with_three else against[TWO])
    listed = LexborHTMLParser(client.get("comparisons").text)
    assert [link.attributes["href"] for link in listed.css("tbody a")] == [f"/review/{address}"]
    results = LexborHTMLParser(client.get(address).raise_for_status().text)
    rows = {
        row.css("th")[0].text(): [cell.text(strip=True) for cell in row.css("td")]
        for row in results.css("tbody tr")
    }
    assert [rows[slug][1:4] for slug in (ONE, TWO, THREE)] == [
        ["4", "0", "1"],
        ["0", "4", "1"],
        ["0", "0", "2"],
    ]
    assert rows[THREE][0].startswith("0.50")
    assert [rows[slug][5] for slug in (ONE, TWO, THREE)] == ["4", "4", "1"]
    assert rows[ONE][7] == "\N{EN DASH}"  # nobody said what it cost


def test_a_word_that_is_no_judgement_is_refused(client: httpx.Client) -> None:
    """The form has no token or an unknown word, or its pair is missing or lacks an answer."""
    pair = list_answered_pairs(MADE)[0]
    lacking = {answered_pair.number for answered_pair in list_answered_pairs(MADE)} ^ set(
        range(1, 13)
    )
    assert client.post(f"{PLACE}/{pair.number}", data={"better": "a"}).status_code == 403
    assert post_choice(client, pair, "c").status_code == 400
    assert post_choice(client, pair, "").status_code == 400
    for number in (0, 13, min(lacking)):
        assert client.get(f"{PLACE}/{number}").status_code == 404
    assert client.get(f"comparisons/{'z' * 32}/1").status_code == 404
    assert client.get("comparisons/..%2Fx/next").status_code == 404


@pytest.mark.integration
def test_pages_of_comparisons_are_valid_html(client: httpx.Client, tmp_path: Path) -> None:
    """Hostile answers are included."""
    files: list[Path] = []
    for address in (
        "comparisons",
        f"{PLACE}/{list_model_pairs(MADE)[0].number}",
        f"{PLACE}/results",
    ):
        if address.endswith("results"):
            judge_all(client)
        files.append(tmp_path / f"page-{len(files)}.html")
        files[-1].write_text(client.get(address).raise_for_status().text)
    assert "\n".join(list_complaints(files)) == ""


@pytest.mark.integration
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


@pytest.mark.integration
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
