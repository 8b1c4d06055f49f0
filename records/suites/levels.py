"""The levels of evals. The command's options have them, so nothing slow is imported here."""

from enum import StrEnum


class Level(StrEnum):
    """How hard an eval is meant to be for good models."""

    BASIC = "basic"
    """Expected to be passed by every good model; a smoke test of new ones."""
    STANDARD = "standard"
    HARD = "hard"
    """Written to tell the best models apart."""
