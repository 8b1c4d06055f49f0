"""Graders are proved by answers with known verdicts."""

from concurrent.futures import Future
from pathlib import Path

import pytest

from runner.evals.discovery import discover
from runner.grading.grade import Graders, GradingResult, GradingService, Submission
from runner.suite.check import Proof, check_graders
from tests.runner.conftest import write_prose_suite
from tests.runner.growing_graders import GROWN, SUBMISSIONS, GrowingGraders, pass_at_once
from tests.runner.small_eval import make_value_answer, write_question
from tests.support.texts import read_texts, write_files

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)

DESCRIPTION = TEXTS["description"]
OVERLAYS = {
    "pass/same_value/convex/more.ts": "export const more = 1;\n",
    "fail/other_value/convex/notes.ts": make_value_answer(41)["convex/notes.ts"],
    "fail/no_import/convex/more.ts": 'export * from "./nowhere";\n',
}


def prove(
    graders: Graders, folder: Path, description: str = DESCRIPTION, seed: int = 1
) -> dict[str, Proof]:
    """Prove the small eval with these calibrations, once."""
    evaluation = write_question(folder)
    home = evaluation.folder / "calibration"
    write_files(home, {**OVERLAYS, "calibration.toml": description})
    return {proof.name: proof for proof in check_graders([evaluation], graders, times=1, seed=seed)}


def test_graders_that_join_later_get_answers(tmp_path: Path) -> None:
    """After the first verdict there are four graders, and all four have an answer at once."""
    evals = discover(write_prose_suite(tmp_path / "suite", SUBMISSIONS // 3)).evals
    graders = GrowingGraders()
    assert len(check_graders(evals, graders, times=1)) == SUBMISSIONS
    assert graders.most == GROWN


def test_an_answer_is_told_when_it_is_proven(tmp_path: Path) -> None:
    """The first answer is graded last; the result has the order of the answers nevertheless."""
    evals = discover(write_prose_suite(tmp_path / "suite", 2)).evals
    held = list[Future[GradingResult]]()

    class HoldingGraders:
        """Holds back the first verdict; the others pass at once."""

        window = threads = 9

        def submit(self, submission: Submission) -> Future[GradingResult]:
            verdict: Future[GradingResult] = Future()
            if submission.evaluation is evals[0] and not held:
                held.append(verdict)
            else:
                verdict.set_result(pass_at_once())
            return verdict

    told = list[str]()

    def tell(proof: Proof, _: str) -> None:
        told.append(proof.evaluation)
        if len(told) == 3:
            held[0].set_result(pass_at_once())

    proofs = check_graders(evals, HoldingGraders(), times=1, on_proof=tell)
    assert told == [evals[1].name] * 3 + [evals[0].name] * 3
    at_once = check_graders(evals, HoldingGraders(), times=1)
    assert [(each.evaluation, each.name) for each in proofs] == [
        (each.evaluation, each.name) for each in at_once
    ]


def test_a_grader_that_does_as_it_should_is_proved(grading: GradingService, tmp_path: Path) -> None:
    """Reference and right variants pass, baselines and wrong variants fail at the named step."""
    proofs = prove(grading, tmp_path)
    assert {name: proof.problems for name, proof in proofs.items()} == {
        "reference": (),
        "baseline/empty": (),
        "baseline/stub": (),
        "pass/same_value": (),
        "fail/other_value": (),
        "fail/no_import": (),
    }


def test_seconds_of_tests_are_those_of_the_slowest_grading(
    grading: GradingService, tmp_path: Path
) -> None:
    """An answer that is not deployed has no seconds of tests."""
    proofs = prove(grading, tmp_path)
    (tests,) = (step for step in proofs["reference"].verdicts[0].steps if step.name == "tests")
    assert proofs["reference"].tests_s == tests.duration_s
    assert proofs["fail/no_import"].tests_s is None


@pytest.mark.night
def test_the_order_changes_no_verdict(grading: GradingService, tmp_path: Path) -> None:
    """Another seed gives another order, with the same verdicts."""
    usual, other, same = (
        prove(grading, tmp_path / name, seed=seed)
        for name, seed in (("usual", 1), ("other", 5), ("same", 5))
    )
    assert list(usual) != list(other) == list(same)
    assert {name: proof.problems for name, proof in other.items()} == dict.fromkeys(usual, ())


def test_each_disagreement_is_reported(grading: GradingService, tmp_path: Path) -> None:
    """Another step than named, a test that passes and a missing test have a line each."""
    description = (
        DESCRIPTION.replace('step = "deploy"', 'step = "lint"')
        .replace('"test_value"', '"test_value", "test_values"')
        .replace("[pass.same_value]", '[pass.same_value]\ndelete = ["convex/notes.ts"]')
    )
    proofs = prove(grading, tmp_path, description)
    assert (
        proofs["fail/no_import"].problems[0].startswith("must fail at lint, but failed at deploy")
    )
    assert proofs["fail/other_value"].problems == (
        "must fail test_values, but the grader has no such test; close to it: test_value",
    )
    assert proofs["pass/same_value"].problems[0].startswith("must be passed, is failed at")
    assert proofs["reference"].holds


def test_a_grader_that_wavers_is_found(grading: GradingService, tmp_path: Path) -> None:
    """Two verdicts on an answer must agree; the progress counts the proofs up to their total."""
    marker = tmp_path / "seen"
    grader = f'''
    from pathlib import Path

    def test_value(convex):
        """It is the first time."""
        seen = Path({str(marker)!r})
        assert not seen.exists()
        seen.touch()
    '''
    evaluation = write_question(tmp_path / "eval", grader)
    progress: list[tuple[str, ...]] = []
    check_graders(
        [evaluation],
        grading,
        times=2,
        on_proof=lambda proof, number: progress.append((*proof.problems, number)),
    )
    assert [number for *_, number in progress] == ["1/3", "2/3", "3/3"]
    problems = [line for *lines, _ in progress for line in lines]
    assert any(line.startswith("graded differently each time") for line in problems)


def test_a_broken_reference_is_reported_once(grading: GradingService, tmp_path: Path) -> None:
    """All other answers of the eval are left out, because each would repeat the fault."""
    grader = '''
    def test_value(convex):
        """The fixture's method is misspelt."""
        assert convex.qurey("notes:value") == 42
    '''
    proofs = check_graders([write_question(tmp_path, grader)], grading, times=1, seed=3)
    (broken,) = [proof for proof in proofs if proof.problems]
    assert broken.name == "reference"
    assert "qurey" in broken.problems[0]
    assert {proof.name for proof in proofs if proof.is_left_out} == {
        "baseline/empty",
        "baseline/stub",
    }
    assert not any(proof.holds for proof in proofs)


def test_a_fault_of_the_reference_is_not_repeated_beside_itself(
    grading: GradingService, tmp_path: Path
) -> None:
    """The reference is its own control, so the proof has the text of the fault only once."""
    grader = TEXTS["grader"]
    proofs = check_graders([write_question(tmp_path, grader)], grading, times=1)
    (problem,) = next(proof.problems for proof in proofs if proof.name == "reference")
    assert "a grader must neither skip nor stop: not today" in problem
    assert problem.count("not today") == 1
