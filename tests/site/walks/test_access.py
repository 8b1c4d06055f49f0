"""Accessibility of pages, and the limits of a published page: axe-core, the CSP, headers."""

import pytest

from tests.site.example_site import BuiltSite
from tests.site.serving import find_published_headers
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
            *((width, scheme) for width in (390, 1280) for scheme in ("light", "dark"))
        ),
    ],
    indirect=True,
    ids=name_look,
)
def test_axe_finds_nothing_on_any_page_kind(walk: Walk) -> None:
    """No violation of axe-core's rules, in either scheme, on a phone and on a desk.

    `make test` examines half of the structures on a phone, `make test-more` the other half on a
    desk; the night examines all in every way.
    The size of controls is checked, too, 24 by 24 px or as far from their neighbours (WCAG 2.5.8),
    which axe-core leaves out by itself.
    """
    examined = {name: values for name, values in walk.items() if "violations" in values}
    assert len(examined) >= len(walk) // 2
    assert select_complaints(examined, "violations") == {}


@pytest.mark.parametrize(
    "walk",
    [PHONE, AT_A_DESK, *make_night_params((1280, "dark"))],
    indirect=True,
    ids=name_look,
)
def test_pages_obey_the_published_policy_and_ask_no_other_host(walk: Walk) -> None:
    """Under netlify.toml's headers no page kind breaks the policy, logs, or calls another host."""
    assert select_complaints(walk, "wrong") == {}


def test_headers_are_strict_and_only_hashed_files_are_kept_for_ever() -> None:
    """The policy allows no inline code; files with a hash in their name are cached for a year."""
    page, asset = find_published_headers("/"), find_published_headers("/assets/site.0123456789.css")
    policy = page["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page["X-Content-Type-Options"] == "nosniff"
    assert "max-age=63072000" in page["Strict-Transport-Security"]
    assert {"Referrer-Policy", "Permissions-Policy"} <= page.keys()
    assert "must-revalidate" in page["Cache-Control"]
    assert "immutable" in asset["Cache-Control"]
    assert asset["Content-Security-Policy"] == policy


def test_the_front_page_is_light(site: BuiltSite) -> None:
    """A page asks for nothing but a style sheet, the search and the script of tables."""
    html = (site.folder / "index.html").read_text()
    assert html.count('<link rel="stylesheet"') == 1
    assert html.count("<script") == 2
