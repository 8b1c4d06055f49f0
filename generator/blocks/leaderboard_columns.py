"""The optional columns of the main table, from left to right: head, meaning and cells of each.

To add a column, add an entry to `COLUMNS`; the template `leaderboard.html` prints all entries. The
template itself has the columns of every table (rank, model, score, categories, runs), and the
column that draws the gain from the guidelines.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple

from generator.facts.shares import (
    ColumnAmount,
    DescribedEntry,
    count_attempts,
    read_all_of_three,
    read_attributed,
    read_effort,
    read_mean,
    read_pass_cost,
    read_price,
    read_release,
    read_rerun,
    read_tests,
    read_weights,
)
from generator.render.cells import Writer, choose_dollars_writer, choose_seconds_writer
from generator.render.template_filters import (
    MISSING,
    format_percent,
    format_plus_minus,
    format_thousands,
)

COST: Final = "cost"
"""The key of the column of US dollars per attempt."""
COST_PER_PASSED: Final = "pass_cost"
"""The key of the column of US dollars for each eval passed."""

TIME: Final = "time"
"""The key of the column of the mean seconds to write an answer."""


class AmountColumn(NamedTuple):
    """An optional column in which some row has a value."""

    key: str
    """The column's key in addresses of the page and in its script."""
    head: str
    meaning: str
    hidden: bool
    """The column is hidden until a reader asks for it."""
    kind: str
    """``number`` or ``text``; readers can filter rows by a column of texts."""


class AmountCell(NamedTuple):
    """A cell of an optional column."""

    value: float | str | None
    """The value by which the column is sorted; None if it is not known."""
    text: str
    title: str | None
    """The tooltip: the number of attempts with a known value, or the two counts of a share.

    None if there is no tooltip."""
    href: str | None = None
    """The address of the page outside of this site that proves the value; None without one."""


@dataclass(frozen=True, slots=True)
class _Column:
    """An optional column, and the functions that read and write its values."""

    key: str
    head: str
    meaning: str
    amount: Callable[[DescribedEntry], ColumnAmount]
    writer: Callable[[Sequence[float | None]], Writer]
    """Chooses one unit and one number of digits for all numbers of the column."""
    name_if_empty: str | None = None
    """The column's name in the list of columns without values; empty if it is not listed there.

    None for a column of counts, which is shown only if a count is not 0."""
    hidden: bool = True
    kind: str = "number"


def build_amount_cells(entries: Sequence[DescribedEntry]) -> list[dict[str, AmountCell]]:
    """Return the cells of each entry in the optional columns; the keys are those of the columns."""
    columns = {column.key: _build_column_cells(column, entries) for column in COLUMNS}
    return [{key: cells[row] for key, cells in columns.items()} for row in range(len(entries))]


def get_number(cell: AmountCell) -> float | None:
    """Return the value of a cell of a numeric column; None if it is not known."""
    return None if isinstance(cell.value, str) else cell.value


def _build_column_cells(column: _Column, entries: Sequence[DescribedEntry]) -> list[AmountCell]:
    amounts = [column.amount(entry) for entry in entries]
    numbers = [None if isinstance(amount.value, str) else amount.value for amount in amounts]
    write = column.writer(numbers)
    return [
        AmountCell(
            amount.value,
            amount.value if isinstance(amount.value, str) else write(number),
            amount.title,
            amount.href,
        )
        for amount, number in zip(amounts, numbers, strict=True)
    ]


def list_shown_columns(
    rows: Sequence[Mapping[str, AmountCell]], litellm: str = ""
) -> list[AmountColumn]:
    """Return the columns in which some row has a value, or a count other than 0.

    ``litellm`` is the version of litellm whose price map has the prices.
    """
    return [
        AmountColumn(
            column.key,
            column.head,
            column.meaning.format(litellm=litellm),
            column.hidden,
            column.kind,
        )
        for column in COLUMNS
        if _has_values(column, rows)
    ]


def list_unknown_columns(rows: Sequence[Mapping[str, AmountCell]]) -> list[str]:
    """Return the names of the columns in which no row has a value."""
    return [
        column.name_if_empty
        for column in COLUMNS
        if column.name_if_empty and not _has_values(column, rows)
    ]


def _has_values(column: _Column, rows: Sequence[Mapping[str, AmountCell]]) -> bool:
    values = [row[column.key].value for row in rows]
    if column.name_if_empty is None:
        return any(values)
    return any(value is not None for value in values)


def _keep_writer(write: Writer, _: Sequence[float | None]) -> Writer:
    """Return ``write`` for any numbers of the column, because its unit never changes."""
    return write


