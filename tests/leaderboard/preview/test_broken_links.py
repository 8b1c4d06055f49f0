"""Links within the built site that lead nowhere, page by page."""

from pathlib import Path

import pytest

from leaderboard.preview.links import find_broken_links

pytestmark = pytest.mark.unit


def test_an_anchor_that_went_is_reported_of_the_page_that_links_to_it(tmp_path: Path) -> None:
    """Unchanged pages are checked again when the targets of their links change."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text('<p><a href="../b.html#part">b</a></p>')
    (tmp_path / "b.html").write_text('<p id="part"><a href="mailto:x@example.org">m</a></p>')
    assert find_broken_links(tmp_path) == []
    (tmp_path / "b.html").write_text('<p id="other"></p>')
    message = "a/index.html: ../b.html#part: the page has no such anchor"
    assert find_broken_links(tmp_path) == [message]
    (tmp_path / "b.html").unlink()
    gone = "a/index.html: ../b.html#part: there is no such page"
    assert find_broken_links(tmp_path) == [gone]
