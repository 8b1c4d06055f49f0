"""Patterns of names, most of them of files. This module, unlike the shapes, is quick to import."""

from types import MappingProxyType

RUN_ID = r"^[0-9a-z]{16,40}$"
EXPERIMENT_NAME = r"^[a-z0-9][a-z0-9_-]{0,39}$"
EVAL_NAME = r"^[0-9]{3}-[a-z0-9_]{1,60}/[0-9]{3,5}-[a-z0-9_]{1,60}$"
MODEL_SLUG = r"^[a-z0-9][a-z0-9._-]{0,39}/[a-z0-9][a-z0-9._:-]{0,79}$"
BENCHMARK_ID = r"^[0-9a-z][0-9a-z-]{3,39}$"
SESSION_ID = r"^[0-9A-Za-z][0-9A-Za-z_-]{7,99}$"
DATASET_NAME = r"^[a-z0-9][a-z0-9._-]{0,63}$"
AUDIT_ID = r"^[0-9a-z][0-9a-z-]{3,39}-(?:0|[1-9][0-9]{0,9})$"
AUDIT_ITEM = r"^[0-9a-z][0-9a-z-]{3,39}-(?:0|[1-9][0-9]{0,9})/[1-9][0-9]{0,9}$"
PSEUDONYM = r"^[\w.-]{1,40}$"
EVENT_ID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"

_BREAKS = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
_UNSEEN = r"\x00-\x20\x7f-\xa0\u00ad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
"""Control characters, blanks, marks of direction and characters of no width."""

VISIBLE_LINE = rf"^[^{_BREAKS}]*[^{_UNSEEN}][^{_BREAKS}]*$"
"""One line with at least one visible character."""

FORMS = MappingProxyType(
    {
        EVAL_NAME: "must be the name of an eval, such as 002-queries/009-text_search",
        MODEL_SLUG: "must be provider/model, in small letters, such as openai/gpt-5",
        RUN_ID: "must be the whole id of a run: 16 to 40 small letters and digits",
        EXPERIMENT_NAME: "must be a name in small letters, digits, - and _",
        BENCHMARK_ID: "must be a benchmark version, such as f039bdba3ade",
        VISIBLE_LINE: "must be one line with at least one visible character",
    }
)
"""The forms of names in words, by their patterns."""
