"""The canary stands in the suite's files, and changes no prompt and no score."""

from pathlib import Path

import pytest

from records.suites.canary import GUID, LINE, strip_canary
from runner.answers.prompt import render_prompt
from runner.evals import canary
from runner.evals.discovery import discover
from runner.grading.fixtures.source import Source
from runner.grading.grade import compute_grader_digest
from runner.suite.mint import make_benchmark
from tests.runner.small_suite import GUIDELINES
from tests.support.texts import write_files

pytestmark = pytest.mark.unit

PONDS = "000-fundamentals/000-ponds"


def mark_text(folder: Path, path: str, text: str) -> str:
    """Return the text of a file after its folder was marked."""
    write_files(folder, {path: text})
    canary.mark(folder)
    return (folder / path).read_text()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("TASK.txt", "Write ponds.\n"),
        ("TASK.txt", "Write ponds.\n\nAnd streams.\n"),
        ("grader.py", '"""What is tested."""\n\n\ndef test_it() -> None: ...\n'),
        ("convex/ponds.ts", '"use node";\nexport const a = 1;\n'),
        ("calibration.toml", '[pass.other]\nreason = "the same"\n'),
        ("src/App.tsx", "\nexport default () => <p />;\n"),
    ],
)
def test_added_names_are_taken_away_again(tmp_path: Path, path: str, text: str) -> None:
    """A marked file has one line of the canary, and without that line is unchanged."""
    marked = mark_text(tmp_path, path, text)
    assert marked.count(LINE) == 1
    assert mark_text(tmp_path, path, marked) == marked
    assert strip_canary(marked) == text


@pytest.mark.parametrize("path", ["package.json", "eval.toml", "survivors.toml", "notes.md"])
def test_files_without_comments_of_ours_are_left_alone(tmp_path: Path, path: str) -> None:
    """JSON has no comments, and a trainer would learn nothing from descriptions."""
    assert mark_text(tmp_path, path, "{}\n") == "{}\n"


def test_a_text_without_it_is_kept_to_the_letter() -> None:
    """Blank lines at the end of other texts stay."""
    assert strip_canary("a\n\n") == "a\n\n"
    assert strip_canary("") == ""


def test_every_kind_of_file_is_marked(root: Path) -> None:
    """Task, grader, all code of answer and calibrations are marked; nothing generated is."""
    folder = root / PONDS
    write_files(folder, {"answer/convex/_generated/api.ts": "export {};\n"})
    added = {path.relative_to(folder).as_posix() for path in canary.mark(folder)}
    assert added == {
        "TASK.txt",
        "grader.py",
        "answer/convex/ponds.ts",
        "answer/convex/schema.ts",
        "calibration/calibration.toml",
        "calibration/pass/other/convex/more.ts",
    }
    assert canary.mark(folder) == []


def test_a_directive_stays_the_first_statement(tmp_path: Path) -> None:
    """A marked module for the Node runtime keeps its directive."""
    text = mark_text(tmp_path, "convex/a.ts", '"use node";\nexport const a = 1;\n')
    assert Source({"convex/a.ts": text}).directive("a.ts", "use node")


def test_no_model_is_sent_it(root: Path) -> None:
    """Neither the task nor guidelines carry the canary into a prompt."""
    before = render_prompt(discover(root).evals[0], GUIDELINES)
    canary.mark(root / PONDS)
    after = render_prompt(discover(root).evals[0], f"{GUIDELINES}\n{LINE}\n")
    assert after == before
    assert not any(GUID in message["content"] for message in after)


def test_the_version_and_the_keys_of_verdicts_stay(root: Path) -> None:
    """Marking a suite neither makes another version of it nor verdicts stale."""
    suite = discover(root)
    canary.mark(root / PONDS)
    marked = discover(root)
    assert make_benchmark(marked) == make_benchmark(suite)
    assert compute_grader_digest(marked.evals[0]) == compute_grader_digest(suite.evals[1])
