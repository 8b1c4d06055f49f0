"""Asks models: one streamed request after another until there is a reply or a settled fault."""

from runner.generation.budget import Budget
from runner.generation.generate import Generated, Patience, generate
from runner.generation.lanes import Lanes

__all__ = ["Budget", "Generated", "Lanes", "Patience", "generate"]
