"""Rows of a file, and the adapters of formats in which each row is a session.

Rows are records of JSON, a list in an object, Parquet, or JSON files in a ZIP, which account
exports are. The format of a file is the first format whose shape one of the first rows has. A row
with the shape of another format is read by that format, so that all rows of a mixed file are read.
"""

import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, NamedTuple, cast

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_items,
    get_object,
    list_objects,
    parse_json,
    parse_moment,
    require_list,
    require_object,
    require_text,
)
from review.errors import MissingPackageError
from review.session_imports.common.drafts import OWN_EXPORT, Draft
from review.session_imports.common.source_file import HEAD, BadLine, SourceFile
from review.session_imports.row_formats import account_exports, chat_rows, dataset_rows

_COLUMNS = frozenset({"messages", "expected_output", "reviewed_at"})
_FACTS = frozenset({"session", "title", "model", "status", "tags", "reviewed_at"})
"""Facts about the session in rows of other formats."""


def is_own_row(row: Fields) -> bool:
    """Return whether a row comes from an export of this program."""
    facts = get_object(row, "metadata") or get_object(row, "additional_metadata")
    return row.keys() >= _COLUMNS or facts.keys() >= _FACTS


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
    labels = {"ready", "status", "notes", "tags", "turn_labels"}
    draft.leave_out_fields({*_COLUMNS, *labels, "id", "title", "model", "created_at"}, row)
    return draft


def _read_list(row: Fields, name: str) -> object:
    """Return a list of a row; in JSON lines it is a JSON text."""
    value: object = row.get(name)
    return parse_json(value, name) if isinstance(value, str) else value


def _add_message(fields: Fields, draft: Draft) -> None:
    calls = parse_json(require_text(fields, "tool_calls"), "tool_calls")
    draft.add(
        require_text(fields, "role"),
        require_text(fields, "content"),
        tool_calls=tuple(require_list(calls, "tool_calls")),
        tool_call_id=fields.get("tool_call_id") or None,
    )


_WRAPPINGS = ("data", "conversations", "chats", "sessions", "samples", "examples", "items")
"""Fields of an object that may have the list of the rows."""
_OF_ROWS = frozenset(
    {
        *("messages", "conversations", "conversation", "chat_messages", "mapping"),
        *("choices", "prompt", "instruction"),
    }
)
"""Fields that rows have and messages do not have."""
_JSON_COLUMNS = ("messages", "conversations", "conversation")
"""Columns of conversations that are a text with JSON in some datasets."""
_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"
_LARGEST = 512 * 1024 * 1024
"""The most bytes of 100 unpacked rows of Parquet, or of one unpacked file of a ZIP."""


def read_rows(source: SourceFile) -> Iterator[tuple[int, Fields]]:
    """Yield each row of a file with its number, and report each row that cannot be read."""
    if source.data.startswith(_PARQUET):
        rows = enumerate(_read_parquet_rows(source), 1)
    elif source.data.startswith(_ZIP):
        rows = enumerate(_read_zip_rows(source), 1)
    else:
        rows = _read_json_rows(source)
    for number, row in rows:
        if isinstance(row, BadLine):
            source.report(row)
        else:
            # A conversation that is a text with JSON is replaced by its list.
            texts = {name: row[name] for name in _JSON_COLUMNS if isinstance(row.get(name), str)}
            lists: dict[str, object] = {}
            for name, text in texts.items():
                with suppress(UnknownShapeError):
                    value = parse_json(text, name) if text.lstrip().startswith("[") else None
                    lists |= {name: value} if list_objects(value) else {}
            yield number, ({**row, **lists} if lists else row)


def _read_json_rows(source: SourceFile) -> Iterator[tuple[int, Fields | BadLine]]:
    for number, record in source.parse_records():
        rows = [] if isinstance(record, BadLine) else _unwrap_rows(record)
        if rows:
            yield from enumerate(rows, 1)
        else:
            yield number, record


