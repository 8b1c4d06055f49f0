"""Problems in files that people write: all at once, in the words of the file."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, cast, get_args

import pytest
import tomli
from pydantic import BaseModel, ValidationError
from pydantic_core import core_schema

from generator.read.site_settings import SiteSettings
from records.files.problem_words import WORDS, describe_problem
from records.files.problems import (
    MOST_TOLD,
    InvalidFieldsError,
    describe_first_problem,
    find_problems,
    list_error_details,
    validate_fields,
)
from records.sessions.audit import Audit
from records.sessions.comparison import ModelComparison
from records.sessions.labels import LabelEvent
from records.sessions.session import Session
from records.shapes.registry import Registry
from records.shapes.report import Report
from records.shapes.run import Run
from records.shapes.trial import GuidelinesTrial
from records.suites.benchmark import Benchmark
from records.suites.eval_config import CalibrationConfig, EvalConfig

pytestmark = pytest.mark.unit

EVAL: Final = 'title = "T"\nconcept = "C"\nwhy = "W"\nguidelines = []\n'
MODELS: Final[tuple[type[BaseModel], ...]] = (
    *(EvalConfig, CalibrationConfig, Registry, SiteSettings, Report, Run, Benchmark, Session),
    *(Audit, ModelComparison, LabelEvent, GuidelinesTrial),
)
KINDS: Final = {
    "any": (),
    "bool": ("bool_type", "bool_parsing"),
    "date": ("date_type", "date_parsing", "date_from_datetime_parsing"),
    "datetime": (
        *("datetime_type", "datetime_parsing", "datetime_object_invalid"),
        "datetime_from_date_parsing",
    ),
    "definition-ref": ("recursion_loop",),
    "definitions": (),
    "default": (),
    "dict": ("dict_type", "too_long", "too_short", "invalid_key"),
    "enum": ("enum",),
    "float": ("float_type", "float_parsing", "finite_number"),
    "function-after": ("value_error", "assertion_error"),
    "function-before": ("value_error", "assertion_error"),
    "function-plain": ("value_error", "assertion_error"),
    "function-wrap": ("value_error", "assertion_error"),
    "int": ("int_type", "int_parsing", "int_parsing_size", "int_from_float"),
    "json-or-python": (),
    "lax-or-strict": (),
    "list": ("list_type", "too_long", "too_short"),
    "literal": ("literal_error",),
    "model": ("model_type", "model_attributes_type"),
    "model-field": ("missing",),
    "model-fields": ("missing", "extra_forbidden", "model_type", "json_invalid"),
    "none": ("none_required",),
    "nullable": (),
    "set": ("set_type", "too_long", "too_short"),
    "frozenset": ("frozen_set_type", "too_long", "too_short"),
    "str": ("string_type", "string_unicode"),
    "tagged-union": ("union_tag_invalid", "union_tag_not_found"),
    "tuple": ("tuple_type", "too_long", "too_short", "missing"),
    "union": (),
    "url": (
        *("url_type", "url_parsing", "url_syntax_violation", "url_too_long", "url_scheme"),
        "string_type",
    ),
    "chain": (),
}
"""The kinds of problems that each type of a schema of pydantic can raise."""
LIMITS: Final = {
    "ge": "greater_than_equal",
    "gt": "greater_than",
    "le": "less_than_equal",
    "lt": "less_than",
    "max_length": "string_too_long",
    "min_length": "string_too_short",
    "pattern": "string_pattern_mismatch",
    "multiple_of": "multiple_of",
}
"""The kind of problem for each possible limit of a schema."""


def walk_schemas(schema: object) -> Iterator[dict[str, Any]]:
    """Yield a schema of pydantic and all schemas in it."""
    if isinstance(schema, list | tuple):
        for each in cast("list[object]", schema):
            yield from walk_schemas(each)
    elif isinstance(schema, dict):
        fields = cast("dict[str, Any]", schema)
        if isinstance(fields.get("type"), str):
            yield fields
        for name, each in fields.items():
            if name not in {"metadata", "serialization", "default", "function"}:
                yield from walk_schemas(each)


def describe_problems(text: str, model: type[BaseModel] = EvalConfig) -> str:
    """Return the message on the problems of a TOML file."""
    with pytest.raises(InvalidFieldsError) as raised:
        validate_fields(tomli.loads(text), model, model.model_validate)
    return str(raised.value)


def test_every_kind_that_a_file_can_have_is_in_our_words() -> None:
    """The test walks the schemas of all files: a new type or limit needs words."""
    raised: set[str] = set()
    for model in MODELS:
        for part in walk_schemas(model.__pydantic_core_schema__):
            raised |= set(KINDS[part["type"]])
            raised |= {kind for limit, kind in LIMITS.items() if part.get(limit) is not None}
    assert {"missing", "enum", "tuple_type", "string_pattern_mismatch"} <= raised
    assert raised <= WORDS.keys()


def test_every_kind_in_the_table_is_one_of_pydantics() -> None:
    """A misspelt kind would never be used; the same is true of the tables above."""
    pydantic_kinds = set(get_args(core_schema.ErrorType))
    assert pydantic_kinds >= WORDS.keys()
    assert pydantic_kinds >= {kind for kinds in KINDS.values() for kind in kinds} | set(
        LIMITS.values()
    )


def test_a_kind_without_words_is_told_in_pydantics() -> None:
    """A kind that this program does not know keeps its message."""
    error = ValidationError.from_exception_data(
        "Model", [{"type": "uuid_parsing", "loc": ("id",), "input": "x", "ctx": {"error": "no"}}]
    )
    assert describe_first_problem(error) == "id: Input should be a valid UUID, no"
    (problem,) = list_error_details(error)
    assert describe_problem(problem) == problem["msg"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            EVAL.replace("concept", "concpet"),
            "concpet: is not known here: close to it is concept; known are concept, guidelines, ",
        ),
        (
            EVAL + "[limits]\ntest_s = 3\n",
            "limits.test_s: is not known here: close to it is tests_s; known are deploy_s, lint_s",
        ),
        (
            EVAL + 'pipeline = "ful"\n',
            "pipeline: must be 'full', 'static' or 'command', is 'ful', close to it is full",
        ),
        (EVAL + "pipeline = 3\n", "pipeline: must be 'full', 'static' or 'command', is 3"),
        (EVAL.replace('"T"', '""'), "title: must have at least 1 characters"),
        (EVAL.replace('"C"', "2").replace("[]", '"D"'), "concept: must be a text (in quotes); "),
        (EVAL.replace("[]", '["a", 2]'), "guidelines[entry 2]: must be a text (in quotes)"),
    ],
)
def test_each_problem_is_told_with_place_and_cure(text: str, words: str) -> None:
    """Unknown keys come first, with the nearest known key; values with the allowed values."""
    assert describe_problems(text).startswith(words)


def test_an_unknown_key_comes_before_the_missing_one() -> None:
    """All known keys are listed once, and the missing key is reported, too."""
    message = describe_problems(EVAL.replace("concept", "concpet"))
    assert message.endswith(
        "known are concept, guidelines, limits, pipeline, title, why; concept: is missing"
    )


def test_a_variant_is_told_by_its_name() -> None:
    """Keys of tables are names already; a rule of ours has its own message."""
    text = '[fail.late]\nreson = "R"\nstep = "test"\n[fail.early]\nreason = "R"\nstep = "tests"\n'
    message = describe_problems(text, CalibrationConfig)
    assert message.startswith(
        "fail.late.reson: is not known here: close to it is reason; known are "
    )
    assert "fail.late.step: must be 'filesystem'" in message
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
    validate = partial(Report.model_validate, strict=False)
    with pytest.raises(InvalidFieldsError) as raised:
        validate_fields(fields, Report, validate)
    return str(raised.value)


def test_all_entries_with_a_fault_are_told_by_their_names() -> None:
    """All faulty entries are named, though a list ends at its first fault."""
    messages = describe_report_problems(
        {
            3: {"class": "model fault"},
            4: {"sample": 2, "clas": "known_gap"},
            20: {"class": "x", "step": "y"},
        }
    ).split("; ")
    assert messages[0].startswith("failures[002-queries/003-a].class: must be 'model_fault'")
    assert messages[0].endswith("is 'model fault', close to it is model_fault")
    assert messages[1].startswith("failures[002-queries/004-a sample 2].clas: is not known here")
    assert messages[2].startswith("failures[002-queries/020-a].step: ")
    assert messages[3].startswith("failures[002-queries/020-a].class: ")
    assert len(messages) == 4


def test_of_many_problems_ten_are_told() -> None:
    """The line stays readable, and has the number of further problems."""
    message = describe_report_problems({number: {"class": "x"} for number in range(30)})
    assert message.count("; failures[") == MOST_TOLD - 1
    assert message.endswith("(and 1 more)")
    with pytest.raises(ValidationError) as raised:
        EvalConfig.model_validate({f"key{number}": 1 for number in range(200)})
    fields = InvalidFieldsError(find_problems(raised.value, EvalConfig))
    assert len(str(fields)) < 1000
    assert str(fields).endswith("(and 194 more)")


def test_a_name_from_outside_cannot_forge_a_line() -> None:
    """Each name and value is cut, and has one visible line."""
    message = describe_problems(EVAL + f'"a\\nb\\u001b" = 1\n"{"x" * 5000}" = 2\n')
    assert "\n" not in message
    assert "\x1b" not in message
    assert len(message) < 1000
