"""Tests that a judge model decides: graders in TypeScript define them by ``createAIGraderTest``.

The jail has no key and no way to a model. There such a test is skipped under a mark, and the runner
asks the judge once all other tests have passed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from records.attempt import Fault


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """An answer that a judge is asked about."""

    task: str
    files: Mapping[str, str]
    """The answer's text by path."""
    title: str
    """The title of the test, which may narrow the question."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's word on an answer."""

    is_right: bool
    reason: str
    """In the judge's words."""
    cost_usd: float | None
    """None where it is unknown."""


@dataclass(frozen=True, slots=True)
class NoJudgement:
    """The absence of a word: the judge could not be asked, or its reply names no verdict."""

    fault: Fault


class Judge(Protocol):
    """A model that decides whether answers are right."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def ask(self, question: JudgeQuestion) -> Judgement | NoJudgement:
        """Return the judge's word on an answer."""
        ...
