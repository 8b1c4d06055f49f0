"""The names of the two experiments that every suite has, and those that are kept for trials."""

from typing import Final

DEFAULT: Final = "default"
"""Models are sent the suite's guidelines."""
NO_GUIDELINES: Final = "no_guidelines"
"""Models are sent none."""

LEFT_OUT: Final = "ablated-"
"""Begins the experiments that leave one section of the guidelines out."""
PLACEBO: Final = "placebo-"
"""Begins the experiments that replace one section by text about something else."""
BEFORE: Final = "before-"
"""Begins the experiments that send the guidelines of an earlier revision."""


def of_a_trial(experiment: str) -> bool:
    """Return whether runs under ``experiment`` try an edition of the guidelines.

    They are compared within their trial only, and stand in no leaderboard.
    """
    return experiment.startswith((LEFT_OUT, PLACEBO, BEFORE))
