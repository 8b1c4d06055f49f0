"""Names of classes, docstrings of modules, and tables with a row for each member of a list."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from generator.pages import leaderboard
from leaderboard.commands.running import run_command
from leaderboard.terminal import shell_commands
from records.shapes.failure_classes import CLASSES, FailureClass
from runner.grading.worker import pytest_fixtures
from runner.models.baselines import BASELINES
from runner.reports import proposals
from runner.suite.lint.eval_files import FIXTURES

pytestmark = pytest.mark.unit
ROOT = Path(__file__).parents[2]
PACKAGES = ("generator", "leaderboard", "records", "review", "runner")


def test_no_class_name_stands_in_two_modules() -> None:
    """A search for the name of a class finds a single definition."""
    paths_by_class: defaultdict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.ClassDef):
                    paths_by_class[node.name].append(path.relative_to(ROOT).as_posix())
    assert paths_by_class
    assert {name: paths for name, paths in paths_by_class.items() if len(paths) > 1} == {}


def test_the_answers_of_the_guess_test_are_there() -> None:
    """`places.tsv` has questions for a reader of names alone; a moved file is named anew there."""
    rows = Path(__file__).with_name("places.tsv").read_text("utf-8").splitlines()[1:]
    paths = [path for row in rows for path in row.split("\t")[1].split(", ")]
    assert [path for path in paths if not (ROOT / path).exists()] == []


QUESTIONS = {"What", "Who", "Whoever", "Whatever", "Where", "How", "When", "Which"}
MODULES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_module_describes_itself(package: str) -> None:
    """No module's docstring begins with a question word, which names nothing."""
    begins = {
        path.relative_to(ROOT).as_posix(): (ast.get_docstring(ast.parse(path.read_bytes())) or "")
        for path in MODULES
        if path.is_relative_to(ROOT / package)
    }
    vague = [name for name, text in begins.items() if text.partition(" ")[0] in QUESTIONS]
    assert vague == []


ASKED_AGAIN = {
    *("guidelines", "budget_usd", "concurrency", "ahead", "allow_changed", "api_base"),
    *("max_tokens", "parameters", "price"),
    *("publish", "why", "report_to", "backend", "sandbox", "install", "graders", "workspaces"),
    *("cluster", "evals_root", "data"),
}
"""Options of `run` that the command to resume a run repeats: no record holds them, or they name
places. A new option goes here, or into a table of `leaderboard/terminal/shell_commands.py`.
"""


def test_every_class_of_failure_has_words() -> None:
    """The prompt for drafts of reports has each class; pages have a label and a letter for it."""
    assert set(proposals.CLASSES) == set(FailureClass)
    assert set(CLASSES) == {*FailureClass, None}
    letters = [letter for _, letter in CLASSES.values()]
    assert len(letters) == len(set(letters))


def test_every_baseline_is_explained_below_the_table() -> None:
    """No baseline is among the models without a note on its answers."""
    assert set(leaderboard.BASELINE_NOTES) == set(BASELINES)


def test_lint_knows_the_fixtures_of_graders() -> None:
    """For an unknown fixture, lint would report that the test asks for none."""
    tree = ast.parse(Path(pytest_fixtures.__file__).read_text("utf-8"))
    fixtures = {
        keyword.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.fixture"
        for keyword in node.keywords
        if keyword.arg == "name" and isinstance(keyword.value, ast.Constant)
    }
    assert fixtures == FIXTURES


def test_every_option_of_run_is_known_to_the_command_that_resumes() -> None:
    """An option is refused beside --resume, of no use to it, or repeated in the printed command."""
    options = {option.name for option in run_command.params}
    classified = shell_commands.OF_THE_RUN | shell_commands.OF_THE_COMMAND
    assert not ASKED_AGAIN & classified
    assert options <= ASKED_AGAIN | classified, "see leaderboard/terminal/shell_commands.py"


def test_make_check_runs_every_check() -> None:
    """The Makefile has a target for each check, and a list of the targets, by which they run."""
    text = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    listed = re.findall(r"(?m)^CHECKS := (.*)$", text)
    assert len(listed) == 1
    assert sorted(listed[0].split()) == sorted(re.findall(r"(?m)^(check-[a-z]+):", text))
