"""The choice of the benchmark version that the front page shows: it follows the data."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Final, NamedTuple

from records.text.visible import counted

TAKES_OVER: Final = 3
"""Ranked language models with which the suite's own newest version is shown first."""


class VersionStanding(NamedTuple):
    """A benchmark version, and the measurements that there are of it."""

    version: str
    minted_at: datetime | None
    """None for versions of others, and for one of our own that is not published yet."""
    ranked: int
    """Language models asked with the guidelines whose runs count."""
    day: str
    """When it was minted, else the day of its newest run; empty without any."""
    evals: int


class FrontReason(StrEnum):
    """Why a version is shown first."""

    OWN = "own"
    """The suite's own newest version, in which enough models are ranked."""
    MOST = "most"
    """No other version has as many ranked models."""
    NEWEST = "newest"
    """The newest of the versions with as many ranked models."""


class FrontChoice(NamedTuple):
    """The version that is shown first by the data, and the reason."""

    version: str
    reason: FrontReason
    ranked: int


def day_of_version(minted_at: datetime | None, run_days: Iterable[date]) -> str:
    """Return the day of a version: when it was minted, else that of its newest run, or nothing."""
    day = minted_at.date() if minted_at else max(run_days, default=None)
    return day.isoformat() if day else ""


def choose_front(versions: Sequence[VersionStanding]) -> FrontChoice | None:
    """Return the version to show first; None where there is none.

    The suite's own newest version as soon as `TAKES_OVER` language models are ranked in it, else
    the version with the most ranked models, of equal versions the newest, of those the version of
    most evals.
    """
    if not versions:
        return None
    minted = [version for version in versions if version.minted_at is not None]
    own = max(minted, key=lambda each: (str(each.minted_at), each.version), default=None)
    if own is not None and own.ranked >= TAKES_OVER:
        return FrontChoice(own.version, FrontReason.OWN, own.ranked)
    first = max(versions, key=lambda each: (each.ranked, each.day, each.evals, each.version))
    equals = [version for version in versions if version.ranked == first.ranked]
    reason = FrontReason.MOST if len(equals) == 1 else FrontReason.NEWEST
    return FrontChoice(first.version, reason, first.ranked)


def describe_pin_behind(pinned: str, versions: Sequence[VersionStanding]) -> str | None:
    """Return a sentence where the data would show another version than the pinned one first."""
    choice = choose_front(versions)
    ranked = {each.version: each.ranked for each in versions}
    if choice is None or pinned not in ranked or choice.version == pinned:
        return None
    return (
        f"site.toml: current_version: {pinned} has {_count_models(ranked[pinned])}; without the"
        f" line {choice.version} with {_count_models(choice.ranked)} would be shown first"
    )


def _count_models(number: int) -> str:
    return counted(number, "ranked model")
