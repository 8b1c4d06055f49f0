"""The search box of every page, as somebody with a keyboard uses it."""

import pytest
from playwright.sync_api import Browser, expect


@pytest.mark.parametrize("path", ["", "runs/jn7fgntkq2361jyv9dm924012s81x8gp/"])
def test_a_model_is_found_by_keyboard_from_any_page(
    browser: Browser, address: str, path: str
) -> None:
    """Its name is typed in part, an arrow chooses it, Enter opens its page."""
    page = browser.new_page()
    page.goto(address + path)
    field = page.get_by_role("combobox", name="Search models and evals")
    field.fill("gemini flash")
    option = page.get_by_role("option").first
    expect(option).to_contain_text("Gemini 3 Flash Preview")
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", "search-match-0")
    field.press("Enter")
    page.wait_for_url(address + "models/google/gemini-3-flash-preview/")
    page.close()


def test_an_eval_is_found_by_its_name_and_escape_closes_the_list(
    browser: Browser, address: str
) -> None:
    """What matches nothing shows no list; the list goes away without a choice."""
    page = browser.new_page()
    page.goto(address)
    field = page.get_by_role("combobox", name="Search models and evals")
    field.fill("002-queries")
    expect(page.get_by_role("listbox", name="Matches")).to_be_visible()
    field.press("Escape")
    expect(page.get_by_role("listbox", name="Matches")).to_be_hidden()
    field.fill("no such thing")
    expect(page.get_by_role("status").filter(has_text="0 matches")).to_be_attached()
    expect(page.get_by_role("listbox", name="Matches")).to_be_hidden()
    page.close()


def test_without_javascript_both_lists_are_in_the_navigation(
    browser: Browser, address: str
) -> None:
    """There is no empty box, and the lists are one link away."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    expect(page.locator(".search")).to_be_hidden()
    nav = page.get_by_role("navigation", name="Site")
    for name, place in (("Models", "models/"), ("Evals", "evals/")):
        expect(nav.get_by_role("link", name=name)).to_have_attribute("href", place)
    page.close()
