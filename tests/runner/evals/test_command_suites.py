"""Suites with suite.toml: their settings are read, and a wrong field is refused by its file."""

from pathlib import Path

import pytest

from records.suites.canary import format_canary_line, strip_canary
from records.suites.eval_config import Pipeline, ProgramEvalConfig
from runner.errors import BadSelectionError, InvalidEvalError
from runner.evals.canary import mark
from runner.evals.discovery import discover
from runner.evals.grader_kinds import get_program
from runner.suite.lint import lint, select_tests
from runner.suite.new import make_eval
from tests.runner.command_suite import (
    ANSWER,
    CANARY,
    CONFIG,
    SETTINGS,
    read_eval,
    write_command_suite,
)
from tests.runner.small_suite import write_suite

pytestmark = pytest.mark.unit

LINE = format_canary_line("sums", CANARY)


def test_an_eval_has_the_grader_of_its_suite(tmp_path: Path) -> None:
    """Without a grader of its own an eval is judged by the suite's program, over its folder."""
    evaluation = read_eval(write_command_suite(tmp_path))
    assert evaluation.config.pipeline is Pipeline.COMMAND
    assert get_program(evaluation.config).command == ("python3", "-m", "pytest_report")
    assert [path.name for path in evaluation.collect_grader_files()] == ["test_sums.py"]
    assert not evaluation.kind.has_convex_answers


def test_an_eval_may_have_a_grader_of_its_own(tmp_path: Path) -> None:
    """Fields of eval.toml replace those of the suite, one by one."""
    root = write_command_suite(tmp_path)
    suite = get_program(read_eval(root).config)
    evaluation = read_eval(root, "exit 0", "\n[limits]\ntests_s = 7\n")
    grader = get_program(evaluation.config)
    assert (grader.command, evaluation.config.limits.tests_s) == (("sh", "judge"), 7)
    assert (suite.answer_processes, grader.answer_processes) == (10, 10)
    (evaluation.folder / "eval.toml").write_text(f"{CONFIG}\n[grader]\nanswer_s = 99\n")
    patient = get_program(discover(root).evals[0].config)
    assert patient == suite.model_copy(update={"answer_s": 99})


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        ("suite.toml", "[answers]", "[answer]", "suite.toml: answer"),
        ("suite.toml", CANARY, "none", "suite.toml: canary"),
        ("suite.toml", "name =", "name", "suite.toml: is not TOML"),
        ("suite.toml", '["sums.py"]', '["sums.js"]', r"suite.toml: answers.required: sums\.js"),
        ("000-numbers/000-sums/eval.toml", '"command"', '"full"', "eval.toml: pipeline"),
        ("000-numbers/000-sums/eval.toml", '"command"', '"shell"', "eval.toml: pipeline"),
    ],
)
def test_wrong_settings_are_refused_by_name(
    tmp_path: Path, path: str, old: str, new: str, message: str
) -> None:
    """The message names the file and the field."""
    file = write_command_suite(tmp_path) / path
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(InvalidEvalError, match=message):
        discover(tmp_path)


def test_an_eval_without_a_grader_is_refused(tmp_path: Path) -> None:
    """The message names the folder that is missing."""
    root = write_command_suite(tmp_path)
    (root / "000-numbers" / "000-sums" / "grader" / "test_sums.py").unlink()
    with pytest.raises(InvalidEvalError, match=r"000-sums/grader: missing"):
        discover(root)


def test_the_pipeline_needs_the_settings_of_a_suite(tmp_path: Path) -> None:
    """An eval for Convex with this pipeline names the file that is missing, and has no grader."""
    root = write_suite(tmp_path / "evals")
    eval_file = root / "000-fundamentals" / "000-ponds" / "eval.toml"
    with pytest.raises(InvalidEvalError, match='its pipeline is not "command"'):
        get_program(discover(root).evals[0].config)
    eval_file.write_text(CONFIG)
    with pytest.raises(InvalidEvalError, match=r"suite\.toml: missing"):
        discover(root)


def test_a_link_to_other_settings_is_refused(tmp_path: Path) -> None:
    """Settings stand in the suite itself."""
    root = write_command_suite(tmp_path / "suite")
    (root / "suite.toml").unlink()
    (tmp_path / "elsewhere.toml").write_text(SETTINGS)
    (root / "suite.toml").symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(InvalidEvalError, match="symbolic link"):
        discover(root)


def test_lint_finds_faults_of_every_suite(tmp_path: Path) -> None:
    """Canary, placeholders and a wrong answer are asked for; rules for Convex are not."""
    root = write_command_suite(tmp_path)
    folder = root / "000-numbers" / "000-sums"
    suite = discover(root)
    assert {finding.rule for finding in lint(suite, suite.evals)} == {"canary", "orphan-section"}
    mark(folder, LINE)
    assert {finding.rule for finding in lint(suite, suite.evals)} == {"orphan-section"}
    (folder / "calibration" / "calibration.toml").write_text(f"# {LINE}\n# FILL IN\n")
    rules = {finding.rule for finding in lint(suite, suite.evals)}
    assert rules == {"calibrations", "orphan-section", "placeholder"}


@pytest.mark.parametrize("path", ["Makefile", "My File.py", "a[1].py"])
def test_lint_finds_files_that_no_reply_can_name(tmp_path: Path, path: str) -> None:
    """Every answer would lack a required file, and no model could write that of the reference."""
    settings = SETTINGS.replace('"lib/**', '"*", "lib/**').replace('["sums.py"]', f'["{path}"]')
    root = write_command_suite(tmp_path, settings)
    reference = root / "000-numbers" / "000-sums" / "answer"
    (reference / path).write_text(f"# {LINE}\n")
    (reference / "lib").mkdir()
    (reference / "lib" / "Makefile").write_text(f"# {LINE}\n")
    suite = discover(root)
    findings = [each for each in lint(suite, suite.evals) if each.rule == "unnamed-path"]
    assert [(each.evaluation, each.file) for each in findings] == [
        ("000-numbers/000-sums", f"answer/{path}"),
        ("suite.toml", "suite.toml"),
    ]
    assert findings[1].advice.startswith(f"answers.required: {path}: no heading of a reply")


def test_the_canary_is_no_part_of_task_and_answer(tmp_path: Path) -> None:
    """The line of any suite is taken out of the texts that models and digests get."""
    root = write_command_suite(tmp_path)
    before = discover(root).evals[0]
    mark(before.folder, LINE)
    after = discover(root).evals[0]
    assert after.task.strip() == before.task.strip()
    assert LINE in after.read_answer()["sums.py"]
    assert strip_canary(after.read_answer()["sums.py"]) == ANSWER
    assert strip_canary("a canary: bird\n") == "a canary: bird\n"


def test_tests_of_a_program_cannot_be_selected(tmp_path: Path) -> None:
    """A part of a name is refused, since any program may have no way to choose."""
    evaluation = read_eval(write_command_suite(tmp_path))
    assert isinstance(evaluation.config, ProgramEvalConfig)
    assert select_tests(evaluation, ()) == ()
    with pytest.raises(BadSelectionError, match="leave -k out"):
        select_tests(evaluation, ("small",))


def test_a_new_eval_is_a_copy(tmp_path: Path) -> None:
    """The files of `suite new` are for Convex: the message names what to do instead."""
    root = write_command_suite(tmp_path)
    with pytest.raises(BadSelectionError, match="copy the folder of an eval"):
        make_eval(root, "numbers", "products")
