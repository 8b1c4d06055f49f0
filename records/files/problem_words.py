"""Words for the kinds of problems that pydantic finds, for people who write the files."""

from types import MappingProxyType
from typing import Final

from pydantic_core import ErrorDetails

from records.files.name_patterns import (
    BENCHMARK_ID,
    EVAL_NAME,
    EXPERIMENT_NAME,
    MODEL_SLUG,
    RUN_ID,
    VISIBLE_LINE,
)

_DAY: Final = "must be a day such as 2026-11-26"
_MOMENT: Final = "must be a time such as 2026-11-26T09:00:00Z"
_LIST: Final = "must be a list"
_TABLE: Final = "must hold names with values (in TOML a table, in JSON an object)"
_TEXT: Final = "must be a text (in quotes)"
_WHOLE: Final = "must be a whole number"
_NUMBER: Final = "must be a number"
_TRUTH: Final = "must be true or false"
_ADDRESS: Final = "must be an address such as https://example.org"

WORDS: Final = MappingProxyType(
    {
        "missing": "is missing",
        "extra_forbidden": "is not known here",
        "invalid_key": "has a name that is no text",
        "json_invalid": "is not JSON: {error}",
        "recursion_loop": "holds itself",
        "recursion_depth_exceeded": "is nested too deeply",
        "model_type": _TABLE,
        "model_attributes_type": _TABLE,
        "dict_type": _TABLE,
        "mapping_type": _TABLE,
        "list_type": _LIST,
        "tuple_type": _LIST,
        "frozen_set_type": _LIST,
        "too_short": "has {actual_length} entries: at least {min_length} are needed",
        "too_long": "has {actual_length} entries: at most {max_length} are allowed",
        "none_required": "must be left out, or null",
        "string_type": _TEXT,
        "string_unicode": "is not UTF-8 text",
        "string_too_short": "must have at least {min_length} characters",
        "string_too_long": "must have at most {max_length} characters",
        "string_pattern_mismatch": "must match the pattern {pattern}",
        "enum": "must be {expected}",
        "literal_error": "must be {expected}",
        "bool_type": _TRUTH,
        "bool_parsing": _TRUTH,
        "int_type": _WHOLE,
        "int_parsing": _WHOLE,
        "int_parsing_size": "has too many digits",
        "int_from_float": _WHOLE,
        "float_type": _NUMBER,
        "float_parsing": _NUMBER,
        "finite_number": "must be a finite number",
        "greater_than": "must be greater than {gt}",
        "greater_than_equal": "must be at least {ge}",
        "less_than": "must be less than {lt}",
        "less_than_equal": "must be at most {le}",
        "value_error": "{error}",
        "assertion_error": "{error}",
        "date_type": _DAY,
        "date_parsing": _DAY,
        "date_from_datetime_parsing": _DAY,
        "date_from_datetime_inexact": _DAY,
        "datetime_type": _MOMENT,
        "datetime_parsing": _MOMENT,
        "datetime_object_invalid": _MOMENT,
        "datetime_from_date_parsing": _MOMENT,
        "union_tag_invalid": "has {discriminator} = '{tag}', which is none of {expected_tags}",
        "union_tag_not_found": "must have {discriminator}, which names its kind",
        "url_type": _ADDRESS,
        "url_parsing": _ADDRESS,
        "url_syntax_violation": _ADDRESS,
        "url_too_long": "must have at most {max_length} characters",
        "url_scheme": "must begin with {expected_schemes}",
    }
)
"""Words by kind of problem, for use after the name of a field. Pydantic's context fills braces."""

_FORMS: Final = MappingProxyType(
    {
        EVAL_NAME: "must be the name of an eval, such as 002-queries/009-text_search",
        MODEL_SLUG: "must be provider/model, in small letters, such as openai/gpt-5",
        RUN_ID: "must be the whole id of a run: 16 to 40 small letters and digits",
        EXPERIMENT_NAME: "must be a name in small letters, digits, - and _",
        BENCHMARK_ID: "must be a benchmark version, such as f039bdba3ade",
        VISIBLE_LINE: "must be one line with at least one visible character",
    }
)
"""Words for the patterns of names."""


def describe_problem(problem: ErrorDetails) -> str:
    """Return the reason of a problem in the words above, or in pydantic's for an unknown kind."""
    context = problem.get("ctx", {})
    pattern = str(context.get("pattern"))
    if (form := _FORMS.get(pattern)) is not None:
        return form
    if pattern.startswith("^https://"):
        return "must be an address that begins with https://"
    template = WORDS.get(problem["type"])
    try:
        return problem["msg"] if template is None else template.format_map(context)
    except KeyError:
        return problem["msg"]
