"""Rows of `leaderboard export`, which become the same sessions again if they are complete.

Rows of `huggingface` and `parquet` are complete. Rows of other formats lack answers or roles. They
are refused with the name of the format to use.
"""

from typing import Final

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_items,
    get_object,
    parse_json,
    parse_moment,
    require_list,
    require_object,
    require_text,
)
from review.session_imports.common.drafts import Draft

NAME: Final = "huggingface"
_COLUMNS: Final = frozenset({"messages", "expected_output", "reviewed_at"})
_LABELS: Final = frozenset({"ready", "status", "notes", "tags", "turn_labels"})
_FACTS: Final = frozenset({"session", "title", "model", "status", "tags", "reviewed_at"})
"""Facts about the session in rows of other formats."""


def is_own_row(row: Fields) -> bool:
    """Return whether a row comes from an export of this program."""
    return row.keys() >= _COLUMNS or _has_facts(row)


def read_own_row(row: Fields) -> Draft:
    """Return the session of a row. Columns have no nulls, so an empty value means not known.

    The time of the judgement is left out, because ``reviewedAt`` is the time of a judgement here.

    Raises:
        UnknownShapeError: the row does not have the whole session, or is damaged.
    """
    if not row.keys() >= _COLUMNS:
        raise UnknownShapeError(
            "is a row of an export that has no whole conversation; import one of"
            " leaderboard export --format huggingface"
        )
    draft = Draft(
        session_id=require_text(row, "id"),
        title=require_text(row, "title"),
        created_at=parse_moment(row.get("created_at") or None),
        labels={
            "model": row.get("model") or None,
            "eval_ready": row.get("ready") is True,
            "eval_status": row.get("status"),
            "eval_notes": row.get("notes"),
            "eval_tags": _read_list(row, "tags"),
            "expected_output": row.get("expected_output") or None,
        },
    )
    for fields in require_list(row.get("messages"), "messages"):
        _add_message(require_object(fields, "a message"), draft)
    draft.leave_out("label of a turn", len(as_items(_read_list(row, "turn_labels"))))
    draft.leave_out_fields({*_COLUMNS, *_LABELS, "id", "title", "model", "created_at"}, row)
    return draft


def _read_list(row: Fields, name: str) -> object:
    """Return a list of a row; in JSON lines it is a JSON text."""
    value: object = row.get(name)
    return parse_json(value, name) if isinstance(value, str) else value


def _has_facts(row: Fields) -> bool:
    facts = get_object(row, "metadata") or get_object(row, "additional_metadata")
    return facts.keys() >= _FACTS


def _add_message(fields: Fields, draft: Draft) -> None:
    calls = parse_json(require_text(fields, "tool_calls"), "tool_calls")
    draft.add(
        require_text(fields, "role"),
        require_text(fields, "content"),
        tool_calls=tuple(require_list(calls, "tool_calls")),
        tool_call_id=fields.get("tool_call_id") or None,
    )
