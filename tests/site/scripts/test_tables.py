"""Tables in a browser: rearranged by keyboard, kept in the address, and copied as Markdown."""

import csv
from contextlib import nullcontext

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from tests.site.corpus import VERSION
from tests.site.watching import disable_scripts, open_window, paste_clipboard

pytestmark = pytest.mark.integration
_FOCUSABLE = "a[href], button, input, select, summary, [tabindex='0']"


def test_sort_and_filter_stand_in_the_address(page: Page, address: str) -> None:
    """A head is sorted by keyboard; the address stores it, and opening it shows the same."""
    page.goto(address)
    sorted_head = page.locator("th[data-key='runs']")
    sorted_head.locator("button").focus()
    page.keyboard.press("Enter")
    expect(sorted_head).to_have_attribute("aria-sort", "descending")
    page.keyboard.press("Enter")
    expect(sorted_head).to_have_attribute("aria-sort", "ascending")
    rows = page.locator("table.board tbody tr:not(.group)")
    first = rows.locator("th").first.inner_text()
    page.get_by_label("Filter rows").fill("codex")
    visible = page.locator("table.board tbody tr:not(.group):visible")
    expect(visible).to_have_count(2)
    page.goto(page.url)
    expect(sorted_head).to_have_attribute("aria-sort", "ascending")
    expect(visible).to_have_count(2)
    page.get_by_label("Filter rows").fill("")
    assert rows.locator("th").first.inner_text() == first
    expect(page).to_have_url(address + "?sort=runs+up")


def test_evals_are_sorted_across_their_categories(page: Page, address: str) -> None:
    """Figures order all evals together; their names put each back below its category."""
    page.goto(f"{address}evals/")
    groups = page.locator("table.board tr.group:visible")
    sizes = page.locator("table.board tbody").evaluate_all("(all) => all.map((b) => b.rows.length)")
    number = groups.count()
    assert number > 1
    page.locator("th[data-key='passed'] button").click()
    expect(groups).to_have_count(0)
    passed = page.locator("table.board tbody tr:not(.group) td.share").evaluate_all(
        "(cells) => cells.map((cell) => cell.dataset.value).filter(Boolean).map(Number)"
    )
    assert len(set(passed)) > 1
    assert passed == sorted(passed, reverse=True)
    page.locator("th[data-key='eval'] button").click()
    expect(groups).to_have_count(number)
    assert sizes == page.locator("table.board tbody").evaluate_all(
        "(all) => all.map((b) => b.rows.length)"
    )


def test_columns_are_chosen_and_remembered(page: Page, address: str) -> None:
    """A column can be hidden; the address stores that."""
    page.goto(address)
    page.get_by_text("Columns", exact=True).click()
    page.get_by_role("checkbox", name="Runs").uncheck()
    expect(page.locator("th[data-key='runs']")).to_be_hidden()
    page.goto(page.url)
    expect(page.locator("th[data-key='runs']")).to_be_hidden()


def test_a_filter_looks_at_names_and_not_at_figures(page: Page, address: str) -> None:
    """A text in no name matches no model, even if figures have it; signs in names do not matter."""
    page.goto(address)
    assert "90.9" in page.locator("table.board tbody").first.inner_text()
    page.get_by_label("Filter rows").fill("90.9")
    status = page.locator(".tools output")
    expect(status).to_have_text("No model in this table matches “90.9”. Look among all models")
    link = status.get_by_role("link")
    assert (link.get_attribute("href") or "").endswith("/models/?filter=90.9")
    expect(page.locator("table.board").first).to_be_hidden()
    page.get_by_role("button", name="Show all").click()
    expect(page).to_have_url(address)
    expect(page.locator("table.board tbody").first).to_be_visible()
    expect(page.get_by_role("button", name="Show all")).to_have_count(0)
    page.get_by_label("Filter rows").fill("gemini")
    names = page.locator("table.board tbody tr:not(.group):visible th").all_inner_texts()
    assert names
    assert all("gemini" in name.lower() for name in names)
    assert page.locator(".tools output").inner_text().startswith(f"{len(names)} of ")
    page.get_by_label("Filter rows").fill("gpt5")
    joined = page.locator("table.board tbody tr:not(.group):visible th").all_inner_texts()
    assert joined
    assert all("gpt-5" in name.lower() for name in joined)


