"""A suite is read from its folder, with suite.toml or without; every fault of a file is named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from records.guidelines.sections import parse_sections
from records.shapes.attempt import StepName
from records.suites.canary import format_canary_line, strip_canary
from records.suites.eval_config import Pipeline, ProgramEvalConfig
from runner.errors import BadSelectionError, InvalidEvalError
from runner.evals.canary import mark
from runner.evals.discovery import discover
from runner.evals.grader_kinds import get_program
from runner.suite.lint import lint, select_tests
from runner.suite.new import make_eval
from tests.runner import command_suite
from tests.runner.small_suite import CONFIG, GUIDELINES, MODULE, write_eval
from tests.support.texts import write_files

pytestmark = pytest.mark.unit
PONDS = "000-fundamentals/000-ponds"
STREAMS = "002-queries/007-streams"


def test_every_eval_is_found_in_order(root: Path) -> None:
    """Numbered folders are categories, the folders in them evals; other folders are not."""
    suite = discover(root)
    assert [evaluation.name for evaluation in suite.evals] == [PONDS, STREAMS]
    assert suite.categories == ("000-fundamentals", "002-queries")
    assert suite.guidelines == GUIDELINES


def test_an_eval_matches_its_folder(root: Path) -> None:
    """Task, configuration with its defaults, grader and answer come from the eval's files."""
    ponds = discover(root).evals[0]
    assert ponds.task == "Write 000-ponds.\n"
    assert ponds.category == "000-fundamentals"
    assert ponds.config.title == "Ponds"
    assert ponds.config.pipeline is Pipeline.FULL
    assert ponds.config.limits.deploy_s == 30
    assert ponds.grader == root / PONDS / "grader.py"
    assert list(ponds.read_answer()) == ["convex/ponds.ts", "convex/schema.ts", "package.json"]


def test_generated_and_hidden_files_are_no_part_of_an_answer(root: Path) -> None:
    """Files that editors and tools leave in answer/ are no part of the answer."""
    strays = ("convex/_generated/api.ts", "node_modules/convex/index.js", ".DS_Store")
    write_files(root / PONDS / "answer", dict.fromkeys(strays, "stray"))
    assert list(discover(root).evals[0].read_answer()) == [
        "convex/ponds.ts",
        "convex/schema.ts",
        "package.json",
    ]


def test_calibrations_are_laid_over_the_answer(root: Path) -> None:
    """A variant changes, adds and deletes files of the reference, and sets the expected verdict."""
    other, bare, public = discover(root).evals[0].load_calibrations()
    assert (other.kind, other.name, other.step) == ("pass", "other", None)
    assert other.files["convex/more.ts"] == "export {};\n"
    assert other.files["convex/ponds.ts"] == MODULE
    assert (public.kind, public.step, public.tests) == ("fail", StepName.TESTS, ("test_kinds",))
    assert public.files["convex/ponds.ts"] == MODULE.replace("internalMutation", "mutation")
    assert bare.step is StepName.DEPLOY
    assert list(bare.files) == ["convex/ponds.ts", "package.json"]


@pytest.mark.parametrize(
    ("pattern", "categories", "expected"),
    [
        (None, [], [PONDS, STREAMS]),
        ("pond", [], [PONDS]),
        ("^002-queries/", [], [STREAMS]),
        (None, ["002-queries"], [STREAMS]),
        (None, ["queries"], [STREAMS]),
        ("0", ["000-fundamentals", "002-queries"], [PONDS, STREAMS]),
    ],
)
def test_selecting(
    root: Path, pattern: str | None, categories: list[str], expected: list[str]
) -> None:
    """A regex over category/name and categories narrow the suite together."""
    chosen = discover(root).select(pattern, categories)
    assert [evaluation.name for evaluation in chosen] == expected


def test_a_level_narrows_a_selection(root: Path) -> None:
    """Evals without a level are standard ones; a level without evals is named in the refusal."""
    with (root / PONDS / "eval.toml").open("a") as config:
        config.write('level = "hard"\n')
    suite = discover(root)
    chosen = {level: suite.select("0", (), [level]) for level in ("hard", "standard")}
    names = {level: [each.name for each in evals] for level, evals in chosen.items()}
    assert names == {"hard": [PONDS], "standard": [STREAMS]}
    assert suite.select(None, (), ["hard", "standard"]) == suite.evals
    with pytest.raises(BadSelectionError, match="no eval is in queries of level hard"):
        suite.select(None, ["queries"], ["hard"])


