"""The links of a built site, checked by the preview's own search for broken links."""

from pathlib import Path

from leaderboard.preview.links import find_broken_links


def assert_no_broken_link(site: Path) -> None:
    """Check that the site has pages, and that each of their links leads somewhere."""
    assert any(site.rglob("*.html"))
    assert find_broken_links(site) == []
