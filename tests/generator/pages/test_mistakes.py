"""What models get wrong: causes of failures, whose words they are, and an answer with its lines."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from generator.pages.mistakes import build_mistakes_page
from generator.scores.mistakes import find_mistakes
from generator.site_data import SiteData
from records.files.data_folder import DataFolder
from records.shapes.attempt import Attempt, Outcome, StepName
from records.writer import write_record, write_run
from tests.generator import contexts
from tests.generator.pages.test_evals import OURS, PUBLISHED
from tests.records.examples import (
    make_artifact,
    make_attempt,
    make_benchmark,
    make_run,
    with_attempts,
    write_answers,
)

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
EVAL = "001-data_modeling/001-tide_readings"
FILE = "convex/readings.ts"
BOUNDARY = "test_the_first_moment_counts_and_the_last_does_not"


def test_published_causes_are_in_their_publishers_words() -> None:
    """Each failure is in one mistake, unexplained or set aside; the page tells whose words."""
    page = contexts.build_published(build_mistakes_page, PUBLISHED)
    every = page.every
    assert every == contexts.gather_published_site().mistakes[PUBLISHED]
    counted = sum(len(each.failures) for each in every.mistakes) + every.unexplained
    assert counted == len(every.failures)
    assert {each.naming for each in every.mistakes} == {"publisher"}
    assert page.published
    assert every.unexplained
    assert every.set_aside
    assert not page.subjects
    assert all(not each.example.is_kept and each.excerpt is None for each in page.mistakes)


def test_a_version_without_models_has_no_mistakes() -> None:
    """Failures of baselines are nobody's mistakes."""
    page = contexts.build_published(build_mistakes_page, OURS)
    assert (page.models, len(page.every.failures), page.mistakes, page.subjects) == (0, 0, [], [])


def _fail_tests(attempt: Attempt, *names: str) -> Attempt:
    assert attempt.tests is not None
    made = attempt.tests[0]
    tests = [
        made.model_copy(
            update={
                "name": name,
                "title": f"Title of {name}.",
                "outcome": Outcome.FAILED,
                "message": "DID NOT RAISE FunctionFailed",
            }
        )
        for name in names
    ]
    update = {"tests": tuple(tests), "reason": tests[0].title, "failed_step": StepName.TESTS}
    return attempt.model_copy(update=update)


def _gather(folder: Path, files: Mapping[str, str], *attempts: Attempt) -> SiteData:
    """Return the data of a site with one model, whose attempts at one eval failed."""
    data = DataFolder(folder)
    write_record(data.benchmarks, make_benchmark([EVAL]))
    artifacts = [make_artifact(EVAL, attempt.sample, files=dict(files)) for attempt in attempts]
    run = with_attempts(make_run(evals=1), attempts, planned=(EVAL,), samples=len(attempts))
    write_run(data, write_answers(data, run, artifacts))
    return contexts.gather_site(data)


@pytest.mark.parametrize(
    ("tests", "naming", "words"),
    [
        ((BOUNDARY,), "suite", "'Between' is taken to include the end"),
        ((BOUNDARY, "test_other"), "test", f"Title of {BOUNDARY}."),
    ],
)
def test_exactly_the_tests_of_a_known_wrong_answer_give_its_words(
    tmp_path: Path, tests: tuple[str, ...], naming: str, words: str
) -> None:
    """Else the mistake has the title of the first failed test; a changed line is marked."""
    reference = contexts.gather_published_site().texts[EVAL].reference
    files = {**reference, FILE: reference[FILE].replace(".lt(", ".lte(")}
    attempt = _fail_tests(make_attempt(EVAL, outcome=Outcome.FAILED), *tests)
    site = _gather(tmp_path, files, attempt)
    (board,) = site.leaderboards.values()
    (mistake,) = site.mistakes[board.version].mistakes
    assert mistake.naming == naming
    assert mistake.name.startswith(words)
    assert (mistake.share, mistake.guidelines) == (1, "schema-and-indexes")
    page = build_mistakes_page(site, board)
    (row,) = page.mistakes
    assert row.excerpt.how == "reference"
    wrong = "the call was accepted, and should have been refused"
    (title,) = contexts.render_tree(page).css("ol.mistakes h3")
    assert title.text().strip() == (mistake.name if naming == "suite" else wrong)
    (rule, *_) = contexts.render_tree(page).css("ol.mistakes .quote blockquote li")
    assert "defineSchema" in rule.text()
    assert [".lte(" in line.text for line in row.excerpt.lines if line.marked] == [True]
    assert find_mistakes(board, {}, {}).mistakes[0].naming == "test"


def test_the_line_that_a_step_names_is_marked(tmp_path: Path) -> None:
    """The message gives the name without its place, and the answer's line is marked."""
    reason = f"{FILE}(2,1): error TS2339: Property 'x' does not exist."
    step = StepName.TYPECHECK
    attempt = make_attempt(EVAL, outcome=Outcome.FAILED, failed_step=step, reason=reason)
    site = _gather(tmp_path, {FILE: "one\ntwo\nthree"}, attempt)
    (board,) = site.leaderboards.values()
    (row,) = build_mistakes_page(site, board).mistakes
    assert row.mistake.name == "TS2339: Property … does not exist."
    assert [line.number for line in row.excerpt.lines if line.marked] == [2]


def test_two_causes_that_fail_the_same_test_are_both_named(tmp_path: Path) -> None:
    """The title is what the test expects, since neither cause is that of all answers."""
    refused = _fail_tests(make_attempt(EVAL, outcome=Outcome.FAILED), BOUNDARY, "test_other")
    assert refused.tests is not None
    tests = [test.model_copy(update={"message": "TimeoutError: late"}) for test in refused.tests]
    late = refused.model_copy(update={"tests": tuple(tests), "sample": 2})
    site = _gather(tmp_path, contexts.gather_published_site().texts[EVAL].reference, refused, late)
    (board,) = site.leaderboards.values()
    tree = contexts.render_tree(build_mistakes_page(site, board))
    (title,) = tree.css("ol.mistakes h3")
    assert title.text().strip() == f"Breaks: Title of {BOUNDARY}."
    (causes,) = (each.text() for each in tree.css("ol.mistakes .who") if "Got:" in each.text())
    assert causes.count("1 time") == 2
    assert "should have been refused" in causes
    assert "TimeoutError" in causes