def _format_number(value: float | None) -> str:
    """Return a count as text: an empty text for 0, and for None the mark of missing values."""
    return MISSING if value is None else f"{value or '':}"


_PERCENT: Final = partial(_keep_writer, format_percent)
_COUNT: Final = partial(_keep_writer, _format_number)
_TEXT: Final = partial(_keep_writer, _format_number)


COLUMNS: Final = (
    _Column(
        "attributed",
        "Attributed",
        "The score without the failures for which a report blames the grader, the task or the"
        " machinery.",
        read_attributed,
        _PERCENT,
        name_if_empty="attributed score",
    ),
    _Column(
        "tests",
        "Tests",
        "Mean share of tests passed, in percent.",
        read_tests,
        _PERCENT,
        name_if_empty="share of tests passed",
    ),
    _Column(
        COST,
        "Cost",
        "Mean US dollars of the attempts whose cost is known.",
        partial(read_mean, attrgetter("entry.row.cost_usd")),
        choose_dollars_writer,
        name_if_empty="cost",
        hidden=False,
    ),
    _Column(
        COST_PER_PASSED,
        "Per pass",
        "US dollars for each eval passed: the cost per attempt divided by the share of attempts"
        " that pass.",
        read_pass_cost,
        choose_dollars_writer,
        name_if_empty="cost per eval passed",
        hidden=False,
    ),
    _Column(
        TIME,
        "Time",
        "Mean time that the model took to write an answer, of the attempts with a known time.",
        partial(read_mean, attrgetter("entry.row.generation_s")),
        choose_seconds_writer,
        name_if_empty="generation time",
        hidden=False,
    ),
    _Column(
        "tokens",
        "Tokens",
        "Mean number of tokens that the model wrote, reasoning included, of the attempts whose"
        " number is known.",
        partial(read_mean, attrgetter("entry.row.output_tokens")),
        partial(_keep_writer, format_thousands),
        name_if_empty="tokens",
    ),
    _Column(
        "rerun",
        "Rerun",
        "If the model were asked the same evals again as often, its new score would differ from"
        " this score by at most this number of points, 95 times in 100. ±0.0 if at each eval all"
        " attempts ended alike.",
        read_rerun,
        partial(_keep_writer, format_plus_minus),
        name_if_empty="rerun noise",
    ),
    _Column(
        "all_of_three",
        "All of 3",
        "The probability, in percent, that three attempts at the same eval all pass (pass^3).",
        read_all_of_three,
        _PERCENT,
        name_if_empty="pass^3",
    ),
    _Column(
        "released",
        "Released",
        "Day of the model's release, if a source for it is known.",
        read_release,
        _TEXT,
        name_if_empty="",
        kind="text",
    ),
    _Column(
        "weights",
        "Weights",
        "Whether anybody can download the model's weights, if a source for this is known.",
        read_weights,
        _TEXT,
        name_if_empty="",
        kind="text",
    ),
    _Column(
        "effort",
        "Effort",
        "Reasoning effort that the runs asked for; empty if the runs left it to the provider, or"
        " if it is not known.",
        read_effort,
        _TEXT,
        name_if_empty="",
        kind="text",
    ),
    _Column(
        "price_in",
        "$ in",
        "US dollars per million tokens that the model reads, from the price map of litellm"
        " {litellm}.",
        partial(read_price, attrgetter("input")),
        choose_dollars_writer,
        name_if_empty="",
    ),
    _Column(
        "price_out",
        "$ out",
        "US dollars per million tokens that the model writes, from the price map of litellm"
        " {litellm}.",
        partial(read_price, attrgetter("output")),
        choose_dollars_writer,
        name_if_empty="",
    ),
    _Column(
        "refused",
        "Refused",
        "Attempts that the provider refused to answer, or whose answer the provider's filter"
        " blocked.",
        partial(count_attempts, attrgetter("refused")),
        _COUNT,
    ),
    _Column(
        "cut_off",
        "Cut off",
        "Attempts whose reply was cut off at a limit.",
        partial(count_attempts, attrgetter("cut_off")),
        _COUNT,
    ),
    _Column(
        "retried",
        "Retried",
        "Attempts that were answered, but only after a second or later request.",
        partial(count_attempts, attrgetter("retried")),
        _COUNT,
    ),
    _Column(
        "spoiled",
        "Spoiled",
        "Attempts that could not be judged because of infrastructure, in all runs that were not"
        " withdrawn. A run that counts has no such attempts.",
        partial(count_attempts, attrgetter("spoiled")),
        _COUNT,
    ),
)
"""All optional columns, from left to right."""
