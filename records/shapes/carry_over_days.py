"""Greatest ages, in days, of answers that a run carries over from earlier runs."""

DEFAULT_DAYS = 90
"""The greatest age if the user gives none."""

MOST_DAYS = 365
"""The largest value that a user can give."""