def test_chips_choose_rows_and_stand_in_the_address(page: Page, address: str) -> None:
    """A maker and open weights are chosen, shown again from the address, and taken back."""
    page.goto(address)
    rows = page.locator("table.board tbody tr:not(.group):visible")
    every = rows.count()
    page.get_by_label("Maker", exact=True).select_option("Google")
    expect(page).to_have_url(f"{address}?maker=Google")
    assert 0 < rows.count() < every
    page.goto(f"{address}?weights=open+weights")
    chip = page.get_by_role("button", name="Open weights")
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(rows).to_have_count(1)
    chip.click()
    expect(page).to_have_url(address)
    assert rows.count() == every


def test_the_menu_of_columns_closes_elsewhere_and_shows_all_again(page: Page, address: str) -> None:
    """A click beside it closes it, and its button brings every column back."""
    page.goto(f"{address}?without=runs")
    expect(page.locator("th[data-key='runs']")).to_be_hidden()
    page.get_by_text("Columns", exact=True).click()
    page.get_by_role("button", name="Show all columns").click()
    expect(page.locator("th[data-key='runs']")).to_be_visible()
    expect(page).to_have_url(f"{address}?without=none")
    expect(page.locator("th[data-key='attributed']")).to_be_visible()
    page.locator("h1").click()
    expect(page.locator(".tools details[open]")).to_have_count(0)


def test_the_menu_of_columns_fits_a_phone(page: Page, address: str) -> None:
    """The open menu has all its choices within the window."""
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(address)
    page.get_by_text("Columns", exact=True).click()
    box = page.locator(".tools details[open] > div").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.more
def test_the_tab_key_reaches_everything_on_the_front_page(page: Page, address: str) -> None:
    """Each link, button, field and region that scrolls is reached, in the order of the page."""
    page.goto(address)
    page.evaluate(
        "(all) => document.querySelectorAll(all)"
        ".forEach((one, place) => { if (one.checkVisibility()) one.dataset.place = place; })",
        _FOCUSABLE,
    )
    there = page.evaluate(
        "[...document.querySelectorAll('[data-place]')].map(one => one.dataset.place)"
    )
    reached: list[str] = []
    for _ in there:
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.dataset.place"))
    assert len(there) > 40
    assert reached == there


@pytest.mark.night
def test_every_column_of_the_front_page_sorts_by_keyboard(page: Page, address: str) -> None:
    """Enter or the space bar on a head sorts by it, either way round, and the head shows it."""
    page.goto(f"{address}benchmarks/feedfacecafe/?without=none")
    for head in page.locator("table.board thead th[data-key]").all():
        directions: set[str | None] = set()
        for key in ("Enter", "Space"):
            head.locator("button").focus()
            page.keyboard.press(key)
            directions.add(head.get_attribute("aria-sort"))
            cells = _read_column(page, head.evaluate("(one) => one.cellIndex"))
            up = head.get_attribute("aria-sort") == "ascending"
            assert cells == sorted(cells, reverse=not up)
        assert directions == {"ascending", "descending"}


def _read_column(page: Page, index: int) -> list[float | str]:
    """Return the known values in one column of the first group of rows."""
    values: list[str] = page.evaluate(
        "(index) => [...document.querySelector('table.board tbody').rows]"
        ".filter((row) => !row.classList.contains('group'))"
        ".map((row) => row.cells[index].dataset.value).filter((value) => value !== '')",
        index,
    )
    numeric = page.locator("table.board thead th").nth(index).get_attribute("data-type") == "number"
    return [float(value) if numeric else value.lower() for value in values]


def test_columns_are_chosen_by_keyboard(page: Page, address: str) -> None:
    """The list of columns opens, a box switches, Escape closes it and gives the focus back."""
    page.goto(address)
    page.get_by_text("Columns", exact=True).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator("th[data-key='score']")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("summary:focus")).to_have_text("Columns")
    expect(page.locator("details[open]")).to_have_count(0)


