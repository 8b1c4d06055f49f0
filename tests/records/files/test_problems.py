"""Files that people write: fields between fences, and all problems at once in the file's words."""

import json
from contextlib import suppress
from typing import Final

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from records.files import problems
from records.files.front_matter import DEEPEST, FrontMatterError, find_line, join, split
from records.shapes.report import Report
from records.suites.eval_config import CalibrationConfig, EvalConfig

pytestmark = pytest.mark.unit
EVAL = 'title = "T"\nconcept = "C"\nwhy = "W"\nguidelines = []\n'


def describe_problems(text: str, model: type[BaseModel] = EvalConfig) -> str:
    """Return the message on the problems of a TOML file."""
    with pytest.raises(problems.InvalidFieldsError) as raised:
        problems.validate_fields(tomli.loads(text), model)
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
        assert str(problems.find_problems(raised.value)[0]) == f"{name}: {reason}"


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
        "known are concept, guidelines, held_out, level, limits, pipeline, steps, title, why;"
        " concept: Field required"
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


FAILURES = [
    {"eval": f"002-queries/{number:03}-a", "class": "model_fault", "note": ""}
    for number in range(30)
]
REPORT = {
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
    with pytest.raises(problems.InvalidFieldsError) as raised:
        problems.validate_fields(fields, Report)
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
    assert message.count("; failures[") == problems.MOST_TOLD - 1
    assert message.endswith("(and 20 more)")
    with pytest.raises(ValidationError) as raised:
        EvalConfig.model_validate({f"key{number}": 1 for number in range(200)})
    fields = problems.InvalidFieldsError(problems.find_problems(raised.value))
    assert len(str(fields)) < 1000
    assert str(fields).endswith("(and 194 more)")


def test_a_name_from_outside_cannot_forge_a_line() -> None:
    """Each name and value is cut, and has one visible line."""
    message = describe_problems(EVAL + f'"a\\nb\\u001b" = 1\n"{"x" * 5000}" = 2\n')
    assert "\n" not in message
    assert "\x1b" not in message
    assert len(message) < 1000


text: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
values: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(text, values, max_size=5), text)
def test_written_files_are_read(fields: dict[str, object], body: str) -> None:
    """Any text in any field comes back: quotes, fences, control characters, `yes` and `1:30`."""
    again, below = split(join(fields, body))
    assert again == fields
    assert below.strip() == body.strip()


@given(st.text(max_size=60))
def test_any_text_splits_or_is_refused(written: str) -> None:
    """No text crashes the reader, with any fence above it."""
    for whole in (written, f"+++\n{written}\n+++\n", f"---\n{written}", f"---\n{written}\n---\n"):
        with suppress(FrontMatterError):
            split(whole)


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("a: &x [1]\nb: *x", "alias"),
        ("a: 1\na: 2", "'a' twice"),
        ("a: {b: 1, b: 2}", "'b' twice"),
        ("a: " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "nested deeper"),
        ("a: " + "[" * 50_000, "nested deeper|not YAML"),
        ("- a", "`name: value`"),
        ("", "`name: value`"),
        ("a: !!python/object/apply:os.system [ls]", "line 2: quote the value"),
        ("a: 2026-99-99", "not YAML"),
        ("a: b: c", "line 2: quote the value"),
    ],
)
def test_harmful_or_ambiguous_values_are_refused(front: str, reason: str) -> None:
    """Aliases that grow without end, objects of Python, depth and repeated names are refused."""
    with pytest.raises(FrontMatterError, match=reason):
        split(f"---\n{front}\n---\n")


@pytest.mark.parametrize(
    ("place", "line"),
    [("planned", 2), ("failures[a/b].class", 5), ("failures[1].note", 7), ("passed", None)],
)
def test_a_field_has_the_line_at_which_it_begins(place: str, line: int | None) -> None:
    """Fields of entries are found by the name or the number of the entry."""
    entries = "- eval: a/b\n  class: x\n- eval: a/c\n  note: y\n"
    assert find_line(f"---\nplanned: 7\nfailures:\n{entries}---\nplanned: 8\n", place) == line
