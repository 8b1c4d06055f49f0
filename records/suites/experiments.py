"""Names of the two experiments of every suite, and beginnings of names of trials' experiments."""

DEFAULT = "default"
"""The experiment in which models get the suite's guidelines."""
NO_GUIDELINES = "no_guidelines"
"""The experiment in which models get no guidelines."""

LEFT_OUT = "ablated-"
"""Beginning of the experiments without one section of the guidelines."""
PLACEBO = "placebo-"
"""Beginning of the experiments with one section replaced by text about something else."""
BEFORE = "before-"
"""Beginning of the experiments with the guidelines of an earlier revision."""


def is_of_a_trial(experiment: str) -> bool:
    """Return whether runs under ``experiment`` try an edition of the guidelines.

    Such runs are compared only within their trial, and are in no leaderboard.
    """
    return experiment.startswith((LEFT_OUT, PLACEBO, BEFORE))
