"""The tree of errors of this package: mistakes that the user must fix."""

from collections.abc import Sequence


class ReviewError(Exception):
    """An error that this package raises on purpose; the message names the fix."""


class KeyNameError(ReviewError):
    """A key's name is taken, unknown, or none."""


class AuditError(ReviewError):
    """An audit cannot be drawn, or there is none of this name."""


class MissingPackageError(ReviewError):
    """A package is needed that an extra brings."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'convex-leaderboard[{extra}]'")


class ChangedMeanwhileError(ReviewError):
    """A session changed since its reviewer saw it: nothing was written."""


class GateError(ReviewError):
    """A reviewer may not see, change or take back this now."""


class OthersLabelError(GateError):
    """A label of another reviewer is taken back without a reason."""


class PublishingError(ReviewError):
    """A session cannot be made local, for its texts are public."""


class FilterError(ReviewError):
    """A parameter of an address is unknown, repeated or wrong."""


class DatasetError(ReviewError):
    """A version of a dataset cannot be made, or there is none of this name."""


class LostLabelsError(ReviewError):
    """Expected outputs would reach no row of an export."""

    def __init__(self, ids: Sequence[str]) -> None:
        """Take the ids of the sessions that have them."""
        super().__init__(f"an expected output reaches no row: {', '.join(ids)}")
        self.ids = tuple(ids)


class BulkInUseError(ReviewError):
    """A change of many sessions is still going on."""


class IndexInTheMakingError(ReviewError):
    """The index of sessions is being made, and cannot answer before that has ended."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"the index of sessions is being made: {done:,} of {total:,} are read")
        self.done = done
        self.total = total
