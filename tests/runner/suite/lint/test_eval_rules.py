"""Each rule about evals and their graders finds its fault, and accepts similar files without it."""

import re
import shutil
import textwrap
from pathlib import Path

import pytest

from runner.evals.discovery import discover
from runner.suite.lint import lint
from runner.suite.new import make_eval
from tests.runner.command_suite import write_command_suite
from tests.runner.suite.lint.clean import (
    ANSWER,
    TASK,
    list_findings,
    list_found_rules,
    plant_code,
    write_clean,
)
from tests.support.texts import read_cases, write_files

pytestmark = pytest.mark.unit


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """Return an eval without a fault."""
    return write_clean(tmp_path / "evals")


def replace(path: Path, before: str, after: str) -> None:
    """Change a file."""
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def test_places_to_fill_in_are_listed(clean: Path) -> None:
    """A new folder can be read, and lint lists the texts to write in each file."""
    new = make_eval(clean.parents[1], "queries", "sledges")
    placeholders = [finding for finding in list_findings(clean) if finding.rule == "placeholder"]
    assert {finding.evaluation for finding in placeholders} == {f"002-queries/{new.name}"}
    assert {finding.file for finding in placeholders} >= {
        "TASK.txt",
        "eval.toml",
        "grader.py",
        "answer/convex/example.ts",
        "calibration/calibration.toml",
        "calibration/pass/right_two/convex/example.ts",
    }
    # The missing texts are the only faults of the new eval.
    assert {
        finding.rule
        for finding in list_findings(clean)
        if finding.file not in {"TASK.txt", "eval.toml"}
    } <= {"placeholder", "unmentioned-name"}


def test_a_task_has_a_length(clean: Path) -> None:
    """Tasks have 60 to 600 words, the canary not counted."""
    canary = (clean / "TASK.txt").read_text().removeprefix(TASK)
    (clean / "TASK.txt").write_text(TASK * 8 + canary)
    assert list_found_rules(list_findings(clean)) == ["task-length"]
    words = TASK.split() * 10
    (clean / "TASK.txt").write_text(" ".join(words[:600]) + canary)
    assert list_findings(clean) == []
    (clean / "TASK.txt").write_text(" ".join(words[:601]) + canary)
    assert list_found_rules(list_findings(clean)) == ["task-length"]


def test_a_diff_that_does_not_apply_any_more_is_a_fault(clean: Path) -> None:
    """A changed reference leaves diffs behind: lint names the variant, the file and the hunk."""
    replace(clean / ANSWER, "list = 1", "list = 2")
    (finding,) = list_findings(clean)
    assert (finding.file, finding.rule) == ("calibration/calibration.toml", "calibrations")
    assert '[pass.right_one] diff."convex/example.ts": hunk 1: applies nowhere' in finding.advice


def test_a_copy_that_a_diff_could_replace_is_a_fault(clean: Path) -> None:
    """A whole file stands in a variant only where most of it differs from the reference's."""
    lines = "".join(f"export const number{number} = {number};\n" for number in range(8))
    (clean / ANSWER).write_text(f"{(clean / ANSWER).read_text()}{lines}")
    copy = clean / "calibration" / "pass" / "right_two" / "convex" / "example.ts"
    copy.write_text(f"{copy.read_text()}{lines}")
    (finding,) = list_findings(clean)
    assert finding.file == "calibration/pass/right_two/convex/example.ts"
    assert "leaderboard suite show 002-queries/000-skates right_two" in finding.advice
    copy.write_text(copy.read_text().replace(" = ", " = 1 + "))
    assert list_findings(clean) == []


@pytest.mark.parametrize(
    ("kind", "name"), [("pass", "right_one"), ("pass", "right_two"), ("fail", "wrong_one")]
)
def test_two_right_and_three_wrong_variants_are_needed(clean: Path, kind: str, name: str) -> None:
    """One variant less than needed is a fault."""
    home = clean / "calibration"
    shutil.rmtree(home / kind / name, ignore_errors=True)
    blocks = re.split(r"^(?=\[)", (home / "calibration.toml").read_text(), flags=re.MULTILINE)
    other_blocks = [block for block in blocks if not block.startswith(f"[{kind}.{name}]")]
    assert len(other_blocks) == len(blocks) - 1
    (home / "calibration.toml").write_text("".join(other_blocks))
    assert list_found_rules(list_findings(clean)) == ["calibrations"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"Skates by size"', '"Skates by size."'),
        ('"A query without an index reads the whole table, and fails once it has grown."', '"Bad"'),
        ('["kinds"]', '["kinds", "kinds"]'),
        ('level = "standard"\n', ""),
        ('["kinds"]', '["kinds"]\nlimits = { tests_s = 500 }'),
    ],
)
def test_odd_descriptions_are_found(clean: Path, before: str, after: str) -> None:
    """The faults are a title as sentence, no reason, a double section, no level, a bad limit."""
    replace(clean / "eval.toml", before, after)
    assert list_found_rules(list_findings(clean)) == ["config"]


def test_files_without_the_canary_are_found(clean: Path) -> None:
    """A file that was added later lacks the canary."""
    (clean / "answer" / "convex" / "more.ts").write_text("export {};\n")
    (finding,) = list_findings(clean)
    assert (finding.rule, finding.file) == ("canary", "answer/convex/more.ts")


def test_sections_that_nobody_needs_are_found(clean: Path) -> None:
    """Each line of the guidelines is there for an eval, and a section without evals is a fault."""
    with (clean.parents[1] / "guidelines.md").open("a") as guidelines:
        guidelines.write("\n## Crons\n\nUse them.\n")
    (finding,) = list_findings(clean)
    assert (finding.rule, finding.evaluation) == ("orphan-section", "guidelines.md")


