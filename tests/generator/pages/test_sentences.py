"""Pages of imported results: no text of them changes unseen, and the words are plain.

`test_small_boards` has the pages of small boards, `test_contexts` those of every kind.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.pages.eval import build_eval_page
from generator.pages.matrix import WITHOUT_GUIDELINES, build_matrix_page
from generator.pages.model import build_model_page
from generator.pages.pair import build_pair_page
from generator.pages.report import build_report_page
from generator.pages.run import build_run_page
from generator.render.templates import PageContext
from generator.site_pages import list_site_pages
from records.files.data_folder import DataFolder
from records.reader import read_run
from tests.generator.contexts import ROOT, gather_imported_site, load_project_templates
from tests.generator.pages.approved import check_approved, read_page_text

pytestmark = pytest.mark.unit

_PATHS: Final = frozenset({"", "changes/", "compare/", "evals/", "guidelines/", "models/"})
_EVALS: Final = (
    "000-fundamentals/003-crons",
    "004-actions/007-http_action_routing",
    "006-clients/001-use_mutation",
)
_UNWANTED: Final = (
    r"Kendall|exact test|\bp = |any two of the models|however little|does not fix its tasks|"
    r"by name, each with its score|reports find what of|no guidelines\)|Taken one by one|"
    r"better than the other model|is recorded yet|\b0 (refused|cut off|answered)"
)


def _gather_pages() -> Iterator[PageContext]:
    site, data = gather_imported_site(), DataFolder(ROOT / "data")
    pages = (page.gather() for page in list_site_pages(site) if not page.below)
    yield from (page for page in pages if page.frame.path in _PATHS)
    yield build_matrix_page(site, site.leaderboards[str(site.front)], WITHOUT_GUIDELINES)
    yield build_pair_page(site, [data], next(iter(site.pairs.values())))
    for name in _EVALS:
        yield build_eval_page(site, name)
    for slug in ("openai/gpt-5.2-codex", "openai/gpt-5.3-codex"):
        yield build_model_page(site, slug)
    (run,) = (run for run in site.summaries.runs if run.run_id.startswith("jn7fgntk"))
    yield build_run_page(site, run, read_run(data.get_run_file(run.slug, run.run_id)))
    yield build_report_page(site, site.reports[run.run_id][0], run)


@cache
def _render_texts() -> dict[str, str]:
    """Return the text, the explanations and the links of the main part of each page by path."""
    templates, texts = load_project_templates(), dict[str, str]()
    for page in _gather_pages():
        made = templates.render(page)
        tree = LexborHTMLParser(made.decode())
        explained = (" ".join(part.text().split()) for part in tree.css("main details.how"))
        hrefs = (str(link.attributes["href"]) for link in tree.css("main a[href]"))
        texts[page.frame.path] = "\n".join((read_page_text(made), *explained, *hrefs))
    return texts


def test_pages_of_imported_results_are_as_approved() -> None:
    """Figures, sentences and links are those that somebody looked at."""
    check_approved("imported results", _render_texts())


def test_no_page_has_words_that_only_the_method_explains() -> None:
    """Names of tests and raw p-values stand on the method page; counts of nothing stand nowhere."""
    assert _render_texts().keys() >= _PATHS
    wrong = {path: re.findall(_UNWANTED, text) for path, text in _render_texts().items()}
    assert not any(wrong.values()), wrong
