"""Walks over the page kinds in a browser: each page is loaded once, and measured in every way."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from axe_playwright_python.base import (  # pyright: ignore[reportMissingTypeStubs]
    AXE_SCRIPT,
)
from playwright.sync_api import Browser, Page, Request, Route, expect

from tests.site.example_site import BuiltSite, list_page_kinds
from tests.site.measures import read_measures
from tests.site.watching import open_watched_page, open_window, resize_window

Walk = Mapping[str, Mapping[str, Any]]
"""The measured values of each page kind, by the names of the functions below without "_measure"."""

_HEIGHT = 800
_PHONE = 600
"""Widths below it are those of phones."""
_A4_PX = 703
"""Width of a page of paper without its margins, at 96 pixels an inch."""
_LEAST_PX = 12
"""Smallest size of a text."""
_LATE_S = 0.2
_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
_AXE = """axe.run({rules: {"target-size": {enabled: true}}, resultTypes: ["violations"]})
  .then(({ violations }) => violations.map(
    ({ id, nodes }) => `${id}: ${nodes[0].target} ${nodes[0].failureSummary}`))"""
"""Only violations are read: the whole result takes longer to read than axe to run."""


class Look(NamedTuple):
    """A window, and the page kinds in it."""

    width: int
    scheme: str
    every: bool = True
    """All page kinds; otherwise one of each structure."""


PHONE = Look(390, "light", every=False)
DESK = Look(1280, "dark", every=False)
"""The looks at a page of every structure."""
AT_A_DESK = pytest.param(DESK, marks=pytest.mark.more)
"""The parameter of a walk at a desk: `make test` walks on a phone alone."""


def walk_at(*looks: object, at_night: Iterable[tuple[int, str]]) -> pytest.MarkDecorator:
    """Return the mark of a test of walks with these looks, and of all page kinds at night."""
    night = [pytest.param(Look(*look), marks=pytest.mark.night) for look in at_night]
    return pytest.mark.parametrize("walk", [*looks, *night], indirect=True, ids=name_look)


def name_look(look: Look) -> str:
    """Return the name of a look in the names of tests."""
    return f"{look.width}-{look.scheme}{'-all' * look.every}"


def walk_over(browser: Browser, site: BuiltSite, address: str, look: Look) -> Walk:
    """Return the measured values of the page kinds in a window.

    Set SCREENSHOTS to a folder to look at pictures of the pages afterwards. Scripts come late,
    except at the desk of `make test-more`, and on pages whose content depends on the address.
    """
    wrong: list[str] = []
    window = open_window(browser, look.width, look.scheme)
    window.add_init_script(read_measures()["observed"])
    prompt, late = (open_watched_page(window, wrong) for _ in range(2))
    late.route("**/assets/*.js", _hold_back)

    def note_elsewhere(request: Request) -> None:
        if not request.url.startswith(address):
            wrong.append(f"asked {request.url}")

    window.on("request", note_elsewhere)
    walk: dict[str, Mapping[str, Any]] = {}
    for index, (name, path) in enumerate(list_page_kinds(site, every=look.every).items()):
        page = prompt if "?" in path or look == DESK else late
        page.set_viewport_size({"width": look.width, "height": _HEIGHT})
        page.goto(address + path)
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        save_picture(page, f"{name}-{look.width}-{look.scheme}")
        values = _measure_unchanged(page, look)
        values["wrong"], wrong[:] = [*wrong], []
        has_axe = look.every or index % 2 == (look == DESK)
        if has_axe and look.width in {PHONE.width, DESK.width}:
            page.evaluate(AXE_SCRIPT)
            values["violations"] = page.evaluate(_AXE)
        # The order matters: the focus and anchors, which move the page, come last.
        if look.width < _PHONE:
            values["sideways"] = _measure_sideways(page, look)
        if look.width == DESK.width:
            values |= _measure_forced(page, look) | _measure_print(page, look)
        if look.width < _PHONE or look.every:
            values["covered_stops"] = page.evaluate(read_measures()["covered_stops"])
        if look.width >= _PHONE or look.every:
            values["covered_rows"] = page.evaluate(read_measures()["covered_rows"])
        wrong.clear()  # complaints about the measuring itself
        walk[name] = values
    window.close()
    return walk


def select_complaints(walk: Walk, name: str) -> dict[str, Sequence[str]]:
    """Return the values of one name that are not empty, by page kinds; every kind has a value."""
    return {kind: values[name] for kind, values in walk.items() if values[name]}


def save_picture(page: Page, name: str) -> None:
    """Keep a picture of a page if the variable SCREENSHOTS names a folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def _measure_unchanged(page: Page, look: Look) -> dict[str, Any]:
    """Return the values that a page has as it was loaded."""
    # Two frames: in the first the change is laid out, in the second it is reported.
    page.evaluate(_FRAMES)
    page.wait_for_timeout(50)
    values = {
        "shifts": page.evaluate("globalThis.shifts"),
        "beyond": page.evaluate("document.documentElement.scrollWidth - innerWidth"),
        "small": page.evaluate(read_measures()["small"], _LEAST_PX),
    }
    if look.width < _PHONE:
        values["stacked"] = page.locator("table.stacked").count()
        values["beyond_stacked"] = page.evaluate(read_measures()["beyond"])
    else:
        values["spans"] = page.evaluate(read_measures()["spans"])
        values["lines_of_names"] = page.evaluate(read_measures()["lines_of_names"])
        values["rows_of_models"] = page.evaluate(read_measures()["rows_of_models"])
    return values


def _measure_sideways(page: Page, look: Look) -> int:
    """Return by how many pixels a page scrolls sideways in a very small window."""
    resize_window(page, 320, 640)
    page.evaluate("scrollTo(100, 0)")
    moved: int = page.evaluate("scrollX")
    page.evaluate("scrollTo(0, 0)")
    resize_window(page, look.width, _HEIGHT)
    return moved


def _measure_forced(page: Page, look: Look) -> dict[str, Any]:
    """Return the marks and complaints of a page in forced colours."""
    page.emulate_media(forced_colors="active")
    assert page.evaluate("matchMedia('(forced-colors: active)').matches")
    measured: dict[str, list[str]] = page.evaluate(read_measures()["forced"])
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    complaints = measured["faint"] + measured["lost"] + measured["unmarked"]
    complaints += page.evaluate(read_measures()["unoutlined"])
    page.emulate_media(forced_colors="null", color_scheme=_get_scheme(look))
    return {"forced_marks": len(measured["marks"]), "forced_complaints": complaints}


def _measure_print(page: Page, look: Look) -> dict[str, Any]:
    """Return the tables of a page on paper, and the content that does not belong there."""
    resize_window(page, _A4_PX, 1000)
    page.emulate_media(media="print", color_scheme="light")
    values = {
        "printed_tables": page.locator("table:visible").count(),
        "printed_wrongly": page.evaluate(read_measures()["printed_wrongly"]),
        "beyond_the_paper": page.evaluate(read_measures()["beyond_the_paper"]),
    }
    page.emulate_media(media="null", color_scheme=_get_scheme(look))
    resize_window(page, look.width, _HEIGHT)
    return values


def _get_scheme(look: Look) -> Any:  # noqa: ANN401 - one of the words that Playwright lists
    return look.scheme


def _hold_back(route: Route) -> None:
    time.sleep(_LATE_S)
    route.continue_()
