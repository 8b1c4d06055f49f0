"""Greatest ages, in days, of answers that a run carries over from earlier runs."""

from typing import Final

DEFAULT_DAYS: Final = 90
"""The greatest age if the user gives none."""

MOST_DAYS: Final = 365
"""The largest value that a user can give."""