def test_every_number_is_there_without_javascript(page: Page, address: str) -> None:
    """With JavaScript off each cell has the same text, and no dead control shows."""
    cells: list[list[str]] = []
    for scripts in (nullcontext(), disable_scripts(page)):
        with scripts:
            page.goto(address)
            cells.append(page.locator("table.board tbody tr:not(.group) > *").all_inner_texts())
    controls = "input:not([type=radio]):visible, button:visible, form:visible"
    assert page.locator(controls).count() == 0
    assert len(cells[0]) > 70
    assert "90.9%" in " ".join(cells[0])
    assert cells[0] == cells[1]


def test_columns_beyond_the_edge_fade_until_they_are_scrolled_to(page: Page, address: str) -> None:
    """A box with more to its right fades, below the words "More columns" on a phone.

    At its end, and where all is in sight, there is neither.
    """
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{address}ablations/{'t' * 32}/")
    box = page.locator("section.wide").first
    _expect_more(box, is_there=False)
    box.evaluate("(one) => one.firstElementChild.classList.remove('stacked')")
    _expect_more(box, is_there=True)
    box.evaluate("(one) => one.scrollTo(one.scrollWidth, 0)")
    _expect_more(box, is_there=False)
    page.goto(address)
    shares = page.locator("section.wide:has(.heatmap)")
    expect(shares).to_have_css("visibility", "visible", pseudo="before")
    page.set_viewport_size({"width": 1600, "height": 900})
    page.goto(f"{address}ablations/{'t' * 32}/")
    expect(box).to_have_css("mask-image", "none")


def _expect_more(box: Locator, *, is_there: bool) -> None:
    """Wait until a box fades at its right and says "More columns", or does neither."""
    if is_there:
        expect(box).not_to_have_css("mask-image", "none")
        expect(box).to_have_css("visibility", "visible", pseudo="before")
    else:
        expect(box).to_have_css("mask-image", "none")
        expect(box).not_to_have_css("visibility", "visible", pseudo="before")


def test_a_phone_shows_every_place_of_the_navigation(page: Page, address: str) -> None:
    """None of its links is beyond the edge of the window."""
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{address}changes/")
    ends = page.locator("header.site nav a").evaluate_all(
        "(links) => links.map((link) => link.getBoundingClientRect()).map(({left, right}) =>"
        " left >= 0 && right <= innerWidth)"
    )
    assert len(ends) == 5
    assert all(ends)


def test_a_table_that_fits_goes_with_the_page(page: Page, address: str) -> None:
    """On a desk no table that the page has room for is a box that scrolls; on a phone none is.

    A table that is too wide for a desk has its own head and first column to keep.
    """
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        boxes: list[bool] = []
        for path in ("", "evals/", "reports/", "runs/jn7fgntkq2361jyv9dm924012s81x8gp/"):
            page.goto(address + path)
            boxes += page.locator(".wide.fits").evaluate_all(
                "(all) => all.map((one) => one.scrollHeight > one.clientHeight + 1"
                " && (innerWidth < 600 || one.scrollWidth <= one.clientWidth))"
            )
        assert len(boxes) >= 4
        assert not any(boxes)
        page.goto(f"{address}benchmarks/feedfacecafe/?without=none")
        classes = page.locator(".wide.fits").get_attribute("class")
        # On a phone a row is a card.
        assert classes == ("wide fits boxed" if width > 600 else "wide fits whole")


def test_the_whole_head_is_pressed_and_no_column_moves(page: Page, address: str) -> None:
    """A press beside the word sorts, too; the arrow takes no room from the columns."""
    page.goto(address)
    before: list[float] = page.evaluate(_LEFT_EDGES)
    head = page.locator("th[data-key='model']")
    box = head.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + 3)
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert page.evaluate(_LEFT_EDGES) == before


_LEFT_EDGES = """() => [...document.querySelectorAll("table.board thead th")]
  .map((head) => head.getBoundingClientRect().x)"""


_BUTTON = "button.copy"
_HOLD_TIMERS = "() => { window.held = []; window.setTimeout = (act) => held.push(act); }"
_RELEASE_TIMERS = "() => held.forEach((act) => act())"
_PLACES = """() => [...document.querySelectorAll('.tools > *, table.board th')]
    .map((one) => one.getBoundingClientRect().toJSON())"""


