"""The choice of the benchmark version on the front page, by the data."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from records.text.numbers import format_count


class VersionStanding(NamedTuple):
    """A benchmark version, with the facts that decide whether it is shown first."""

    version: str
    minted_at: datetime | None
    """When the version was minted; None for versions of others and for unpublished versions."""
    ranked: int
    """The number of language models that are ranked with the guidelines."""
    rows: int
    """The number of rows under any condition, those of baselines too."""
    day: str
    """The day it was minted, else the day of its newest run; empty if there is neither."""
    evals: int


def choose_version_day(minted_at: datetime | None, run_days: Iterable[date]) -> str:
    """Return the day a version was minted, else the day of its newest run, else an empty text."""
    day = minted_at.date() if minted_at else max(run_days, default=None)
    return day.isoformat() if day else ""


def choose_front(versions: Sequence[VersionStanding]) -> VersionStanding | None:
    """Return the version to show first; None without versions.

    The newest version of our own with a ranked language model is. Without one, the version with the
    most ranked models is; if several have as many, the newest of them; on the same day, the version
    with the most evals. If no model is ranked at all, only versions with rows are considered.
    """
    ranked = [version for version in versions if version.ranked]
    minted = [version for version in ranked if version.minted_at is not None]
    if minted:
        return max(minted, key=lambda each: (str(each.minted_at), each.version))
    return max(
        ranked or [version for version in versions if version.rows] or versions,
        key=lambda each: (each.ranked, each.day, each.evals, each.version),
        default=None,
    )


def describe_pin_behind(pinned: str, versions: Sequence[VersionStanding]) -> str | None:
    """Return a message if the data would show another version first than ``pinned``; else None."""
    choice = choose_front(versions)
    ranked = {each.version: each.ranked for each in versions}
    if choice is None or pinned not in ranked or choice.version == pinned:
        return None
    here, there = (format_count(n, "ranked model") for n in (ranked[pinned], choice.ranked))
    return (
        f"site.toml: current_version: {pinned} has {here}; without the line {choice.version} with"
        f" {there} would be shown first"
    )
