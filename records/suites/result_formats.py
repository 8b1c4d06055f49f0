"""Formats of results of benchmarks of other tools."""

from collections.abc import Mapping
from enum import StrEnum


class ResultFormat(StrEnum):
    """A format of results of other benchmarks."""

    CSV = "csv"
    INSPECT = "inspect"
    EVERY_EVAL_EVER = "every_eval_ever"
    PROMPTFOO = "promptfoo"
    LM_EVAL = "lm_eval"

    @property
    def tool(self) -> str:
        """The name of the format's program, or of the format."""
        return _TOOLS[self.value]


_TOOLS: Mapping[str, str] = {
    "csv": "CSV",
    "inspect": "Inspect",
    "every_eval_ever": "Every Eval Ever",
    "promptfoo": "promptfoo",
    "lm_eval": "lm-evaluation-harness",
}

OTHER_TOOLS = frozenset(ResultFormat)
"""The importers of benchmarks of other tools, as records of runs name them."""
