"""The pages of the guidelines' text and of an eval's grading agree with the suite."""

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from generator.pages.eval import build_eval_page
from generator.pages.guidelines_text import build_guidelines_text_page
from generator.read.guidelines_text import read_guidelines_text
from generator.render.environment import PageContext
from records.errors import InvalidRecordError
from records.guidelines.sections import read_guidelines_tokens
from runner.evals.discovery import discover
from runner.suite.guidelines_texts import measure_guidelines, record_tokens
from runner.suite.mint import make_benchmark
from tests.generator.contexts import gather_published_site

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
WRECKS = "002-queries/000-wreck_finds_search"
CRONS = "000-fundamentals/003-crons"


@cache
def build_text_page() -> PageContext:
    """Return the page of the text."""
    return build_guidelines_text_page(gather_published_site())


@cache
def build_wrecks_page() -> PageContext:
    """Return the page of an eval of the suite."""
    return build_eval_page(gather_published_site(), WRECKS)


def test_each_section_lists_the_evals_that_name_it() -> None:
    """Every section appears once, in the text's order, with exactly the evals that exercise it."""
    suite = discover(ROOT / "evals")
    for section in build_text_page().sections:
        naming = {
            suite_eval.name
            for suite_eval in suite.evals
            if section.slug in suite_eval.config.guidelines
        }
        assert {f"evals/{name}/" for name in naming} == {
            suite_eval.href for suite_eval in section.evals
        }
        assert not section.text.startswith("#")
    assert build_text_page().sections[0].slug == "function-kinds"


def test_the_text_is_known_by_the_digest_that_versions_hold() -> None:
    """A version minted now would have the digest of this text."""
    read = read_guidelines_text(ROOT / "evals" / "guidelines.md")
    assert read is not None
    assert read.digest == make_benchmark(discover(ROOT / "evals")).guidelines
    sending = {board.label for board in build_text_page().versions}
    expected = {
        gather_published_site().titles[version]
        for version, board in gather_published_site().leaderboards.items()
        if board.benchmark.guidelines == read.digest
    }
    assert sending == expected


def test_tokens_are_those_that_are_counted_now() -> None:
    """The file beside the guidelines counts this very text, and the page shows it by section."""
    suite = discover(ROOT / "evals")
    size = measure_guidelines(suite)
    assert read_guidelines_tokens(suite.root) == record_tokens(suite, size)
    text = build_text_page().text
    assert text is not None
    assert text.tokens is not None
    assert text.tokens.tokens == size.tokens
    assert [section.tokens for section in build_text_page().sections] == [
        section.tokens for section in size.sections
    ]


def test_tokens_of_another_text_are_not_shown(tmp_path: Path) -> None:
    """After a change of the text no count is shown until the next count."""
    shutil.copy(ROOT / "evals" / "guidelines.tokens.json", tmp_path)
    whole = (ROOT / "evals" / "guidelines.md").read_text()
    (tmp_path / "guidelines.md").write_text(whole)
    same = read_guidelines_text(tmp_path / "guidelines.md")
    (tmp_path / "guidelines.md").write_text(f"{whole}\nOne word more.\n")
    other = read_guidelines_text(tmp_path / "guidelines.md")
    assert same is not None
    assert same.tokens is not None
    assert other is not None
    assert other.tokens is None
    (tmp_path / "guidelines.tokens.json").write_text("{}")
    with pytest.raises(InvalidRecordError, match=r"guidelines\.tokens\.json"):
        read_guidelines_text(tmp_path / "guidelines.md")


def test_an_eval_shows_reference_tests_and_wrong_answers() -> None:
    """The test that catches a wrong answer is in the list, and counts that answer."""
    grading = build_wrecks_page().grading
    assert grading is not None
    assert [path for path, _ in grading.reference] == [
        *("convex/finds.ts", "convex/schema.ts", "package.json")
    ]
    by_name = {line.name: line for line in grading.tests}
    assert by_name["test_nothing_is_filtered_after_the_search"].catches == 1
    (behind,) = [line for line in grading.refused if line.name == "filter_behind_the_search"]
    assert behind.step == "tests"
    assert [line.name for line in behind.tests] == [
        *(
            "test_the_search_index_knows_every_condition",
            "test_nothing_is_filtered_after_the_search",
        )
    ]
    assert all(line in by_name.values() for wrong in grading.refused for line in wrong.tests)
    assert all(reason.endswith(".") for reason in grading.accepted)


def test_an_imported_eval_leads_to_the_publisher_s_repository_at_its_commit() -> None:
    """The link leads to the folder in the settings, else to the repository, with a mark."""
    page = build_eval_page(gather_published_site(), CRONS)
    assert page.grading is None
    assert page.title == "Crons"
    (publisher,) = page.publishers
    source, folder = publisher.label.split(": ")
    repository, commit = source.split("@")
    assert folder == f"evals/{CRONS}"
    assert publisher.href == f"https://github.com/{repository}/tree/{commit}/evals/{CRONS}"
    settings = gather_published_site().settings.model_copy(update={"eval_folders": {}})
    (root,) = build_eval_page(replace(gather_published_site(), settings=settings), CRONS).publishers
    assert root.href == f"https://github.com/{repository}/tree/{commit}"
    assert (publisher.whole, root.whole) == (False, True)
