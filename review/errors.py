"""Errors of this package: mistakes that the user must fix."""

from records.text.numbers import format_count


class ReviewError(Exception):
    """Base class of the errors that this package raises; the message names the fix."""


class MissingPackageError(ReviewError):
    """The package that reads and writes Parquet is missing; the message names the extra."""

    def __init__(self) -> None:
        super().__init__("pyarrow is not installed: pip install 'convex-leaderboard[datasets]'")


class ChangedMeanwhileError(ReviewError):
    """A session changed since its reviewer saw it, so nothing was written."""


class GateError(ReviewError):
    """The reviewer may not see or change the session now, or take a change back."""


class NoChangeLeftError(ReviewError):
    """The reviewer whose change is to be taken back made none, or all are taken back."""


class NoSuchTurnError(ReviewError):
    """The turn to label does not exist, or nobody answered it."""

    def __init__(self, session_id: str, number: int, count: int) -> None:
        """Take the number of the turn, and how many turns the session has."""
        has = f"has {format_count(count, 'turn')}" if number > count else "has no answer there"
        super().__init__(f"turn {number}: {session_id} {has}")


class FilterError(ReviewError):
    """A parameter of an address is unknown, repeated or wrong."""


class DatasetError(ReviewError):
    """A version of a dataset cannot be made, or there is no version with this name."""


class BulkInUseError(ReviewError):
    """A change of many sessions is still going on."""


class IndexInTheMakingError(ReviewError):
    """The index of sessions is still being made, and cannot answer yet."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"the index of sessions is being made: {done:,} of {total:,} are read")
        self.done = done
        self.total = total
