"""The commands for authors of evals, and warnings about a pinned version that is behind."""

import json
import subprocess
from pathlib import Path

import pytest

from leaderboard.pinned_version import find_pin_behind
from records.files.data_folder import DataFolder
from tests.runner.suite.lint.clean import write_clean
from tests.support.warm_command import ROOT, run_command

pytestmark = pytest.mark.integration


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return a suite of one eval without a fault."""
    return write_clean(tmp_path / "evals").parents[1]


def test_lint_is_silent_and_ends_with_0_where_all_is_well(suite: Path) -> None:
    """A clean suite has no faults."""
    ended = run_command("suite", "lint", "--evals", suite)
    assert (ended.returncode, ended.stdout) == (0, "1 eval: 0 faults\n"), ended.stderr


def test_lint_shows_each_fault_in_one_line_and_ends_with_1(suite: Path) -> None:
    """A line has the eval, the place, the rule and the remedy; as JSON the same by field."""
    grader = suite / "002-queries" / "000-skates" / "grader.py"
    with grader.open("a") as code:
        code.write("\n\ndef test_more(convex: Convex) -> None:\n    assert skates(convex, 1.0)\n")
    number = grader.read_text().splitlines().index("def test_more(convex: Convex) -> None:") + 1
    ended = run_command("suite", "lint", "--evals", suite, code=1)
    first, last = ended.stdout.splitlines()
    assert first.startswith(f"002-queries/000-skates grader.py:{number} untitled-test: test_more")
    assert last == "1 eval: 1 fault"
    (row,) = json.loads(run_command("suite", "lint", "--json", "--evals", suite).stdout)
    assert (row["file"], row["line"], row["rule"]) == ("grader.py", number, "untitled-test")


def test_lint_adds_the_canary(suite: Path) -> None:
    """With --fix, files without the canary get it, and are listed."""
    added = suite / "002-queries" / "000-skates" / "answer" / "convex" / "more.ts"
    added.write_text("export {};\n")
    run_command("suite", "lint", "--evals", suite, code=1)
    fixed = run_command("suite", "lint", "--fix", "--evals", suite, code=0)
    assert str(added) in fixed.stderr


def test_a_new_eval_can_be_linted_at_once(suite: Path) -> None:
    """`suite new` prints the path of the folder, and lint lists the parts to fill in."""
    made = run_command("suite", "new", "actions", "ice_reports", "--evals", suite, code=0)
    assert made.stdout.splitlines()[0] == str(suite / "004-actions" / "000-ice_reports")
    result = run_command("suite", "lint", "-f", "ice_reports", "--evals", suite, code=1)
    assert " placeholder: " in result.stdout


@pytest.mark.parametrize(("category", "name"), [("magic", "ice"), ("queries", "Ice")])
def test_a_bad_name_gets_one_line(suite: Path, category: str, name: str) -> None:
    """The line names the bad value and the valid values."""
    ended = run_command("suite", "new", category, name, "--evals", suite, code=2)
    (line,) = ended.stderr.splitlines()
    assert repr(category if name == "ice" else name) in line


def test_guidelines_are_measured(suite: Path) -> None:
    """Each section is listed with its evals; a section that no eval needs ends it with 1."""
    result = run_command("suite", "show", "--evals", suite, code=0)
    assert "kinds: 1 eval\n" in result.stdout
    assert "of 8000 allowed" in result.stdout
    with (suite / "guidelines.md").open("a") as text:
        text.write(f"\n## Crons\n\nUse them.\n{'read ' * 8000}")
    ended = run_command("suite", "show", "--json", "--evals", suite, code=1)
    size = json.loads(ended.stdout)
    assert [section["slug"] for section in size["sections"]] == ["kinds", "crons"]
    assert [len(section["evals"]) for section in size["sections"]] == [1, 0]
    assert size["problems"][0].startswith("no eval exercises the section crons: ")
    assert "at most 8000" in size["problems"][1]


def test_tokens_beside_the_guidelines_are_those_of_the_text(suite: Path) -> None:
    """The counts are written on demand; after a change of the text they are refused."""
    run_command("suite", "show", "--write", "--evals", suite, code=0)
    written = json.loads((suite / "guidelines.tokens.json").read_text())
    assert list(written["sections"]) == ["kinds"]
    assert 0 < written["sections"]["kinds"] <= written["tokens"]
    run_command("suite", "show", "--evals", suite, code=0)
    text = (suite / "guidelines.md").read_text()
    (suite / "guidelines.md").write_text(f"{text}\nOne word more.\n")
    ended = run_command("suite", "show", "--evals", suite, code=1)
    assert "guidelines.tokens.json counts another text" in ended.stdout


def test_lint_finds_tokens_of_another_text_and_counts_again(suite: Path) -> None:
    """The rule is of its own, and --fix repairs it; a suite without counts has no such fault."""
    run_command("suite", "show", "--write", "--evals", suite, code=0)
    with (suite / "guidelines.md").open("a") as text:
        text.write("\nOne word more.\n")
    ended = run_command("suite", "lint", "--evals", suite, code=1)
    assert ended.stdout.splitlines()[0].startswith("guidelines.md guidelines.tokens.json:1 tokens:")
    fixed = run_command("suite", "lint", "--fix", "--evals", suite)
    assert (fixed.returncode, fixed.stdout) == (0, "1 eval: 0 faults\n")
    assert f"guidelines counted in {suite / 'guidelines.tokens.json'}" in fixed.stderr
    again = run_command("suite", "lint", "--fix", "--evals", suite)
    assert again.stderr == ""


def test_a_version_that_is_not_minted_is_reported_and_is_no_fault(suite: Path) -> None:
    """Lint names it on standard error; `check` names it, and fails only with --strict."""
    data = suite.parent / "data"
    folders = ("--evals", suite, "--data", data)
    run_command("suite", "mint", *folders, code=0)
    task = suite / "002-queries" / "000-skates" / "TASK.txt"
    minted = run_command("suite", "lint", "--evals", suite)
    assert (minted.returncode, minted.stderr) == (0, "")
    assert "is not minted" not in run_command("check", "--data", data).stdout
    task.write_text(task.read_text() + "\nThe rink opens at noon.\n")
    changed = run_command("suite", "lint", "--evals", suite, code=0)
    (line,) = changed.stderr.splitlines()
    assert line.startswith("not-minted: benchmark version ")
    assert line.endswith("; leaderboard suite mint"), "there is no git here"
    (suite.parent / ".git").mkdir()
    in_git = run_command("suite", "lint", "--evals", suite).stderr
    assert "on main, after the merge: leaderboard suite mint && git add data/benchmarks" in in_git
    checked = run_command("check", "--data", data, code=0)
    assert "is not minted" in checked.stdout
    run_command("check", "--strict", "--data", data, code=1)


@pytest.mark.parametrize("in_git", [True, False])
def test_since_an_unknown_revision_is_one_line(suite: Path, *, in_git: bool) -> None:
    """The error is a line, with and without git; no answer is graded, no usage is printed."""
    if in_git:
        subprocess.run(["git", "init", "-q", suite], check=True)
    ended = run_command("suite", "check", "--since", "no-such", "--evals", suite)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    reason = "git knows no such revision here" if in_git else f"{suite} is in no repository of git"
    assert line == f"Error: --since no-such: {reason}"


def test_a_section_that_nobody_needs_fails_the_check(suite: Path) -> None:
    """`suite check` names it too; a failed reference is reported once for all its variants."""
    for name in ("node_modules", "package.json"):
        (suite / name).unlink(missing_ok=True)
        (suite / name).symlink_to(Path(__file__).parents[3] / "evals" / name)
    with (suite / "guidelines.md").open("a") as text:
        text.write("\n## Crons\n\nUse them.\n")
    ended = run_command("suite", "check", "--once", "--evals", suite, code=1)
    assert "no eval exercises crons" in ended.stderr
    # The answer is to another task.
    assert "WRONG 002-queries/000-skates reference" in ended.stdout
    assert "right_one" not in ended.stdout
    assert "7 answers left out" in ended.stdout


def test_a_variant_is_shown_as_a_diff(suite: Path) -> None:
    """`suite show` prints reason, expected verdict and changed lines; `--context` lines around."""
    result = run_command("suite", "show", "skates", "wrong_one", "--evals", suite, code=0)
    head, _, verdict, *lines = result.stdout.splitlines()
    assert head == "[fail.wrong_one] 002-queries/000-skates"
    assert verdict == "fails at tests: test_skates_of_a_size_are_listed"
    assert lines[:2] == ["diff.\"convex/example.ts\" = '''", "-export const list = 1;"]
    wide = run_command(
        "suite", "show", "skates", "fail/wrong_one", "--context", "1", "--evals", suite
    )
    assert wide.stdout.splitlines()[4].startswith(" // canary: ")
    every = run_command("suite", "show", "skates", "--evals", suite)
    assert every.stdout.count("002-queries/000-skates") == 5


def test_a_missing_variant_is_reported_with_the_others(suite: Path) -> None:
    """The line names every variant of the eval."""
    ended = run_command("suite", "show", "skates", "wrong", "--evals", suite, code=2)
    (line,) = ended.stderr.splitlines()
    assert "fail/wrong_one, fail/wrong_three" in line


REPLACED = "a9e711c2"


def pin(folder: Path, version: str | None) -> Path:
    """Return a folder of templates whose site.toml pins that version."""
    line = f'current_version = "{version}"\n' if version else ""
    (folder / "site.toml").write_text(
        f'{line}title = "T"\ntagline = "L"\naddress = "https://a.example"\n', encoding="utf-8"
    )
    return folder


@pytest.mark.unit
def test_nothing_is_behind_without_a_pin(tmp_path: Path) -> None:
    """Without a file of settings, or without a pin in it, the data decide."""
    data = DataFolder(ROOT / "data")
    assert find_pin_behind(data, tmp_path) is None
    assert find_pin_behind(data, pin(tmp_path, None)) is None


@pytest.mark.unit
def test_a_pin_on_a_version_without_models_is_behind(tmp_path: Path) -> None:
    """In the published records the pinned version ranks no model, another version six."""
    data = DataFolder(ROOT / "data")
    versions = [path.stem for path in data.benchmarks.list_files()]
    (pinned,) = [version for version in versions if version.startswith(REPLACED)]
    behind = find_pin_behind(data, pin(tmp_path, pinned))
    assert behind is not None
    assert f"current_version: {pinned} has 0 ranked models" in behind
    assert "convex-evals-66-dbe4c5df with 6 ranked models would be shown first" in behind
