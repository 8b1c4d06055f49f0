"""An answer is taken through the steps in their order, and a verdict names its steps."""

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from records.shapes.attempt import FaultClass, Outcome, StepName
from records.suites.eval_config import Pipeline
from runner.answers.reply import render_reply
from runner.evals.text_files import read_tree
from runner.grading.grade import GradingService, Submission
from runner.grading.worker.protocol import ALL_TESTS, SelectedTests
from tests.runner.small_eval import make_value_answer, write_question
from tests.support.texts import read_texts

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)

ALL = list(StepName)


def list_steps(graded: object) -> list[tuple[str, str]]:
    """Return the steps that ran, with the outcome of each."""
    return [(step.name.value, step.outcome.value) for step in getattr(graded, "steps", ())]


def test_a_right_answer_passes_all_six_steps(grading: GradingService, tmp_path: Path) -> None:
    """Every step is recorded in order, and every test."""
    graded = grading.grade(write_question(tmp_path), make_value_answer(42))
    assert (graded.outcome, graded.failed_step, graded.reason) == (Outcome.PASSED, None, None)
    assert list_steps(graded) == [(step.value, "passed") for step in ALL]
    assert [(test.name, test.title) for test in graded.tests or ()] == [
        ("test_value", "The value is 42.")
    ]


def test_a_wrong_answer_fails_with_the_values_compared(
    grading: GradingService, tmp_path: Path
) -> None:
    """The reason is the first failed test, in the product's words and with the values."""
    graded = grading.grade(write_question(tmp_path), make_value_answer(41))
    assert (graded.outcome, graded.failed_step) == (Outcome.FAILED, StepName.TESTS)
    assert graded.reason is not None
    assert graded.reason.startswith("The value is 42. grader.py:4: assert 41.0 == 42")


SEVERAL = TEXTS["several"]


def test_a_grader_runs_as_far_as_is_asked(grading: GradingService, tmp_path: Path) -> None:
    """The grader runs all of its tests, the named tests, or those up to the first failure."""
    evaluation, files = write_question(tmp_path, SEVERAL), make_value_answer(42)
    two_tests = SelectedTests(only=("test_value[42]", "test_value[43]"))
    verdicts = [
        grading.grade(evaluation, files, selection)
        for selection in (ALL_TESTS, two_tests, SelectedTests(stop_at_failure=True))
    ]
    assert [[test.name for test in verdict.tests or ()] for verdict in verdicts] == [
        ["test_value[41]", "test_value[42]", "test_value[43]"],
        ["test_value[42]", "test_value[43]"],
        ["test_value[41]"],
    ]
    # Tests that did not run after a failure that is enough are no fault of ours.
    enough = verdicts[-1]
    assert (enough.outcome, enough.failed_step) == (Outcome.FAILED, StepName.TESTS)


def test_a_reply_is_graded_as_its_files_are(grading: GradingService, tmp_path: Path) -> None:
    """The filesystem step takes the files out of a reply; the key is the same."""
    evaluation = write_question(tmp_path)
    by_files = grading.grade(evaluation, {**make_value_answer(42), "README.md": "x"})
    by_reply = grading.judge(
        Submission(evaluation, ALL_TESTS, reply=render_reply(make_value_answer(42)))
    )
    assert by_reply.outcome is Outcome.PASSED
    assert by_reply.files == by_files.files
    assert by_reply.key == by_files.key
    assert (by_files.steps[0].message or "").startswith("README.md is left out")
    assert "convex/notes.ts  " in by_reply.logs["filesystem"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"reply": "I cannot help with that."}, ""),
        (
            {"files": {"convex/a.ts": "x", "convex/a.ts/b.ts": "y"}},
            "convex/a.ts/b.ts: a file stands where another path needs a folder",
        ),
        ({"files": {"src/package.json": "{}"}}, "src/package.json: package.json stands at"),
    ],
    ids=["no files", "file and folder", "refused path"],
)
def test_unusable_files_end_at_the_first_step(
    grading: GradingService, tmp_path: Path, answer: dict[str, Any], reason: str
) -> None:
    """No step runs after files that cannot be written; they are the model's failure."""
    graded = grading.judge(Submission(write_question(tmp_path), ALL_TESTS, **answer))
    assert (graded.outcome, graded.failed_step) == (Outcome.FAILED, StepName.FILESYSTEM)
    assert list_steps(graded) == [("filesystem", "failed")]
    assert (graded.tests, dict(graded.files), graded.fault) == (None, {}, None)
    assert graded.reason
    assert graded.reason.startswith(reason)


def test_a_failed_deploy_ends_the_attempt(grading: GradingService, tmp_path: Path) -> None:
    """An answer that cannot be deployed is neither checked nor tested."""
    broken = {"convex/broken.ts": 'import { nothing } from "./nowhere";\nexport default nothing;'}
    graded = grading.grade(write_question(tmp_path), make_value_answer(42, broken))
    assert graded.failed_step is StepName.DEPLOY
    assert list_steps(graded)[-1] == ("deploy", "failed")
    assert graded.tests is None


