"""Runs the command in forked children, so that a test can kill many without paying for imports.

Started as ``python -m tests.runner.killable [--first-step-only]``: takes lines of JSON (a list of
arguments), forks a child for each that runs the command with them, prints its process id, then how
it ended. With the option nothing is opened that grades, and every reply fails at the
first step, as prose does.
"""

import json
import os
import sys
import warnings
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self
from unittest import mock

if TYPE_CHECKING:
    from runner.evals.discovery import Eval
    from runner.grading.grade import GradingResult


def main() -> None:
    """Serve until the end of input."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        # What a child needs, imported once: it starts at once, and runs what this process runs.
        from leaderboard import cli, running  # noqa: PLC0415
        from leaderboard.commands import run  # noqa: PLC0415
        from runner.models.requests.lazy_litellm import litellm  # noqa: PLC0415
        from runner.runs import resume  # noqa: PLC0415

        litellm()
        if "--first-step-only" in sys.argv:
            from runner.runs import launch  # noqa: PLC0415

            mock.patch.object(
                launch, "open_grading", mock.Mock(return_value=_FirstStepOnly())
            ).start()
    del cli, running, run, resume
    print("ready", flush=True)  # noqa: T201 - the test reads it
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become_the_command(json.loads(line))
        print(child, flush=True)  # noqa: T201
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201


class _FirstStepOnly:
    """A grading that fails every reply at the first step, as the real one fails prose."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def grade_reply(self, evaluation: "Eval", reply: str) -> "GradingResult":
        """Return the verdict."""
        from records.artifacts import answer_digest  # noqa: PLC0415
        from records.run import GradingKey, Outcome, Step, StepName  # noqa: PLC0415
        from runner.grading.grade import GradingResult  # noqa: PLC0415

        del evaluation, reply
        first = Step(
            name=StepName.FILESYSTEM, outcome=Outcome.FAILED, duration_s=0.0, message="no files"
        )
        return GradingResult(
            outcome=Outcome.FAILED,
            failed_step=StepName.FILESYSTEM,
            reason="no files",
            fault=None,
            steps=(first,),
            tests=None,
            files={},
            logs={},
            key=GradingKey(answer=answer_digest({}), grader="0" * 64, toolchain="0" * 64),
            graded_at=datetime.now(UTC),
        )


def _become_the_command(arguments: list[str]) -> None:
    from leaderboard.cli import main as command  # noqa: PLC0415

    # Nothing of the child may reach the pipe that the test reads.
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    sys.argv = ["leaderboard", *arguments]
    code = 70
    try:
        command()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 71
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
