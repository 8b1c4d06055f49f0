"""The layout: on a desk pages are filled and rows equally high; on a phone no texts meet."""

import pytest
from playwright.sync_api import Page

from tests.site.example_site import BuiltSite, list_page_kinds
from tests.site.measures import read_measures
from tests.site.walks.walk import AT_A_DESK, Walk, walk_at

pytestmark = pytest.mark.integration

_LEAST = 0.9
"""Share of the page's width that each table spans, alone or with its neighbours."""
_WIDEST_GAP = 0.5
"""Largest share of the page's width between two neighbours of a row."""
_MOST_DIFFERENCE_PX = 2


on_a_desk = walk_at(AT_A_DESK, at_night=[(1280, "light")])


@on_a_desk
def test_tables_span_the_page_on_a_desk(walk: Walk) -> None:
    """A table spans it alone or with the part beside it, on all page kinds, without a wide gap.

    Tables that the script loads for an address count as well.
    """
    narrow = {
        name: short
        for name, values in walk.items()
        if (
            short := [
                f"{table['label']}: spans {table['span']:.2f}, gap of {table['gap']:.2f}"
                for table in values["spans"]
                if table["span"] < _LEAST or table["gap"] > _WIDEST_GAP
            ]
        )
    }
    assert sum(len(values["spans"]) for values in walk.values()) > len(walk)
    assert narrow == {}


@on_a_desk
def test_names_of_evals_are_not_broken_on_a_desk(walk: Walk) -> None:
    """Each name in a table stands on one line, whole."""
    broken = {
        name: wrapped[:3]
        for name, values in walk.items()
        if (wrapped := [text for text, number in values["lines_of_names"] if number > 1])
    }
    assert sum(len(values["lines_of_names"]) for values in walk.values()) > 100
    assert broken == {}


@walk_at(AT_A_DESK, at_night=[(1280, "light"), (1600, "light")])
def test_rows_of_models_are_equally_high(walk: Walk) -> None:
    """Names, makers and remarks do not change it; a maker is below the name, in line with it."""
    uneven: dict[str, list[str]] = {}
    boards: set[str] = set()
    for name, values in walk.items():
        for label, heights, aside in values["rows_of_models"]:
            boards.add(name)
            if max(heights) - min(heights) > _MOST_DIFFERENCE_PX or aside:
                uneven.setdefault(name, []).append(f"{label}: {sorted(set(heights))}, {aside}")
    assert uneven == {}
    expected = {"front", "with", "without", "category", "models", "version"}
    assert expected & walk.keys() <= boards
    assert {"front", "category", "models", "version"} <= boards


def test_rows_of_evals_are_equally_high(page: Page, site: BuiltSite, address: str) -> None:
    """Rows in the list of evals have the same height with any remarks; the list is not scrolled."""
    page.goto(f"{address}{list_page_kinds(site)['evals']}")
    heights = page.evaluate(read_measures()["rows_of_evals"])
    scrolled = page.evaluate(read_measures()["scrolled"])
    assert len(heights) > 60
    assert max(heights) - min(heights) <= _MOST_DIFFERENCE_PX
    assert scrolled == 0


@pytest.mark.parametrize("kind", ["models", "category", "version-category"])
def test_texts_of_cells_stay_apart_on_a_phone(
    page: Page, site: BuiltSite, address: str, kind: str
) -> None:
    """No text of a cell reaches into the next: slugs wrap, and marks have columns wide enough."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address + list_page_kinds(site)[kind])
    texts, meeting = page.evaluate(read_measures()["meeting"])
    assert texts > 10
    assert meeting == []


# The number of texts in cells, and the cells with a text that reaches into that of the next cell.
# The part of a text that an element cuts off does not count.
