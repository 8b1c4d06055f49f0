"""The interface of grading's steps: each kind of graders has its own implementation."""

import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from records.shapes.attempt import FaultClass, StepName
from runner.answers.reader import ReplyReader
from runner.answers.rules import ChangeRules, FileRules
from runner.backends.backend import BackendKind
from runner.errors import JailBrokenError, JailEndedError
from runner.evals.discovery import Eval
from runner.grading.steps.step import StepClock, StepResult
from runner.grading.worker.protocol import SelectedTests
from runner.jail import Kind
from runner.python_toolchain import GradingToolchain
from runner.workspace import Workspace

_OF_THE_JAIL = (JailBrokenError, JailEndedError)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingSettings:
    """The settings of grading: a field for each option of the commands."""

    backend: BackendKind = "embedded"
    sandbox: Kind = "bwrap"
    graders: int = 3
    """The number of attempts that are graded at once."""
    workspaces: Path | None = None
    """The folder for workspaces; None for the default folder of `create_workspace`."""
    cluster: str | None = None
    """The cluster whose workers grade; None for threads of this process."""


@dataclass(slots=True)
class AttemptState:
    """The results of an attempt during the steps."""

    selection: SelectedTests
    last: bool = False
    """True if a step that breaks is the answer's failure (see `GradingService.judge`)."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    results: list[StepResult] = field(default_factory=list[StepResult])

    def add(self, result: StepResult) -> bool:
        """Append the result of a step; return true if the step passed."""
        self.results.append(result.blame_answer() if self.last else result)
        return result.passed

    def break_down(self, error: Exception) -> None:
        """Append the next step as not judged, because our code raised ``error``."""
        judged_steps = {result.step.name for result in self.results}
        name = next((step for step in StepName if step not in judged_steps), StepName.TESTS)
        kind = FaultClass.SANDBOX if isinstance(error, _OF_THE_JAIL) else FaultClass.OUTAGE
        evidence = f"{type(error).__name__}: {error}"
        log = "".join(traceback.format_exception(error))
        self.add(StepClock(name).report_fault(kind, evidence, log))


class AnswerSteps(ABC):
    """The steps that answers take for one kind of graders, with the programs that are kept warm."""

    rules: FileRules
    """The files that an answer may hold."""
    reader: ReplyReader
    toolchain: GradingToolchain

    def find_rules(self, evaluation: Eval) -> FileRules:
        """Return the rules for the files of an answer to an eval, which may change a given app."""
        given = evaluation.read_given()
        return ChangeRules(given, evaluation.config.steps) if given else self.rules

    @abstractmethod
    def take(
        self, state: AttemptState, evaluation: Eval, workspace: Workspace, stack: ExitStack
    ) -> None:
        """Take an answer, whose files are in the workspace, through the steps after filesystem.

        Results are added to ``state``, up to the tests or to a failure that ends the attempt.
        Programs that run until the end of the attempt are closed by ``stack``.
        """
