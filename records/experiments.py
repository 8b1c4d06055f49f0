"""The names of the two experiments that every suite has."""

from typing import Final

DEFAULT: Final = "default"
"""Models are sent the suite's guidelines."""
NO_GUIDELINES: Final = "no_guidelines"
"""Models are sent none."""
