"""Pairs of answers in the desk: no names, judged by forms and keys, undone, hostile texts shown."""

import re
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Final

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from selectolax.lexbor import LexborHTMLParser

from leaderboard.comparison_table import interval_over_sessions
from records.checks import check_all
from records.comparison import ModelComparison
from records.folder import DataFolder
from records.writer import write_comparison
from review.comparisons.judgement_log import ComparisonStore
from review.comparisons.pairs import ComparedPair, answered
from review.comparisons.results import compared_rows
from tests.review.comparing import answer_of, comparison
from tests.review.desking import HOSTILE, desk, faults_of, form_of, looked_at
from tests.site.test_valid import complaints
from tests.site.watching import context, listening

ONE, TWO, THREE = "maker/secret-one", "maker/secret-two", "maker/secret-three"
MADE: Final = comparison(
    [ONE, TWO, THREE],
    4,
    [
        *(answer_of(f"session-{n:04}", ONE, f"Fern {n}\n\n```ts\ntake(10)\n```") for n in range(4)),
        *(answer_of(f"session-{n:04}", TWO, f"Moss {n}. {HOSTILE}") for n in range(4)),
        answer_of("session-0000", THREE, "Lichen"),
    ],
)
PLACE: Final = f"comparisons/{MADE.comparison_id}"


@pytest.fixture
def served_desk(tmp_path: Path) -> Generator[tuple[str, DataFolder]]:
    """A desk over a comparison of which one model answered once; its address and data folder."""
    with desk(tmp_path / "project", []) as (address, store):
        write_comparison(store.folder.local, MADE)
        yield address, store.folder


@pytest.fixture
def client(served_desk: tuple[str, DataFolder]) -> Generator[httpx.Client]:
    """A browser without a script."""
    with httpx.Client(base_url=served_desk[0], timeout=60) as made:
        yield made


def _choices(data: DataFolder) -> list[str | None]:
    events = ComparisonStore(data.local).judgements(MADE.comparison_id)
    found = [one.preferred for one in compared_rows(MADE, events, interval_over_sessions)]
    return [one and f"{one.wins}-{one.losses}-{one.equal}" for one in found[:2]]


def _pairs_of(made: ModelComparison) -> list[ComparedPair]:
    """Return the pairs that only the first two models are in."""
    return [one for one in answered(made) if {one.first, one.second} == {ONE, TWO}]


def _post(client: httpx.Client, pair: ComparedPair, better: str, after: str = "") -> httpx.Response:
    path = f"{PLACE}/{pair.number}"
    return client.post(f"{path}{after}", data={**form_of(client, path), "better": better})


def test_a_pair_is_shown_without_names(client: httpx.Client) -> None:
    """On no page, in no address; each side is the one that the seed drew."""
    for pair in answered(MADE):
        page = client.get(f"{PLACE}/{pair.number}").raise_for_status()
        assert "secret" not in page.text
        tree = LexborHTMLParser(page.text)
        sides = [one.text() for one in tree.css(".two .answer")]
        words = {ONE: "Fern", TWO: "Moss", THREE: "Lichen"}
        assert [words[slug] in text for slug, text in zip(pair.sides, sides, strict=True)] == [
            True,
            True,
        ]
        (asked,) = tree.css(".said.user .text")
        assert asked.text().startswith("Question")
        assert tree.css(".two script, .two img, .two iframe, .two style") == []
    assert "secret" not in client.get("comparisons").raise_for_status().text


def test_a_form_judges_and_leads_on(
    client: httpx.Client, served_desk: tuple[str, DataFolder]
) -> None:
    """A side is written as the model that stood there; the next page is the next pair."""
    data = served_desk[1]
    first, second = _pairs_of(MADE)[:2]
    answer = _post(client, first, "a" if first.sides[0] == ONE else "b")
    waiting = [one.number for one in answered(MADE) if one.number > first.number]
    assert answer.headers["location"] == f"/review/{PLACE}/{waiting[0]}"
    assert _choices(data) == ["1-0-0", "0-1-0"]
    _post(client, second, "equal")
    assert _choices(data) == ["1-0-1", "0-1-1"]
    _post(client, second, "b" if second.sides[0] == ONE else "a")
    assert _choices(data) == ["1-1-0", "1-1-0"]
    assert check_all(data) == []


