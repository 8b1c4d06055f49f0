"""A suite's own rules for the files of answers, and the prompt that states them."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from records.suites.suite_config import AnswerFiles
from runner.answers.prompt import frame_nothing, render_prompt
from runner.answers.reply import parse_reply, render_reply
from runner.answers.rules import SuiteFileRules
from runner.errors import UnusableReplyError
from runner.evals.discovery import discover
from runner.models.baselines import make_answer, make_reply
from runner.suite.mint import make_benchmark
from tests.runner.command_suite import (
    ANSWER,
    CANARY,
    SETTINGS,
    get_suite_config,
    read_eval,
    write_command_suite,
)

pytestmark = pytest.mark.unit

RULES = SuiteFileRules(
    AnswerFiles(
        paths=("*.py", "lib/**/*.py", "data/*.txt", "**/notes.md", "app/[id]/*?.py"),
        required=("main.py",),
        most_files=3,
        most_bytes=100,
    )
)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("main.py", True),
        ("lib/a.py", True),
        ("lib/deep/er/a.py", True),
        ("data/a.txt", True),
        ("notes.md", True),
        ("a/b/notes.md", True),
        ("src/main.py", False),
        ("data/deep/a.txt", False),
        ("lib/a.txt", False),
        ("main.py/x", False),
        ("lib", False),
        ("app/[id]/page?.py", True),
        ("app/i/page1.py", False),
        ("app/[id]/page.py", False),
    ],
)
def test_patterns_decide_on_paths(path: str, allowed: bool) -> None:  # noqa: FBT001 - a case
    """A star stays within a folder, two stars stand for any folders."""
    assert RULES.is_allowed_path(path) is allowed


def test_other_files_are_left_out_with_a_note() -> None:
    """A file that no pattern names is not used, and its answer is not refused for it."""
    admitted = RULES.admit({"main.py": "1", "README.md": "2"})
    assert admitted.files == {"main.py": "1"}
    assert admitted.notes == ("README.md is left out",)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"lib/a.py": ""}, "main.py is missing"),
        (dict.fromkeys(("main.py", "a.py", "b.py", "c.py"), ""), "4 files, more than 3"),
        ({"main.py": "é" * 51}, "102 bytes, more than 100"),
        ({"main.py": "", f"lib/{'a/' * 11}b.py": ""}, "more than 10 folders"),
    ],
)
def test_an_answer_that_breaks_a_rule_is_refused(files: dict[str, str], reason: str) -> None:
    """The reason names the file and the limit."""
    with pytest.raises(UnusableReplyError, match=reason):
        RULES.admit(files)


@pytest.mark.parametrize("pattern", ["/a.py", "../a.py", "a//b", "**/a/**", "a**", "a\\b", ""])
def test_patterns_that_leave_the_project_are_refused(pattern: str) -> None:
    """A pattern is relative, and has two stars once, between slashes."""
    with pytest.raises(ValidationError):
        AnswerFiles(paths=(pattern,))


def test_required_files_are_no_patterns() -> None:
    """A required file has a whole path, which the refusal can name."""
    with pytest.raises(ValidationError, match="whole paths"):
        AnswerFiles(paths=("*.py",), required=("*.py",))


def test_replies_are_read_by_the_rules() -> None:
    """Files of a reply are those of the suite, and absolute paths begin at the project."""
    text = render_reply({"main.py": "1\n", "convex/a.ts": "2\n"}).replace("main.py", "/main.py")
    assert parse_reply(text, RULES).files == {"main.py": "1\n"}


def test_the_prompt_has_the_words_of_the_suite(tmp_path: Path) -> None:
    """The system message and the rules are the suite's; nothing speaks of Convex or packages."""
    evaluation = read_eval(write_command_suite(tmp_path))
    system, user = render_prompt(evaluation, f"Add.\n# canary: sums {CANARY}\n")
    assert system["content"] == "You write small programs."
    content = user["content"]
    assert [
        word for word in ("Convex", "convex", "package.json", "canary") if word in content
    ] == []
    assert "- These files are required: `sums.py`." in content
    assert "  - `lib/**/*.py`" in content
    assert "  - more than 4 files" in content
    assert "# Guidelines\n\nAdd.\n" in content
    assert "# Guidelines" not in render_prompt(evaluation, None)[1]["content"]


def test_the_example_in_the_prompt_is_a_usable_reply(tmp_path: Path) -> None:
    """A model that repeats the form of the example is understood."""
    evaluation = read_eval(write_command_suite(tmp_path))
    example = render_prompt(evaluation, None)[1]["content"].split("````")[1]
    read = parse_reply(example, SuiteFileRules(get_suite_config(evaluation).answers))
    assert read.files == {"sums.py": "...\n"}


def test_baselines_need_no_language(tmp_path: Path) -> None:
    """The reference passes through a reply unchanged; the stub has its files without content."""
    evaluation = read_eval(write_command_suite(tmp_path))
    rules = SuiteFileRules(get_suite_config(evaluation).answers)
    assert parse_reply(make_reply("baseline/oracle", evaluation), rules).files == {
        "sums.py": ANSWER
    }
    assert make_answer("baseline/stub", evaluation) == {"sums.py": ""}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("most_files = 4", "most_files = 5"),
        ("You write small", "You write large"),
        ('"pytest_report"]', '"pytest_report", "-x"]'),
        ("answer_s = 3", "answer_s = 4"),
    ],
)
def test_settings_of_the_suite_make_another_version(tmp_path: Path, old: str, new: str) -> None:
    """Scores under other rules, prompts, commands or limits are not comparable."""
    versions = {
        make_benchmark(discover(write_command_suite(tmp_path / name, text))).version
        for name, text in (("a", SETTINGS), ("b", SETTINGS.replace(old, new)), ("c", SETTINGS))
    }
    assert len(versions) == 2


def test_both_messages_belong_to_the_version(tmp_path: Path) -> None:
    """The texts around every task are those of the suite's settings."""
    system, around = frame_nothing(discover(write_command_suite(tmp_path)))
    assert system == "You write small programs."
    assert around.endswith("# Task\n\n\n")
