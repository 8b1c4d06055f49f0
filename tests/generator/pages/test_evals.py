"""Pages of evals: the hardest, where answers fail, and references that failed."""

from dataclasses import replace
from pathlib import Path

import pytest

from generator.pages.eval import (
    build_eval_page,
    build_evals_page,
    find_failing_places,
    list_hard_evals,
)
from generator.site_links import build_eval_titles, describe_step
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome, StepName
from records.writer import write_run
from tests.generator import contexts
from tests.records.examples import (
    make_attempt,
    make_benchmark,
    make_run,
    with_attempts,
    with_model,
    write_runs,
)

pytestmark = pytest.mark.unit

PUBLISHED = "convex-evals-66-dbe4c5df"
OURS = "e2063c36c167"


def test_the_hardest_evals_are_named_where_several_models_pass_each() -> None:
    """At most five, the least passed first; with an eval that one model or none passes, no list."""
    site = contexts.gather_published_site()
    board = site.leaderboards[PUBLISHED]
    assert "hardest" not in list_hard_evals(board)
    several = {name: each for name, each in board.health.items() if len(each.solvers) > 1}
    board = replace(board, health=several)
    rates = [each.pass_rate for each in list_hard_evals(board)["hardest"]]
    assert rates == sorted(each.pass_rate for each in several.values())[:5]
    reason, *_ = contexts.render_tree(build_evals_page(site, board)).css("#hardest li small")
    assert reason.text() == f"{round(100 * rates[0])}% in the mean of models"


def test_an_eval_passed_only_without_guidelines_is_reported(tmp_path: Path) -> None:
    """The models without guidelines are no part of the heading's count, and are named apart."""
    data = write_runs(DataFolder(tmp_path), evals=1)
    (planned,) = make_benchmark(1).evals
    asked = make_run(evals=1)
    for letter, experiment, outcome in (
        ("a", "default", Outcome.FAILED),
        ("b", "no_guidelines", Outcome.PASSED),
    ):
        graded = [make_attempt(planned, outcome=outcome)]
        condition = asked.experiment.model_copy(update={"name": experiment})
        write_run(data, with_attempts(asked, graded, run_id=letter * 32, experiment=condition))
    site = contexts.gather_site(data)
    page = build_evals_page(site, site.leaderboards[make_benchmark(1).version])
    assert page.failures[planned][-1] == "without guidelines 1 of 1 model passed it"


def test_every_step_of_grading_is_explained() -> None:
    """A new step needs words for readers."""
    assert all(describe_step(step).startswith(f"{step}, where ") for step in StepName)


def test_an_eval_whose_reference_failed_is_reported(tmp_path: Path) -> None:
    """The newest run of the reference decides; a reference that passes has no remark."""
    made = with_model(make_run(), slug="baseline/oracle", kind="baseline")
    site = contexts.gather_site(write_runs(DataFolder(tmp_path), made))
    failed_references = {
        graded.eval: build_eval_page(site, graded.eval).reference_failed for graded in made.attempts
    }
    for graded in made.attempts:
        run = failed_references[graded.eval]
        assert (run is None) is (graded.outcome is Outcome.PASSED)
        if run is not None:
            assert run.run_id == made.run_id
    assert {run is None for run in failed_references.values()} == {True, False}


def test_where_answers_fail_counts_each_model_once(tmp_path: Path) -> None:
    """Failures are counted by step and by test, with the model's attempt; passes are not."""
    data = write_runs(DataFolder(tmp_path), evals=1)
    (planned,) = make_benchmark(1).evals
    for letter, failed in (("a", ["test_x[1]", "test_x[2]"]), ("b", ["test_x[1]", "test_y"])):
        _write_failing(data, letter, failed)
    _write_failing(data, "c", [])
    page = find_failing_places(contexts.gather_site(data), planned)
    assert page is not None
    assert (page.models, page.failing) == (3, 2)
    rows = [
        (failing.words, failing.test, [link.label for link in failing.attempts])
        for failing in page.places
    ]
    assert rows == [
        ("tests", False, ["Model a", "Model b"]),
        ("test_x", True, ["Model a", "Model b"]),
        ("test_y", True, ["Model b"]),
    ]
    assert {link.href for failing in page.places for link in failing.attempts} == {
        f"runs/{letter * 32}/#{planned.replace('/', '-')}" for letter in "ab"
    }


def test_of_many_models_that_fail_the_first_are_named(tmp_path: Path) -> None:
    """The number of unnamed models is given; named and unnamed add up to all."""
    data = write_runs(DataFolder(tmp_path), evals=1)
    (planned,) = make_benchmark(1).evals
    for letter in "abcdefghij":
        _write_failing(data, letter, ["test_x"])
    rows = contexts.render_tree(build_eval_page(contexts.gather_site(data), planned)).css(
        "table.failing tbody tr"
    )
    for row in rows:
        number, models = row.css("td")
        assert (number.text(), len(models.css("a"))) == ("10", 8)
        assert models.text().strip().endswith("and 2 more")
    assert len(rows) == 2


def _write_failing(data: DataFolder, letter: str, tests: list[str]) -> None:
    """Write a run of a model that fails these tests of the only eval; without tests it passes."""
    made = make_run(letter * 32, evals=1)
    (result,) = made.attempts
    assert result.tests is not None
    if tests:
        failed = [
            result.tests[0].model_copy(update={"name": name, "outcome": Outcome.FAILED})
            for name in tests
        ]
        ran = (*failed, *result.tests[1:])
        result = make_attempt(result.eval, outcome=Outcome.FAILED, tests=ran)
    made = with_model(made, slug=f"maker/{letter}", name=f"Model {letter}")
    write_run(data, with_attempts(made, [result]))


def test_evals_of_one_title_are_distinguished_by_their_category() -> None:
    """No two evals of the site share a title; an eval with a unique title keeps it."""
    titles = contexts.gather_published_site().eval_titles
    assert len(set(titles.values())) == len(titles)
    assert titles["001-data_modeling/003-single_column_index"] == (
        "Single column index (data modeling)"
    )
    assert titles["002-queries/001-single_column_index"] == "Single column index (queries)"
    assert titles["003-mutations/004-cascade_delete"] == "Cascade delete"


def test_two_of_one_title_and_category_are_distinguished_by_name() -> None:
    """The category alone would not separate them."""
    titles = build_eval_titles(
        {}, ["002-queries/000-same", "002-queries/001-same", "003-x/000-same"], {}
    )
    assert titles == {
        "002-queries/000-same": "Same (002-queries/000-same)",
        "002-queries/001-same": "Same (002-queries/001-same)",
        "003-x/000-same": "Same (x)",
    }
