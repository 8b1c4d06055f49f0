"""The amounts and facts of an entry for the optional columns of the main table."""

from collections.abc import Callable
from dataclasses import dataclass

from generator.facts.statistics import compute_entry_attributed_share
from generator.read.prices import TokenPrice
from generator.read.summaries import RequestTally
from generator.scores.leaderboards import Entry
from generator.scores.score_estimate import PerAttempt
from records.shapes.registry import DescribedModel


@dataclass(frozen=True, slots=True)
class DescribedEntry:
    """An entry of a table, with facts about its model that are not in runs."""

    entry: Entry
    model: DescribedModel | None
    """The model's entry in `data/models.toml`; None if it has none."""
    price: TokenPrice | None


@dataclass(frozen=True, slots=True)
class ColumnAmount:
    """An amount of an entry before it is formatted, with its tooltip and the link to its source."""

    value: float | str | None
    title: str | None = None
    href: str | None = None


def read_attributed(row: DescribedEntry) -> ColumnAmount:
    """Return the percentage without failures that reports do not blame on the model."""
    share = compute_entry_attributed_share(row.entry)
    if share is None:
        return ColumnAmount(None)
    return ColumnAmount(round(share.percent, 4), f"{share.passes} of {share.judged}")


def read_tests(row: DescribedEntry) -> ColumnAmount:
    """Return the mean share of tests passed, in percent."""
    tests = row.entry.row.tests
    return ColumnAmount(None if tests is None else 100 * tests)


def read_mean(amount: Callable[[DescribedEntry], PerAttempt], row: DescribedEntry) -> ColumnAmount:
    """Return the mean of an amount, with the number of attempts for which it is known."""
    mean = amount(row)
    title = None if mean.mean is None else f"{mean.n} of {mean.of} attempts"
    return ColumnAmount(mean.mean, title)


def read_pass_cost(row: DescribedEntry) -> ColumnAmount:
    """Return the US dollars for each eval passed."""
    return ColumnAmount(row.entry.row.cost_per_pass)


def read_rerun(row: DescribedEntry) -> ColumnAmount:
    """Return the most percentage points by which the score of as many new attempts would differ."""
    error = row.entry.row.rerun
    return ColumnAmount(None if error is None else 100 * error)


def read_all_of_three(row: DescribedEntry) -> ColumnAmount:
    """Return how likely three attempts at an eval all pass, in percent."""
    shares = row.entry.row.passes_all
    return ColumnAmount(100 * shares[3] if 3 in shares else None)  # noqa: PLR2004 - as the column says


def count_attempts(counted: Callable[[RequestTally], int], row: DescribedEntry) -> ColumnAmount:
    """Return the number of attempts that ``counted`` takes from the entry's requests."""
    requests = row.entry.requests
    if requests is None:
        return ColumnAmount(None)
    number = counted(requests)
    return ColumnAmount(number, f"{number} of {requests.asked} attempts")


def read_release(row: DescribedEntry) -> ColumnAmount:
    """Return the day of the model's release, with the link to its source."""
    if row.model is None or row.model.released is None:
        return ColumnAmount(None)
    return ColumnAmount(row.model.released.isoformat(), href=row.model.source)


def read_weights(row: DescribedEntry) -> ColumnAmount:
    """Return the words on the model's weights, with the link to their source."""
    if row.model is None or row.model.weights is None:
        return ColumnAmount(None)
    return ColumnAmount(f"{row.model.weights} weights", href=row.model.weights_source)


def read_effort(row: DescribedEntry) -> ColumnAmount:
    """Return the reasoning efforts of the runs that count; no value if no run set one."""
    efforts = {run.effort for run in row.entry.runs}
    if not any(efforts):
        return ColumnAmount(None)
    return ColumnAmount(", ".join(sorted(effort or "not set" for effort in efforts)))


def read_price(part: Callable[[TokenPrice], float], row: DescribedEntry) -> ColumnAmount:
    """Return a part of the model's price, in US dollars per million tokens."""
    return ColumnAmount(part(row.price) if row.price else None)
