"""Results as a plain CSV: a row for each answer of a model to a sample.

The first line names the columns: `model`, `task`, `sample` and `outcome`, and any of the others
that docs/another-benchmark.md describes. It also shows the sign between the cells, unless a line
`sep=;` above it does, which spreadsheets write. All rows of a file are results of one benchmark.
"""

import csv
import difflib
import io
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import NamedTuple

from records.foreign.files import FilePart, ForeignFile
from records.shapes.attempt import Outcome, Tokens
from records.suites.result_formats import ResultFormat
from runner.published_results import board_results
from runner.published_results.board_records import name_tasks

REQUIRED = ("model", "task", "sample", "outcome")
_NUMERIC = ("repetition", "input_tokens", "output_tokens", "cost_usd", "duration_s")
OPTIONAL = ("variant", "run", "date", "reason", *_NUMERIC)
_OUTCOMES: Mapping[str, Outcome] = {
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
_SEPARATORS = (",", ";", "\t")
_SEPARATOR_LINE = re.compile(r'"?sep=([^\w\s"]|\t)"?')
_LINE_END = re.compile(r"\r\n?|\n")
_DECIMAL_COMMA = re.compile(r"-?[0-9]{1,400},[0-9]{1,400}")
_LONGEST_CELL = 100_000
"""Characters."""
_LONGEST_NAME = 60
"""Characters of the name of a column in a message."""
_NUMBER = re.compile(
    r"-?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,4})?"
)


class _Header(NamedTuple):
    """The line that names the columns."""

    separator: str
    columns: list[str]
    """The names in small letters; empty for a column without a name."""
    number: int
    """The number of the line."""
    below: int
    """The position of the text below the line."""


def recognises(file: ForeignFile) -> bool:
    """Return whether a file is named as a CSV, or its first line names columns of results."""
    if file.text[:1] in {b"{", b"["} or b"\0" in file.text[:_LONGEST_CELL]:
        return False
    if file.path.suffix.lower() in {".csv", ".tsv"}:
        return True
    beginning = file.text[:_LONGEST_CELL].decode("utf-8", "replace")
    return len(set(REQUIRED) & set(_read_header(beginning).columns)) > 1


def read(file: ForeignFile, choices: board_results.ResultChoices) -> board_results.BoardResults:
    """Return the results of a file.

    Raises:
        InvalidRecordError: a column or a cell is missing or wrong.
    """
    rows: dict[
        tuple[str, str | None, str | None], list[tuple[FilePart, board_results.SampleResult]]
    ] = {}
    for row in _read_rows(file):
        result = _make_result(row, choices)
        key = row.get("model"), row.get("variant"), row.get("run")
        rows.setdefault(key, []).append((row, result))
    tasks = {result.task for each in rows.values() for _, result in each}
    return board_results.make_board_results(
        file,
        choices,
        format=ResultFormat.CSV,
        name=name_tasks(tasks),
        runs=tuple(map(_make_run, rows.values())),
    )


def _read_rows(file: ForeignFile) -> Iterator[FilePart]:
    """Yield each row that is not empty, without its empty cells."""
    try:
        text = file.decoded.decode()
    except UnicodeDecodeError as error:
        raise file.make_error("", f"is not UTF-8: {error}") from error
    csv.field_size_limit(_LONGEST_CELL)
    header = _read_header(text)
    columns = header.columns
    _check_columns(file, header)
    below = io.StringIO(text[header.below :], newline="")
    reader = csv.reader(below, strict=True, delimiter=header.separator)
    number = 0
    try:
        for cells in reader:
            location = f"line {header.number + reader.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            number += 1
            file.check_row(number, location)
            if any(cells[len(columns) :]) or any(columns[len(cells) :]):
                raise file.make_error(
                    location, f"has {len(cells)} cells, the first line {len(columns)}"
                )
            named: dict[str, str | float] = {}
            for at, (name, written) in enumerate(zip(columns, cells, strict=False), 1):
                cell = written.strip()
                if not name and cell:
                    reason = f"has a cell in column {at}, which has no name in line {header.number}"
                    raise file.make_error(location, reason)
                # A decimal comma needs semicolons between the cells.
                has_comma = header.separator == ";" and name in {*_NUMERIC, "outcome"}
                if has_comma and _DECIMAL_COMMA.fullmatch(cell):
                    cell = cell.replace(",", ".")
                plain = _parse_plain_number(cell) if name in _NUMERIC else None
                if cell:
                    named[name] = cell if plain is None else plain
            yield FilePart(file, location, named)
    except csv.Error as error:
        location = f"line {header.number + reader.line_num}"
        raise file.make_error(location, f"is no CSV: {error}") from error
    if not number:
        raise file.make_error("", "has no row below the names of the columns")


def _read_header(text: str) -> _Header:
    """Return the names of the columns in the first line that is not blank."""
    number, begin, separators = 0, 0, _SEPARATORS
    line = ""
    while begin < len(text) and not line.strip():
        end = _LINE_END.search(text, begin)
        until, below = end.span() if end else (len(text), len(text))
        line, begin, number = text[begin : min(until, begin + _LONGEST_CELL)], below, number + 1
        if named := _SEPARATOR_LINE.fullmatch(line):
            line, separators = "", (named[1],)
    readings: list[tuple[list[str], str]] = []
    for separator in separators:
        try:
            names = next(csv.reader([line], delimiter=separator, strict=True), list[str]())
        except (csv.Error, ValueError, TypeError):
            names = [line]  # it cannot be split
        columns = [re.sub("[ -]", "_", name.strip().lower()) for name in names]
        readings.append((columns, separator))
    known = {*REQUIRED, *OPTIONAL}
    columns, separator = max(readings, key=lambda reading: len(known & set(reading[0])))
    return _Header(separator, columns, number, begin)


def _check_columns(file: ForeignFile, header: _Header) -> None:
    location, known = f"line {header.number}", (*REQUIRED, *OPTIONAL)
    names = f"columns are: {', '.join(known)}"
    named_columns = [name for name in header.columns if name]
    unknown = [name[:_LONGEST_NAME] for name in named_columns if name not in known]
    closest = (
        f"{name}: close to it is {close[0]}; "
        for name in unknown[: len(known)]
        if (close := difflib.get_close_matches(name, known, n=1))
    )
    hint = next(closest, "")
    if missing := [name for name in REQUIRED if name not in header.columns]:
        raise file.make_error(location, f"has no column {missing[0]}; {hint}{names}")
    if unknown:
        raise file.make_error(location, f"has an unknown column {unknown[0]!r}; {hint}{names}")
    if len(set(named_columns)) < len(named_columns):
        raise file.make_error(location, "names a column twice")


def _make_result(row: FilePart, choices: board_results.ResultChoices) -> board_results.SampleResult:
    for name in REQUIRED:
        if name not in row.fields:
            raise row.make_error(name, "is empty")
    # A word or a score names the outcome.
    word = row.get_text("outcome")
    outcome = _OUTCOMES.get(word.lower())
    if outcome is None:
        score = _parse_plain_number(word)
        if score is None:
            reason = f"unknown outcome {word!r}: {', '.join(_OUTCOMES)}, or a number"
            raise row.make_error("outcome", reason)
        is_pass = choices.is_pass(row, "outcome", score)
        outcome = Outcome.PASSED if is_pass else Outcome.FAILED
    repetition = row.get_count("repetition")
    reason = row.get_line("reason", board_results.LONGEST_REASON)
    if outcome is Outcome.INFRASTRUCTURE:
        reason = reason or "the file says no more"
    return row.file.validate_facts(
        board_results.SampleResult,
        row.place,
        task=row.get("task"),
        sample=row.get("sample"),
        repetition=1 if repetition is None else repetition,
        outcome=outcome,
        reason=reason,
        generation=board_results.make_generation(
            Tokens(
                input=row.get_count("input_tokens"),
                cached_input=None,
                output=row.get_count("output_tokens"),
                reasoning=None,
            ),
            cost_usd=row.get_number("cost_usd"),
            duration_s=row.get_number("duration_s"),
        ),
    )


def _parse_plain_number(text: str) -> float | None:
    """Return a plain decimal number; None for any other text, such as ``nan``."""
    return float(text) if _NUMBER.fullmatch(text) else None


def _make_run(
    rows: list[tuple[FilePart, board_results.SampleResult]],
) -> board_results.ModelResults:
    first = rows[0][0]
    for row, _ in rows:
        if row.get("date") != first.get("date"):
            raise row.make_error(
                "date", "differs within a run: another date is another run, name it in `run`"
            )
    began = first.get_moment("date")
    try:
        date.fromisoformat(first.get("date") or "")
    except ValueError:
        is_day = False  # it has a time
    else:
        is_day = True
    return first.file.validate_facts(
        board_results.ModelResults,
        first.place,
        model=first.get("model"),
        variant=first.get("variant"),
        identity=first.get("run") or "",
        began_at=None if is_day else began,
        day=began.date() if began else None,
        results=tuple(result for _, result in rows),
    )
