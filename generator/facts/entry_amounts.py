"""Amounts and facts of an entry, as the optional columns of the main table have them."""

from collections.abc import Callable
from dataclasses import dataclass

from generator.facts.statistics import attributed
from generator.read.prices import TokenPrice
from generator.read.summaries import RequestTally
from generator.scores.leaderboards import Entry
from generator.scores.score_estimate import PerAttempt
from records.shapes.registry import DescribedModel


@dataclass(frozen=True, slots=True)
class DescribedEntry:
    """An entry of a table with the facts on its model that no run holds."""

    entry: Entry
    model: DescribedModel | None
    """None where `data/models.toml` has no word of it."""
    price: TokenPrice | None


@dataclass(frozen=True, slots=True)
class ColumnAmount:
    """An amount of an entry before it is written."""

    value: float | str | None
    title: str | None = None
    href: str | None = None


def read_attributed(row: DescribedEntry) -> ColumnAmount:
    """Return the share without failures that reports lay on others, and its counts."""
    share = attributed(row.entry)
    if share is None:
        return ColumnAmount(None)
    return ColumnAmount(round(share.percent, 4), f"{share.passes} of {share.judged}")


def read_tests(row: DescribedEntry) -> ColumnAmount:
    """Return the mean share of tests passed, in percent."""
    tests = row.entry.row.tests
    return ColumnAmount(100 * tests.value if tests else None)


def read_mean(amount: Callable[[DescribedEntry], PerAttempt], row: DescribedEntry) -> ColumnAmount:
    """Return the mean of an amount, and over how many attempts it is known."""
    mean = amount(row)
    title = None if mean.mean is None else f"{mean.n} of {mean.of} attempts"
    return ColumnAmount(mean.mean, title)


def read_pass_cost(row: DescribedEntry) -> ColumnAmount:
    """Return the dollars for each eval passed."""
    return ColumnAmount(row.entry.row.cost_per_pass)


def read_rerun(row: DescribedEntry) -> ColumnAmount:
    """Return the points by which as many new attempts would differ at most."""
    error = row.entry.row.rerun
    return ColumnAmount(None if error is None else 100 * error)


def read_all_of_three(row: DescribedEntry) -> ColumnAmount:
    """Return how likely three attempts at an eval all pass, in percent."""
    shares = row.entry.row.passes_all
    return ColumnAmount(100 * shares[3] if 3 in shares else None)  # noqa: PLR2004 - as the column says


def count_attempts(counted: Callable[[RequestTally], int], row: DescribedEntry) -> ColumnAmount:
    """Return to how many attempts something happened."""
    requests = row.entry.requests
    if requests is None:
        return ColumnAmount(None)
    number = counted(requests)
    return ColumnAmount(number, f"{number} of {requests.asked} attempts")


def read_release(row: DescribedEntry) -> ColumnAmount:
    """Return the day of the model's release, and its source."""
    if row.model is None or row.model.released is None:
        return ColumnAmount(None)
    return ColumnAmount(row.model.released.isoformat(), href=row.model.source)


def read_weights(row: DescribedEntry) -> ColumnAmount:
    """Return whether the model's weights are open, and the source."""
    if row.model is None or row.model.weights is None:
        return ColumnAmount(None)
    return ColumnAmount(f"{row.model.weights} weights", href=row.model.weights_source)


def read_effort(row: DescribedEntry) -> ColumnAmount:
    """Return the effort that the runs that count asked for."""
    efforts = {run.effort for run in row.entry.runs}
    if not any(efforts):
        return ColumnAmount(None)
    return ColumnAmount(", ".join(sorted(effort or "not set" for effort in efforts)))


def read_price(part: Callable[[TokenPrice], float], row: DescribedEntry) -> ColumnAmount:
    """Return a part of the price of the model's tokens."""
    return ColumnAmount(part(row.price) if row.price else None)
