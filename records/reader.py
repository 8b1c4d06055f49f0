"""Reader of records. A wrong record is refused by an error with file, field and reason."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, time
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

import tomli
from pydantic import ValidationError

from records.errors import InvalidRecordError, MissingRecordError
from records.files import front_matter, problems
from records.files.data_folder import DataFolder, get_model_slug
from records.files.json_limits import find_large_object
from records.files.plain_files import open_plain
from records.shapes.base import Record
from records.shapes.registry import Registry
from records.shapes.report import Report
from records.shapes.run import Run
from records.suites.benchmark import Benchmark

LARGEST_RECORD = 256 * 1024 * 1024
"""Bytes of a file; a larger file is refused before it is read."""

_LARGEST_NAMED = 4 * 1024 * 1024
"""Bytes of an invalid file. Errors in larger files name entries of lists by number, not by name."""
_VERSION = re.compile(rb'\s*\{\s*"schema_version"\s*:\s*(\d{1,9})\s*,')

AnyRecord = TypeVar("AnyRecord", bound=Record)


def read_record(model: type[AnyRecord], path: Path) -> AnyRecord:
    """Return the record at ``path``.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the file is not such a record of a version that this program reads.
    """
    return parse_record(model, path, read_bytes(path))


def parse_record(model: type[AnyRecord], path: Path, data: bytes) -> AnyRecord:
    """Return the record in ``data``; ``path`` is only for messages.

    Bytes of the current version are not parsed twice. Some files have no field ``schema_version``.

    Raises:
        InvalidRecordError: the bytes are not such a record of a version that this program reads.
    """
    if reason := find_large_object(data):
        raise InvalidRecordError(path, "", reason)
    match = _VERSION.match(data)
    try:
        if "schema_version" in model.model_fields and (
            match is None or int(match[1]) != _get_version(model)
        ):
            _check_version(model, path, _parse_object(path, data))
        return model.model_validate_json(data, strict=True)
    except ValidationError as error:
        raise build_record_error(path, error, data) from error


read_run = partial(read_record, Run)
parse_run = partial(parse_record, Run)
read_benchmark = partial(read_record, Benchmark)


def read_benchmarks(data: DataFolder) -> dict[str, Benchmark]:
    """Return all benchmark versions, published and local, by their names.

    Raises:
        InvalidRecordError: a file does not define a benchmark version.
    """
    paths = [*data.local.benchmarks.list_files(), *data.benchmarks.list_files()]
    return {benchmark.version: benchmark for benchmark in map(read_benchmark, paths)}


def find_benchmark(data: DataFolder, version: str) -> Benchmark | None:
    """Return a benchmark version, published or local; None if neither folder defines it.

    Raises:
        InvalidRecordError: its file does not define a benchmark version.
    """
    for folder in (data, data.local):
        with suppress(MissingRecordError):
            return read_benchmark(folder.benchmarks.get_file(version))
    return None


def read_registry(path: Path) -> Registry:
    """Return the models listed in the TOML file at ``path``.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the file is not a registry.
    """
    try:
        fields = tomli.loads(_decode_text(path, read_bytes(path)))
    except (ValueError, RecursionError) as error:
        raise InvalidRecordError(path, "", f"not TOML: {error}") from error
    return _validate_record(path, fields, Registry)


def read_models(folder: DataFolder) -> Registry:
    """Return the models of ``models.toml`` and ``local/models.toml``; either file may be missing.

    Raises:
        InvalidRecordError: a file is not a registry, or both have the same slug.
    """
    shared, own = (
        read_registry(path) if path.exists() else Registry(schema_version=1, models=())
        for path in (folder.models_file, folder.local.models_file)
    )
    twice = shared.by_slug.keys() & own.by_slug.keys()
    if twice:
        raise InvalidRecordError(
            folder.local.models_file,
            "models",
            f"{min(twice)} is also in {folder.models_file}: give the model another slug",
        )
    return Registry(
        schema_version=1,
        models=(*shared.models, *own.models),
        described=(*shared.described, *own.described),
    )


def read_report(path: Path) -> Report:
    """Return the report at ``path``.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the front matter is missing, or one of its fields is wrong.
    """
    return parse_report(path, read_bytes(path))


def find_reports(folder: DataFolder, run: Run) -> Iterator[tuple[Path, Report]]:
    """Yield the reports on ``run`` in a folder, with their paths.

    Raises:
        InvalidRecordError: a report on the same model cannot be read.
    """
    for path in folder.list_report_files():
        if get_model_slug(path) == run.model.slug:
            report = read_report(path)
            if report.run == run.run_id:
                yield path, report


def parse_report(path: Path, data: bytes) -> Report:
    """Return the report in ``data``; ``path`` is only for messages.

    Raises:
        InvalidRecordError: the front matter is missing, or one of its fields is wrong.
    """
    text = _decode_text(path, data)
    try:
        front, body = front_matter.split(text)
    except front_matter.FrontMatterError as error:
        raise InvalidRecordError(path, "", str(error)) from error
    if "text" in front:
        raise InvalidRecordError(
            path, "text", "must not be a field: it is the text below the front matter"
        )
    _check_version(Report, path, front)
    try:
        return _validate_record(path, {**front, "text": body}, Report)
    except InvalidRecordError as error:
        line = front_matter.find_line(text, error.field)
        if line is None:
            raise
        raise InvalidRecordError(path, error.field, error.reason, line) from error


def read_bytes(path: Path) -> bytes:
    """Return the contents of the plain file at ``path``.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the file is a link, a folder or a device, too large or unreadable.
    """
    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > LARGEST_RECORD:
            raise InvalidRecordError(path, "", f"is larger than {LARGEST_RECORD} bytes")
        try:
            return b"".join(iter(partial(file.read, size + 1), b""))
        except OSError as error:
            raise InvalidRecordError(path, "", f"cannot be read: {error}") from error


def find_duplicate_keys(data: bytes) -> list[str]:
    """Return the keys that occur more than once in one object of the JSON text ``data``.

    A parser of JSON keeps only the last value, without a message. This check is slow, so the
    readers of records do not make it.
    """
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> None:
        counts = Counter(name for name, _ in items)
        if len(counts) != len(items):
            repeated.extend(sorted(name for name, count in counts.items() if count > 1))

    json.loads(data, object_pairs_hook=pairs)
    return repeated


def build_record_error(path: Path, error: ValidationError, data: bytes = b"") -> InvalidRecordError:
    """Return an InvalidRecordError that describes the problems that pydantic found.

    With ``data`` the message names entries of lists.
    """
    fields: object = None
    if len(data) <= _LARGEST_NAMED:
        with suppress(ValueError, RecursionError):
            fields = json.loads(data)
    wrong = problems.InvalidFieldsError(problems.find_problems(error, fields))
    return InvalidRecordError(path, wrong.place, wrong.reason)


def _parse_object(path: Path, data: bytes) -> dict[str, Any]:
    try:
        fields: object = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise InvalidRecordError(path, "", f"not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise InvalidRecordError(path, "", "must be a JSON object")
    return cast("dict[str, Any]", fields)


def _validate_record(path: Path, fields: dict[str, Any], model: type[AnyRecord]) -> AnyRecord:
    """Return the record of fields from TOML or YAML.

    They are validated as JSON, so that lists become tuples and dates are read strictly.
    """
    try:
        return problems.validate_fields(fields, model, json.dumps(fields, default=_format_moment))
    except problems.InvalidFieldsError as error:
        raise InvalidRecordError(path, error.place, error.reason) from error
    except (ValueError, TypeError, RecursionError) as error:  # such as a number of 5000 digits
        raise InvalidRecordError(path, "", f"cannot be read: {error}") from error


def _format_moment(value: object) -> str:
    if isinstance(value, date | time):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no type that a record has")


def _decode_text(path: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidRecordError(path, "", f"not UTF-8: {error}") from error


def _check_version(model: type[Record], path: Path, fields: dict[str, Any]) -> None:
    """Refuse the file at ``path`` if its version is missing, or not the one that is read.

    No earlier version was released. When a shape changes, earlier versions are read here.
    """
    version, current = fields.get("schema_version"), _get_version(model)
    if not isinstance(version, int) or isinstance(version, bool):
        raise InvalidRecordError(path, "schema_version", "must be a whole number")
    if version > current:
        reason = f"{version} is newer than this program, which knows {current}"
        raise InvalidRecordError(path, "schema_version", reason)
    if version != current:
        reason = f"{version} is not read: this program reads version {current}"
        raise InvalidRecordError(path, "schema_version", reason)


def _get_version(model: type[Record]) -> int:
    """Return the only version in a record's field ``schema_version``."""
    return get_args(model.model_fields["schema_version"].annotation)[0]
