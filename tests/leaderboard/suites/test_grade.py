"""`leaderboard suite grade` shows all details of the grading of an answer."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from tests.runner.command_suite import read_eval, write_command_suite
from tests.runner.small_eval import EVALS, make_value_answer, write_question
from tests.support.git import commit_all, run_git
from tests.support.texts import write_files
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.integration

NAME = "000-fundamentals/000-value"
GRADER = '''
print("the grader is loaded")


def test_value(convex):
    """The value is 42."""
    print("now the value")
    assert convex.query("notes:value") == 42


def test_nothing_is_stored(convex):
    """There is no document."""
    print("now the documents")
    assert convex.table("notes") == []
'''
CALIBRATION = """
[fail.other_value]
step = "tests"
tests = ["test_value"]
reason = "Not the same."
diff."convex/notes.ts" = '''
-export const value = query({ args: {}, handler: async () => 42 });
+export const value = query({ args: {}, handler: async () => 41 });
'''
"""
LOGGING = """\
import { query } from "./_generated/server";

export const value = query({
  args: {},
  handler: async () => {
    console.log("\\u001b[31mpassed\\u001b[0m", "a line\\nmore");
    return 41;
  },
});
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of the small eval, with one wrong variant."""
    root = tmp_path_factory.mktemp("suite")
    evaluation = write_question(root, GRADER)
    (evaluation.folder / "TASK.txt").write_text("Return 42.\n")
    (evaluation.folder / "eval.toml").write_text(
        'title = "T"\nconcept = "C"\nwhy = "W"\nguidelines = ["kinds"]\n'
    )
    (evaluation.folder / "calibration").mkdir()
    (evaluation.folder / "calibration" / "calibration.toml").write_text(CALIBRATION)
    (root / "guidelines.md").write_text("# Guidelines\n\n## Kinds\n\nChoose.\n")
    for name in ("node_modules", "package.json"):
        (root / name).symlink_to(EVALS / name)
    return root


def grade(
    suite: Path,
    named: str | Path,
    *more: str,
    data: Path | None = None,
    code: int | None = None,
) -> Ended:
    """Grade an answer to the small eval."""
    folders = ("--evals", suite, "--data", data or suite / "data")
    return run_command("suite", "grade", "value", named, *more, *folders, code=code)


def test_a_passing_answer_is_shown_with_every_step_and_test(suite: Path) -> None:
    """Steps and tests have their seconds; prints need -v; the exit code is 0."""
    short = grade(suite, "reference", code=0)
    lines = short.stdout.splitlines()
    assert lines[:2] == [f"{NAME}: reference", "calibration: must pass"]
    steps = [line.split()[:2] for line in lines[2:8]]
    names = ["filesystem", "install", "deploy", "typecheck", "lint", "tests"]
    assert steps == [["passed", name] for name in names]
    assert all(" s" in line for line in lines[2:8])
    assert lines[-1] == "passed"
    assert "now the value" not in short.stdout
    long = grade(suite, "reference", "-v")
    for text in ("the grader is loaded", "now the value", "now the documents"):
        assert f"    | {text}" in long.stdout.splitlines()


def test_output_of_a_program_is_called_its_own(tmp_path: Path) -> None:
    """A grader that is a program prints while it judges, not while it is loaded."""
    root = write_command_suite(tmp_path)
    read_eval(root, "echo looking closely >&2; exit 1")
    ended = run_command("suite", "grade", "sums", "reference", "--evals", root)
    head, line = (f"    {text}" for text in ("printed by the grader", "| looking closely"))
    assert f"{head}:\n{line}\n" in ended.stdout, ended.stdout


@pytest.fixture(scope="module")
def checked(suite: Path) -> Ended:
    """The check of the whole suite, which finds no fault."""
    return run_command("suite", "check", "--once", "--evals", suite, code=0)


@pytest.mark.night
def test_the_check_shows_the_seconds_of_tests_beside_their_limit(checked: Ended) -> None:
    """The seconds are on the line of the reference, which is graded in full."""
    first, *variants = checked.stdout.splitlines()
    assert re.fullmatch(rf"\[1/4\] ok    {NAME} reference, tests \d+\.\d s of 60 s", first)
    assert all(" s of " not in line for line in variants)


def parse_next_command(ended: Ended) -> list[str]:
    """Return the words of the only command that is proposed, without the program."""
    *_, head, line = ended.stdout.splitlines()
    assert head == "Next:"
    words = shlex.split(line)
    return words[words.index("suite") :]


def test_a_check_without_a_fault_names_the_command_that_follows(
    suite: Path, checked: Ended
) -> None:
    """The last line tries the graders of all evals by mutants."""
    assert parse_next_command(checked) == ["suite", "mutate", "--evals", str(suite)]


@pytest.mark.parametrize(
    "chosen",
    [
        ("-f", "value", "-c", "fundamentals"),
        pytest.param(("-f", "value"), marks=pytest.mark.night),
        pytest.param(("-c", "fundamentals"), marks=pytest.mark.night),
    ],
)
def test_a_check_of_chosen_evals_proposes_mutants_of_the_same(
    suite: Path, chosen: tuple[str, ...]
) -> None:
    """The proposed command has the options that chose the evals."""
    ended = run_command("suite", "check", "--once", *chosen, "--evals", suite, code=0)
    assert parse_next_command(ended) == ["suite", "mutate", *chosen, "--evals", str(suite)]


@pytest.mark.night
def test_a_check_since_a_revision_proposes_the_evals_that_changed(
    suite: Path, tmp_path: Path
) -> None:
    """Mutants are proposed for these evals alone; none are after a wrong verdict."""
    copy = shutil.copytree(suite, tmp_path / "suite", symlinks=True)
    run_git(copy, "init", "-q")
    commit_all(copy, "first")
    folder = copy / NAME
    (folder / "TASK.txt").write_text("Return 42, always.\n")
    check = ("suite", "check", "--once", "--since", "HEAD", "--evals", copy)
    ended = run_command(*check, code=0)
    assert f"suite mutate -f {NAME} --evals {copy}" in ended.stdout.splitlines()[-1]
    text = (folder / "calibration" / "calibration.toml").read_text()
    (folder / "calibration" / "calibration.toml").write_text(text.replace("=> 41", "=> 40 + 2"))
    wrong = run_command(*check, code=1)
    assert "Next:" not in wrong.stdout


@pytest.mark.night
def test_a_check_as_json_proposes_nothing(suite: Path) -> None:
    """Only the rows of the four answers are printed."""
    ended = run_command("suite", "check", "--once", "--json", "--evals", suite)
    assert len(json.loads(ended.stdout)) == 4


@pytest.mark.more
def test_only_prints_of_failed_tests_are_shown(suite: Path) -> None:
    """A variant may have its short name; -k accepts a part of a test's name."""
    ended = grade(suite, "other_value", code=1)
    assert "calibration: must fail at tests, test_value among its tests" in ended.stdout
    assert "    | now the value" in ended.stdout
    assert "now the documents" not in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("failed at tests: The value is 42.")
    chosen = grade(suite, "fail/other_value", "-k", "stored", code=0)
    assert "test_value" not in chosen.stdout.partition("tests (limit")[2]
    assert chosen.stdout.splitlines()[-1] == "passed (only the tests with -k ran)"


