"""Results without secrets: every text of a file or an option is cleaned, whichever field it is in.

Records, versions, slugs and the copy in `data/imports/` are made of cleaned results only.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from pydantic import JsonValue

from records.errors import InvalidRecordError
from records.foreign.files import Clean
from records.shapes.base import Record
from records.text.visible import make_one_line
from runner.published_results.board_results import (
    LONGEST_IDENTITY,
    LONGEST_NAME,
    LONGEST_REASON,
    BoardResults,
    ModelResults,
    SampleResult,
)

_DIGESTS: Final = frozenset({"content", "file_digest", "reply_digest"})
"""Fields whose text this program made: a digest is no secret."""
_LONGEST: Final[Mapping[str, int]] = {"identity": LONGEST_IDENTITY, "reason": LONGEST_REASON}
"""Characters of fields other than names."""

AnyRecord = TypeVar("AnyRecord", bound=Record)


def clean_board(path: Path, board: BoardResults, clean: Clean) -> BoardResults:
    """Return results without secrets; ``path`` is only for messages.

    Raises:
        InvalidRecordError: two names of models, samples or parameters differ only in their secrets.
    """
    cleaned = _clean_record(board, clean)
    _check_names(path, board, cleaned)
    _check_parameters(path, board, cleaned)
    return cleaned


def _clean_record(record: AnyRecord, clean: Clean) -> AnyRecord:
    changed: dict[str, object] = {}
    for name, value in record.__dict__.items():
        cleaned = value if name in _DIGESTS else _clean_field(name, value, clean)
        if cleaned is not value:
            changed[name] = cleaned
    return record.model_copy(update=changed) if changed else record


def _clean_field(name: str, value: object, clean: Clean) -> object:
    if type(value) is str:
        cleaned = clean(value)
        return (
            value if cleaned == value else make_one_line(cleaned, _LONGEST.get(name, LONGEST_NAME))
        )
    if isinstance(value, Record):
        return _clean_record(value, clean)
    if isinstance(value, tuple):
        return tuple(_clean_field(name, each, clean) for each in cast("tuple[object, ...]", value))
    if isinstance(value, dict):
        return _clean_json(cast("dict[str, JsonValue]", value), clean)
    return value


def _clean_json(value: JsonValue, clean: Clean, name: str = "") -> JsonValue:
    """Return a value without secrets: the name of a field may show that its text is one."""
    if isinstance(value, dict):
        return {clean(each): _clean_json(part, clean, each) for each, part in value.items()}
    if isinstance(value, list):
        return [_clean_json(part, clean, name) for part in value]
    if not isinstance(value, str):
        return value
    return clean(f"{name}={value}").removeprefix(f"{name}=")


def _check_names(path: Path, board: BoardResults, cleaned: BoardResults) -> None:
    """Refuse names that became equal: two models or samples would be one."""
    before: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for run, clean_run in zip(board.runs, cleaned.runs, strict=True):
        pairs = [(_list_run_names(run), _list_run_names(clean_run))]
        pairs += [
            (_list_sample_names(result), _list_sample_names(clean_result))
            for result, clean_result in zip(run.results, clean_run.results, strict=True)
        ]
        for names, clean_names in pairs:
            if before.setdefault(clean_names, names) != names:
                shown_names = ", ".join(str(name) for name in clean_names[1:] if name)
                raise InvalidRecordError(
                    path, "", f"two {clean_names[0]} are equal without their secrets: {shown_names}"
                )


def _check_parameters(path: Path, board: BoardResults, cleaned: BoardResults) -> None:
    """Refuse parameters whose names became equal: a value would be lost."""
    for run, clean_run in zip(board.runs, cleaned.runs, strict=True):
        if _count_names(run.parameters) != _count_names(clean_run.parameters):
            reason = "two parameters are equal without their secrets"
            raise InvalidRecordError(path, clean_run.model, reason)


def _count_names(value: JsonValue) -> int:
    """Return the number of names in all objects of a value."""
    if isinstance(value, dict):
        return len(value) + sum(map(_count_names, value.values()))
    if isinstance(value, list):
        return sum(map(_count_names, value))
    return 0


def _list_run_names(run: ModelResults) -> tuple[str, str, str | None, str]:
    return "runs", run.model, run.variant, run.identity


def _list_sample_names(result: SampleResult) -> tuple[str, str, str]:
    return "samples", result.task, result.sample
