"""Targets of links, and stops of the keyboard, which sticky heads must not cover."""

import pytest

from tests.site.walks.walk import (
    AT_A_DESK,
    PHONE,
    Walk,
    make_night_params,
    name_look,
    select_complaints,
)

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    "walk",
    [AT_A_DESK, *make_night_params((390, "light"), (1280, "light"), (1600, "light"))],
    indirect=True,
    ids=name_look,
)
def test_a_row_that_a_link_leads_to_is_in_sight(walk: Walk) -> None:
    """An address with an anchor shows that row, below the table's own head."""
    assert select_complaints(walk, "covered_rows") == {}


@pytest.mark.parametrize(
    "walk",
    [PHONE, *make_night_params((320, "light"), (390, "light"), (1280, "light"), (1600, "light"))],
    indirect=True,
    ids=name_look,
)
def test_the_focused_element_is_in_sight(walk: Walk) -> None:
    """Going through the main part and back, no stop is hidden by a head or a first column.

    That is success criterion 2.4.11 of WCAG 2.2, which axe-core does not see.
    """
    assert select_complaints(walk, "covered_stops") == {}
