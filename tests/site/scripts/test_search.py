"""The search box of every page, used with a keyboard."""

import json
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.site.example_site import BuiltSite
from tests.site.watching import disable_scripts

pytestmark = pytest.mark.integration

SEARCH = "Search models, evals, reports, runs and the method"


@pytest.mark.parametrize("path", ["", "runs/jn7fgntkq2361jyv9dm924012s81x8gp/"])
def test_a_model_is_found_by_keyboard_from_any_page(page: Page, address: str, path: str) -> None:
    """A part of its name is typed, an arrow chooses it, Enter opens its page."""
    page.goto(address + path)
    field = page.get_by_role("combobox", name=SEARCH)
    field.fill("gemini flash")
    option = page.locator(".search").get_by_role("option").first
    expect(option).to_contain_text("Gemini 3 Flash Preview")
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", "search-match-0")
    field.press("Enter")
    page.wait_for_url(address + "models/google/gemini-3-flash-preview/")


def test_an_eval_is_found_by_its_name_and_escape_closes_the_list(page: Page, address: str) -> None:
    """The list closes without a choice."""
    page.goto(address)
    field = page.get_by_role("combobox", name=SEARCH)
    field.fill("002-queries")
    expect(page.get_by_role("listbox", name="Matches")).to_be_visible()
    field.press("Escape")
    expect(page.get_by_role("listbox", name="Matches")).to_be_hidden()


def test_a_text_that_is_found_nowhere_leads_to_all_models(page: Page, address: str) -> None:
    """A line reports it, aloud too; Enter has no effect, an arrow and Enter open all models."""
    page.goto(address)
    field = page.get_by_role("combobox", name=SEARCH)
    field.fill("Llama <b>")
    option = page.locator(".search").get_by_role("option")
    expect(option).to_have_text(
        "Nothing found for “Llama <b>”. Models that are not in the list of models were not"
        " measured. All models"
    )
    status = page.get_by_role("status").filter(has_text="Nothing found for “Llama <b>”")
    expect(status).to_be_attached()
    field.press("Enter")
    expect(option).to_be_visible()
    expect(page).to_have_url(address)
    field.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    field.press("Enter")
    page.wait_for_url(address + "models/")


@pytest.mark.parametrize(
    ("typed", "first"),
    [("gpt5", "GPT-5"), ("cost", "Cost, time and tokens Method"), ("gemini-3flash", "Gemini 3 Fl")],
)
def test_signs_and_spaces_do_not_matter_and_whole_words_come_first(
    page: Page, address: str, typed: str, first: str
) -> None:
    """A model is found with any signs in its name; "cost" finds no eval about costumes."""
    page.goto(address)
    page.get_by_role("combobox", name=SEARCH).fill(typed)
    expect(page.locator(".search").get_by_role("option").first).to_contain_text(first)


def test_without_javascript_both_lists_are_in_the_navigation(page: Page, address: str) -> None:
    """There is no empty box, and the lists are one link away."""
    with disable_scripts(page):
        page.goto(address)
        expect(page.locator(".search")).to_be_hidden()
        nav = page.get_by_role("navigation", name="Site")
        for name, href in (("Models", "models/"), ("Evals", "evals/")):
            expect(nav.get_by_role("link", name=name)).to_have_attribute("href", href)


@pytest.mark.parametrize(
    ("typed", "label", "leads"),
    [
        ("effect of the guidelines", "Method", "about/#text-the-effect-of-the-guidelines"),
        ("jn7fg", "Run, ", "runs/jn7fgntkq2361jyv9dm924012s81x8gp/"),
        *(
            pytest.param(*case, marks=pytest.mark.more)
            for case in (
                ("guidelines", "Guidelines Page", "guidelines/"),
                ("settings", "Models Page", "models/"),
                ("clients", "Clients Category, 006-clients", "categories/006-clients/"),
                ("haiku", "Not measured yet", "models/?filter=anthropic"),
            )
        ),
    ],
)
def test_more_than_models_and_evals_is_found(
    page: Page, address: str, typed: str, label: str, leads: str
) -> None:
    """Pages, categories, parts of the method, ids of runs, and models without a run are found."""
    page.goto(address)
    field = page.get_by_role("combobox", name=SEARCH)
    field.fill(typed)
    option = page.locator(".search").get_by_role("option").filter(has_text=label).first
    option.click()
    page.wait_for_url(lambda url: url.startswith(address + leads))


def test_each_match_of_the_search_has_a_page(site: BuiltSite) -> None:
    """Every kind is in the list, each address in it leads to a page; nothing in it is hidden."""
    text = (site.folder / "search.json").read_text()
    assert "\u202e" not in text
    entries: dict[str, list[list[str]]] = json.loads(text)
    kinds = ["Page", "Model", "Category", "Method", "Eval", "Report", "Not measured yet", "Run"]
    assert list(entries) == kinds
    assert all(entries.values())
    for every in entries.values():
        for name, _, *href in every:
            path = urlsplit(href[0]).path if href else f"runs/{name}/"
            assert (site.folder / path / "index.html").is_file(), path


def test_a_run_is_found_by_its_id_alone(page: Page, address: str) -> None:
    """Two letters begin too many ids, and a model's name leads to the model, not its runs."""
    page.goto(address)
    field = page.get_by_role("combobox", name=SEARCH)
    field.fill("jn")
    expect(page.get_by_role("status").filter(has_text="matches")).to_be_attached()
    assert page.locator(".search").get_by_role("option").filter(has_text="Run, ").count() == 0
    field.fill("gemini 3 flash")
    expect(page.locator(".search").get_by_role("option").first).to_contain_text("Model")
    assert page.locator(".search").get_by_role("option").filter(has_text="Run, ").count() == 0
