"""Mutants have a single plausible mistake, are graded like answers, and survivors are explained."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval
from runner.grading.grade import GradingService
from runner.suite.mutate.mutant import Mutant
from runner.suite.mutate.mutant_grading import (
    OPERATORS,
    Fate,
    Trial,
    choose_mutants,
    make_mutants,
    read_explanations,
    try_eval,
)
from tests.runner.small_eval import write_question
from tests.support.texts import read_cases

pytestmark = pytest.mark.unit
CASES = read_cases(__file__)

NOTES = CASES["notes"]
PAGE = """\
export default function App() {
  return <button key="one" type="submit">{" "}Save</button>;
}
"""


def find_changed_lines(files: Mapping[str, str], operator: str) -> dict[str, str]:
    """Return the changed lines of each mutant of an operator, by the mutant's change."""
    lines_by_change: dict[str, str] = {}
    for mutant in make_mutants(files):
        if mutant.operator == operator:
            before = files[mutant.path].splitlines()
            after = mutant.files[mutant.path].splitlines()
            lines_by_change[mutant.change] = "\n".join(
                line for line in after if line not in before
            ).strip()
    return lines_by_change


@pytest.mark.parametrize("operator", CASES["changes"])
def test_each_operator_makes_its_mistake(operator: str) -> None:
    """One of the operator's mutants has the line that the mistake would leave."""
    change, expected = CASES["changes"][operator]
    lines_by_change = find_changed_lines({"convex/notes.ts": NOTES}, operator)
    matching = [
        line for made_change, line in lines_by_change.items() if made_change == change or not change
    ]
    assert any(expected in line for line in matching), lines_by_change


@pytest.mark.parametrize(
    ("operator", "gone"),
    [
        ("drop_args", "args: {},"),
        ("drop_returns", "returns:"),
        ("drop_branch", "if (notes.length"),
        ("drop_throw", "throw new"),
        ("drop_statement", "ctx.db.insert("),
    ],
)
def test_omitted_parts_are_gone(operator: str, gone: str) -> None:
    """One of the operator's mutants lacks the code, and the others have it."""
    texts = [
        mutant.files["convex/notes.ts"]
        for mutant in make_mutants({"convex/notes.ts": NOTES})
        if mutant.operator == operator
    ]
    assert [gone not in text for text in texts].count(True) == 1


def test_pages_lose_attributes_but_not_keys() -> None:
    """An attribute of an element is left out, but not its key, which is for speed only."""
    assert list(find_changed_lines({"src/App.tsx": PAGE}, "drop_attribute")) == [
        'type="submit" → nothing'
    ]


def test_every_operator_is_tried_here() -> None:
    """Every operator has a test."""
    left_out = {"drop_args", "drop_returns", "drop_branch", "drop_throw", "drop_statement"}
    assert set(OPERATORS) == set(CASES["changes"]) | left_out | {"drop_attribute"}


def test_a_flipped_function_is_imported() -> None:
    """The mutant is a single mistake: the name that it needs is imported as well."""
    texts = [
        mutant.files["convex/notes.ts"]
        for mutant in make_mutants({"convex/notes.ts": NOTES})
        if mutant.operator == "flip_visibility"
    ]
    assert [text.splitlines()[1] for text in texts] == [
        'import { internalMutation, query, internalQuery } from "./_generated/server";',
        'import { internalMutation, query, mutation } from "./_generated/server";',
    ]


def test_numbers_are_changed_by_noticeable_amounts() -> None:
    """Small numbers change by 1, large numbers by half, and a start at once moves by a minute."""
    changes = set(find_changed_lines({"convex/notes.ts": NOTES}, "change_number"))
    assert {"20 → 19", "4000 → 8000", "4000 → 2000", "0 → 60000", "0 → 1"} <= changes
    assert not changes & {"4000 → 4001", "0 → -1"}


def test_names_that_are_checked_anyway_are_left_alone() -> None:
    """Tables, indexes, fields and modules are not emptied: TypeScript would refuse at once."""
    assert list(find_changed_lines({"convex/notes.ts": NOTES}, "empty_text")) == [
        '"no notes" → ""',
        '"a" → ""',
    ]


def test_a_mutant_knows_its_function() -> None:
    """A mutant has the name of the function around it, and an empty name outside functions."""
    text = f"{NOTES}\nfunction shown() {{\n  return 7;\n}}\nstart(8);\n"
    changes = {(each.change, each.function) for each in make_mutants({"convex/notes.ts": text})}
    assert {
        ("query → internalQuery", "list"),
        ("4000 → 8000", "add"),
        ("7 → 6", "shown"),
        ("8 → 9", ""),
    } <= changes


def test_declared_results_are_not_loosened() -> None:
    """A function that returns its declared type also works without the declaration."""
    changes = find_changed_lines({"convex/notes.ts": NOTES}, "any_validator")
    assert set(changes) == {
        'v.id("users") → v.any()',
        "v.optional(v.number()) → v.any()",
        "v.number() → v.any()",
    }


def test_a_returned_promise_need_not_be_awaited() -> None:
    """Without await, a returned promise does the same, except where a failure is to be caught."""
    text = (
        "export const a = async () => await one();\n"
        "export const b = async () => {\n  return await two();\n};\n"
        "export const c = async () => {\n"
        "  try {\n    return await three();\n  } catch {\n    return null;\n  }\n};\n"
        "export const d = async () => {\n  const it = await four();\n  return it;\n};\n"
    )
    lines_by_change = find_changed_lines({"convex/a.ts": text}, "drop_await")
    assert list(lines_by_change) == ["await three() → three()", "await four() → four()"]


def test_no_two_mutants_are_alike() -> None:
    """Equal changes of two operators are tried once, and the reference itself never."""
    mutated_texts = [
        mutant.files["convex/notes.ts"] for mutant in make_mutants({"convex/notes.ts": NOTES})
    ]
    assert len(set(mutated_texts)) == len(mutated_texts)
    assert NOTES not in mutated_texts


def test_other_files_are_kept() -> None:
    """A mutant is a whole answer: package.json and the unchanged files are there."""
    files = {"package.json": "{}", "convex/notes.ts": NOTES, "convex/b.ts": "export const b = 1;\n"}
    for mutant in make_mutants(files):
        same = [path for path, text in files.items() if mutant.files[path] == text]
        assert len(same) == len(files) - 1


def list_operators(chosen: list[Mutant]) -> list[str]:
    """Return the operators of mutants."""
    return [mutant.operator for mutant in chosen]


def test_the_choice_is_fair_and_the_same_each_time() -> None:
    """Each operator has its turn before any has a second turn; the seed selects the mutants."""
    every = make_mutants({"convex/notes.ts": NOTES})
    kinds = len(set(list_operators(every)))
    assert len(set(list_operators(choose_mutants(every, kinds, seed=1)))) == kinds
    assert choose_mutants(every, 10, seed=1) == choose_mutants(every, 10, seed=1)
    assert choose_mutants(every, 10, seed=1) != choose_mutants(every, 10, seed=2)
    assert choose_mutants(every, 10_000, seed=1) == every


ANSWER = CASES["answer"]
CARELESS = '''
def test_value(convex):
    """The value is a number."""
    assert isinstance(convex.query("notes:value", {"plus": 0}), float)
'''
CAREFUL = CASES["careful"]
EXPLAINED = CASES["explained"]


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


@pytest.mark.integration
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


@pytest.mark.integration
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
