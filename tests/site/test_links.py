"""The built site as a whole: valid HTML, targets of links, anchors, and no inline code."""

import json
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.read.site_settings import read_settings
from runner.toolchain import find_node
from tests.site.example_site import ROOT, BuiltSite, list_page_kinds
from tests.support.site_links import assert_no_broken_link

pytestmark = pytest.mark.integration
_PUBLISHED = str(read_settings(ROOT / "site_templates").address)


@pytest.fixture(params=["site", pytest.param("whole_site", marks=pytest.mark.night)])
def each_site(request: pytest.FixtureRequest) -> BuiltSite:
    """The site of the other tests; at night also that of all published answers."""
    site: BuiltSite = request.getfixturevalue(request.param)
    return site


def test_every_internal_link_and_anchor_exists(each_site: BuiltSite) -> None:
    """A link within the site leads to a built file, and its fragment to an id in that file."""
    assert_no_broken_link(each_site.folder)


def test_ids_are_unique_within_each_page(each_site: BuiltSite) -> None:
    """No page uses an id twice, so that permalinks are not ambiguous."""
    repeated = {
        path: sorted({identifier for identifier in ids if ids.count(identifier) > 1})
        for path, tree in _read_trees(each_site.folder).items()
        if len(ids := _list_ids(tree)) != len(set(ids))
    }
    assert repeated == {}


def test_no_page_carries_inline_script_or_style(each_site: BuiltSite) -> None:
    """A strict Content-Security-Policy can hold: no style attribute, handler or inline script."""
    attributes = [
        f"{path}: {node.tag} {name}"
        for path, tree in _read_trees(each_site.folder).items()
        for node in tree.css("*")
        for name in node.attributes
        if name == "style" or name.startswith("on")
    ]
    scripts = [
        path
        for path, tree in _read_trees(each_site.folder).items()
        for node in tree.css("script, style")
        if node.tag == "style" or not node.attributes.get("src")
    ]
    assert (attributes, scripts) == ([], [])


def test_every_page_has_one_heading_of_the_first_level_and_a_title(each_site: BuiltSite) -> None:
    """Readers and machines find the subject of a page in the same place on each."""
    wrong = [
        path
        for path, tree in _read_trees(each_site.folder).items()
        if len(tree.css("h1")) != 1 or len(tree.css("head > title")) != 1
    ]
    assert wrong == []


def test_every_page_describes_itself_to_machines(each_site: BuiltSite) -> None:
    """Every page has a description, the feed, its own address and a picture that exists."""
    wrong: list[str] = []
    for path, tree in _read_trees(each_site.folder).items():
        card = _read_attribute(tree, "meta[property='og:image']", "content")
        canonical = _read_attribute(tree, "link[rel='canonical']", "href")
        address = path.removesuffix("index.html")
        if not _read_attribute(tree, "meta[name='description']", "content"):
            wrong.append(f"{path}: no description")
        if not _read_attribute(tree, "link[rel='alternate'][type='application/atom+xml']", "href"):
            wrong.append(f"{path}: no feed")
        if not (each_site.folder / card.removeprefix(_PUBLISHED)).is_file():
            wrong.append(f"{path}: no card {card}")
        if canonical != ("" if path == "404.html" else _PUBLISHED + address):
            wrong.append(f"{path}: stands at {canonical}")
    assert wrong == []


def test_the_sitemap_lists_every_page(each_site: BuiltSite) -> None:
    """No page is missing, and every listed page exists."""
    tree = ET.parse(each_site.folder / "sitemap.xml")  # noqa: S314 - our own bytes
    listed = [text for text in tree.getroot().itertext() if text.strip()]
    pages = {path.removesuffix("index.html") for path in _read_trees(each_site.folder)} - {
        "404.html"
    }
    assert sorted(listed) == sorted(_PUBLISHED + path for path in pages)


def _read_attribute(tree: LexborHTMLParser, selector: str, name: str) -> str:
    element = tree.css_first(selector)
    return (element.attributes.get(name) or "") if element else ""


def _read_trees(folder: Path) -> dict[str, LexborHTMLParser]:
    return {
        path.relative_to(folder).as_posix(): LexborHTMLParser(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
    }


def _list_ids(tree: LexborHTMLParser) -> list[str]:
    return [node.attributes.get("id") or "" for node in tree.css("[id]")]


def test_main_tables_state_how_they_are_read(site: BuiltSite) -> None:
    """Beside each stands the meaning of its columns, with a link to a paragraph of the method.

    No head of theirs needs a pointer that hovers: nobody does that by touch or by keyboard.
    """
    pages = list_page_kinds(site)
    method = _read_tree(site.folder / "about" / "index.html")
    for kind in ("front", "version", "evals", "eval", "models", "model", "own-model", "run"):
        tree = _read_tree(site.folder / pages[kind] / "index.html")
        folded = tree.css("details.how")
        assert folded, kind
        assert tree.css("abbr[title]") == [], kind
        for fold in folded:
            leads = [link.attributes["href"] or "" for link in fold.css("a[href*='about/#']")]
            assert leads, kind
            assert all(method.css_matches(f"#{urldefrag(href)[1]}") for href in leads), kind


def _read_tree(path: Path) -> LexborHTMLParser:
    return LexborHTMLParser(path.read_text(encoding="utf-8"))


_CHECKERS = ROOT / "tests" / "checkers"
_PROGRAM = _CHECKERS / "node_modules" / ".bin" / "html-validate"


def test_a_page_of_every_kind_is_valid_html(site: BuiltSite) -> None:
    """The validator finds no fault on any page kind, including those with hostile content."""
    files = sorted({_find_file(site.folder, path) for path in list_page_kinds(site).values()})
    assert list_complaints(files) == []


def _find_file(folder: Path, path: str) -> Path:
    page = folder / path.partition("?")[0]
    return page if page.suffix == ".html" else page / "index.html"


def list_complaints(files: list[Path]) -> list[str]:
    """Return the validator's complaints about pages."""
    if not _PROGRAM.exists():
        pytest.skip("needs the validator: make tests/checkers/node_modules/.ready")
    config = str(_CHECKERS / ".htmlvalidate.json")
    result = subprocess.run(
        [find_node(), _PROGRAM, "--config", config, "--formatter=json", *map(str, files)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.stderr == ""
    return [
        f"{page['filePath']}:{message['line']}: {message['ruleId']}: {message['message']}"
        for page in json.loads(result.stdout)
        for message in page["messages"]
    ]
