"""The interface of a judge model, which decides tests of graders in TypeScript.

Graders define such tests by ``createAIGraderTest``. A grader's jail has no key and no connection to
a model, so it skips these tests with a mark. The runner asks the judge if all other tests have
passed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from records.shapes.attempt import Fault


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """A question to a judge: is this answer to the task right?"""

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
    """The cost in US dollars; None if unknown."""


@dataclass(frozen=True, slots=True)
class NoJudgement:
    """A judge gave no verdict: it could not be asked, or its reply has none."""

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
