"""Markdown as HTML that may stand on a page."""

import re
from collections.abc import Callable
from time import process_time

import pytest
from selectolax.lexbor import LexborHTMLParser

from records.text.markdown import render_markdown, render_passage, render_prose

pytestmark = pytest.mark.unit


def test_prose_is_sanitised() -> None:
    """Neither markup nor addresses that run code get through; tables and headings do."""
    html = render_prose(
        "# Title\n\n## Part\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))"
        " ![i](http://a.test/x.png) [in](other.md)\n\n|a|\n|-|\n|1|\n"
    )
    tree = LexborHTMLParser(html.html)
    assert html.title == "Title"
    assert [section.anchor for section in html.sections] == ["text-part"]
    assert tree.css("script, img, [onerror]") == []
    assert [node.attributes.get("href") for node in tree.css("a")] == ["http://a.test/x.png", None]
    assert _read_text(html.html, "a") == "picture: i"
    assert _read_text(html.html, "table td") == "1"


def render_html_of_prose(text: str) -> str:
    """Return the HTML of a document."""
    return render_prose(text).html


@pytest.mark.parametrize("mark", ["> ", "- "])
@pytest.mark.parametrize("render", [render_passage, render_html_of_prose])
def test_a_text_that_is_nested_too_deeply_states_that_something_is_left_out(
    render: Callable[[str], str], mark: str
) -> None:
    """Forty levels are shown; of two hundred the first are, and a sentence marks the cut."""
    assert "innermost" in render(f"{mark * 40}innermost")
    deep = render(f"{mark * 200}innermost")
    assert "innermost" not in deep
    assert "the rest is not shown" in deep


def test_prose_takes_relative_links_from_its_base() -> None:
    """The method page's links into the repository lead there."""
    html = render_prose(
        "[scores](../generator/scores/score_table.py) [here](#x)", base="https://r.test/docs/"
    )
    addresses = re.findall(r'href="([^"]*)"', html.html)
    assert addresses[0] == "https://r.test/generator/scores/score_table.py"


def _read_text(html: str, selector: str) -> str:
    node = LexborHTMLParser(html).css_first(selector)
    assert node is not None
    return node.text()


@pytest.mark.parametrize(
    ("repeated", "end"),
    [
        ("[", ""),
        *(
            pytest.param(*case, marks=pytest.mark.more)
            for case in (
                ("![", ""),
                ("[", "]"),
                ("![", "]"),
                ("[a](", ""),
                ("[[a]", ""),
                ("[", "](x)"),
            )
        ),
    ],
)
def test_brackets_cost_little_more_than_other_signs(repeated: str, end: str) -> None:
    """Emphasis of the same length takes at least a sixteenth of the processor time just before."""
    text = repeated * (30_000 // len(repeated)) + end
    assert any(16 * _measure("*a " * 10_000) > _measure(text) for _ in range(10))


def _measure(text: str) -> float:
    """Return the processor seconds of one rendering."""
    start = process_time()
    render_markdown(text)
    return process_time() - start


def test_links_and_pictures_are_found_beside_lone_brackets() -> None:
    """Brackets that begin no link are text; nested brackets still hold links."""
    text = "[a](https://x.example) ![p](https://x.example/q) [[b](https://x.example/b)] [c ![d [e"
    html = render_markdown(text)
    assert html.count("<a ") == 3
    assert "picture: p" in html
    assert html.rstrip().endswith("[c ![d [e</p>")
    assert render_markdown("[" * 300) == f"<p>{'[' * 300}</p>\n"


def test_a_passage_is_sanitised_and_its_code_coloured() -> None:
    """Headings are below those of the page, and neither markup nor addresses that run code stay."""
    html = render_passage(
        "# One\n\n<script>alert(1)</script> [x](javascript:alert(1)) [y](/deleted)\n\n"
        "![p](https://x.example/p.png)\n\n```ts\nconst a = 1;\n```\n\n```brainfuck\n<b>\n```\n"
    )
    tree = LexborHTMLParser(html)
    assert tree.css("script, img, a[href='/deleted'], a[rel]:not([href]), b") == []
    assert _read_text(html, "h4") == "One"
    assert _read_text(html, "a[href]") == "picture: p"
    assert _read_text(html, "span.k-k") == "const"
    assert [code.text() for code in tree.css("pre")] == ["const a = 1;\n", "<b>\n"]