@pytest.mark.parametrize(
    ("pattern", "categories", "message"),
    [
        ("(", [], r"'\(' is not a regular expression: missing \)"),
        (None, ["magic"], "unknown category 'magic': choose from 000-fundamentals, 002-queries"),
        (None, ["querys"], "unknown category 'querys': close to it is queries; choose from 000"),
        ("lake", [], "no eval matches 'lake'"),
        ("pond", ["002-queries"], "no eval in 002-queries matches 'pond'"),
    ],
)
def test_selections_that_cannot_be_made(
    root: Path, pattern: str | None, categories: list[str], message: str
) -> None:
    """A bad regex, an unknown category and an empty selection each get one clear line."""
    with pytest.raises(BadSelectionError, match=message):
        discover(root).select(pattern, categories)


def _edit(path: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        text = (root / path).read_text()
        assert old in text
        (root / path).write_text(text.replace(old, new))

    return edit


def _remove(path: str) -> Callable[[Path], None]:
    return lambda root: (root / path).unlink()


def _write(path: str, data: bytes) -> Callable[[Path], None]:
    def write(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)

    return write


def _link(root: Path) -> None:
    (root / PONDS / "answer" / "secrets.ts").symlink_to("/etc/hostname")


CALIBRATION = f"{PONDS}/calibration/calibration.toml"

BREAKAGES: list[tuple[Callable[[Path], None], str]] = [
    (_remove("guidelines.md"), r"guidelines\.md: missing"),
    (_edit("guidelines.md", "Validators, and types", "Function kinds"), "two sections are called"),
    (_remove(f"{PONDS}/TASK.txt"), r"TASK\.txt: missing: it holds the prompt"),
    (_write(f"{PONDS}/TASK.txt", b" \n"), r"TASK\.txt: is empty"),
    (_write(f"{PONDS}/TASK.txt", b"\xff\xfe"), r"TASK\.txt: is not UTF-8"),
    (_remove(f"{PONDS}/grader.py"), r"grader\.py: missing"),
    (_remove(f"{PONDS}/answer/package.json"), r"package\.json: missing"),
    (_write(f"{PONDS}/answer/convex/a.ts", b"\xff"), r"answer/convex/a\.ts: is not UTF-8"),
    (_link, r"secrets\.ts: is a symbolic link"),
    (_write(f"{PONDS}/eval.toml", b"title = "), r"eval\.toml: is not TOML"),
    (_edit(f"{PONDS}/eval.toml", "title", "name"), r"eval\.toml: (title|name): "),
    (_edit(f"{PONDS}/eval.toml", "function-kinds", "kinds"), "guidelines: no section 'kinds'"),
    (_write(f"{PONDS}/eval.toml", f'{CONFIG}pipeline = "fast"'.encode()), "pipeline: "),
    (
        _write(f"{PONDS}/eval.toml", f"{CONFIG}[limits]\ntests_s = 0\n".encode()),
        r"limits\.tests_s: ",
    ),
    (_write("000-fundamentals/one/TASK.txt", b"x"), "three digits"),
    (_write("03-x/000-y/TASK.txt", b"x"), "three digits"),
    (_write("000-fundamentals/000-lakes/TASK.txt", b"x"), "the same number as 000-lakes"),
    (_edit(CALIBRATION, "[pass.other]", "[pass.another]"), r"\[pass\.other\]: missing"),
    (_edit(CALIBRATION, '["test_kinds"]', "[]"), "name the tests that must fail"),
    (_edit(CALIBRATION, '"deploy"', '"review"'), r"fail\.bare\.step: "),
    (_edit(CALIBRATION, 'delete = ["convex/schema.ts"]', ""), "changes nothing"),
    (_edit(CALIBRATION, '["convex/schema.ts"]', '["convex/s.ts"]'), "is not a file of answer/"),
    (_edit(CALIBRATION, "[fail.public]", "[fail.public"), "is not TOML"),
    (
        _edit(CALIBRATION, 'diff."convex/ponds.ts"', 'diff."convex/p.ts"'),
        "diff: convex/p.ts is not",
    ),
    (
        _edit(f"{PONDS}/answer/convex/ponds.ts", "const drain", "const flood"),
        r"calibration\.toml: \[fail\.public\] diff\.\"convex/ponds\.ts\": hunk 1: applies nowhere",
    ),
    (
        _write(f"{PONDS}/calibration/fail/public/convex/ponds.ts", b"export {};"),
        "convex/ponds.ts is also deleted, or also a file in fail/public/",
    ),
    (
        _edit(CALIBRATION, "[fail.public]", '[fail.public]\ndelete = ["convex/ponds.ts"]'),
        "convex/ponds.ts is also deleted, or also a file in fail/public/",
    ),
]


@pytest.mark.parametrize(("breakage", "message"), BREAKAGES)
def test_faults_are_named(root: Path, breakage: Callable[[Path], None], message: str) -> None:
    """The error names the faulty file or folder, and the fault, in one line."""
    breakage(root)
    with pytest.raises(InvalidEvalError, match=message):
        discover(root).evals[0].load_calibrations()


@pytest.mark.parametrize(
    "relative_path", ["guidelines.md", f"{PONDS}/TASK.txt", f"{PONDS}/answer/convex"]
)
def test_a_link_in_the_suite_is_refused(root: Path, relative_path: str, tmp_path: Path) -> None:
    """Following the link could send a file of this machine, such as a key file, to a provider."""
    moved = (root / relative_path).rename(tmp_path / "elsewhere")
    (root / relative_path).symlink_to(moved)
    with pytest.raises(InvalidEvalError, match=f"{root / relative_path}: is a symbolic link"):
        discover(root)


def test_a_folder_without_evals_is_no_suite(tmp_path: Path) -> None:
    """A folder with guidelines only is named as empty."""
    (tmp_path / "guidelines.md").write_text(GUIDELINES)
    with pytest.raises(InvalidEvalError, match="holds no evals"):
        discover(tmp_path)


def test_an_eval_may_have_no_calibration_yet(root: Path) -> None:
    """Calibrations are optional to discovery, because an author begins without them."""
    write_eval(root / "002-queries" / "008-new")
    for path in sorted((root / "002-queries/008-new/calibration").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert discover(root).evals[-1].load_calibrations() == ()


def test_sections_of_guidelines() -> None:
    """A section is an h2 heading with the text below it; headings inside code do not count."""
    section_texts = parse_sections(GUIDELINES)
    assert list(section_texts) == ["function-kinds", "validators-and-types"]
    assert section_texts["validators-and-types"].startswith("## Validators, and types\n\nGive")
    assert "not-a-section" in section_texts["function-kinds"]


def test_the_suite_of_this_repository_is_sound() -> None:
    """Every eval is discovered, and each has at least one other right and two wrong answers."""
    suite = discover(Path(__file__).parents[3] / "evals")
    for evaluation in suite.evals:
        kinds = [calibration.kind for calibration in evaluation.load_calibrations()]
        assert kinds.count("pass") >= 1, evaluation.name
        assert kinds.count("fail") >= 2, evaluation.name
        assert 60 <= len(evaluation.task.split()) <= 600, evaluation.name
        assert evaluation.config.guidelines, evaluation.name


LINE = format_canary_line("sums", command_suite.CANARY)


def test_an_eval_has_the_grader_of_its_suite(tmp_path: Path) -> None:
    """Without a grader of its own an eval is judged by the suite's program, over its folder."""
    evaluation = command_suite.read_eval(command_suite.write_command_suite(tmp_path))
    assert evaluation.config.pipeline is Pipeline.COMMAND
    assert get_program(evaluation.config).command == ("python3", "-m", "pytest_report")
    assert [path.name for path in evaluation.collect_grader_files()] == ["test_sums.py"]
    assert not evaluation.kind.has_convex_answers


def test_an_eval_may_have_a_grader_of_its_own(tmp_path: Path) -> None:
    """Fields of eval.toml replace those of the suite, one by one."""
    root = command_suite.write_command_suite(tmp_path)
    suite = get_program(command_suite.read_eval(root).config)
    evaluation = command_suite.read_eval(root, "exit 0", "\n[limits]\ntests_s = 7\n")
    grader = get_program(evaluation.config)
    assert (grader.command, evaluation.config.limits.tests_s) == (("sh", "judge"), 7)
    assert (suite.answer_processes, grader.answer_processes) == (10, 10)
    (evaluation.folder / "eval.toml").write_text(
        f"{command_suite.CONFIG}\n[grader]\nanswer_s = 99\n"
    )
    patient = get_program(discover(root).evals[0].config)
    assert patient == suite.model_copy(update={"answer_s": 99})


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        ("suite.toml", "[answers]", "[answer]", "suite.toml: answer"),
        ("suite.toml", command_suite.CANARY, "none", "suite.toml: canary"),
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
    file = command_suite.write_command_suite(tmp_path) / path
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(InvalidEvalError, match=message):
        discover(tmp_path)


def test_an_eval_without_a_grader_is_refused(tmp_path: Path) -> None:
    """The message names the folder that is missing."""
    root = command_suite.write_command_suite(tmp_path)
    (root / "000-numbers" / "000-sums" / "grader" / "test_sums.py").unlink()
    with pytest.raises(InvalidEvalError, match=r"000-sums/grader: missing"):
        discover(root)


def test_the_pipeline_needs_the_settings_of_a_suite(root: Path) -> None:
    """An eval for Convex with this pipeline names the file that is missing, and has no grader."""
    eval_file = root / "000-fundamentals" / "000-ponds" / "eval.toml"
    with pytest.raises(InvalidEvalError, match='its pipeline is not "command"'):
        get_program(discover(root).evals[0].config)
    eval_file.write_text(command_suite.CONFIG)
    with pytest.raises(InvalidEvalError, match=r"suite\.toml: missing"):
        discover(root)


def test_a_link_to_other_settings_is_refused(tmp_path: Path) -> None:
    """Settings stand in the suite itself."""
    root = command_suite.write_command_suite(tmp_path / "suite")
    (root / "suite.toml").unlink()
    (tmp_path / "elsewhere.toml").write_text(command_suite.SETTINGS)
    (root / "suite.toml").symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(InvalidEvalError, match="symbolic link"):
        discover(root)


def test_lint_finds_faults_of_every_suite(tmp_path: Path) -> None:
    """Canary, placeholders and a wrong answer are asked for; rules for Convex are not."""
    root = command_suite.write_command_suite(tmp_path)
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
    settings = command_suite.SETTINGS.replace('"lib/**', '"*", "lib/**').replace(
        '["sums.py"]', f'["{path}"]'
    )
    root = command_suite.write_command_suite(tmp_path, settings)
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
    root = command_suite.write_command_suite(tmp_path)
    before = discover(root).evals[0]
    mark(before.folder, LINE)
    after = discover(root).evals[0]
    assert after.task.strip() == before.task.strip()
    assert LINE in after.read_answer()["sums.py"]
    assert strip_canary(after.read_answer()["sums.py"]) == command_suite.ANSWER
    assert strip_canary("a canary: bird\n") == "a canary: bird\n"


def test_tests_of_a_program_cannot_be_selected(tmp_path: Path) -> None:
    """A part of a name is refused, since any program may have no way to choose."""
    evaluation = command_suite.read_eval(command_suite.write_command_suite(tmp_path))
    assert isinstance(evaluation.config, ProgramEvalConfig)
    assert select_tests(evaluation, ()) == ()
    with pytest.raises(BadSelectionError, match="leave -k out"):
        select_tests(evaluation, ("small",))


def test_a_new_eval_is_a_copy(tmp_path: Path) -> None:
    """The files of `suite new` are for Convex: the message names what to do instead."""
    root = command_suite.write_command_suite(tmp_path)
    with pytest.raises(BadSelectionError, match="copy the folder of an eval"):
        make_eval(root, "numbers", "products")
