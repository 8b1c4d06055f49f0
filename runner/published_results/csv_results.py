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

from records.shapes.attempt import Generation, Outcome
from records.suites.result_formats import ResultFormat
from runner.published_results.board_names import name_tasks
from runner.published_results.board_results import (
    LONGEST_REASON,
    MOST_REPETITIONS,
    BoardResults,
    ModelResults,
    SampleResult,
    make_board_results,
)
from runner.published_results.generations import make_generation
from runner.published_results.result_choices import ResultChoices
from runner.published_results.result_file import FilePart, ResultFile

REQUIRED: Final = ("model", "task", "sample", "outcome")
OPTIONAL: Final = (
    "variant",
    "run",
    "date",
    "repetition",
    "reason",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "duration_s",
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
    variant: str
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
    rows: dict[_CsvRun, list[tuple[SampleResult, str, str]]] = {}
    for place, row in _read_rows(file):
        key = _CsvRun(row["model"], row.get("variant", ""), row.get("run", ""))
        rows.setdefault(key, []).append(
            (_make_result(file, place, row, choices), row.get("date", ""), place)
        )
    tasks = {result.task for each in rows.values() for result, _, _ in each}
    return make_board_results(
        file,
        choices,
        format_read=ResultFormat.CSV,
        name=name_tasks(tasks),
        runs=(_make_run(file, key, each) for key, each in rows.items()),
    )


def _read_rows(file: ResultFile) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield each row that is not empty, with its line."""
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
            place = f"line {file.body.blank_lines + reader.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            number += 1
            file.check_row(number, place)
            if len(cells) != len(columns):
                raise file.make_error(
                    place, f"has {len(cells)} cells, the first line {len(columns)}"
                )
            yield (
                place,
                {
                    name: cell.strip()
                    for name, cell in zip(columns, cells, strict=True)
                    if cell.strip()
                },
            )
    except csv.Error as error:
        place = f"line {file.body.blank_lines + reader.line_num}"
        raise file.make_error(place, f"is no CSV: {error}") from error
    if not number:
        raise file.make_error("", "has no row below the names of the columns")


def _check_columns(file: ResultFile, columns: list[str]) -> None:
    known, place = ", ".join((*REQUIRED, *OPTIONAL)), f"line {file.body.blank_lines + 1}"
    if missing := [name for name in REQUIRED if name not in columns]:
        raise file.make_error(place, f"has no column {missing[0]}; columns are: {known}")
    if unknown := [name for name in columns if name not in {*REQUIRED, *OPTIONAL}]:
        raise file.make_error(place, f"has an unknown column {unknown[0]!r}; columns are: {known}")
    if len(set(columns)) < len(columns):
        raise file.make_error(place, "names a column twice")


def _make_result(
    file: ResultFile, place: str, row: Mapping[str, str], choices: ResultChoices
) -> SampleResult:
    for name in REQUIRED:
        if name not in row:
            raise file.make_error(f"{place}, {name}", "is empty")
    outcome = _parse_outcome(file, f"{place}, outcome", row["outcome"], choices)
    reason = row.get("reason")
    if outcome is Outcome.INFRASTRUCTURE:
        reason = reason or "the file says no more"
    return file.validate_facts(
        SampleResult,
        place,
        task=row["task"],
        sample=row["sample"],
        repetition=_parse_count(file, place, row, "repetition", MOST_REPETITIONS) or 1,
        outcome=outcome,
        reason=file.shorten(reason, LONGEST_REASON),
        generation=_read_generation(file, place, row),
    )


def _parse_outcome(file: ResultFile, place: str, word: str, choices: ResultChoices) -> Outcome:
    """Return the outcome that a cell names, by a word or by a score."""
    if (outcome := _OUTCOMES.get(word.lower())) is not None:
        return outcome
    score = _parse_plain_number(word)
    if score is None:
        raise file.make_error(
            place, f"unknown outcome {word!r}: {', '.join(_OUTCOMES)}, or a number"
        )
    return Outcome.PASSED if choices.is_pass(file.path, score, place) else Outcome.FAILED


def _read_generation(file: ResultFile, place: str, row: Mapping[str, str]) -> Generation | None:
    return make_generation(
        input_tokens=_parse_count(file, place, row, "input_tokens"),
        output_tokens=_parse_count(file, place, row, "output_tokens"),
        cost_usd=_parse_number(file, place, row, "cost_usd"),
        duration_s=_parse_number(file, place, row, "duration_s"),
    )


def _parse_count(
    file: ResultFile, place: str, row: Mapping[str, str], name: str, most: float | None = None
) -> int | None:
    value = _parse_number(file, place, row, name)
    if value is None:
        return None
    if value != int(value) or (most is not None and not 1 <= value <= most):
        wanted = "a whole number" if most is None else f"a whole number from 1 to {most}"
        raise file.make_error(
            f"{place}, {name}", f"{row[name]!r} is no {wanted.removeprefix('a ')}"
        )
    return int(value)


def _parse_number(file: ResultFile, place: str, row: Mapping[str, str], name: str) -> float | None:
    if name not in row:
        return None
    value = _parse_plain_number(row[name])
    if value is None or value < 0:
        raise file.make_error(f"{place}, {name}", f"{row[name]!r} is no number from 0 on")
    return FilePart(file, place, {name: value}).get_number(name)


def _parse_plain_number(text: str) -> float | None:
    """Return a plain decimal number; None for any other text, such as ``nan``."""
    return float(text) if _NUMBER.fullmatch(text) else None


def _make_run(
    file: ResultFile, key: _CsvRun, rows: list[tuple[SampleResult, str, str]]
) -> ModelResults:
    days = {day: place for _, day, place in rows}
    if len(days) > 1:
        _, place = list(days.items())[1]
        raise file.make_error(
            f"{place}, date", "differs within a run: another date is another run, name it in `run`"
        )
    ((day, place),) = days.items()
    began = file.parse_moment(day, f"{place}, date") if day else None
    return file.validate_facts(
        ModelResults,
        place,
        model=key.model,
        variant=key.variant or None,
        identity=key.run,
        began_at=None if _is_day(day) else began,
        day=began.date() if began else None,
        results=tuple(result for result, _, _ in rows),
    )


def _is_day(text: str) -> bool:
    """Return whether a text in ISO 8601 names a day without a time."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
