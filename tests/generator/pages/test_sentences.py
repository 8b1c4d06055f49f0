"""Sentences of the published pages: plain words, the subject first, names in place of "other".

`test_small_boards` has the tests of the front pages of small boards.
"""

import re
from functools import cache
from typing import Final

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.pages.pair import build_pair_page
from generator.render.templates import PageContext
from generator.site_pages import list_site_pages
from records.files.data_folder import DataFolder
from tests.generator.contexts import (
    ROOT,
    gather_published_site,
    load_project_templates,
)

pytestmark = pytest.mark.unit

_PAIR: Final = "a page of two runs"
_EXPECTED: Final = [
    ("", r"Filled: the best score so far at its release\."),
    ("", r"such an order comes by chance (about \d+ times in 100|nearly always)\."),
    ("", r"which may be chance\. How chance is judged"),
    ("", r"guidelines in their prompt, unless the heading of the group says otherwise\."),
    ("evals/", r"how many of the \d+ models asked with guidelines pass each of the \d+ evals"),
    (
        "evals/",
        (
            r"\d+ of the \d+ evals show a difference between models; "
            r"the other \d+ are passed equally often by all of them\."
        ),
    ),
    ("evals/", r"unsteady: \d+% \(1 model\)"),
    ("guidelines/", r"With fewer than six evals nothing is called an effect\."),
    ("guidelines/", r"That may be chance, which alone makes such a difference"),
    ("guidelines/", r"Ablations measure the loss of a model without one section; none has been"),
    ("matrix/", r"\"Passed at least once by\" counts the models asked with guidelines of which"),
    ("models/", r"Every model by name, with its score in the newest benchmark version that counts"),
    ("reports/", r"For each eval: the number of models for which reports name each cause\."),
    ("benchmarks/a9e711c21cd3/", r"No run was made under this version\."),
    (_PAIR, r"\d+ evals fixed and none broken would be noticed 80 times in 100\."),
]
_UNWANTED: Final = (
    r"Kendall|exact test|\bp = |any two of the models|however little|does not fix its tasks|"
    r"by name, each with its score|reports find what of|no guidelines\)|Taken one by one|"
    r"better than the other model|is recorded yet|\b0 (refused|cut off|answered)"
)


@cache
def _render_text(path: str) -> str:
    """Return the text of the main part of a published page."""
    tree = LexborHTMLParser(load_project_templates().render(_gather_page(path)).decode())
    main, *_ = tree.css("main")
    for part in main.css("script, svg, pre"):
        part.decompose()
    return " ".join(main.text(separator=" ").split())


def _gather_page(path: str) -> PageContext:
    site, data = gather_published_site(), DataFolder(ROOT / "data")
    if path == _PAIR:
        return build_pair_page(site, [data], next(iter(site.pairs.values())))
    return next(
        page
        for each in list_site_pages(site)
        if path.startswith(each.below) and (page := each.gather()).frame.path == path
    )


@pytest.mark.parametrize(("path", "sentence"), _EXPECTED)
def test_a_page_uses_plain_words(path: str, sentence: str) -> None:
    """Sentences for a reader without statistics; figures are those of the published data."""
    assert re.search(sentence, _render_text(path)), _render_text(path)[:3000]


@pytest.mark.parametrize("path", sorted({path for path, _ in _EXPECTED}))
def test_a_page_has_no_words_that_only_the_method_explains(path: str) -> None:
    """Names of tests and raw p-values stand on the method page; counts of nothing stand nowhere."""
    assert re.findall(_UNWANTED, _render_text(path)) == []
