"""The step filesystem: the reply contains files, which can be written to their paths."""

from collections.abc import Callable, Mapping

from records.shapes.attempt import StepName
from runner.answers.reader import ReplyReader
from runner.answers.rules import CONVEX_RULES, Admitted, FileRules
from runner.errors import UnusableReplyError, WorkspaceError
from runner.grading.steps.step import StepClock, StepResult
from runner.workspace import Workspace


def check_reply(
    workspace: Workspace, reply: str, reader: ReplyReader
) -> tuple[StepResult, dict[str, str]]:
    """Read the files from a reply and write them to the workspace.

    Returns the step and the files by path; no files if the step failed.
    """
    return _write(workspace, lambda: reader.read(reply))


def write_files(
    workspace: Workspace, files: Mapping[str, str], rules: FileRules = CONVEX_RULES
) -> tuple[StepResult, dict[str, str]]:
    """Write files of an answer without a reply to the workspace, by the same rules.

    Returns the step and the files by path; no files if the step failed.
    """
    return _write(workspace, lambda: rules.admit(files))


def _write(
    workspace: Workspace, admit: Callable[[], Admitted]
) -> tuple[StepResult, dict[str, str]]:
    clock = StepClock(StepName.FILESYSTEM)
    try:
        admitted = admit()
        workspace.write(admitted.files)
    except (UnusableReplyError, WorkspaceError) as error:
        return clock.fail_step(str(error)), {}
    files, notes = admitted.files, admitted.notes
    sizes = [f"{path}  {len(text.encode())} bytes" for path, text in sorted(files.items())]
    log = "".join(f"{line}\n" for line in [*notes, *sizes])
    return clock.pass_step("; ".join(notes) or None, log), files