def test_type_and_lint_failures_do_not_end_the_attempt(
    grading: GradingService, tmp_path: Path
) -> None:
    """The record has all faults; the first failed step is named."""
    wrong = {"convex/wrong.ts": 'export const n: number = "text";\nfor (;;) { break; debugger; }'}
    graded = grading.grade(write_question(tmp_path), make_value_answer(42, wrong))
    assert (graded.outcome, graded.failed_step) == (Outcome.FAILED, StepName.TYPECHECK)
    assert [step for step, _ in list_steps(graded)] == [step.value for step in ALL]
    assert list_steps(graded)[-1] == ("tests", "passed")
    assert {name for name, outcome in list_steps(graded) if outcome == "failed"} >= {"typecheck"}


def test_a_static_eval_has_no_deploy_step(grading: GradingService, tmp_path: Path) -> None:
    """The tests of a static eval see files and source only."""
    grader = '''
    def test_source(source):
        """The value is a query."""
        assert len(source.function_body("notes:value").calls("query")) == 1
    '''
    graded = grading.grade(
        write_question(tmp_path, grader, pipeline=Pipeline.STATIC), make_value_answer(0)
    )
    assert graded.outcome is Outcome.PASSED
    assert StepName.DEPLOY.value not in dict(list_steps(graded))


def test_a_broken_grader_is_no_failure_of_the_models(
    grading: GradingService, tmp_path: Path
) -> None:
    """The attempt is infrastructure, and the kind of its fault is the grader."""
    graded = grading.grade(
        write_question(tmp_path, "import nothing_of_this_name"), make_value_answer(42)
    )
    assert graded.outcome is Outcome.INFRASTRUCTURE
    assert graded.failed_step is None
    assert graded.fault is not None
    assert graded.fault.kind is FaultClass.GRADER


def test_the_reference_is_asked_beside_the_answer(grading: GradingService, tmp_path: Path) -> None:
    """A grader may compare with the reference; both begin empty."""
    grader = '''
    def test_same(convex, reference):
        """The value is the reference's."""
        assert convex.query("notes:value") == reference.query("notes:value") + 1
    '''
    evaluation = write_question(tmp_path, grader)
    for _ in range(2):
        assert grading.grade(evaluation, make_value_answer(43)).outcome is Outcome.PASSED


@pytest.mark.more
def test_many_answers_are_graded_at_once(grading: GradingService, tmp_path: Path) -> None:
    """Each verdict belongs to its answer."""
    evaluation = write_question(tmp_path)
    values = [42, 1, 42, 2, 42, 3]
    with ThreadPoolExecutor(3) as threads:
        graded = list(
            threads.map(grading.grade, repeat(evaluation), map(make_value_answer, values))
        )
    assert [each.outcome is Outcome.PASSED for each in graded] == [n == 42 for n in values]


def test_a_key_changes_with_the_inputs_of_a_verdict(
    grading: GradingService, tmp_path: Path
) -> None:
    """Answer and grader each change their digest; a reference only where a grader asks for it."""
    evaluation = write_question(tmp_path)
    key = grading.compute_verdict_key(evaluation, make_value_answer(42))
    assert grading.compute_verdict_key(evaluation, make_value_answer(42)) == key
    assert grading.compute_verdict_key(evaluation, make_value_answer(41)).answer != key.answer
    (evaluation.folder / "answer" / "convex" / "notes.ts").write_text("// other", "utf-8")
    assert grading.compute_verdict_key(evaluation, make_value_answer(42)) == key
    evaluation.grader.write_text("def test_it(reference): pass", "utf-8")
    with_reference = grading.compute_verdict_key(evaluation, make_value_answer(42)).grader
    assert with_reference != key.grader
    (evaluation.folder / "answer" / "convex" / "notes.ts").write_text("// another", "utf-8")
    assert grading.compute_verdict_key(evaluation, make_value_answer(42)).grader != with_reference


def test_nothing_of_an_attempt_is_left(
    grading: GradingService, attempt_folders: Path, tmp_path: Path
) -> None:
    """The workspace is removed after every verdict."""
    before = set(attempt_folders.iterdir())
    grading.grade(write_question(tmp_path), make_value_answer(42))
    grading.grade(write_question(tmp_path), make_value_answer(41))
    assert set(attempt_folders.iterdir()) <= before


LOGGING = read_tree(Path(__file__).parent / "projects" / "logging")


def test_output_of_tests_is_reported_where_it_is_asked_for(
    grading: GradingService, tmp_path: Path
) -> None:
    """Prints and the lines of every kind of function are in their own test's report only."""
    grader = TEXTS["grader"]
    evaluation, files = write_question(tmp_path, grader), make_value_answer(42, LOGGING)
    graded = grading.grade(evaluation, files, SelectedTests(with_output=True))
    assert graded.outcome is Outcome.PASSED, graded.reason
    output = graded.outputs["test_all"]
    assert output.printed == "printed\n"
    assert output.logged == (
        "query notes:value: [LOG] 'in a query'",
        "mutation notes:job: [WARN] 'in a job'",
        "http: [ERROR] 'in an HTTP action'",
    )
    nothing = graded.outputs["test_nothing"]
    assert (nothing.printed, nothing.logged) == ("", ())
    assert grading.grade(evaluation, files).outputs == {}
