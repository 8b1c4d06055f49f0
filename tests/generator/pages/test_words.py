"""Words of pages: each page with tables of statistics has a part that explains them."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.pages.pair import build_pair_page
from generator.site_pages import list_site_pages
from records.files.data_folder import DataFolder
from tests.generator import contexts

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("path", ["guidelines/", "compare/", "matrix/", "changes/"])
def test_pages_explain_their_words_in_a_part_that_opens(path: str) -> None:
    """A `details` works by touch and keyboard, with a meaning for each word and a link for more."""
    pages = list_site_pages(contexts.gather_published_site())
    templates = contexts.load_project_templates()
    (page,) = [
        gathered
        for below, gather in pages
        if path.startswith(below) and (gathered := gather()).frame.path == path
    ]
    assert_words_are_explained(templates.render(page))


def test_a_page_of_two_runs_explains_its_words_in_a_part_that_opens() -> None:
    """Each page of two runs has the part as well."""
    data = DataFolder(contexts.ROOT / "data")
    site = contexts.gather_published_site()
    pair = next(iter(site.pairs.values()))
    assert_words_are_explained(
        contexts.load_project_templates().render(build_pair_page(site, [data], pair))
    )


def assert_words_are_explained(page: bytes) -> None:
    """Check that a page has one part that opens, with words, meanings and a link to the method."""
    (how,) = LexborHTMLParser(page.decode()).css("details.how")
    summary, *_ = how.css("summary")
    assert summary.text() == "How to read this page"
    words = [node.text(strip=True) for node in how.css("dt")]
    assert len(words) > 4
    assert len(words) == len(set(words)) == len([node for node in how.css("dd") if node.text()])
    (link,) = how.css("p a")
    method = (contexts.ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    anchors = {
        "text-" + line.removeprefix("## ").lower().replace(" ", "-")
        for line in method.splitlines()
        if line.startswith("## ")
    }
    assert (link.attributes["href"] or "").partition("#")[2] in anchors
