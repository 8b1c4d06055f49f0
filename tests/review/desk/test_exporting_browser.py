"""The export dialog in a browser: another choice changes counts and button at once."""

import json

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.integration


def test_another_format_changes_counts_and_button_at_once(page: Page, address: str) -> None:
    """No other key or click is needed; the file follows the current choices."""
    page.goto(f"{address}export?examples=no")
    button = page.get_by_role("button", name="Download")
    expect(button).to_have_text("Download sessions-deepeval.json")
    before = page.locator("main h2").first.inner_text()
    with page.expect_navigation():
        page.select_option("#x-format", "openai-evals")
    expect(button).to_have_text("Download sessions-openai-evals.jsonl")
    assert page.locator("main h2").first.inner_text() != before
    with page.expect_download() as download:
        button.click()
    assert download.value.suggested_filename == "sessions-openai-evals.jsonl"
    rows = download.value.path().read_text("utf-8").splitlines()
    assert page.locator("main h2").first.inner_text().startswith(f"{len(rows)} row")
    assert all("ideal" in json.loads(row) for row in rows)
