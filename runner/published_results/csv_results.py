"""Results as a plain CSV: a row for each answer of a model to a sample.

The first line names the columns: `model`, `task`, `sample` and `outcome`, and any of the others
that docs/importing.md describes. All rows of a file are results of one benchmark.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final, NamedTuple

from records.shapes.attempt import Outcome
from records.suites.result_formats import ResultFormat
from runner.published_results.board_names import name_tasks
from runner.published_results.board_results import (
    LONGEST_REASON,
    BoardResults,
    ModelResults,
    SampleResult,
    make_board_results,
)
from runner.published_results.generations import make_generation
from runner.published_results.result_choices import ResultChoices
from runner.published_results.result_file import FilePart, ResultFile

REQUIRED: Final = ("model", "task", "sample", "outcome")
_NUMERIC: Final = ("repetition", "input_tokens", "output_tokens", "cost_usd", "duration_s")
OPTIONAL: Final = (
    "variant",
    "run",
    "date",
    "reason",
    *_NUMERIC,
)
_OUTCOMES: Final[Mapping[str, Outcome]] = {
    "passed": Outcome.PASSED,
    "pass": Outcome.PASSED,
    "true": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "fail": Outcome.FAILED,
    "false": Outcome.FAILED,
    "infrastructure": Outcome.INFRASTRUCTURE,
    "error": Outcome.INFRASTRUCTURE,
    "not_run": Outcome.NOT_RUN,
}
_LONGEST_CELL: Final = 100_000
"""Characters."""
_NUMBER: Final = re.compile(
    r"-?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,4})?"
)


class _CsvRun(NamedTuple):
    model: str
    variant: str | None
    run: str


def recognises(file: ResultFile) -> bool:
    """Return whether the first line of a file names the columns that every CSV of results has."""
    first = file.body.text.partition(b"\n")[0].decode("utf-8", "replace")
    return set(REQUIRED) <= {name.strip().strip('"') for name in first.split(",")}


def read(file: ResultFile, choices: ResultChoices) -> BoardResults:
    """Return the results of a file.

    Raises:
        InvalidRecordError: a column or a cell is missing or wrong.
    """
    rows: dict[_CsvRun, list[tuple[FilePart, SampleResult]]] = {}
    for row in _read_rows(file):
        result = _make_result(row, choices)
        key = _CsvRun(row.get("model"), row.get("variant"), row.get("run") or "")
        rows.setdefault(key, []).append((row, result))
    tasks = {result.task for each in rows.values() for _, result in each}
    return make_board_results(
        file,
        choices,
        format_read=ResultFormat.CSV,
        name=name_tasks(tasks),
        runs=(_make_run(key, each) for key, each in rows.items()),
    )


def _read_rows(file: ResultFile) -> Iterator[FilePart]:
    """Yield each row that is not empty, without its empty cells."""
    try:
        text = file.body.text.decode()
    except UnicodeDecodeError as error:
        raise file.make_error("", f"is not UTF-8: {error}") from error
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    number = 0
    try:
        columns = [name.strip() for name in next(reader, list[str]())]
        _check_columns(file, columns)
        for cells in reader:
            location = f"line {file.body.blank_lines + reader.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            number += 1
            file.check_row(number, location)
            if len(cells) != len(columns):
                raise file.make_error(
                    location, f"has {len(cells)} cells, the first line {len(columns)}"
                )
            named = zip(columns, map(str.strip, cells), strict=True)
            yield FilePart(
                file, location, {name: _parse_cell(name, cell) for name, cell in named if cell}
            )
    except csv.Error as error:
        location = f"line {file.body.blank_lines + reader.line_num}"
        raise file.make_error(location, f"is no CSV: {error}") from error
    if not number:
        raise file.make_error("", "has no row below the names of the columns")


def _parse_cell(name: str, cell: str) -> str | float:
    number = _parse_plain_number(cell) if name in _NUMERIC else None
    return cell if number is None else number


def _check_columns(file: ResultFile, columns: list[str]) -> None:
    known_columns = ", ".join((*REQUIRED, *OPTIONAL))
    location = f"line {file.body.blank_lines + 1}"
    if missing := [name for name in REQUIRED if name not in columns]:
        raise file.make_error(location, f"has no column {missing[0]}; columns are: {known_columns}")
    if unknown := [name for name in columns if name not in {*REQUIRED, *OPTIONAL}]:
        raise file.make_error(
            location, f"has an unknown column {unknown[0]!r}; columns are: {known_columns}"
        )
    if len(set(columns)) < len(columns):
        raise file.make_error(location, "names a column twice")


def _make_result(row: FilePart, choices: ResultChoices) -> SampleResult:
    for name in REQUIRED:
        if name not in row.fields:
            raise row.make_error(name, "is empty")
    outcome, repetition = _parse_outcome(row, choices), row.get_count("repetition")
    reason = row.get_line("reason", LONGEST_REASON)
    if outcome is Outcome.INFRASTRUCTURE:
        reason = reason or "the file says no more"
    return row.file.validate_facts(
        SampleResult,
        row.place,
        task=row.get("task"),
        sample=row.get("sample"),
        repetition=1 if repetition is None else repetition,
        outcome=outcome,
        reason=reason,
        generation=make_generation(
            input_tokens=row.get_count("input_tokens"),
            output_tokens=row.get_count("output_tokens"),
            cost_usd=row.get_number("cost_usd"),
            duration_s=row.get_number("duration_s"),
        ),
    )


def _parse_outcome(row: FilePart, choices: ResultChoices) -> Outcome:
    """Return the outcome that a cell names, by a word or by a score."""
    word = row.get_text("outcome")
    if (outcome := _OUTCOMES.get(word.lower())) is not None:
        return outcome
    score = _parse_plain_number(word)
    if score is None:
        reason = f"unknown outcome {word!r}: {', '.join(_OUTCOMES)}, or a number"
        raise row.make_error("outcome", reason)
    is_pass = choices.is_pass(row.file.path, score, row.name_place("outcome"))
    return Outcome.PASSED if is_pass else Outcome.FAILED


def _parse_plain_number(text: str) -> float | None:
    """Return a plain decimal number; None for any other text, such as ``nan``."""
    return float(text) if _NUMBER.fullmatch(text) else None


def _make_run(key: _CsvRun, rows: list[tuple[FilePart, SampleResult]]) -> ModelResults:
    first = rows[0][0]
    for row, _ in rows:
        if row.get("date") != first.get("date"):
            raise row.make_error(
                "date", "differs within a run: another date is another run, name it in `run`"
            )
    began = first.get_moment("date")
    return first.file.validate_facts(
        ModelResults,
        first.place,
        model=key.model,
        variant=key.variant,
        identity=key.run,
        began_at=None if _is_day(first.get("date")) else began,
        day=began.date() if began else None,
        results=tuple(result for _, result in rows),
    )


def _is_day(text: str | None) -> bool:
    """Return whether a text in ISO 8601 names a day without a time."""
    try:
        date.fromisoformat(text or "")
    except ValueError:
        return False
    return True
