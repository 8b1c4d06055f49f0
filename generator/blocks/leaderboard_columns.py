"""The optional columns of the main table, from left to right: head, meaning and cells of each.

For a new column, add an entry to `COLUMNS`; `leaderboard.html` prints all of them. The columns that
every table has (rank, model, score, categories, runs) and the drawn gain from the guidelines are in
that template.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple

from generator.facts.entry_amounts import (
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
from generator.render.column_units import Writer, dollars_column, seconds_column
from generator.render.template_filters import MISSING, percent, plus_minus, thousands

COST: Final = "cost"
"""The key of the column of US dollars per attempt."""
COST_PER_PASSED: Final = "pass_cost"
"""The key of the column of US dollars for each eval passed."""

TIME: Final = "time"
"""The key of the column of the mean seconds to write an answer."""


class AmountColumn(NamedTuple):
    """An optional column in which some row has a value."""

    key: str
    """The column's key in the page's address and script."""
    head: str
    meaning: str
    aside: bool
    """The column is hidden until a reader asks for it."""
    kind: str
    """``number`` or ``text``; readers can filter rows by texts."""


class AmountCell(NamedTuple):
    """A cell of an optional column."""

    value: float | str | None
    """The value by which the column is sorted; None if it is not known."""
    text: str
    title: str | None
    """The number of attempts with a known value, or the counts of a share; None for no tooltip."""
    href: str | None = None
    """The address of the value's source outside of the site; None for a computed value."""


@dataclass(frozen=True, slots=True)
class _Column:
    key: str
    head: str
    meaning: str
    amount: Callable[[DescribedEntry], ColumnAmount]
    writer: Callable[[Sequence[float | None]], Writer]
    """Chooses one unit and one number of digits for all amounts of the column; texts stay."""
    missed: str | None = None
    """The column's name in the list of columns without values; empty if it is not listed.

    None for a column of counts, which is shown only if a count is not 0."""
    aside: bool = True
    kind: str = "number"


def amount_cells(entries: Sequence[DescribedEntry]) -> list[dict[str, AmountCell]]:
    """Return the cells of a table's entries in the optional columns, by the column's key."""
    columns = {column.key: _column_cells(column, entries) for column in COLUMNS}
    return [{key: cells[row] for key, cells in columns.items()} for row in range(len(entries))]


def number(cell: AmountCell) -> float | None:
    """Return the value of a cell of a numeric column; None if it is not known."""
    return None if isinstance(cell.value, str) else cell.value


def _column_cells(column: _Column, entries: Sequence[DescribedEntry]) -> list[AmountCell]:
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


def shown_columns(
    rows: Sequence[Mapping[str, AmountCell]], litellm: str = ""
) -> list[AmountColumn]:
    """Return the columns in which some row has a value, or a count other than 0.

    ``litellm`` is the version of litellm from which the prices are.
    """
    return [
        AmountColumn(
            column.key,
            column.head,
            column.meaning.format(litellm=litellm),
            column.aside,
            column.kind,
        )
        for column in COLUMNS
        if _is_known(column, rows)
    ]


def unknown_columns(rows: Sequence[Mapping[str, AmountCell]]) -> list[str]:
    """Return the names of the columns in which no row has a value."""
    return [column.missed for column in COLUMNS if column.missed and not _is_known(column, rows)]


def _is_known(column: _Column, rows: Sequence[Mapping[str, AmountCell]]) -> bool:
    values = [row[column.key].value for row in rows]
    if column.missed is None:
        return any(values)
    return any(value is not None for value in values)


def _keep_writer(write: Writer, _: Sequence[float | None]) -> Writer:
    """Return ``write``, whatever the numbers of the column."""
    return write


def _number(value: float | None) -> str:
    """Return a count as text: empty for 0, the mark of missing values for None."""
    return MISSING if value is None else f"{value or '':}"


_PERCENT: Final = partial(_keep_writer, percent)
_COUNT: Final = partial(_keep_writer, _number)
_TEXT: Final = partial(_keep_writer, _number)


