"""Code on pages in a browser: plain, coloured, and beside the reference."""

import pytest
from playwright.sync_api import Browser, Page, expect

from records.archives.archive import AttemptArtifact
from records.files.data_folder import DataFolder
from records.text.visible import make_visible
from tests.records.archives.reading import read_attempt
from tests.review.desk.held_requests import hold_request
from tests.site.corpus import HARM, HARMFUL_FILE, SUITE
from tests.site.example_site import BuiltSite
from tests.site.watching import open_window

pytestmark = pytest.mark.integration

_SLUG = "maker0/model-0"
_TEXTS = """() => Object.fromEntries([...document.querySelectorAll("details.file")].map((file) => [
  file.querySelector("summary code").textContent,
  file.querySelector("pre.code")?.textContent,
]))"""
_COLUMNS = """() => Object.fromEntries([...document.querySelectorAll("details.file")].map(
  (file) => [file.querySelector("summary code").textContent,
  [0, 2].map((column) => [...file.querySelectorAll("tbody tr:not(.folded)")].map((row) => {
    const text = row.cells[column + 1].cloneNode(true);
    for (const hidden of text.querySelectorAll(".vh")) hidden.remove();
    return [row.cells[column].textContent, text.textContent];
  }).filter(([number]) => number)),
]))"""


def _find_hostile_attempt(site: BuiltSite) -> tuple[str, AttemptArtifact]:
    """Return the path of an attempt whose answer has hostile text in it, and its files."""
    data = DataFolder(site.folder.parent / "data")
    for archive in sorted((data.root / "artifacts").glob(f"{_SLUG}/*.zip")):
        for page in sorted((site.folder / "runs" / archive.stem).glob("*/*/index.html")):
            name = f"{page.parent.parent.name}/{page.parent.name}"
            artifact = read_attempt(archive, name, 1)
            if any(HARM in text for text in artifact.files.values()):
                return f"runs/{archive.stem}/{name}/", artifact
    raise AssertionError("no answer of the corpus is hostile")


@pytest.mark.more
def test_colours_change_no_character(page: Page, site: BuiltSite, address: str) -> None:
    """Each file is shown whole, with its hidden characters named, and keywords have a colour."""
    path, artifact = _find_hostile_attempt(site)
    page.goto(address + path)
    expect(page.locator("pre.code span.k-k").first).to_be_attached()
    page_texts: dict[str, str | None] = page.evaluate(_TEXTS)
    texts = {path: text for path, text in page_texts.items() if text is not None}
    answer = {make_visible(name): make_visible(text) for name, text in artifact.files.items()}
    same = page.locator("[data-same] code").all_inner_texts()
    assert texts == {path: text for path, text in answer.items() if path not in same}
    assert set(page.locator("pre.code *").evaluate_all("all => all.map((e) => e.tagName)")) == {
        "SPAN"
    }


def test_the_reference_has_colours_on_the_page_of_its_eval(
    page: Page, site: BuiltSite, address: str
) -> None:
    """The code that answers are held against is coloured like the answers."""
    _, artifact = _find_hostile_attempt(site)
    page.goto(f"{address}evals/{artifact.eval}/")
    expect(page.locator("#reference ~ details pre.code span.k-k").first).to_be_attached()


