"""The files of the repository as .gitattributes and .editorconfig describe them."""

import subprocess
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.integration

ROOT: Final = Path(__file__).parents[2]


def run_git(*arguments: str) -> str:
    """Run git in this checkout; return its output."""
    run = subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    )
    return run.stdout


def read_attributes(path: str, *names: str) -> dict[str, str]:
    """Return attributes that git has for a path."""
    values: dict[str, str] = {}
    for line in run_git("check-attr", *names, "--", path).splitlines():
        _, name, value = line.split(": ")
        values[name] = value
    return values


@pytest.fixture(scope="module")
def text_files() -> list[Path]:
    """The tracked files that git takes for text, records aside."""
    paths: list[Path] = []
    for line in run_git("ls-files", "--eol", "-z").split("\0")[:-1]:
        properties, path = line.split("\t")
        if not {"i/-text", "attr/-text"} & {*properties.split()} and not path.startswith("data/"):
            paths.append(ROOT / path)
    return [path for path in paths if path.is_file()]


def test_line_ends_are_those_of_unix() -> None:
    """Neither the index nor a checkout holds a carriage return at the end of a line."""
    lines = run_git("ls-files", "--eol", "-z").split("\0")[:-1]
    assert [line for line in lines if "crlf" in line.split("\t")[0] or "mixed" in line] == []


def test_text_ends_with_a_line_end_and_no_line_with_a_space(text_files: list[Path]) -> None:
    """The editor's settings hold for the tree, so that saving a file changes nothing else in it."""
    assert len(text_files) > 1000
    faulty: list[Path] = []
    for path in text_files:
        text = path.read_bytes().decode("utf-8")
        lines = text.split("\n")
        if lines.pop() != "" and text:
            faulty.append(path)
        if any(line.endswith((" ", "\t")) for line in lines):
            faulty.append(path)
    assert faulty == []


def test_tabs_indent_makefiles_only(text_files: list[Path]) -> None:
    """All other files indent with spaces."""
    indented = [path for path in text_files if b"\n\t" in path.read_bytes()]
    assert {path.name for path in indented} <= {"Makefile"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("runner/errors.py", {"text": "auto", "eol": "lf", "diff": "python"}),
        ("data/models.toml", {"text": "unset"}),
        ("data/sessions/session-1.labels.jsonl", {"text": "unset", "merge": "union"}),
        ("data/local/comparisons/a.judgements.jsonl", {"text": "unset", "merge": "union"}),
        ("data/artifacts/a.zip", {"text": "unset", "diff": "unset", "merge": "unset"}),
        ("docs/images/front-page.png", {"text": "unset", "diff": "unset"}),
        ("scripts/lock", {"diff": "bash"}),
        ("scripts/pull_request_comment.py", {"diff": "python"}),
        ("evals/package-lock.json", {"linguist-generated": "set"}),
        ("requirements/all.txt", {"linguist-generated": "set"}),
        ("docs/data-format.md", {"linguist-generated": "set", "diff": "markdown"}),
        ("requirements/README.md", {"linguist-generated": "unspecified"}),
    ],
)
def test_attributes(path: str, expected: dict[str, str]) -> None:
    """Records and pictures are kept to the byte, and files that programs write are marked."""
    assert read_attributes(path, *expected) == expected
