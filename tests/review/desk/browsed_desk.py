"""A desk that tests browse with a real browser: its sessions, and keys that change the page."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

from review.store import SessionStore
from tests.review.corpus import NASTY, make_message, make_session, store_of
from tests.review.desking import HOSTILE, make_attempt_session, make_talk

_EARLIER = (
    make_message("user", "Which files?"),
    make_message("assistant", "One."),
    make_message("user", "And indexes?"),
    make_message("assistant", "None."),
)
"""Turns before the judged turn."""
KEYED = make_attempt_session(50).model_copy(
    update={"messages": (*_EARLIER, *make_attempt_session(50).messages)}
)
PLACE = f"sessions/{KEYED.id}"


def make_browsed_store(data: Path) -> SessionStore:
    """Return a store of talks, attempts and hostile sessions."""
    hostile = make_session(
        200,
        make_message("user", HOSTILE),
        make_message("assistant", HOSTILE),
        title=HOSTILE,
        eval_tags=(HOSTILE[:60],),
    )
    sessions = [
        *(make_talk(number, eval_tags=("auth",)) for number in range(100, 112)),
        *(make_talk(number, eval_ready=True, eval_tags=("kept",)) for number in range(120, 123)),
        KEYED,
        *(make_attempt_session(number) for number in (51, 52, 53)),
        hostile,
        *NASTY,
    ]
    return store_of(data, sessions)


def press(page: Page, key: str) -> None:
    """Press a key, and wait for the next page, or for new labels on this page."""
    with wait_for_change(page):
        page.keyboard.press(key)


@contextmanager
def wait_for_change(page: Page) -> Generator[None]:
    """Wait at the end of the context until the desk has shown a page or labels anew.

    Changes of the address tell less: one of an earlier key may come late.
    """
    page.locator("main, #judge").last.evaluate("(part) => { part.dataset.before = ''; }")
    yield
    expect(page.locator("[data-before]")).to_have_count(0)
    page.wait_for_load_state()


def press_to_save(page: Page, key: str) -> None:
    """Press a key that saves and stays, and wait until the page has the new version."""
    version = page.locator("#judge [name=version]")
    before = version.input_value()
    page.keyboard.press(key)
    expect(version).not_to_have_value(before)


def list_advertised_keys(page: Page) -> list[str]:
    """Return the keys that a page lists."""
    listed = page.locator("#keys [data-shortcut]").evaluate_all(
        "all => all.map((one) => one.dataset.shortcut)"
    )
    return [key for keys in listed for key in keys.split(" ")]
