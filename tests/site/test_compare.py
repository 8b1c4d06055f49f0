"""The page of comparisons in a browser: models are chosen by name, and their files are loaded."""

import json
import re

from playwright.sync_api import Browser, expect

from tests.site.corpus import VERSION
from tests.site.example_site import BuiltSite
from tests.site.watching import context, listening

_FIRST, _SECOND = "GPT-5.2 Codex", "Gemini 3 Flash Preview"


def test_two_models_chosen_by_name_are_told_apart(browser: Browser, address: str) -> None:
    """A sentence says how they differ, and the evals that only one passes are those it counts."""
    wrong: list[str] = []
    window = context(browser, 1280, "light")
    page = listening(window, wrong)
    page.goto(f"{address}compare/")
    overview = page.locator("[data-overview]")
    assert overview.is_visible()
    for field, name in (("First model", _FIRST), ("Second model", _SECOND)):
        page.get_by_label(field).fill(name)
        page.keyboard.press("Tab")
    expect(page.locator("[data-compare-note]")).to_have_text("They differ in 7 evals.")
    assert (
        page.locator(".answer")
        .inner_text()
        .startswith(f"{_FIRST} passes 1 that {_SECOND} fails, and fails 6 that the other passes.")
    )
    heads = page.locator("[data-compared] h2").all_inner_texts()
    assert heads == [f"Only {_FIRST} passes 1", f"Only {_SECOND} passes 6"]
    assert overview.is_hidden()
    assert page.url.endswith("?models=openai%2Fgpt-5.2-codex,google%2Fgemini-3-flash-preview")
    page.goto(page.url)
    expect(page.locator(".answer")).to_be_visible()
    window.close()
    assert wrong == []


def test_each_answer_that_differs_is_linked(browser: Browser, address: str) -> None:
    """A row leads to both answers, and says why the one failed."""
    wrong: list[str] = []
    window = context(browser, 1280, "light")
    page = listening(window, wrong)
    page.goto(f"{address}compare/?models=openai/gpt-5.2-codex,google/gemini-3-flash-preview")
    row = page.locator("[data-compared] section:has(td.m) tbody tr").first
    expect(row).to_contain_text("deploy: literal widening (known gap)")
    answers = row.locator("td.m a").all()
    assert len(answers) == 2
    for answer in answers:
        href = answer.evaluate("(one) => one.href")
        assert page.request.get(href).ok
    window.close()
    assert wrong == []


def test_three_models_are_told_apart_pair_by_pair(browser: Browser, address: str) -> None:
    """Each two have a sentence, whatever their names hold; each eval shown divides the three."""
    wrong: list[str] = []
    window = context(browser, 1280, "light")
    page = listening(window, wrong)
    models = "maker0/model-0,maker1/model-1,maker3/model-3:free"
    page.goto(f"{address}benchmarks/{VERSION}/compare/?models={models}")
    expect(page.locator(".answer")).to_have_count(3)
    rows = page.locator("[data-compared] section:has(td.m) tbody tr")
    assert (
        page.locator("[data-compare-note]").inner_text() == f"They differ in {rows.count()} evals."
    )
    for row in rows.all():
        said = {cell.locator("a").inner_text() for cell in row.locator("td.m").all()}
        assert len(said) > 1
    window.close()
    assert wrong == []


def test_two_runs_with_a_page_of_their_own_lead_to_it(browser: Browser, address: str) -> None:
    """A model with guidelines and without; two models have no such page, so there is no link."""
    window = context(browser, 390, "light")
    page = window.new_page()
    place = f"{address}benchmarks/{VERSION}/compare/?models="
    page.goto(f"{place}maker0/model-0,maker0/model-0%2Bno_guidelines")
    page.get_by_role("link", name="Their newest runs, with both answers").click()
    expect(page).to_have_url(re.compile(r"/diff/[0-9a-f]{32}/[0-9a-f]{32}/$"))
    sides = page.locator("#runs + section")
    expect(sides).to_contain_text("without guidelines")
    page.goto(f"{place}maker0/model-0,maker1/model-1")
    expect(page.locator(".answer")).to_have_count(1)
    assert page.locator(".answer a").count() == 0
    window.close()


def test_a_name_that_nobody_has_is_said(browser: Browser, address: str) -> None:
    """The overview stays, and the note names what was written."""
    window = context(browser, 390, "dark")
    page = window.new_page()
    page.goto(f"{address}compare/")
    page.get_by_label("First model").fill("nobody")
    page.keyboard.press("Tab")
    expect(page.locator("[data-compare-note]")).to_contain_text("No model is called “nobody” here")
    assert page.locator("[data-overview]").is_visible()
    window.close()


def test_without_a_script_each_model_stands_beside_its_neighbour(
    browser: Browser, address: str
) -> None:
    """One line for each two that follow one another, and no control that does nothing."""
    window = browser.new_context(java_script_enabled=False)
    page = window.new_page()
    page.goto(f"{address}compare/")
    assert page.locator("#neighbours-1 + section tbody tr").count() == 5
    assert page.locator("main input:visible").count() == 0
    assert page.locator("a[href^='?models=']:visible").count() == 0
    page.locator("#both-ways + p a", has_text="GPT-5.2 Codex").click()
    assert page.locator("h1").inner_text() == "GPT-5.2 Codex: two runs"
    window.close()


def test_two_files_tell_the_same_of_a_pair(site: BuiltSite) -> None:
    """A against B is B against A turned over: the counts are exchanged, the sign is another."""
    place = site.folder / "compare"
    one, other = (
        json.loads((place / f"{key}.json").read_bytes())["against"]
        for key in ("openai/gpt-5.2-codex", "google/gemini-3-flash-preview")
    )
    assert "passes 1 that" in one["google/gemini-3-flash-preview"]
    assert "\N{MINUS SIGN}7.6 points" in one["google/gemini-3-flash-preview"]
    assert "passes 6 that" in other["openai/gpt-5.2-codex"]
    assert "+7.6 points" in other["openai/gpt-5.2-codex"]