CASES = read_cases(__file__)
"""Code that is planted into a grader: faults by their rules, and code without a fault."""
FAULTS = [
    pytest.param(code, rule, id=name)
    for rule, codes in CASES["faults"].items()
    for name, code in codes.items()
]


def test_a_clean_eval_has_no_findings(clean: Path) -> None:
    """Lint has no finding where nothing is wrong."""
    assert list_findings(clean) == []


@pytest.mark.parametrize(("code", "rule"), FAULTS)
def test_a_fault_is_found_by_its_rule(clean: Path, code: str, rule: str) -> None:
    """The planted fault is found by its own rule, and there is no other finding."""
    all_findings = plant_code(clean, code)
    assert set(list_found_rules(all_findings)) == {rule}
    # The line is that of the fault, or that of the code that hides it; never the first.
    assert all(finding.line > 1 for finding in all_findings)


@pytest.mark.parametrize("code", CASES["harmless"].values(), ids=CASES["harmless"])
def test_right_texts_pass(clean: Path, code: str) -> None:
    """Code that only looks like a fault has no finding."""
    assert plant_code(clean, code) == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A suite of one eval, whose grader calls the answer."""
    return write_command_suite(tmp_path / "evals")


def test_a_reference_that_is_no_text_is_a_finding(root: Path) -> None:
    """Lint names the file, and finds the faults of the rest of the suite all the same."""
    folder = root / "000-numbers" / "000-sums"
    (folder / "answer" / "data.txt").write_bytes(b"\xff")
    write_files(folder, {"TASK.txt": "FILL IN\n"})
    suite = discover(root)
    findings = {finding.rule: finding for finding in lint(suite, suite.evals)}
    assert {"placeholder", "canary", "calibrations"} <= findings.keys()
    assert "data.txt" in findings["calibrations"].advice


@pytest.mark.parametrize("path", ["ledger/book.py", "notes.txt", "a/b/c.py"])
def test_a_file_of_the_reference_that_paths_leave_out_is_named(root: Path, path: str) -> None:
    """No answer could bring it, so the reference would fail without a word on the reason."""
    write_files(root / "000-numbers" / "000-sums", {f"answer/{path}": "\n"})
    suite = discover(root)
    (finding,) = [each for each in lint(suite, suite.evals) if each.rule == "left-out-file"]
    assert finding.file == f"answer/{path}"
    assert "`paths` of suite.toml (" in finding.advice


GRANT = "\nThe table `pairs` has the fields `size`, `left` and whatever else you need.\n"


def list_rules_of_inserts(clean: Path, task: str, body: str) -> list[str]:
    """Return the rules that a grader breaks which inserts into `pairs`."""
    (clean / "TASK.txt").write_text((clean / "TASK.txt").read_text() + task)
    code = textwrap.indent(textwrap.dedent(body), "    ")
    return list_found_rules(plant_code(clean, f"def store(convex, stored):\n{code}"))


@pytest.mark.parametrize(
    "body",
    [
        'convex.insert("pairs", {"size": 38.0})',
        'right = {"size": 38.0}\nconvex.insert("pairs", right | {"left": True})',
        'pairs = [{"size": float(n)} for n in range(3)]\nconvex.insert_many("pairs", pairs)',
        'right = {"size": 38.0}\nconvex.insert("pairs", {**right, "left": 1.0})',
    ],
)
def test_a_document_written_out_has_no_further_fields(clean: Path, body: str) -> None:
    """An answer may require fields that the task grants it, and refuse the grader's document."""
    assert list_rules_of_inserts(clean, GRANT, body) == ["further-fields"]


@pytest.mark.parametrize(
    ("task", "body"),
    [
        (GRANT, 'convex.insert("pairs", {**stored, "size": 38.0})'),
        (GRANT, 'convex.insert("pairs", stored | {"size": 38.0})'),
        (GRANT, 'convex.insert("pairs", {key: stored[key] for key in stored})'),
        (GRANT, 'convex.insert("owners", {"name": "Ada"})'),
        ("\nThe table `pairs` has the field `size`.\n", 'convex.insert("pairs", {"size": 38.0})'),
        (
            "\nTable `pairs`: `size`, and any further fields you need; they may be left out.\n",
            'convex.insert("pairs", {"size": 38.0})',
        ),
    ],
)
def test_copies_and_tables_of_fixed_fields_are_no_fault(clean: Path, task: str, body: str) -> None:
    """A copy of a stored document has its further fields, too."""
    assert list_rules_of_inserts(clean, task, body) == []


@pytest.mark.parametrize(
    ("task", "is_fault"),
    [
        ("`scan` (up to 1 MB). `limit`: 20 if left out; never more than 100.", True),
        ("`scan` (up to 900 kB). `limit`: 20 if left out.", True),
        ("`scan` (up to 1 MB). `limit` (may be left out: 5; never more than 20).", True),
        ("`scan` (up to 1 MB). `limit`: 5 if left out; never more than 16.", False),
        ("`scan` (up to 100 kB). `limit`: 20 if left out; never more than 100.", False),
        (
            "`scan` (up to 1 MB). `limit`: 20 if left out. But at most ten of them have a scan.",
            False,
        ),
        ("`limit`: 20 if left out; never more than 100.", False),
    ],
)
def test_rows_that_no_transaction_can_read_are_found(
    clean: Path, task: str, *, is_fault: bool
) -> None:
    """The most rows times the greatest size is above what Convex reads, unless few are so large."""
    (clean / "TASK.txt").write_text(f"{(clean / 'TASK.txt').read_text()}\n{task}\n")
    assert list_found_rules(list_findings(clean)) == ["size"] * is_fault
