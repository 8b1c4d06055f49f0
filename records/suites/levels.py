"""The levels of evals. The command's options have them, so nothing slow is imported here."""

from enum import StrEnum


class Level(StrEnum):
    """How hard an eval is for good models, by measured answers."""

    BASIC = "basic"
    """No good model fails it; a smoke test of new models."""
    STANDARD = "standard"
    HARD = "hard"
    """Written to tell the best models apart."""
