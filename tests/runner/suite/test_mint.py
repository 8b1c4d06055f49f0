"""A benchmark version changes with every input of a score, and with nothing else."""

from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_benchmark
from runner.errors import InvalidEvalError
from runner.evals.discovery import discover
from runner.suite.mint import make_benchmark, mint, write_tool_marks
from tests.runner.small_suite import write_suite
from tests.support.texts import write_files

pytestmark = pytest.mark.unit

PONDS = "000-fundamentals/000-ponds"


def _compute_version(root: Path) -> str:
    return make_benchmark(discover(root)).version


def test_the_same_suite_has_the_same_version_anywhere(tmp_path: Path) -> None:
    """A version does not depend on where the suite lies."""
    versions = {_compute_version(write_suite(tmp_path / folder)) for folder in ("here", "there")}
    assert len(versions) == 1


@pytest.mark.parametrize(
    "path",
    [
        "package-lock.json",
        "run.log",
        "node_modules/convex/package.json",
        f"{PONDS}/grading.log",
        f"{PONDS}/answer/convex/_generated/api.ts",
        f"{PONDS}/answer/convex/ponds.ts",
        f"{PONDS}/answer/package-lock.json",
        f"{PONDS}/__pycache__/grader.pyc",
        f"{PONDS}/calibration/pass/other/convex/more.ts",
    ],
)
def test_files_without_effect_on_scores_do_not_change_the_version(root: Path, path: str) -> None:
    """Locks, logs, generated folders, answers and calibrations are no part of a version."""
    before = _compute_version(root)
    write_files(root, {path: "// a changed comment\n"})
    assert _compute_version(root) == before


def test_a_comment_in_the_configuration_does_not_change_the_version(root: Path) -> None:
    """The values of eval.toml count, and its comments do not."""
    before = _compute_version(root)
    with (root / PONDS / "eval.toml").open("a") as config:
        config.write("# a comment\n")
    assert _compute_version(root) == before


def test_a_package_that_answers_are_not_given_does_not_change_the_version(root: Path) -> None:
    """Another ESLint may be pinned; another convex is in the prompt of models, and counts."""
    before = _compute_version(root)
    pins = root / "package.json"
    pins.write_text(pins.read_text().replace('"eslint": "1.0.0"', '"eslint": "2.0.0"'))
    assert _compute_version(root) == before
    pins.write_text(pins.read_text().replace('"convex": "1.0.0"', '"convex": "2.0.0"'))
    assert _compute_version(root) != before


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("guidelines.md", "# a change\n"),
        (f"{PONDS}/TASK.txt", "# a change\n"),
        (f"{PONDS}/grader.py", "# a change\n"),
        (f"{PONDS}/check_more.py", "# a change\n"),
        (f"{PONDS}/eval.toml", "[limits]\ntests_s = 90\n"),
    ],
)
def test_a_change_of_scores_changes_the_version(root: Path, path: str, text: str) -> None:
    """Guidelines, tasks, values of the configuration, and graders with their modules count."""
    before = _compute_version(root)
    with (root / path).open("a") as file:
        file.write(text)
    assert _compute_version(root) != before


def test_levels_are_recorded_outside_of_the_version(root: Path) -> None:
    """A version lists levels once a suite tells them apart, and keeps its digest."""
    before = make_benchmark(discover(root))
    with (root / PONDS / "eval.toml").open("a") as config:
        config.write('level = "hard"\nheld_out = true\n')
    after = make_benchmark(discover(root))
    assert (before.levels, before.held_out) == ({}, ())
    assert after.levels == {PONDS: "hard", "002-queries/007-streams": "standard"}
    assert after.held_out == (PONDS,)
    assert (after.digest, after.evals) == (before.digest, before.evals)
    assert "levels" not in before.model_dump_json()


def test_another_eval_changes_the_version(root: Path) -> None:
    """A suite with one eval fewer is another benchmark."""
    before = _compute_version(root)
    (root / "002-queries").rename(root / "out-of-the-suite")
    assert _compute_version(root) != before


def test_only_the_changed_part_has_a_new_digest(root: Path) -> None:
    """The definition shows which eval changed, and in which part."""
    before = make_benchmark(discover(root)).evals
    (root / PONDS / "grader.py").write_text('"""Another."""\n')
    after = make_benchmark(discover(root)).evals
    assert before["002-queries/007-streams"] == after["002-queries/007-streams"]
    assert before[PONDS].task == after[PONDS].task
    assert before[PONDS].grader != after[PONDS].grader


def test_minting_writes_the_definition_once(root: Path, tmp_path: Path) -> None:
    """A minted version has the time of its minting; minting again changes nothing."""
    data = DataFolder(tmp_path / "data")
    suite = discover(root)
    minted = mint(suite, data)
    assert minted.version == make_benchmark(suite).version
    assert minted.minted_at is not None
    assert minted.title == f"{minted.minted_at:%Y-%m} · 2 evals"
    assert read_benchmark(data.benchmarks.get_file(minted.version)) == minted
    assert mint(suite, data) == minted


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        (f"{PONDS}/TASK.txt", {"prompt"}),
        (f"{PONDS}/grader.py", {"judge"}),
        (f"{PONDS}/check_more.py", {"judge"}),
        ("guidelines.md", set[str]()),
        (f"{PONDS}/answer/convex/ponds.ts", set[str]()),
    ],
)
def test_an_eval_has_a_digest_of_the_question_and_one_of_the_judge(
    root: Path, path: str, changed: set[str]
) -> None:
    """Each changes with its own files; guidelines belong to the condition of a run."""
    before = make_benchmark(discover(root))
    with (root / path).open("a") as file:
        file.write("# a change\n")
    after = make_benchmark(discover(root))
    pairs = {
        "prompt": (before.compute_prompt_digest(PONDS), after.compute_prompt_digest(PONDS)),
        "judge": (before.compute_judge_digest(PONDS), after.compute_judge_digest(PONDS)),
    }
    assert {name for name, (old, new) in pairs.items() if old != new} == changed


def test_a_mark_of_tools_changes_the_judge_of_its_eval(root: Path) -> None:
    """Marks stay beside one another; a suite without marks has the version that it always had."""
    suite = discover(root)
    before = make_benchmark(suite)
    write_tool_marks(suite, {PONDS: "a" * 64})
    write_tool_marks(suite, {"002-queries/007-streams": "b" * 64})
    after = make_benchmark(suite)
    assert after.version != before.version
    for name in before.evals:
        assert before.compute_judge_digest(name) != after.compute_judge_digest(name)
        assert before.compute_prompt_digest(name) == after.compute_prompt_digest(name)
    (root / "tools.json").write_text('{"000-fundamentals/000-ponds": 1}')
    with pytest.raises(InvalidEvalError, match=r"tools\.json.*000-ponds"):
        make_benchmark(suite)