def test_code_is_there_without_a_script(browser: Browser, site: BuiltSite, address: str) -> None:
    """A page holds the answer as plain text, a link to the reference, and no dead button."""
    path, artifact = _find_hostile_attempt(site)
    context = open_window(browser, 1280, java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(address + path)
        first = make_visible(artifact.files[HARMFUL_FILE]).split("\n")[0]
        assert page.locator("pre.code", has_text=first).count() > 0
        assert page.get_by_role("button", name="beside the reference").count() == 0
        page.get_by_role("link", name="reference answer").click()
        expect(page.locator("#reference ~ details pre.code").first).to_be_attached()
    finally:
        context.close()


def test_an_answer_stands_beside_the_reference_on_demand(
    page: Page, site: BuiltSite, address: str
) -> None:
    """Each shown line has its number in its file, on both sides; a second click leaves one side."""
    path, artifact = _find_hostile_attempt(site)
    page.goto(address + path)
    button = page.get_by_role("button", name="Show beside the reference")
    button.click()
    expect(page.locator("table.diff").first).to_be_visible()
    expect(page.locator("details.file pre.code").first).to_be_hidden()
    folder = SUITE / artifact.eval / "answer"
    columns: dict[str, list[list[tuple[str, str]]]] = page.evaluate(_COLUMNS)
    answers = {make_visible(name): make_visible(text) for name, text in artifact.files.items()}
    same = page.locator("[data-same] code").all_inner_texts()
    assert {*columns, *same} >= answers.keys()
    for name, (answer, reference) in columns.items():
        whole = answers.get(name, "").split("\n")
        assert [text for _, text in answer] == [whole[int(number) - 1] for number, _ in answer]
        file = folder / name
        lines = make_visible(file.read_text("utf-8")).split("\n") if file.exists() else []
        lines = [line for line in lines if "canary" not in line]
        assert [text for _, text in reference] == [
            lines[int(number) - 1] for number, _ in reference
        ]
    button.click()
    expect(page.locator("table.diff").first).to_be_hidden()
    expect(page.locator("details.file pre.code").first).to_be_visible()


def test_a_second_click_while_the_reference_loads_changes_nothing(
    page: Page, site: BuiltSite, address: str
) -> None:
    """Each file gets one table, however often a reader clicks; the focus stays on the button."""
    path, _ = _find_hostile_attempt(site)
    page.goto(address + path)
    button = page.get_by_role("button", name="Show beside the reference")
    button.focus()
    with hold_request(page, r"/reference\.json$", "Enter", method="GET"):
        expect(button).to_be_disabled()
        button.evaluate("(button) => button.click()")
    expect(page.locator("table.diff").first).to_be_visible()
    tables = page.locator("details.file").evaluate_all(
        "(files) => files.map((file) => file.querySelectorAll('table.diff').length)"
    )
    assert set(tables) == {1}
    expect(button).to_be_focused()


def test_a_reference_that_cannot_be_loaded_is_reported_once(
    page: Page, site: BuiltSite, address: str
) -> None:
    """A further click tries again, and a reference that comes takes the note away."""
    path, _ = _find_hostile_attempt(site)
    page.route("**/reference.json", lambda route: route.fulfill(body="no JSON"))
    try:
        page.goto(address + path)
        button = page.get_by_role("button", name="Show beside the reference")
        note = page.get_by_text("The reference could not be loaded: ")
        for _ in range(2):
            with page.expect_response("**/reference.json"):
                button.click()
            expect(button).to_be_enabled()
            expect(note).to_have_count(1)
    finally:
        page.unroute("**/reference.json")
    button.click()
    expect(page.locator("table.diff").first).to_be_visible()
    expect(note).to_have_count(0)


def test_a_file_that_is_too_large_to_compare_is_reported(
    page: Page, site: BuiltSite, address: str
) -> None:
    """Its code stays in sight, and the note goes with the tables of the other files."""
    path, _ = _find_hostile_attempt(site)
    page.goto(address + path)
    page.locator("pre.code").first.evaluate("(code) => { code.dataset.cut = ''; }")
    button = page.get_by_role("button", name="Show beside the reference")
    button.click()
    note = page.get_by_text("Too large to compare here.")
    expect(note).to_be_visible()
    expect(page.locator("pre.code").first).to_be_visible()
    assert page.locator("table.diff").count() == page.locator("details.file").count() - 1
    button.click()
    expect(note).to_be_hidden()


def test_lines_are_aligned_as_well_as_they_can_be(page: Page, address: str) -> None:
    """As many lines stand beside an equal one as any alignment has; no two pairs cross."""
    page.goto(f"{address}compare/")
    module = page.locator("[data-answers]").first.get_attribute("data-answers")
    cases = [("abcbdab", "bdcaba", 4), ("", "ab", 0), ("ab", "ab", 2), ("xaby", "ab", 2)]
    for left, right, most in cases:
        pairs: list[tuple[int, int]] = page.evaluate(
            """async ([module, left, right]) => {
              const { pairsOf } = await import(new URL(module, location.href).href);
              return pairsOf([...left], [...right]);
            }""",
            [module, left, right],
        )
        assert len(pairs) == most
        assert all(left[i] == right[j] for i, j in pairs)
        assert pairs == sorted(pairs)
        assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == most


@pytest.mark.parametrize("script", [True, False])
def test_an_address_unfolds_its_attempt(
    browser: Browser, site: BuiltSite, address: str, *, script: bool
) -> None:
    """Only that attempt is unfolded, with a script or without; its head is in sight."""
    path, artifact = _find_hostile_attempt(site)
    category, _, name = artifact.eval.partition("/")
    run = path.removesuffix(f"{artifact.eval}/")
    context = open_window(browser, 1280, java_script_enabled=script)
    try:
        page = context.new_page()
        page.goto(f"{address}{run}{category}/#{name}/")
        section = page.locator(f"[id='{name}/']")
        expect(section.locator("pre.code").first).to_be_visible()
        expect(page.locator("details.attempt[open]")).to_have_count(1)
        head = page.locator("details.attempt[open] > summary").bounding_box()
        assert head is not None
        assert 0 <= head["y"] < 700
    finally:
        context.close()


def test_a_former_address_of_a_part_unfolds_its_attempt(
    page: Page, site: BuiltSite, address: str
) -> None:
    """A passed test has no anchor any more; the address shows its attempt, on any static host."""
    path, artifact = _find_hostile_attempt(site)
    category, _, name = artifact.eval.partition("/")
    run = path.removesuffix(f"{artifact.eval}/")
    page.goto(f"{address}{run}{category}/#{name}/test-that-is-gone")
    expect(page.locator(f"[id='{name}/'] pre.code").first).to_be_visible()
