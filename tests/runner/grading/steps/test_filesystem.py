"""The filesystem step: from a reply to files, or to the model's failure."""

from collections.abc import Iterator

import pytest

from records.shapes.attempt import Outcome
from runner.answers.reader import ReplyReader
from runner.grading.grade import check_reply, write_files
from runner.workspace import Workspace

pytestmark = pytest.mark.integration

REPLY = """Here you are.

# Files

## package.json

```json
{}
```

## convex/notes.ts

```ts
export const one = 1;
```
"""


@pytest.fixture(scope="module")
def reader() -> Iterator[ReplyReader]:
    """Keep a process that reads replies."""
    with ReplyReader() as reader:
        yield reader


@pytest.mark.integration
def test_files_are_written(workspace: Workspace, reader: ReplyReader) -> None:
    """Each file of a reply stands in the project, and the log lists them."""
    result, files = check_reply(workspace, REPLY, reader)
    assert result.step.outcome is Outcome.PASSED
    assert set(files) == {"package.json", "convex/notes.ts"}
    assert (workspace.project / "convex/notes.ts").read_text() == files["convex/notes.ts"]
    assert "convex/notes.ts  22 bytes" in result.log


@pytest.mark.integration
def test_a_reply_without_files_is_the_models_failure(
    workspace: Workspace, reader: ReplyReader
) -> None:
    """Prose alone fails the step, with a reason and no files."""
    result, files = check_reply(workspace, "I cannot help with that.", reader)
    assert (result.step.outcome, files) == (Outcome.FAILED, {})
    assert result.step.message
    assert result.fault is None


def test_files_that_stand_in_each_others_way(workspace: Workspace) -> None:
    """A path as file and folder is the model's failure, and the reason names the path."""
    result, files = write_files(workspace, {"convex/a.ts": "x", "convex/a.ts/b.ts": "y"})
    assert (result.step.outcome, files) == (Outcome.FAILED, {})
    assert (
        result.step.message == "convex/a.ts/b.ts: a file stands where another path needs a folder"
    )


def test_files_without_a_reply_keep_the_same_rules(workspace: Workspace) -> None:
    """Unused files are left out and noted; forbidden files are refused."""
    result, files = write_files(workspace, {"README.md": "x", "convex/a.ts": "y"})
    assert (result.step.outcome, files) == (Outcome.PASSED, {"convex/a.ts": "y"})
    assert (result.step.message or "").startswith("README.md is left out")
    result, files = write_files(workspace, {"src/package.json": "{}"})
    assert (result.step.outcome, files) == (Outcome.FAILED, {})
    assert (result.step.message or "").startswith("src/package.json: package.json stands at")


@pytest.mark.integration
def test_a_reply_that_takes_too_long_to_read_is_the_models_failure(workspace: Workspace) -> None:
    """The reason names the passed limit, and the fault is not ours."""
    with ReplyReader(limit_s=0.05) as reader:
        result, files = check_reply(workspace, "- x\n" * 300_000, reader)
    assert (result.step.outcome, files, result.fault) == (Outcome.FAILED, {}, None)
    assert result.step.message == ("the reply takes more than 0.05 s of processor time to read")