COLUMNS: Final = (
    _Column(
        "attributed",
        "Attributed",
        "The score without the failures that a report lays on the grader, the task or the"
        " machinery.",
        read_attributed,
        _PERCENT,
        missed="attributed score",
    ),
    _Column(
        "tests",
        "Tests",
        "Mean share of tests passed, in percent.",
        read_tests,
        _PERCENT,
        missed="share of tests passed",
    ),
    _Column(
        COST,
        "Cost",
        "US dollars per attempt, in the mean over the attempts whose cost is known.",
        partial(read_mean, attrgetter("entry.row.cost_usd")),
        dollars_column,
        missed="cost",
        aside=False,
    ),
    _Column(
        COST_PER_PASSED,
        "Per pass",
        "US dollars for each eval passed: the cost per attempt over the share of attempts that"
        " pass.",
        read_pass_cost,
        dollars_column,
        missed="cost per eval passed",
        aside=False,
    ),
    _Column(
        TIME,
        "Time",
        "Time that the model took to write an answer, in the mean over the attempts for which it is"
        " known.",
        partial(read_mean, attrgetter("entry.row.generation_s")),
        seconds_column,
        missed="generation time",
        aside=False,
    ),
    _Column(
        "tokens",
        "Tokens",
        "Tokens written per attempt, reasoning included, in the mean over the attempts that say.",
        partial(read_mean, attrgetter("entry.row.output_tokens")),
        partial(_keep_writer, thousands),
        missed="tokens",
    ),
    _Column(
        "rerun",
        "Rerun",
        "Asked the same evals again as often, the model would score within so many points of this"
        " score, 95 times in 100; ±0.0 where all attempts at an eval ended alike.",
        read_rerun,
        partial(_keep_writer, plus_minus),
        missed="rerun noise",
    ),
    _Column(
        "all_of_three",
        "All of 3",
        "Percent: how likely three attempts at the same eval all pass (pass^3).",
        read_all_of_three,
        _PERCENT,
        missed="pass^3",
    ),
    _Column(
        "released",
        "Released",
        "Day of the model's release, where a source for it is known.",
        read_release,
        _TEXT,
        missed="",
        kind="text",
    ),
    _Column(
        "weights",
        "Weights",
        "Whether anybody can download the model's weights, where a source for it is known.",
        read_weights,
        _TEXT,
        missed="",
        kind="text",
    ),
    _Column(
        "effort",
        "Effort",
        "Reasoning effort that the runs asked for; empty where they left it to the provider, or"
        " where it is not known.",
        read_effort,
        _TEXT,
        missed="",
        kind="text",
    ),
    _Column(
        "price_in",
        "$ in",
        "US dollars per million tokens read, by the price map of litellm {litellm}.",
        partial(read_price, attrgetter("input")),
        dollars_column,
        missed="",
    ),
    _Column(
        "price_out",
        "$ out",
        "US dollars per million tokens written, by the price map of litellm {litellm}.",
        partial(read_price, attrgetter("output")),
        dollars_column,
        missed="",
    ),
    _Column(
        "refused",
        "Refused",
        "Attempts that the provider would not answer, or whose answer its filter kept back.",
        partial(count_attempts, attrgetter("refused")),
        _COUNT,
    ),
    _Column(
        "cut_off",
        "Cut off",
        "Attempts whose reply ended at a limit.",
        partial(count_attempts, attrgetter("cut_off")),
        _COUNT,
    ),
    _Column(
        "retried",
        "Retried",
        "Attempts that were answered, but not at the first request.",
        partial(count_attempts, attrgetter("retried")),
        _COUNT,
    ),
    _Column(
        "spoiled",
        "Spoiled",
        "Attempts that infrastructure kept from being judged, in all runs that were not withdrawn;"
        " none of a run that counts.",
        partial(count_attempts, attrgetter("spoiled")),
        _COUNT,
    ),
)
"""From left to right."""