def test_a_judgement_is_taken_back(
    client: httpx.Client, served_desk: tuple[str, DataFolder]
) -> None:
    """By a line of its own; the one before it counts again, and without one nothing is undone."""
    data = served_desk[1]
    pair = _pairs_of(MADE)[0]
    path = f"{PLACE}/{pair.number}"
    for better in ("equal", "a"):
        _post(client, pair, better)
    pressed = LexborHTMLParser(client.get(path).text).css("[aria-pressed=true]")
    assert [one.attributes["value"] for one in pressed] == ["a"]
    assert _post(client, pair, "", "/undo").headers["location"] == f"/review/{path}"
    assert _choices(data) == ["0-0-1", "0-0-1"]
    _post(client, pair, "", "/undo")
    _post(client, pair, "", "/undo")
    assert _choices(data) == [None, None]
    log = ComparisonStore(data.local).judgements(MADE.comparison_id)
    assert [one.undoes for one in log] == [None, None, 1, 0]


def test_results_have_names_once_every_pair_is_judged(client: httpx.Client) -> None:
    """Until then their address leads to a pair; then a row for each model, as it was judged."""
    place = f"{PLACE}/results"
    for pair in answered(MADE):
        early = client.get(place)
        assert early.headers["location"] == f"/review/{PLACE}/{pair.number}"
        assert "secret" not in early.text
        against = {ONE: "equal", TWO: "b" if pair.sides[0] == TWO else "a"}
        with_three = THREE in pair.sides
        _post(client, pair, "equal" if with_three else against[TWO])
    listed = LexborHTMLParser(client.get("comparisons").text)
    assert [one.attributes["href"] for one in listed.css("tbody a")] == [f"/review/{place}"]
    shown = LexborHTMLParser(client.get(place).raise_for_status().text)
    rows = {
        row.css("th")[0].text(): [cell.text(strip=True) for cell in row.css("td")]
        for row in shown.css("tbody tr")
    }
    assert [rows[slug][1:4] for slug in (ONE, TWO, THREE)] == [
        ["4", "0", "1"],
        ["0", "4", "1"],
        ["0", "0", "2"],
    ]
    assert rows[THREE][0].startswith("0.50")
    assert [rows[slug][5] for slug in (ONE, TWO, THREE)] == ["4", "4", "1"]
    assert rows[ONE][7] == "\N{EN DASH}"  # nobody said what it cost