def _unwrap_rows(record: Fields) -> list[Fields]:
    """Return the rows in a record that only wraps them; none if the record is a row itself."""
    pages = list_objects(record.get("rows"))
    if pages and all(isinstance(item.get("row"), dict) for item in pages):
        return [cast("Fields", item["row"]) for item in pages]
    for name in _WRAPPINGS:
        rows = list_objects(record.get(name))
        if any(row.keys() & _OF_ROWS for row in rows):
            return rows
    return []


def _read_zip_rows(source: SourceFile) -> Iterator[Fields | BadLine]:
    """Yield the rows of all files of conversations in a ZIP."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(source.data))
        for name in sorted(archive.namelist()):
            path = PurePosixPath(name)
            if path.suffix != ".json" or not path.name.startswith("conversations"):
                continue
            with archive.open(name) as file:
                data = file.read(_LARGEST + 1)
            if len(data) > _LARGEST:
                source.report_problem(0, f"{name}: unpacks to more than {_LARGEST} bytes")
                continue
            for _, row in _read_json_rows(SourceFile(source.path, data)):
                yield row
    except Exception as error:  # noqa: BLE001 - errors of decompressors have no class in common
        source.report_problem(0, f"is a ZIP file that cannot be read: {error}")


def _read_parquet_rows(source: SourceFile) -> Iterator[Fields]:
    try:
        # pyarrow is in an extra, takes half a second to import, and has no types.
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        source.report_problem(0, str(MissingPackageError()))
        return
    try:
        file = parquet.ParquetFile(io.BytesIO(source.data))
        for batch in file.iter_batches(batch_size=100):
            if batch.nbytes > _LARGEST:
                source.report_problem(0, f"unpacks to more than {_LARGEST} bytes")
                return
            yield from batch.to_pylist()
    except Exception as error:  # noqa: BLE001 - errors of a reader of strangers' files
        source.report_problem(0, f"is no Parquet file that can be read: {error}")


class RowAdapter(NamedTuple):
    """The adapter of files of one format: its name, the check of a row's shape, and the reader."""

    NAME: str
    fits: Callable[[Fields], bool]
    read_row: Callable[[Fields], Draft]

    def recognises(self, source: SourceFile) -> bool:
        """Return whether this is the first format whose shape one of the first rows has."""
        # Rows of Parquet and of a ZIP are no records of the file itself.
        has_rows = source.data.startswith((_PARQUET, _ZIP)) or source.head
        head = [row for _, row in islice(read_rows(source), HEAD)] if has_rows else []
        fitting = (form for form in ROW_ADAPTERS if any(map(form.fits, head)))
        return next(fitting, None) is self

    def read(self, source: SourceFile) -> Iterator[Draft]:
        """Yield the session of each row; for a row of no format, this format reports why."""
        forms = (self, *ROW_ADAPTERS)
        for number, row in read_rows(source):
            with source.catch_problems(number):
                form = next((form for form in forms if form.fits(row)), self)
                draft = form.read_row(row)
                draft.place = number
                yield draft


ROW_ADAPTERS = (
    RowAdapter(OWN_EXPORT, is_own_row, read_own_row),
    RowAdapter("chatgpt", account_exports.is_chatgpt, account_exports.read_chatgpt),
    RowAdapter("claude_ai", account_exports.is_claude_ai, account_exports.read_claude_ai),
    RowAdapter("openai_responses", chat_rows.is_response, chat_rows.read_response),
    RowAdapter("anthropic", chat_rows.is_anthropic, chat_rows.read_anthropic),
    RowAdapter("sharegpt", dataset_rows.is_sharegpt, dataset_rows.read_sharegpt),
    RowAdapter("chat", chat_rows.is_chat, chat_rows.read_chat),
    RowAdapter("dataset", dataset_rows.is_dataset_row, dataset_rows.read_dataset_row),
)
"""Formats in the order in which they are tried: the most special shape first."""
