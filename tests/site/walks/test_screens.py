"""The site in a real browser: every page kind fits its window, and reports no error."""

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
    [
        *(PHONE, AT_A_DESK),
        *make_night_params(
            *((width, scheme) for width in (390, 768, 1280, 1920) for scheme in ("light", "dark"))
        ),
    ],
    indirect=True,
    ids=name_look,
)
def test_every_page_kind_fits_its_window(walk: Walk) -> None:
    """No page is wider than its window, and none reports an error.

    Set SCREENSHOTS to a folder to look at pictures of them afterwards.
    """
    beyond = {name: values["beyond"] for name, values in walk.items() if values["beyond"] > 0}
    assert beyond == {}
    assert select_complaints(walk, "wrong") == {}
