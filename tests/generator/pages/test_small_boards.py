"""Sentences of sites with few, equal or no models: right in number, and true for each site."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from generator.pages.pair import build_pair_page
from generator.phases import Phases
from generator.render.templates import PageContext
from generator.run_pages import build_run_contexts
from generator.site_data import SiteData
from generator.site_pages import list_site_pages
from records.files.data_folder import DataFolder
from records.reader import read_run
from tests.generator import contexts
from tests.generator.pages.approved import check_approved, read_page_text
from tests.generator.pages.small_boards import BOARDS, list_eval_names, write_board
from tests.support.tiers import leave_to_more

pytestmark = pytest.mark.integration

_ALIKE: Final = ("about/", "guidelines/text/", "404.html")
"""Pages that are the same on each board, or nearly; pages of evals are not gathered at all."""
_MISTAKES: Final = {
    "a plural of one": r"\b1 (models|evals|runs|attempts|reports|failures|points|versions)\b"
    r"|\b1 (of \d+ )?(models|evals|runs|attempts) (have|are|were)\b",
    "one of several": r"\b[2-9]\d* (new version|publisher's correction|run|model|eval)(?!s|\w)",
    "one, all or both of too few": r"\bthe 1 |\ball 2 |\ball 1 |\beach of the (1|2) ",
    "a count of nothing": r"\b0 (models|runs of language|better|worse|may be chance)\b|\bof 0 ",
    "a value without words": r"\bNone of None|\bNaN\b|\bnan\b|\binf\b|undefined|\{\{ ",
    "a word that only the method explains": r"Kendall|exact test|\bp = |however little",
    "punctuation": r" [,.;:](?: |$)|\.\.(?:\s|$)|,\.|;\.|\(\)|: \."
    r"|[a-z%)][.:;,][A-Z][a-z]+ ",
}
_OFTEN: Final = ("one-model", "two-equal", "two-far-apart", "one-run-unjudged", "imported")
"""The boards of `make test`, whose pages are approved; the others differ in single sentences."""


def _gather_site(data: DataFolder) -> SiteData:
    return contexts.gather_with_phases(
        Phases(replace(contexts.make_project_sources(data), evals=contexts.ROOT / "no-suite"))
    )


def _gather_pages(data: DataFolder) -> Iterator[PageContext]:
    site = _gather_site(data)
    for page in list_site_pages(site):
        if not page.below.startswith(("evals/", "data/")):
            yield page.gather()
    for pair in [*site.pairs.values()][:1]:
        yield build_pair_page(site, [data], pair)
    run = site.summaries.runs[0]
    yield next(build_run_contexts(site, run, read_run(data.get_run_file(run.slug, run.run_id))))


@pytest.fixture(scope="module", params=leave_to_more({name: name for name in BOARDS}, but=_OFTEN))
def board(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    """The name of a board, and the text of the main part of each of its pages by path."""
    templates = contexts.load_project_templates()
    with TemporaryDirectory() as folder:
        data = DataFolder(Path(folder))
        write_board(data, request.param)
        texts: dict[str, str] = {}
        for page in _gather_pages(data):
            if not page.frame.path.startswith(_ALIKE):
                texts[page.frame.path] = read_page_text(templates.render(page))
    return request.param, texts


def test_sentences_are_right_in_number_and_hold_no_value_without_words(
    board: tuple[str, dict[str, str]],
) -> None:
    """No page of any board has "1 models", "All 2", a count of nothing, or ` .`."""
    _, texts = board
    assert len(texts) > 15
    mistakes = [
        f"{path or 'front'}: {mistake}: {line}"
        for path, text in texts.items()
        for line in text.splitlines()
        for mistake, pattern in _MISTAKES.items()
        if re.search(pattern, line)
    ]
    assert mistakes == []


_FIRST_SCREENS: Final[dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("first_screens.json").read_bytes()
)
"""The sentences of the front page, by board."""


@pytest.mark.parametrize("board", _OFTEN, indirect=True)
def test_pages_of_small_boards_are_as_approved(board: tuple[str, dict[str, str]]) -> None:
    """No text of a page changes unseen: whoever changes one looks at it, and approves it."""
    check_approved(*board)


def test_first_screens_answer_with_the_models_that_are_there(
    board: tuple[str, dict[str, str]],
) -> None:
    """The front page has each sentence; no sentence calls one of equal models the first."""
    name, texts = board
    front = texts[""]
    missing = [sentence for sentence in _FIRST_SCREENS.get(name, []) if sentence not in front]
    assert missing == [], front
    if name == "one-model-without":
        assert "rows above" not in front
    if name.startswith("one-model") or name == "two-equal":
        assert "is best" not in front
        assert "released later" not in front
    if name == "two-pass-none":
        assert "Fastest" not in front
    if name == "three-baselines":
        assert "released later" not in front
    if "nothing-measured" in name or "no-costs" in name:
        assert "$" not in front


def test_a_run_that_does_not_count_is_explained_beside_one_that_does(
    board: tuple[str, dict[str, str]],
) -> None:
    """The model's page has the reason, and no page of a model without such runs has it."""
    name, texts = board
    pages = "\n".join(text for path, text in texts.items() if path.startswith("models/"))
    note = "Not counted: run of 2026-11-02 without guidelines (1 of 12 attempts has no verdict)."
    assert (note in pages) == (name == "one-run-unjudged")


def test_boards_have_evals_of_several_categories() -> None:
    """Otherwise columns and categories of the pages would be those of a single category."""
    assert len({name.partition("/")[0] for name in list_eval_names()}) > 4