@pytest.mark.more
def test_lines_of_functions_are_shown_and_command_no_terminal(suite: Path, tmp_path: Path) -> None:
    """A folder is graded as it is; lines of its log cannot look like lines of the program."""
    folder = write_files(tmp_path / "mine", make_value_answer(1, {"convex/notes.ts": LOGGING}))
    ended = grade(suite, folder, code=1)
    logged = "    | query notes:value: [LOG] '\\x1B[31mpassed\\x1B[0m' 'a line\\nmore'"
    assert logged in ended.stdout.splitlines()
    assert "\x1b" not in ended.stdout
    row = json.loads(grade(suite, folder, "--json").stdout)
    assert (row["outcome"], row["failed_step"], row["expected"]) == ("failed", "tests", None)
    assert row["printed"] == "the grader is loaded\n"
    value, documents = row["tests"]
    assert value["printed"] == "now the value\n"
    assert len(value["logged"]) == 1
    assert (documents["printed"], documents["logged"]) == ("now the documents\n", [])


@pytest.mark.more
def test_an_attempt_is_graded_beside_its_record(suite: Path, tmp_path: Path) -> None:
    """RUN:SAMPLE takes the answer out of the archive; nothing of the record changes."""
    data = tmp_path / "data"
    run_command("run", "-m", "stub", "--evals", suite, "--data", data, code=0)
    (record,) = DataFolder(data).local.list_run_files()
    before = record.read_bytes()
    ended = grade(suite, f"{record.name[:8]}:1", data=data, code=1)
    lines = ended.stdout.splitlines()
    assert lines[0].startswith(f"{NAME}: baseline/stub default {record.name[:8]} sample 1")
    assert lines[1] == f"record: {lines[-1]}"
    assert record.read_bytes() == before
    other = grade(suite, f"{record.name[:8]}:2", data=data, code=2)
    assert "no sample 2" in other.stderr
    assert "it has sample 1" in other.stderr


def test_a_grader_that_breaks_ends_with_3(suite: Path, tmp_path: Path) -> None:
    """The traceback of the grader is shown, with the line."""
    broken = write_files(tmp_path, {})
    evaluation = write_question(broken, "print('so far')\nraise RuntimeError('not today')\n")
    for name in ("TASK.txt", "eval.toml"):
        (evaluation.folder / name).write_text((suite / NAME / name).read_text())
    (broken / "guidelines.md").write_text((suite / "guidelines.md").read_text())
    for name in ("node_modules", "package.json"):
        (broken / name).symlink_to(EVALS / name)
    ended = grade(broken, "reference", code=3)
    assert "    | so far" in ended.stdout.splitlines()
    assert "raise RuntimeError('not today')" in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("infrastructure: ")


@pytest.mark.parametrize(
    ("named", "more", "words"),
    [
        ("other_valeu", (), "close to it is other_value"),
        ("nothing", (), "its answers are reference, baseline/empty, baseline/stub"),
        ("abcd:1", (), "no run whose id begins with 'abcd'"),
        ("reference", ("-k", "nobody"), "it has test_value, test_nothing_is_stored"),
    ],
)
def test_names_that_mean_nothing_get_one_line(
    suite: Path, named: str, more: tuple[str, ...], words: str
) -> None:
    """The line lists the valid names; the exit code is 2, and no answer is graded."""
    ended = grade(suite, named, *more)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert words in line


def test_a_folder_that_is_no_answer_is_refused(suite: Path, tmp_path: Path) -> None:
    """A folder without files, or with more than an answer may have, is refused unread."""
    (tmp_path / "empty").mkdir()
    assert "holds no files" in grade(suite, tmp_path / "empty").stderr
    write_files(tmp_path / "many", {f"convex/f{number}.ts": "x" for number in range(201)})
    many = grade(suite, tmp_path / "many", code=2)
    assert "holds 201 files" in many.stderr
