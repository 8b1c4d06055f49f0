"""Greatest ages, in days, of answers that a run carries over from earlier ones."""

from typing import Final

DEFAULT_DAYS: Final = 90
"""Where none is given."""

MOST_DAYS: Final = 365
"""No answer that is older is carried over, whoever allows it."""
