"""Mutants are graded like any answer, and survivors are explained beside the eval."""

from pathlib import Path
from typing import Final

import pytest

from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval
from runner.grading.grade import GradingService
from runner.suite.mutate.mutant_grading import Fate, Trial, read_explanations, try_eval
from tests.runner.small_eval import write_question
from tests.support.texts import read_texts

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)

ANSWER: Final = TEXTS["answer"]
CARELESS: Final = '''
def test_value(convex):
    """The value is a number."""
    assert isinstance(convex.query("notes:value", {"plus": 0}), float)
'''
CAREFUL: Final = TEXTS["careful"]
EXPLAINED: Final = TEXTS["explained"]


def write_small_eval(folder: Path, grader: str, survivors: str = "") -> Eval:
    """Write an eval whose reference has a handful of mutants."""
    evaluation = write_question(folder, grader)
    (evaluation.folder / "answer" / "convex" / "notes.ts").write_text(ANSWER)
    if survivors:
        (evaluation.folder / "calibration").mkdir()
        (evaluation.folder / "calibration" / "survivors.toml").write_text(survivors)
    return evaluation


def try_mutants(grading: GradingService, evaluation: Eval) -> Trial:
    """Try all mutants of an eval."""
    return try_eval(evaluation, grading, most=None, seed=1)


def find_survivors(trial: Trial) -> set[str]:
    """Return the operators of the mutants that passed every test."""
    return {each.mutant.operator for each in trial.tried if each.fate is Fate.SURVIVED}


def test_a_careless_grader_lets_mutants_survive(grading: GradingService, tmp_path: Path) -> None:
    """A mutant without a test survives; a function closed to the caller does not."""
    trial = try_mutants(grading, write_small_eval(tmp_path, CARELESS))
    assert find_survivors(trial) >= {"change_number", "any_validator", "change_arithmetic"}
    killed = {each.mutant.operator: each.step for each in trial.tried if each.fate is Fate.KILLED}
    assert killed["flip_visibility"] == "tests"
    assert trial.score is not None
    assert trial.score < 0.85


@pytest.mark.night
def test_a_careful_grader_kills_all(grading: GradingService, tmp_path: Path) -> None:
    """With a test for each demand of the task, no mutant survives."""
    trial = try_mutants(grading, write_small_eval(tmp_path, CAREFUL))
    assert find_survivors(trial) == set()
    assert (trial.score, trial.of) == (1.0, len(trial.tried))


@pytest.mark.night
def test_explanations_settle_survivors(grading: GradingService, tmp_path: Path) -> None:
    """Equivalent mutants leave the score, accepted mutants stay, and stale lines are reported."""
    trial = try_mutants(
        grading,
        write_small_eval(
            tmp_path,
            CARELESS,
            EXPLAINED,
        ),
    )
    assert trial.count(Fate.ACCEPTED) == 2
    assert trial.count(Fate.EQUIVALENT) == 1
    assert trial.changing == len(trial.tried) - 1
    assert [each.operator for each in trial.stale] == ["drop_throw"]
    assert [each.operator for each in trial.needless] == ["flip_visibility"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[survivor]]\n", "operator"),
        ('[[survivor]]\noperator = "x"\nbecause = "tired"\nreason = "r"\n', "because"),
        ("[[survivor\n", "is not TOML"),
    ],
)
def test_a_bad_explanation_is_named(tmp_path: Path, text: str, message: str) -> None:
    """The message names the file and the field."""
    evaluation = write_small_eval(tmp_path, CARELESS, text)
    with pytest.raises(InvalidEvalError, match=message) as caught:
        read_explanations(evaluation.folder)
    assert "survivors.toml" in str(caught.value)