def test_what_nobody_could_judge_is_a_stroke(tmp_path: Path) -> None:
    """One model alone has no pairs: its score is shown, and no 0 stands for judgements."""
    made = comparison([ONE], 2, [answer_of("session-0000", ONE, "Fern")])
    with (
        desk(tmp_path / "project", []) as (address, store),
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        write_comparison(store.folder.local, made)
        shown = LexborHTMLParser(client.get(f"{PLACE}/results").raise_for_status().text)
    cells = [one.text(strip=True) for one in shown.css("tbody td")]
    assert cells[:4] == ["\N{EN DASH}"] * 4
    assert cells[4].startswith("0.50")


def test_a_torn_line_was_never_a_judgement(
    client: httpx.Client, served_desk: tuple[str, DataFolder]
) -> None:
    """What a killed writer left half is cut off by the next."""
    data = served_desk[1]
    first, second = _pairs_of(MADE)[:2]
    _post(client, first, "equal")
    with data.local.judgement_file(MADE.comparison_id).open("ab") as log:
        log.write(b'{"at": "20')
    _post(client, second, "equal")
    assert _choices(data) == ["0-0-2", "0-0-2"]


def test_what_is_no_judgement_is_refused(client: httpx.Client) -> None:
    """Without a token, with another word, of a pair that is not there or lacks an answer."""
    pair = answered(MADE)[0]
    lacking = {one.number for one in answered(MADE)} ^ set(range(1, 13))
    assert client.post(f"{PLACE}/{pair.number}", data={"better": "a"}).status_code == 403
    assert _post(client, pair, "c").status_code == 400
    assert _post(client, pair, "").status_code == 400
    for number in (0, 13, min(lacking)):
        assert client.get(f"{PLACE}/{number}").status_code == 404
    assert client.get(f"comparisons/{'z' * 32}/1").status_code == 404
    assert client.get("comparisons/..%2Fx/next").status_code == 404


def test_pages_of_comparisons_are_valid_html(client: httpx.Client, tmp_path: Path) -> None:
    """Hostile answers included."""
    files: list[Path] = []
    for place in ("comparisons", f"{PLACE}/{_pairs_of(MADE)[0].number}", f"{PLACE}/results"):
        if place.endswith("results"):
            _judge_all(client)
        files.append(tmp_path / f"page-{len(files)}.html")
        files[-1].write_text(client.get(place).raise_for_status().text)
    assert "\n".join(complaints(files)) == ""


def test_keys_judge_every_pair(browser: Browser, served_desk: tuple[str, DataFolder]) -> None:
    """A, B and E; u takes back; after the last pair the list says that none is left."""
    address, data = served_desk
    wrong: list[str] = []
    window = context(browser, 1280, "light")
    page = listening(window, wrong)
    page.goto(f"{address}{PLACE}/next")
    _press(page, "e")
    _press(page, "k")
    expect(page.locator("[aria-pressed=true]")).to_have_attribute("value", "equal")
    _press(page, "u")
    expect(page.locator("[aria-pressed=true]")).to_have_count(0)
    for key in "abeAbe":
        _press(page, key)
    expect(page).to_have_url(re.compile("/comparisons$"))
    expect(page.locator("tbody tr td").last).to_have_text("Results")
    window.close()
    assert wrong == []
    log = ComparisonStore(data.local).judgements(MADE.comparison_id)
    assert len([one for one in log if one.undoes is None]) == 7
    assert len(log) == 8


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "zoom"), [(390, 1), (1280, 1), (640, 2)])
def test_axe_finds_nothing_and_every_page_fits(  # noqa: PLR0913, PLR0917 - fixtures and cases
    browser: Browser,
    served_desk: tuple[str, DataFolder],
    client: httpx.Client,
    width: int,
    zoom: int,
    scheme: str,
    tmp_path: Path,
) -> None:
    """The list, a pair folded and unfolded, and results, as on the desk's other pages."""
    address = served_desk[0]
    found: list[str] = []
    with looked_at(browser, width, zoom, scheme) as page:
        looks = partial(faults_of, page, width=width, scheme=scheme, otherwise=tmp_path)
        page.goto(f"{address}comparisons")
        found += looks("comparisons")
        page.goto(f"{address}{PLACE}/{_pairs_of(MADE)[0].number}")
        found += looks("pair")
        page.locator("summary").first.click()
        page.keyboard.press("?")
        found += looks("pair-keys")
        _judge_all(client)
        for path in ("comparisons", f"{PLACE}/results"):
            page.goto(f"{address}{path}")
            found += looks(f"{path.rpartition('/')[2]}-judged")
        expect(page.locator("tbody th")).to_have_text([ONE, TWO, THREE])
    assert found == []


def _judge_all(client: httpx.Client) -> None:
    for pair in answered(MADE):
        _post(client, pair, "a")


def _press(page: Page, key: str) -> None:
    with page.expect_navigation():
        page.keyboard.press(key)
