"""The step filesystem: the reply contains files, which can be written to their paths."""

from collections.abc import Mapping

from records.shapes.attempt import StepName
from runner.answers.reader import ReplyReader
from runner.answers.rules import CONVEX_RULES, FileRules
from runner.errors import UnusableReplyError, WorkspaceError
from runner.grading.steps.step import StepClock, StepResult
from runner.workspace import Workspace


def check_reply(
    workspace: Workspace, reply: str, reader: ReplyReader
) -> tuple[StepResult, dict[str, str]]:
    """Read the files from a reply and write them to the workspace.

    Returns the step and the files by path; no files if the step failed.
    """
    clock = StepClock(StepName.FILESYSTEM)
    try:
        parsed = reader.read(reply)
    except UnusableReplyError as error:
        return clock.fail_step(str(error)), {}
    return _write(clock, workspace, parsed.files, parsed.notes)


def write_files(
    workspace: Workspace, files: Mapping[str, str], rules: FileRules = CONVEX_RULES
) -> tuple[StepResult, dict[str, str]]:
    """Write files of an answer without a reply to the workspace, by the same rules.

    Returns the step and the files by path; no files if the step failed.
    """
    clock = StepClock(StepName.FILESYSTEM)
    try:
        admitted = rules.admit(files)
    except UnusableReplyError as error:
        return clock.fail_step(str(error)), {}
    return _write(clock, workspace, admitted.files, admitted.notes)


def _write(
    clock: StepClock, workspace: Workspace, files: Mapping[str, str], notes: tuple[str, ...]
) -> tuple[StepResult, dict[str, str]]:
    try:
        workspace.write(files)
    except WorkspaceError as error:
        return clock.fail_step(str(error)), {}
    sizes = [f"{path}  {len(text.encode())} bytes" for path, text in sorted(files.items())]
    log = "".join(f"{line}\n" for line in [*notes, *sizes])
    return clock.pass_step("; ".join(notes) or None, log), dict(files)
