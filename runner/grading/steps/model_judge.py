"""Tests that a judge model decides: graders in TypeScript define them by ``createAIGraderTest``.

The jail has no key and no connection to a model. There such a test is skipped with a mark, and the
runner asks the judge after all other tests have passed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from records.shapes.attempt import Fault


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """An answer for a judge to decide about."""

    task: str
    files: Mapping[str, str]
    """The answer's text by path."""
    title: str
    """The title of the test, which may narrow the question."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's verdict on an answer."""

    is_right: bool
    reason: str
    """The reason in the judge's words."""
    cost_usd: float | None
    """The cost in US dollars; None where it is unknown."""


@dataclass(frozen=True, slots=True)
class NoJudgement:
    """The absence of a verdict: the judge could not be asked, or its reply has no verdict."""

    fault: Fault


class Judge(Protocol):
    """A model that decides whether answers are right."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def ask(self, question: JudgeQuestion) -> Judgement | NoJudgement:
        """Return the judge's verdict on an answer."""
        ...
