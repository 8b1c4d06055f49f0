"""The grading service of suites with ``suite.toml``: files are unpacked, the grader judges them."""

import itertools
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from records.shapes.attempt import GradingKey
from records.suites.suite_config import SuiteConfig
from runner.answers.reader import ReplyReader
from runner.answers.rules import FileRules
from runner.answers.suite_rules import SuiteFileRules
from runner.evals.discovery import Eval
from runner.grading.blame.heartbeat import Heartbeat
from runner.grading.grade import AttemptState, GradingService, Submission, compute_grading_key
from runner.grading.programs.command_grader import CommandGrading, run_command
from runner.jail import Kind, open_jail
from runner.jail.folders import hold
from runner.python_toolchain import find_python_toolchain
from runner.workspace import Workspace


class CommandGradingService(GradingService):
    """Grades answers to one suite whose graders are programs of its authors.

    Who is to blame where grading breaks is decided as for every other suite.
    """

    def __init__(
        self,
        config: SuiteConfig,
        suite_root: Path,
        *,
        sandbox: Kind = "bwrap",
        workspaces: Path | None = None,
    ) -> None:
        """Say how to grade; nothing is started before the grading service is entered."""
        super().__init__(suite_root=suite_root, sandbox=sandbox, workspaces=workspaces)
        self._config = config
        self._rules = SuiteFileRules(config.answers)
        self._numbers = itertools.count()

    def __enter__(self) -> Self:
        """Find Python and the suite's packages, open the jail, and start the warm processes.

        Raises ToolchainMissingError or SandboxUnavailableError, which say what to do.
        """
        with ExitStack() as stack:
            self._python = find_python_toolchain(self._config)
            self._jail = open_jail(self._sandbox)
            self._heartbeat = stack.enter_context(Heartbeat())
            self._reader = stack.enter_context(ReplyReader(rules=self._rules))
            held = hold("grading", Path(tempfile.gettempdir()))
            stack.callback(held.remove)
            # The path of a socket has 107 bytes at most: a workspace may be too deep for it.
            self._held = held.path
            self._python.lay_out(self._tools)
            self._open = stack.pop_all()
        return self

    def compute_verdict_key(self, evaluation: Eval, files: Mapping[str, str]) -> GradingKey:
        """Return what a verdict on these files depends on."""
        return compute_grading_key(evaluation, files, self._python, self._backend_kind)

    def _choose_rules(self, evaluation: Eval) -> tuple[FileRules, ReplyReader]:
        """Return the suite's own rules for the files of an answer, and their reader."""
        del evaluation
        return self._rules, self._reader

    @property
    def _tools(self) -> Path:
        return self._held / "tools"

    def _take(
        self,
        state: AttemptState,
        submission: Submission,
        workspace: Workspace,
        stack: ExitStack,
    ) -> None:
        """Take an answer through the two steps, as far as it gets."""
        del stack
        first, state.files = self._write(submission, workspace)
        if not state.add(first):
            return
        grading = CommandGrading(
            submission.evaluation,
            workspace,
            state.files,
            self._tools,
            self._held / f"{next(self._numbers)}.sock",
        )
        done = run_command(self._jail, grading)
        state.add(done.result)
        state.tests = done.tests
        if state.selection.with_output:
            state.printed = done.printed
