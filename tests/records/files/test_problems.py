"""Problems in files that people write: all at once, in the words of the file."""

import json
from typing import Final

import pytest
import tomli
from pydantic import BaseModel, ValidationError

from records.files.problems import (
    MOST_TOLD,
    InvalidFieldsError,
    find_problems,
    validate_fields,
)
from records.shapes.report import Report
from records.suites.eval_config import CalibrationConfig, EvalConfig

pytestmark = pytest.mark.unit

EVAL: Final = 'title = "T"\nconcept = "C"\nwhy = "W"\nguidelines = []\n'


def describe_problems(text: str, model: type[BaseModel] = EvalConfig) -> str:
    """Return the message on the problems of a TOML file."""
    with pytest.raises(InvalidFieldsError) as raised:
        validate_fields(tomli.loads(text), model)
    return str(raised.value)


def test_a_rule_of_a_name_is_told_by_its_form() -> None:
    """A pattern would be a riddle; all else is in pydantic's words, without its kind of error."""
    for name, value, reason in (
        ("run", "A", "must be the whole id of a run: 16 to 40 small letters and digits"),
        ("author", " ", "must be one line with at least one visible character"),
        ("planned", -1, "Input should be greater than or equal to 1"),
        ("date", "soon", "Input should be a valid date or datetime, input is too short"),
    ):
        with pytest.raises(ValidationError) as raised:
            Report.model_validate_json(json.dumps({**REPORT, name: value}))
        assert str(find_problems(raised.value)[0]) == f"{name}: {reason}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            EVAL.replace("concept", "concpet"),
            "concpet: Extra inputs are not permitted: close to it is concept; known are concept",
        ),
        (
            EVAL + "[limits]\ntest_s = 3\n",
            "limits.test_s: Extra inputs are not permitted: close to it is tests_s; known are",
        ),
        (
            EVAL + 'pipeline = "ful"\n',
            "pipeline: Input should be 'full', 'static' or 'command', is 'ful', close to it is",
        ),
        (EVAL + "pipeline = 3\n", "pipeline: Input should be 'full', 'static' or 'command', is 3"),
        (EVAL.replace('"T"', '""'), "title: String should have at least 1 character"),
        (
            EVAL.replace('"C"', "2").replace("[]", '"D"'),
            "concept: Input should be a valid string",
        ),
        (EVAL.replace("[]", '["a", 2]'), "guidelines[entry 2]: Input should be a valid string"),
    ],
)
def test_each_problem_is_reported_with_place_and_cure(text: str, words: str) -> None:
    """Unknown keys come first, with the nearest known key; values with the allowed values."""
    assert describe_problems(text).startswith(words)


def test_an_unknown_key_comes_before_the_missing_one() -> None:
    """All known keys are listed once, and the missing key is reported, too."""
    message = describe_problems(EVAL.replace("concept", "concpet"))
    assert message.endswith(
        "known are concept, guidelines, limits, pipeline, title, why; concept: Field required"
    )


def test_a_variant_is_known_by_its_name() -> None:
    """Keys of tables are names already; a rule of ours has its own message."""
    text = '[fail.late]\nreson = "R"\nstep = "test"\n[fail.early]\nreason = "R"\nstep = "tests"\n'
    message = describe_problems(text, CalibrationConfig)
    assert message.startswith(
        "fail.late.reson: Extra inputs are not permitted: close to it is reason; known are "
    )
    assert "fail.late.step: Input should be 'filesystem'" in message
    assert "is 'test', close to it is tests" in message
    assert '; fail.early: with step = "tests", name the tests that must fail in `tests`' in message


FAILURES: Final = [
    {"eval": f"002-queries/{number:03}-a", "class": "model_fault", "note": ""}
    for number in range(30)
]
REPORT: Final = {
    "schema_version": 2,
    "run": "a" * 32,
    "author": "A",
    "date": "2026-11-26",
    "planned": 40,
    "passed": 10,
    "text": "",
}


def describe_report_problems(wrong: dict[int, dict[str, object]]) -> str:
    """Return the message on a report whose failures have these changes."""
    failures = [{**failure, **wrong.get(at, {})} for at, failure in enumerate(FAILURES)]
    fields = {**REPORT, "failures": failures}
    with pytest.raises(InvalidFieldsError) as raised:
        validate_fields(fields, Report)
    return str(raised.value)


def test_all_entries_with_a_fault_are_reported_by_their_names() -> None:
    """All faulty entries are named, though a list ends at its first fault."""
    messages = describe_report_problems(
        {
            3: {"class": "model fault"},
            4: {"sample": 2, "clas": "known_gap"},
            20: {"class": "x", "step": "y"},
        }
    ).split("; ")
    assert messages[0].startswith(
        "failures[002-queries/003-a].class: Input should be 'model_fault'"
    )
    assert messages[0].endswith("is 'model fault', close to it is model_fault")
    assert messages[1].startswith(
        "failures[002-queries/004-a sample 2].clas: Extra inputs are not permitted"
    )
    assert messages[2].startswith("failures[002-queries/020-a].step: ")
    assert messages[3].startswith("failures[002-queries/020-a].class: ")
    assert len(messages) == 4


def test_of_many_problems_ten_are_reported() -> None:
    """The line stays readable, and has the number of further problems."""
    message = describe_report_problems({number: {"class": "x"} for number in range(30)})
    assert message.count("; failures[") == MOST_TOLD - 1
    assert message.endswith("(and 20 more)")
    with pytest.raises(ValidationError) as raised:
        EvalConfig.model_validate({f"key{number}": 1 for number in range(200)})
    fields = InvalidFieldsError(find_problems(raised.value))
    assert len(str(fields)) < 1000
    assert str(fields).endswith("(and 194 more)")


def test_a_name_from_outside_cannot_forge_a_line() -> None:
    """Each name and value is cut, and has one visible line."""
    message = describe_problems(EVAL + f'"a\\nb\\u001b" = 1\n"{"x" * 5000}" = 2\n')
    assert "\n" not in message
    assert "\x1b" not in message
    assert len(message) < 1000
