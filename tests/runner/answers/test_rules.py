"""Forbidden content of an answer is refused, by our rules or a suite's, which the prompt states."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from records.suites.suite_config import AnswerFiles
from runner.answers import rules
from runner.answers.prompt import frame_nothing, frame_prompt, render_prompt
from runner.answers.reply import parse_reply, render_reply
from runner.answers.rules import (
    CONVEX_RULES,
    MOST_BYTES,
    MOST_BYTES_IN_ALL,
    MOST_FILES,
    MOST_FOLDERS,
    REDIRECTS,
    RULES,
    TYPESCRIPT_RULES,
    SuiteFileRules,
)
from runner.errors import UnusableReplyError
from runner.evals.discovery import discover
from runner.evals.grader_kinds import PYTHON
from runner.models.baselines import make_answer, make_reply
from runner.suite.mint import make_benchmark
from tests.runner import command_suite
from tests.runner.small_eval import EVALS, make_value_answer

pytestmark = pytest.mark.unit
BROKEN: list[list[dict[str, str]]] = [
    [{f"src/{n}.ts": "" for n in range(MOST_FILES + 1)}],
    [
        {"convex/a.ts": "é" * (MOST_BYTES // 2 + 1)},
        {
            f"convex/{n}.json": "x" * (MOST_BYTES - 1)
            for n in range(MOST_BYTES_IN_ALL // MOST_BYTES + 1)
        },
    ],
    [{f"src/{'a/' * MOST_FOLDERS}b.ts": ""}],
    [
        {"convex/x/_generated/server.ts": ""},
        {"src/_generated/api.js": ""},
        {"convex/a/_Generated/b.ts": ""},
    ],
    [{"convex/lib/package.json": "{}"}, {"src/package.json": "[]"}],
    [
        *({"package.json": json.dumps({field: {"./a": "./b"}})} for field in REDIRECTS),
        {"package.json": '{"\\u006dain": "a", "dependencies": {}}'},
        {"package.json": '{"main": "a", "main": null}'},
    ],
    [
        {"convex/a.ts": 'import "data:text/javascript,1";'},
        {"convex/a.ts": "\n\nimport a from 'data:text/javascript,1';"},
        {"src/a.tsx": "const a = await import ( `data:text/javascript,1`);"},
        {"src/a.js": 'require("data:text/javascript,1")'},
        {"src/a.jsx": "/** @jsxImportSource data:text/javascript,1// */"},
        {"convex/a.ts": 'import a from /* a */ "data:text/javascript,1";'},
        {"convex/a.ts": 'import(/* a */ "d\\x61ta:text/javascript,1");'},
        {"convex/a.ts": 'import "\\u{64}ata:text/javascript,1";'},
        {"convex/a.ts": 'import "da\\\nta:text/javascript,1";'},
        {"convex/a.ts": 'export * from "DATA:text/javascript,1";'},
        {"convex/a.ts": 'import a = require("data:text/javascript,1");'},
        {"convex/a.ts": 'const a = "data:text/javascript,1"; const b = await import(a);'},
    ],
    [
        {"convex/a.ts": "", "convex/a.tsx": ""},
        {"convex/a.js": "", "convex/a.d.ts": ""},
        {"convex/a.js.ts": "", "convex/a.ts": ""},
    ],
]
"""Files that break a rule, in the order of the rules."""


@pytest.mark.parametrize(
    ("rule", "files"),
    [(rule, files) for rule, broken in zip(RULES, BROKEN, strict=True) for files in broken],
)
def test_each_rule_is_reported_and_held(rule: rules.AnswerRule, files: dict[str, str]) -> None:
    """The prompt states the rule, and an answer that breaks it is refused with a reason."""
    assert f"  - {rule.stated}" in frame_prompt(PYTHON, EVALS, None, "")[1]
    with pytest.raises(UnusableReplyError) as caught:
        CONVEX_RULES.admit(make_value_answer(42) | files)
    assert caught.value.kind == "rule_broken"
    assert next(iter(rule.find_breaches(make_value_answer(42) | files))) == str(caught.value)
    assert len(str(caught.value)) < 250


def test_refusals_are_reported() -> None:
    """The reason names the file, and the line or field if there is any."""
    with pytest.raises(UnusableReplyError, match=r"^convex/a\.ts:3: imports a data: address"):
        CONVEX_RULES.admit({"convex/a.ts": '\n\nimport "data:text/javascript,1";'})
    with pytest.raises(UnusableReplyError, match=r"^package\.json: the field 'browser' is not"):
        CONVEX_RULES.admit({"package.json": '{"browser": {}}'})


@pytest.mark.parametrize(
    "files",
    [
        make_value_answer(42),
        {f"src/{n}.ts": "" for n in range(MOST_FILES)},
        {"convex/a.ts": "x" * MOST_BYTES},
        {f"src/{'a/' * (MOST_FOLDERS - 1)}b.ts": ""},
        {"convex/_generated.ts": "", "convex/my_generated/a.ts": "", "src/package.ts": ""},
        {"package.json": '{"name": "main", "type": "module", "scripts": {"main": "x"}}'},
        {"package.json": "{"},
        {"package.json": "[" * 100_000},
        {"convex/a.ts": 'const a = "data:text/plain,1"; const from = ["data:image/png;base64,"];'},
        {"convex/a.ts": "// import a from 'data:text/javascript,1'"},
        {"convex/a.ts": "const a = `import 'data:text/javascript,1'`;"},
        {"convex/a.ts": "", "convex/a.test.ts": "", "convex/a.json": "", "src/a.tsx": ""},
        {"convex/README.md": 'import "data:text/javascript,1"'},
    ],
    ids=range(13),
)
def test_allowed_markup_comes_through_unchanged(files: dict[str, str]) -> None:
    """Answers up to each limit are admitted, and so are files that only look forbidden."""
    assert CONVEX_RULES.admit(files) == rules.Admitted(files, ())


@pytest.mark.parametrize(
    "path",
    [
        *("README.md", "index.ts", "tsconfig.json", "lib/convex/schema.ts", ".env", "convex"),
        *("convex/tsconfig.json", "src/tsconfig.json", "src/jsconfig.json", "convex/data.sql"),
        *("convex/_generated/api.ts", "convex/_generated", "src/node_modules/react/index.js"),
        *("convex/_generated/a/_generated/b.ts", "convex/_generated/package.json", "src/.ts"),
    ],
)
def test_unused_files_are_left_out_and_noted(path: str) -> None:
    """Files without a reader, and files that are provided, cost an answer nothing."""
    admitted = CONVEX_RULES.admit(make_value_answer(42) | {path: "x"})
    assert admitted.files == make_value_answer(42)
    assert len(admitted.notes) == 1
    assert admitted.notes[0].startswith(f"{path} is left out: ")


@pytest.mark.parametrize(
    "path",
    [
        *("tsconfig.json", "vitest.config.ts", "convex/tsconfig.json", "src/jsconfig.json"),
        *("bun.lock", "pnpm-lock.yaml", "package-lock.json", "README.md", "bunfig.toml", "LICENSE"),
    ],
)
def test_suites_in_typescript_take_settings(path: str) -> None:
    """Their graders may read settings of programs, and other files of the root."""
    files = make_value_answer(42) | {path: "x"}
    assert TYPESCRIPT_RULES.admit(files) == rules.Admitted(files, ())
    assert CONVEX_RULES.admit(files).files == make_value_answer(42)


@pytest.mark.parametrize(
    "path",
    [
        *(".env", ".npmrc", ".git/config", "convex", "src", "node_modules", "_generated"),
        *("lib/a.ts", "tests/a.test.ts", "convex/_generated/api.ts", "convex/a.sql"),
        "node_modules/vitest/package.json",
    ],
)
def test_suites_in_typescript_take_no_other_files(path: str) -> None:
    """Hidden files, other folders and installed packages are left out there, too."""
    admitted = TYPESCRIPT_RULES.admit(make_value_answer(42) | {path: "x"})
    assert admitted.files == make_value_answer(42)
    assert admitted.notes[0].startswith(f"{path} is left out: ")


def test_a_long_lock_file_costs_an_answer_nothing() -> None:
    """A file of the root beyond the limit of a file is left out, and code beyond it is refused."""
    long = {"package-lock.json": "x" * (MOST_BYTES + 1)}
    admitted = TYPESCRIPT_RULES.admit(make_value_answer(42) | long)
    assert admitted.files == make_value_answer(42)
    assert admitted.notes == (
        f"package-lock.json is left out: a file of the root has at most {MOST_BYTES} bytes",
    )
    with pytest.raises(UnusableReplyError, match="more than"):
        TYPESCRIPT_RULES.admit({"package.json": "x" * (MOST_BYTES + 1)})


PATHS = st.lists(
    st.sampled_from(
        ["convex", "src", "_generated", "package.json", "a.ts", "a.d.ts", "a", "data:", "é.js", ""]
    ),
    min_size=1,
    max_size=12,
).map("/".join)


@given(st.dictionaries(PATHS, st.text(max_size=40), max_size=6))
def test_any_files_are_judged_the_same_twice(files: dict[str, str]) -> None:
    """The admitted files are admitted again, whole: leaving files out breaks no rule."""
    try:
        admitted = CONVEX_RULES.admit(files)
    except UnusableReplyError:
        return
    assert admitted.files.items() <= files.items()
    assert CONVEX_RULES.admit(admitted.files) == rules.Admitted(admitted.files, ())


SUITE_RULES = SuiteFileRules(
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
    assert SUITE_RULES.is_allowed_path(path) is allowed


def test_other_files_are_left_out_with_a_note() -> None:
    """A file that no pattern names is not used, and its answer is not refused for it."""
    admitted = SUITE_RULES.admit({"main.py": "1", "README.md": "2"})
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
        SUITE_RULES.admit(files)


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
    assert parse_reply(text, SUITE_RULES).files == {"main.py": "1\n"}


def test_the_prompt_has_the_words_of_the_suite(tmp_path: Path) -> None:
    """The system message and the rules are the suite's; nothing speaks of Convex or packages."""
    evaluation = command_suite.read_eval(command_suite.write_command_suite(tmp_path))
    system, user = render_prompt(evaluation, f"Add.\n# canary: sums {command_suite.CANARY}\n")
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
    evaluation = command_suite.read_eval(command_suite.write_command_suite(tmp_path))
    example = render_prompt(evaluation, None)[1]["content"].split("````")[1]
    read = parse_reply(example, SuiteFileRules(command_suite.get_suite_config(evaluation).answers))
    assert read.files == {"sums.py": "...\n"}


def test_baselines_need_no_language(tmp_path: Path) -> None:
    """The reference passes through a reply unchanged; the stub has its files without content."""
    evaluation = command_suite.read_eval(command_suite.write_command_suite(tmp_path))
    rules = SuiteFileRules(command_suite.get_suite_config(evaluation).answers)
    assert parse_reply(make_reply("baseline/oracle", evaluation), rules).files == {
        "sums.py": command_suite.ANSWER
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
        make_benchmark(discover(command_suite.write_command_suite(tmp_path / name, text))).version
        for name, text in (
            ("a", command_suite.SETTINGS),
            ("b", command_suite.SETTINGS.replace(old, new)),
            ("c", command_suite.SETTINGS),
        )
    }
    assert len(versions) == 2


def test_both_messages_belong_to_the_version(tmp_path: Path) -> None:
    """The texts around every task are those of the suite's settings."""
    system, around = frame_nothing(discover(command_suite.write_command_suite(tmp_path)))
    assert system == "You write small programs."
    assert around.endswith("# Task\n\n\n")
