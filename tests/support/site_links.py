"""The links of a built site, checked by the preview's own search for broken links."""

from pathlib import Path

from leaderboard.preview.links import Links


def assert_no_broken_link(site: Path) -> None:
    """Check that the site has pages, and that each of their links leads somewhere."""
    pages = [path.relative_to(site).as_posix() for path in site.rglob("*.html")]
    assert pages
    assert Links(site).update(pages, ()) == []
