"""The optional columns of the main table, in their order: the head, meaning and cells of each.

A further column is a further entry of `COLUMNS`: `leaderboard.html` prints whatever stands there.
What every table has (rank, model, score, categories, runs) and the gain from the guidelines, which
is drawn, stands in that template.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple

from generator.read.summaries import RequestTally
from generator.render.columns import Writer, dollars_column, seconds_column
from generator.render.filters import MISSING, percent, plus_minus, thousands
from generator.scores.estimates import PerAttempt
from generator.scores.leaderboards import Entry
from generator.site.statistics import attributed

COST: Final = "cost"
"""The column of US dollars per attempt."""
COST_PER_PASSED: Final = "pass_cost"
"""The column of US dollars for each eval passed."""


class AmountColumn(NamedTuple):
    """A column that some row has a value for."""

    key: str
    """What the page's address and script call it."""
    head: str
    meaning: str
    aside: bool
    """Whether it is hidden until a reader asks for it."""


class AmountCell(NamedTuple):
    """What a row has in such a column."""

    value: float | None
    """What the column is sorted by; None where it is not known."""
    text: str
    title: str | None
    """Of how many attempts it is known, or the counts of a share; None where there is nothing to
    add."""


@dataclass(frozen=True, slots=True)
class _Amount:
    """An amount of an entry before it is written."""

    value: float | None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class _Column:
    key: str
    head: str
    meaning: str
    amount: Callable[[Entry], _Amount]
    writer: Callable[[Sequence[float | None]], Writer]
    """Chooses unit and digits for all amounts of the column."""
    missed: str | None = None
    """What it is called where a page says that no row has a value; None for a column of counts,
    which is shown only where one of them is not 0."""
    aside: bool = True


def amount_cells(entries: Sequence[Entry]) -> list[dict[str, AmountCell]]:
    """Return what each of a table's entries has in each optional column, by the column's key."""
    columns = {column.key: _cells(column, entries) for column in COLUMNS}
    return [{key: cells[place] for key, cells in columns.items()} for place in range(len(entries))]


def _cells(column: _Column, entries: Sequence[Entry]) -> list[AmountCell]:
    amounts = [column.amount(entry) for entry in entries]
    write = column.writer([amount.value for amount in amounts])
    return [AmountCell(amount.value, write(amount.value), amount.title) for amount in amounts]


def shown_columns(rows: Sequence[Mapping[str, AmountCell]]) -> list[AmountColumn]:
    """Return the columns that some row has a value for, or a count other than 0."""
    return [
        AmountColumn(column.key, column.head, column.meaning, column.aside)
        for column in COLUMNS
        if _is_known(column, rows)
    ]


def unknown_columns(rows: Sequence[Mapping[str, AmountCell]]) -> list[str]:
    """Return what the columns are called that no row has a value for."""
    return [
        column.missed
        for column in COLUMNS
        if column.missed is not None and not _is_known(column, rows)
    ]


def _is_known(column: _Column, rows: Sequence[Mapping[str, AmountCell]]) -> bool:
    values = [row[column.key].value for row in rows]
    if column.missed is None:
        return any(values)
    return any(value is not None for value in values)


def _attributed(entry: Entry) -> _Amount:
    share = attributed(entry)
    if share is None:
        return _Amount(None)
    return _Amount(round(share.percent, 4), f"{share.passes} of {share.judged}")


def _tests(entry: Entry) -> _Amount:
    return _Amount(100 * entry.row.tests.value if entry.row.tests else None)


def _mean(amount: Callable[[Entry], PerAttempt], entry: Entry) -> _Amount:
    """Return the mean of an amount, and over how many attempts it is known."""
    known = amount(entry)
    title = None if known.mean is None else f"{known.n} of {known.of} attempts"
    return _Amount(known.mean, title)


def _pass_cost(entry: Entry) -> _Amount:
    return _Amount(entry.row.cost_per_pass)


def _rerun(entry: Entry) -> _Amount:
    return _Amount(None if entry.row.rerun is None else 100 * entry.row.rerun)


def _all_of_three(entry: Entry) -> _Amount:
    return _Amount(100 * entry.row.passes_all[3] if 3 in entry.row.passes_all else None)  # noqa: PLR2004 - as the column says


def _count(counted: Callable[[RequestTally], int], entry: Entry) -> _Amount:
    """Return to how many attempts something happened."""
    if entry.requests is None:
        return _Amount(None)
    number = counted(entry.requests)
    return _Amount(number, f"{number} of {entry.requests.asked} attempts")


def _written(write: Writer, _: Sequence[float | None]) -> Writer:
    """Return a way to write that is the same for every column."""
    return write


def _number(value: float | None) -> str:
    """Write a count; nothing for 0."""
    return MISSING if value is None else f"{value or '':}"


_PERCENT: Final = partial(_written, percent)
_COUNT: Final = partial(_written, _number)


COLUMNS: Final = (
    _Column(
        "attributed",
        "Attributed",
        "The score without the failures that a report lays on the grader, the task or the"
        " machinery.",
        _attributed,
        _PERCENT,
        missed="attributed score",
    ),
    _Column(
        "tests",
        "Tests",
        "Mean share of tests passed, in percent.",
        _tests,
        _PERCENT,
        missed="share of tests passed",
    ),
    _Column(
        COST,
        "Cost",
        "US dollars per attempt, in the mean over the attempts whose cost is known.",
        partial(_mean, attrgetter("row.cost_usd")),
        dollars_column,
        missed="cost",
        aside=False,
    ),
    _Column(
        COST_PER_PASSED,
        "Per pass",
        "US dollars for each eval passed: the cost per attempt over the share of attempts that"
        " pass.",
        _pass_cost,
        dollars_column,
        missed="cost per eval passed",
        aside=False,
    ),
    _Column(
        "time",
        "Time",
        "Generation time per attempt, in the mean over the attempts for which it is known.",
        partial(_mean, attrgetter("row.generation_s")),
        seconds_column,
        missed="generation time",
        aside=False,
    ),
    _Column(
        "tokens",
        "Tokens",
        "Tokens written per attempt, reasoning included, in the mean over the attempts that say.",
        partial(_mean, attrgetter("row.output_tokens")),
        partial(_written, thousands),
        missed="tokens",
    ),
    _Column(
        "rerun",
        "Rerun",
        "Points by which the score of as many new attempts at the same evals would differ at most, "
        "95 times in 100.",
        _rerun,
        partial(_written, plus_minus),
        missed="rerun noise",
    ),
    _Column(
        "all_of_three",
        "All of 3",
        "Percent: how likely three attempts at the same eval all pass (pass^3).",
        _all_of_three,
        _PERCENT,
        missed="pass^3",
    ),
    _Column(
        "refused",
        "Refused",
        "Attempts that the provider would not answer, or whose answer its filter kept back.",
        partial(_count, attrgetter("refused")),
        _COUNT,
    ),
    _Column(
        "cut_off",
        "Cut off",
        "Attempts whose reply ended at a limit.",
        partial(_count, attrgetter("cut_off")),
        _COUNT,
    ),
    _Column(
        "retried",
        "Retried",
        "Attempts that were answered, but not at the first request.",
        partial(_count, attrgetter("retried")),
        _COUNT,
    ),
    _Column(
        "spoiled",
        "Spoiled",
        "Attempts that infrastructure kept from being judged, in all runs that were not withdrawn;"
        " none of a run that counts.",
        partial(_count, attrgetter("spoiled")),
        _COUNT,
    ),
)
"""From left to right."""
