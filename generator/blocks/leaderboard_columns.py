"""The optional columns of the main table, from left to right: head, meaning and cells of each.

To add a column, add an entry to `COLUMNS`; the template `leaderboard.html` prints all entries. The
template itself has the columns of every table (rank, model, score, categories, runs), and the
column that draws the gain from the guidelines.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from generator.render import template_filters
from generator.render.template_filters import Writer, choose_dollars_writer, choose_seconds_writer
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site_data import SiteData


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


class _Column(NamedTuple):
    """An optional column, and the function that writes its values."""

    key: str
    """The column's key in addresses of the page and in its script."""
    head: str
    meaning: str
    writer: Callable[[Sequence[float | None]], Writer]
    """Chooses one unit and one number of digits for all numbers of the column."""
    name_if_empty: str = ""
    """The column's name in the list of columns without values; empty if it is not listed there."""
    hidden: bool = True
    """The column is hidden until a reader asks for it."""
    rising: bool = False
    """The first click on the head sorts the smallest value first."""
    kind: str = "number"
    """``number`` or ``text``; readers can filter rows by a column of texts."""


def build_amount_cells(
    site: SiteData, leaderboard: Leaderboard, shown: Sequence[Entry]
) -> dict[str, dict[str, AmountCell]]:
    """Return the cells of each shown entry in the optional columns, by the keys of both."""
    # Of all entries, so that a column has the same unit under all conditions.
    every = {
        entry.key: _read_amounts(site, entry)
        for entry in (*leaderboard.entries, *leaderboard.unranked)
    }
    for column in COLUMNS:
        values = [row[column.key].value for row in every.values()]
        write = column.writer([None if isinstance(value, str) else value for value in values])
        for row in every.values():
            cell = row[column.key]
            text = cell.value if isinstance(cell.value, str) else write(cell.value)
            row[column.key] = cell._replace(text=text)
    return {entry.key: every[entry.key] for entry in shown}


def _read_amounts(site: SiteData, entry: Entry) -> dict[str, AmountCell]:
    """Return the values of the optional columns, with tooltips and links, but without texts."""
    row, requests = entry.row, entry.requests
    attributed = row.attributed and row.attributed.share
    hard = row.hard and row.hard.share
    model = site.summaries.registry.get(entry.newest.slug)
    price = site.summaries.prices.find_price(model)
    efforts = {run.effort for run in entry.runs}
    values: dict[str, float | str | None] = {
        "hard": hard and round(hard.percent, 4),
        "attributed": attributed and round(attributed.percent, 4),
        "tests": None if row.tests is None else 100 * row.tests,
        "pass_cost": row.cost_per_pass,
        "speed": row.tokens_per_s,
        "rerun": None if row.rerun is None else 100 * row.rerun,
        "all_of_three": 100 * row.passes_all[3] if 3 in row.passes_all else None,  # noqa: PLR2004 - as the column says
        "released": model.released.isoformat() if model and model.released else None,
        "weights": f"{model.weights} weights" if model and model.weights else None,
        "effort": ", ".join(sorted(effort or "not set" for effort in efforts))
        if any(efforts)
        else None,
        "price_in": price and price.input,
        "price_out": price and price.output,
    }
    titles = {
        key: share and f"{share.passes} of {share.judged}"
        for key, share in (("hard", hard), ("attributed", attributed))
    }
    means = {"cost": row.cost_usd, "time": row.generation_s, "tokens": row.output_tokens}
    for key, amount in means.items():
        values[key] = amount.mean
        titles[key] = None if amount.mean is None else f"{amount.n} of {amount.of} attempts"
    for key in ("refused", "cut_off", "retried", "spoiled"):
        values[key] = requests and getattr(requests, key)
        titles[key] = requests and f"{values[key]} of {requests.asked} attempts"
    sources = {
        "released": model and model.released and model.source,
        "weights": model and model.weights and model.weights_source,
    }
    return {
        key: AmountCell(value, "", titles.get(key), sources.get(key) or None)
        for key, value in values.items()
    }


def split_columns(
    rows: Collection[Mapping[str, AmountCell]],
) -> tuple[list[_Column], list[str]]:
    """Return the columns with a value, or a count other than 0, in a row; the names of others."""
    shown = [
        column
        for column in COLUMNS
        if any(
            value if column.writer is _PLAIN else value is not None
            for value in (row[column.key].value for row in rows)
        )
    ]
    unknown = [each.name_if_empty for each in COLUMNS if each not in shown]
    return shown, [*filter(None, unknown)]


