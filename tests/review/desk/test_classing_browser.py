"""Failures of a report at the desk in a real browser: classed by keys, and accessible."""

import re
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from records.files.data_folder import DataFolder
from records.shapes.failure_classes import FailureClass
from review.store import SessionStore
from runner.reports.write import save_class
from tests.leaderboard.reports.test_classify import list_failure_classes, read_only_report
from tests.review.desk.looks import LOOKS, Look, name_look, open_look
from tests.review.desk.reported_run import FIRST, LAST, PLACE, SECOND, UNKNOWN, write_reported_run
from tests.review.desking import serve_desk

pytestmark = pytest.mark.integration


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """A published run of twelve evals with four failures, and a report without classes."""
    return write_reported_run(tmp_path)


@pytest.fixture
def address(data: DataFolder) -> Generator[str]:
    """The address of the desk on loopback."""
    with serve_desk(SessionStore(data)) as address:
        yield address


def test_keys_class_every_failure(page: Page, address: str, data: DataFolder) -> None:
    """A key saves class and note, and leads on; other keys skip and go back; the report follows."""
    page.goto(f"{address}reports")
    page.get_by_role("link", name="Class 4").click()
    expect(page.locator("h2").first).to_have_text(UNKNOWN)
    for name in ("Message", "Task", "Answer beside the reference"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.type("the index is missing")
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    expect(page).to_have_url(re.compile(SECOND))
    assert list_failure_classes(data)[0] == (FailureClass.MODEL_FAULT, "the index is missing")
    page.keyboard.press("b")
    expect(page.locator("[aria-pressed=true]")).to_have_attribute("value", "model_fault")
    page.keyboard.press("s")
    expect(page).to_have_url(re.compile(SECOND))
    for key, remaining in (("o", 2), ("k", 1)):
        page.keyboard.press(key)
        expect(page.get_by_text(f"{remaining} without a class")).to_be_visible()
    page.keyboard.press("h")
    expect(page.get_by_role("heading", name="Every failure has a class")).to_be_visible()
    assert [failure_class for failure_class, _ in list_failure_classes(data)] == [
        FailureClass.MODEL_FAULT,
        FailureClass.OVERLY_STRICT,
        FailureClass.KNOWN_GAP,
        FailureClass.HARNESS_FAULT,
    ]
    report = read_only_report(data)
    assert report.draft
    assert report.net_impact is not None
    assert report.net_impact in report.text


def test_a_key_that_is_held_down_classes_one_failure(
    page: Page, address: str, data: DataFolder
) -> None:
    """The keyboard repeats the key even after the next failure is in sight."""
    page.goto(f"{address}{PLACE}")
    page.keyboard.down("m")
    expect(page).to_have_url(re.compile(SECOND))
    for _ in range(3):
        page.keyboard.down("m")
    page.keyboard.up("m")
    page.keyboard.press("b")  # keys work in order: the repeated keys came before
    expect(page).to_have_url(re.compile(FIRST))
    assert [failure_class for failure_class, _ in list_failure_classes(data)].count(None) == 3


@pytest.mark.parametrize("look", LOOKS, ids=name_look)
def test_axe_finds_nothing_and_every_page_fits(
    browser: Browser, data: DataFolder, address: str, look: Look
) -> None:
    """The list, a failure with and without its evidence, and the end are checked."""
    with open_look(browser, look) as looked:
        page = looked.page
        for name, path in (("reports", "reports"), ("failure", LAST), ("no-evidence", FIRST)):
            page.goto(f"{address}{path}")
            looked.examine(name)
        page.goto(f"{address}{PLACE}")
        expect(page.get_by_text("4 without a class")).to_be_visible()
        (report,) = data.list_report_files()
        for failure in read_only_report(data).failures:
            save_class(report, (failure.eval, None), FailureClass.MODEL_FAULT, "a note")
        page.goto(f"{address}{PLACE}")
        expect(page.get_by_role("heading", name="Every failure has a class")).to_be_visible()
        looked.examine("classed")
