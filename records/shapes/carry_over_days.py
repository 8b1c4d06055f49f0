"""Greatest ages, in days, of answers that a run carries over from earlier runs."""

from typing import Final

DEFAULT_DAYS: Final = 90
"""Where none is given."""

MOST_DAYS: Final = 365
"""No older answer is carried over, by any setting."""