def read_copied_cells(page: Page) -> list[list[str]]:
    """The cells of the table in the clipboard."""
    lines = [line for line in paste_clipboard(page).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def copy_table(page: Page) -> None:
    """Copy the table, and wait for the words of the button, which stay until the test ends."""
    page.evaluate(_HOLD_TIMERS)
    page.locator(_BUTTON).click()
    page.locator(f"{_BUTTON}.done").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_table_is_copied_by_keyboard_and_confirms_it(
    page: Page, address: str, width: int
) -> None:
    """The copy has heads, a row for each model in sight and the address; the button reports it."""
    page.set_viewport_size({"width": width, "height": 900})
    page.context.grant_permissions(["clipboard-write"])
    page.goto(address)
    page.evaluate(_HOLD_TIMERS)
    page.locator(_BUTTON).focus()
    before = page.evaluate(_PLACES)
    page.keyboard.press("Enter")
    page.locator(f"{_BUTTON}.done").wait_for()
    expect(page.locator(".tools [role=status].vh")).to_have_text("Table copied as Markdown.")
    assert page.evaluate(_PLACES) == before
    heads, rule, *rows = read_copied_cells(page)
    assert heads[:3] == ["Rank", "Model", "Score"]
    assert rule[:3] == ["---:", "---", "---:"]
    assert {len(row) for row in rows} == {len(heads)}
    names = [row[1].partition(" Google")[0] for row in rows]
    assert "Gemini 3 Flash Preview" in names
    text = paste_clipboard(page)
    assert text.endswith(f"]({address})\n")
    page.evaluate(_RELEASE_TIMERS)
    page.locator(f"{_BUTTON}:not(.done)").wait_for()


def test_rows_and_columns_that_are_hidden_are_not_copied(page: Page, address: str) -> None:
    """The filter and the choice of columns hold for the copy, too."""
    page.context.grant_permissions(["clipboard-write"])
    page.goto(f"{address}?filter=codex&without=attributed,runs")
    copy_table(page)
    heads, _, *rows = read_copied_cells(page)
    assert not any(head.startswith("Runs") for head in heads)
    models = [row[1] for row in rows if row[1]]
    assert models
    assert all("Codex" in model for model in models)


def test_a_name_that_means_harm_is_text_in_the_copy(page: Page, address: str) -> None:
    """Characters of Markdown and HTML stay as they are."""
    page.context.grant_permissions(["clipboard-write"])
    page.goto(f"{address}models/")
    copy_table(page)
    text = paste_clipboard(page)
    assert r"\<script\>" in text
    assert "<script>" not in text.replace(r"\<script\>", "")


def test_without_a_clipboard_or_a_script_there_is_no_button(browser: Browser, address: str) -> None:
    """A button without an effect is worse than none; a refusal is reported."""
    window = open_window(browser, 1280, "light")
    page = window.new_page()
    with disable_scripts(page):
        page.goto(address)
        assert page.locator(_BUTTON).count() == 0
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.goto(address)
    assert page.locator(_BUTTON).count() == 0
    page = window.new_page()
    page.add_init_script(
        "navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))"
    )
    page.goto(address)
    page.locator(_BUTTON).click()
    refusal = "Not copied: the browser did not allow it."
    page.get_by_text(refusal).wait_for(state="visible")
    window.close()


def test_charts_are_saved_as_pictures_and_as_figures(page: Page, address: str) -> None:
    """The map, the table and the categories: a picture of many colours, and all rows as CSV."""
    page.goto(f"{address}benchmarks/{VERSION}/")
    rows = page.locator("table.board tbody tr:not(.group)").count()
    for name in ("score map", "leaderboard", "categories"):
        with page.expect_download() as picture:
            page.get_by_label(f"Save {name} as PNG").locator("visible=true").first.click()
        assert picture.value.suggested_filename == f"{name.replace(' ', '-')}.png"
        with Image.open(picture.value.path()) as drawn:
            assert drawn.width > 600
            assert len(drawn.convert("RGB").getcolors(1 << 24) or ()) > 20
        with page.expect_download() as figures:
            page.get_by_label(f"Save {name} as CSV").locator("visible=true").first.click()
        head, *lines = csv.reader(figures.value.path().read_text().splitlines())
        assert len(lines) == rows
        assert {len(line) for line in lines} == {len(head)}
        assert all(head)
