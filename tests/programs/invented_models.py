"""The models of a lifelike data folder: invented makers, skills, speeds and prices."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Invented:
    """A model that does not exist."""

    maker: str
    name: str
    skill: float
    """Skill in the units of the evals' difficulties; 0 passes half of the suite."""
    gain: float
    """Gain of skill by the guidelines."""
    runs: int
    seconds: float
    """Seconds of generation, for an answer of usual length."""
    price: float | None
    """Dollars for a thousand output tokens; None for an unknown cost."""
    effort: str | None = None

    @property
    def slug(self) -> str:
        """The model's name in commands."""
        return f"{self.maker}/{self.name}".lower().replace(" ", "-")


MODELS: Final = (
    Invented("Aster", "Comet 5", 3.4, 0.8, 3, 62.0, 0.060, "high"),
    Invented("Aster", "Comet 5 Small", 1.9, 0.9, 3, 21.0, 0.006, "medium"),
    Invented("Borealis", "Polaris 4.7", 3.0, 0.5, 3, 95.0, 0.024),
    Invented("Borealis", "Polaris 4.7 Flash", 1.6, 0.6, 2, 9.0, 0.002),
    Invented("Cirrus", "Nimbus Max", 2.2, 1.2, 2, 48.0, 0.0),
    Invented("Cirrus", "Nimbus Mini", 0.1, 0.7, 1, 14.0, 0.001),
    Invented("Delta", "Estuary 2", 2.7, 0.0, 3, 71.0, 0.041, "low"),
    Invented("Ember", "Forge 70", 0.8, 1.0, 2, 33.0, None),
    Invented("Ember", "Forge 400", 1.8, 0.9, 1, 80.0, 0.015),
    Invented("Fjord", "Skerry 3", -0.6, 0.4, 2, 18.0, 0.004),
    Invented("Fjord", "Skerry 4", 2.9, 0.7, 1, 55.0, 0.030),
)
