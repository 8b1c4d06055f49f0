"""Answers of several models beside the reference, in a browser, from the files of runs."""

import re

import pytest
from playwright.sync_api import Page, expect

from records.files.data_folder import DataFolder
from records.text.visible import make_visible
from tests.records.archives.reading import read_attempt
from tests.site.corpus import HARM, SUITE, VERSION
from tests.site.example_site import BuiltSite

pytestmark = pytest.mark.integration

_MODELS = {"maker0/model-0": "Model 0", "maker3/model-3:free": "Model 3"}
_COMPARED = f"benchmarks/{VERSION}/compare/?models={','.join(_MODELS)}"
_LINES = """(column) => [...document.querySelectorAll("dialog details.file")].map((file) => [
  file.querySelector("summary code").textContent,
  [...file.querySelectorAll("tbody tr:not(.folded)")].map((row) => {
    const text = row.cells[2 * column + 1].cloneNode(true);
    for (const hidden of text.querySelectorAll(".vh")) hidden.remove();
    return [row.cells[2 * column].textContent, text.textContent];
  }).filter(([number]) => number),
])"""


def _read_lines(page: Page, column: int) -> dict[str, dict[int, str]]:
    """The lines of each file in a column, by their numbers."""
    files: list[tuple[str, list[tuple[str, str]]]] = page.evaluate(_LINES, column)
    return {path: {int(number): text for number, text in lines} for path, lines in files}


def _open_answers(page: Page, address: str) -> str:
    """Open the answers to the first eval that only one model passes; return the eval's name."""
    page.goto(address + _COMPARED)
    page.get_by_role("link", name="side by side").first.click()
    expect(page.locator("dialog table.diff").first).to_be_visible()
    expect(page).to_have_url(re.compile("&eval="))
    match = re.search(r"&eval=([\w%.-]+)", page.url)
    assert match
    return match[1].replace("%2F", "/")


def test_each_line_shown_is_a_line_of_its_file(page: Page, site: BuiltSite, address: str) -> None:
    """The numbers agree for both stored answers, and for the reference without its canary."""
    name = _open_answers(page, address)
    assert page.locator("dialog thead tr").first.inner_text().split("\t")[1::2] == [
        *_MODELS.values(),
        "Reference",
    ]
    data = DataFolder(site.folder.parent / "data")
    differing = 0
    for column, slug in enumerate(_MODELS):
        href = page.locator("dialog li a").nth(column).get_attribute("href") or ""
        run_id = href.partition("runs/")[2].partition("/")[0]
        files = read_attempt(data.get_artifact_file(slug, run_id), name, 1).files
        for path, lines in _read_lines(page, column).items():
            texts = {make_visible(file): text for file, text in files.items()}
            whole = make_visible(texts.get(path, "")).split("\n")
            differing += HARM in texts.get(path, "")
            assert {number: whole[number - 1] for number in lines} == lines
    assert differing > 0
    reference = {path: lines for path, lines in _read_lines(page, len(_MODELS)).items() if lines}
    assert reference
    for path, lines in reference.items():
        text = (SUITE / name / "answer" / path).read_text()
        whole = [line for line in make_visible(text).split("\n") if "canary" not in line]
        assert {number: whole[number - 1] for number in lines} == lines


def test_the_address_opens_the_answers_and_closing_them_leads_back(
    page: Page, address: str
) -> None:
    """Escape closes, the eval leaves the address, and the followed link gets the focus."""
    page.set_viewport_size({"width": 390, "height": 900})
    page.emulate_media(color_scheme="dark")
    name = _open_answers(page, address)
    page.goto(page.url)
    dialog = page.locator("dialog")
    expect(dialog.locator("table.diff").first).to_be_visible()
    assert dialog.get_by_role("link", name="Model 0").count() == 1
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page).not_to_have_url(re.compile("eval="))
    link = page.get_by_role("link", name="side by side").first
    link.click()
    expect(dialog.locator("table.diff").first).to_be_visible()
    expect(page).to_have_url(re.compile(re.escape(name.replace("/", "%2F"))))
    dialog.get_by_role("button", name="Close").click()
    expect(link).to_be_focused()


def test_answers_that_nobody_kept_are_not_offered(page: Page, address: str) -> None:
    """The rows of imported runs have reasons of failures only; no page has their answers."""
    page.goto(f"{address}compare/?models=openai/gpt-5.2-codex,google/gemini-3-flash-preview")
    expect(page.locator("[data-compared] td.m").first).to_be_visible()
    assert page.get_by_role("link", name="side by side").count() == 0
