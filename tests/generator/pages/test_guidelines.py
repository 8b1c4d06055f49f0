"""The page on the effect of the guidelines, over the published pair of one model."""

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from generator.pages.eval import build_eval_page
from generator.pages.guidelines import build_guidelines_page, build_guidelines_text_page
from generator.read.suite_texts import read_guidelines_text
from generator.render.templates import PageContext
from records.errors import InvalidRecordError
from records.guidelines.sections import read_guidelines_tokens
from runner.evals.discovery import discover
from runner.suite.guidelines_texts import measure_guidelines
from runner.suite.mint import make_benchmark
from tests.generator.contexts import change_values, gather_published_site, render_tree

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]


@cache
def build_page() -> PageContext:
    """Return the page of the version that has the pair."""
    site = gather_published_site()
    return build_guidelines_page(site, site.leaderboards["convex-evals-66-dbe4c5df"])


def test_an_effect_that_may_be_chance_shows_how_often_chance_makes_it() -> None:
    """The answer has no p and no name of a test, and links to the method."""
    sentence = "That may be chance, which alone makes such a difference about 6 times in 100."
    answer = " ".join(_read_answer(build_page()).split())
    assert sentence in answer
    assert "interval" not in answer
    (line,) = build_page().models
    sure = change_values(line, conclusion="better")
    answer = " ".join(_read_answer(change_values(build_page(), models=[sure])).split())
    assert "scores 12.1 points more with the guidelines: 83.3% of evals, against 71.2%" in answer
    assert "against 71.2% without them. That is more than chance." in answer


def test_models_are_counted_by_conclusion_without_zeros() -> None:
    """Without a worse model, the sentence does not mention worse models."""
    (line,) = build_page().models
    for conclusions, sentence in (
        (["better", "better", "may be chance"], "Model by model: 2 better, 1 may be chance."),
        (["worse"], "Model by model: 1 worse."),
        (["may be chance"] * 3, "For no single model is a difference shown."),
    ):
        models = [change_values(line, conclusion=words) for words in conclusions]
        counted = change_values(build_page(), overall=line, models=models)
        assert sentence in " ".join(_read_answer(counted).split())


def test_sections_at_whose_evals_the_text_makes_a_difference_are_named() -> None:
    """Only those of which the difference is more than chance."""
    (line,) = build_page().models
    real = change_values(
        line, label="validators", difference=replace(line.difference, p_value=0.01)
    )
    assert "at the evals about validators." in _read_parts(
        change_values(build_page(), by_section=[line, real])
    )


def _read_parts(page: PageContext) -> str:
    tree = render_tree(page)
    (answer,) = tree.css("#parts")
    return " ".join(answer.text().split())


def test_an_effect_of_nothing_is_called_that() -> None:
    """The sentence does not state a change by 0.0 points."""
    (line,) = build_page().models
    equal = change_values(
        line, difference=replace(line.difference, value=0.0), without=line.with_guidelines
    )
    answer = " ".join(_read_answer(change_values(build_page(), models=[equal])).split())
    assert "scores as without them, 83.3% of evals." in answer


def _read_answer(page: PageContext) -> str:
    tree = render_tree(page)
    (answer,) = tree.css("p.answer:not(#parts)")
    return answer.text()


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
        assert naming == {*section.evals}
        assert not section.text.startswith("#")
    assert build_text_page().sections[0].slug == "function-kinds"


def test_the_text_is_known_by_the_digest_that_versions_hold() -> None:
    """A version minted now would have the digest of this text."""
    read = read_guidelines_text(ROOT / "evals" / "guidelines.md")
    assert read is not None
    assert read.digest == make_benchmark(discover(ROOT / "evals")).guidelines
    sending = {board.version for board in build_text_page().boards}
    expected = {
        version
        for version, board in gather_published_site().leaderboards.items()
        if board.benchmark.guidelines == read.digest
    }
    assert sending == expected


def test_tokens_are_those_that_are_counted_now() -> None:
    """The file beside the guidelines counts this very text, and the page shows it by section."""
    suite = discover(ROOT / "evals")
    size = measure_guidelines(suite)
    assert read_guidelines_tokens(suite.root) == size
    page = build_text_page()
    assert page.text.tokens == size


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
    page = build_wrecks_page()
    assert list(page.texts.reference) == [*("convex/finds.ts", "convex/schema.ts", "package.json")]
    assert page.catches["test_nothing_is_filtered_after_the_search"] == 1
    (behind,) = render_tree(page).css("#refused-filter_behind_the_search")
    assert "Fails at tests:" in behind.text()
    assert [link.attributes["href"] for link in behind.css("a")] == [
        *(
            "#test_the_search_index_knows_every_condition",
            "#test_nothing_is_filtered_after_the_search",
        )
    ]
    assert all(test in page.tests for tests in page.refusing.values() for test in tests)
    accepted = page.texts.calibration.passing.values()
    assert all(variant.reason.endswith(".") for variant in accepted)


def test_an_imported_eval_leads_to_the_publisher_s_repository_at_its_commit() -> None:
    """The link leads to the folder in the settings, else to the repository, with a mark."""
    page = build_eval_page(gather_published_site(), CRONS)
    assert page.texts is None
    assert page.title == "Crons"
    (publisher,) = render_tree(page).css("#task + p a")
    source, folder = publisher.text().split(": ")
    repository, commit = source.split("@")
    assert folder == f"evals/{CRONS}"
    tree = f"https://github.com/{repository}/tree/{commit}"
    assert publisher.attributes["href"] == f"{tree}/evals/{CRONS}"
    settings = gather_published_site().settings.model_copy(update={"eval_folders": {}})
    page = build_eval_page(replace(gather_published_site(), settings=settings), CRONS)
    (root,) = render_tree(page).css("#task + p a")
    assert root.attributes["href"] == tree
    assert (
        "the folder of this eval in it is not known" in render_tree(page).css("#task + p")[0].text()
    )