def _keep(write: Writer) -> Callable[[Sequence[float | None]], Writer]:
    """Return a function that chooses ``write`` for any numbers, because its unit never changes."""
    return lambda _: write


def _choose_price_writer(values: Sequence[float | None]) -> Writer:
    """Return a function that writes the dollars of a column, and 0 as free."""
    write = choose_dollars_writer(values)
    return lambda value: "free" if value == 0 else write(value)


def _format_number(value: float | None) -> str:
    """Return a count or a text; 0 is empty, and None is the mark of missing values."""
    return template_filters.MISSING if value is None else f"{value or '':}"


_PERCENT = _keep(template_filters.format_percent)
_PLAIN = _keep(_format_number)


COLUMNS = (
    _Column(
        "hard",
        "Hard",
        "The share of the hard evals passed, in percent: those written to tell the best models"
        " apart. They count in the score like all others.",
        _PERCENT,
        hidden=False,
    ),
    _Column(
        "attributed",
        "Attributed",
        "The score without the failures for which a report blames the grader, the task or the"
        " machinery.",
        _PERCENT,
        name_if_empty="attributed score",
    ),
    _Column(
        "tests",
        "Tests",
        "Mean share of tests passed, in percent.",
        _PERCENT,
        name_if_empty="share of tests passed",
    ),
    _Column(
        "cost",
        "Cost",
        "Mean US dollars of the attempts whose cost is known.",
        choose_dollars_writer,
        name_if_empty="cost",
        rising=True,
    ),
    _Column(
        "pass_cost",
        "$ a pass",
        "US dollars for each eval passed: the cost per attempt divided by the share of attempts"
        " that pass. Free: a free offer, or a price of 0, as recorded.",
        _choose_price_writer,
        name_if_empty="cost per eval passed",
        rising=True,
        hidden=False,
    ),
    _Column(
        "time",
        "Time",
        "Mean time that the model took to write an answer, of the attempts with a known time.",
        choose_seconds_writer,
        name_if_empty="generation time",
        rising=True,
        hidden=False,
    ),
    _Column(
        "tokens",
        "Tokens",
        "Mean number of tokens that the model wrote, reasoning included, of the attempts whose"
        " number is known.",
        _keep(template_filters.format_thousands),
        name_if_empty="tokens",
    ),
    _Column(
        "speed",
        "Tokens/s",
        "Tokens that the model wrote, reasoning included, for each second of its answers, of the"
        " attempts of which both are known.",
        _PERCENT,
    ),
    _Column(
        "rerun",
        "Rerun",
        "If the model were asked the same evals again as often, its new score would differ from"
        " this score by at most this number of points, 95 times in 100. ±0.0 if at each eval all"
        " attempts ended alike.",
        _keep(template_filters.format_plus_minus),
        name_if_empty="rerun noise",
    ),
    _Column(
        "all_of_three",
        "All of 3",
        "The probability, in percent, that three attempts at the same eval all pass (pass^3).",
        _PERCENT,
        name_if_empty="pass^3",
    ),
    _Column(
        "released",
        "Released",
        "Day of the model's release, if a source for it is known.",
        _PLAIN,
        kind="text",
    ),
    _Column(
        "weights",
        "Weights",
        "Whether anybody can download the model's weights, if a source for this is known.",
        _PLAIN,
        kind="text",
    ),
    _Column(
        "effort",
        "Effort",
        "Reasoning effort that the runs asked for; empty if the runs left it to the provider, or"
        " if it is not known.",
        _PLAIN,
        kind="text",
    ),
    _Column(
        "price_in",
        "$ in",
        "US dollars per million tokens that the model reads, from the price map of litellm"
        " {litellm}.",
        choose_dollars_writer,
        rising=True,
    ),
    _Column(
        "price_out",
        "$ out",
        "US dollars per million tokens that the model writes, from the price map of litellm"
        " {litellm}.",
        choose_dollars_writer,
        rising=True,
    ),
    _Column(
        "refused",
        "Refused",
        "Attempts that the provider refused to answer, or whose answer the provider's filter"
        " blocked.",
        _PLAIN,
    ),
    _Column("cut_off", "Cut off", "Attempts whose reply was cut off at a limit.", _PLAIN),
    _Column(
        "retried",
        "Retried",
        "Attempts that were answered, but only after a second or later request.",
        _PLAIN,
    ),
    _Column(
        "spoiled",
        "Spoiled",
        "Attempts that could not be judged because of infrastructure, in all runs that were not"
        " withdrawn. A run that counts has no such attempts.",
        _PLAIN,
    ),
)
"""All optional columns, from left to right."""
