"""The toolchain of suites with ``suite.toml``: packages, and files that verdicts depend on."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import runner
from runner.errors import ToolchainMissingError
from runner.python_toolchain import find_python_toolchain
from runner.toolchain import READING_FILES
from tests.runner.command_suite import get_suite_config, read_eval, write_command_suite

pytestmark = pytest.mark.unit

HOME: Final = Path(runner.__file__).parent
_PLACES: Final = ("runner.answers.", "runner.evals.")


def _list_imports(path: str) -> Iterator[str]:
    """Yield the modules for answers and suites that a module imports."""
    for node in ast.walk(ast.parse((HOME / path).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PLACES):
            yield f"{(node.module or '').removeprefix('runner.').replace('.', '/')}.py"


def test_all_modules_that_read_replies_are_in_the_digest() -> None:
    """A verdict depends on each module that the reader of replies imports."""
    waiting, met = ["answers/reader.py", "answers/reader_process.py"], set[str]()
    while waiting:
        path = waiting.pop()
        met.add(path)
        waiting += [each for each in _list_imports(path) if each not in met]
    assert met == set(READING_FILES)


@pytest.mark.parametrize(
    "path",
    [
        *("answers/reasoning.py", "grading/programs/kit/run-answer", "grading/grade.py"),
        *("grading/steps/step.py", "python_toolchain.py"),
    ],
)
def test_a_change_of_a_judging_file_makes_verdicts_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """The digest changes with the text of the file."""
    toolchain = find_python_toolchain(get_suite_config(read_eval(write_command_suite(tmp_path))))
    before, read = toolchain.compute_digest(), Path.read_bytes

    def read_changed(file: Path) -> bytes:
        return read(file) + b"#" if file == HOME / path else read(file)

    monkeypatch.setattr(Path, "read_bytes", read_changed)
    assert toolchain.compute_digest() != before


@pytest.mark.parametrize("name", ["pluggy", "PyTest", "markdown.it_py", "markdown-it-py"])
def test_names_of_packages_are_compared_as_pip_does(tmp_path: Path, name: str) -> None:
    """Capital letters, and dots for hyphens, name the same package."""
    config = get_suite_config(read_eval(write_command_suite(tmp_path)))
    toolchain = find_python_toolchain(config.model_copy(update={"packages": (name,)}))
    assert name.lower().translate(str.maketrans("._", "--")) in dict(toolchain.packages)


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    """The message has the command, however the suite writes the name."""
    config = get_suite_config(read_eval(write_command_suite(tmp_path)))
    with pytest.raises(ToolchainMissingError, match="pip install no-such-package"):
        find_python_toolchain(config.model_copy(update={"packages": ("No.Such_Package",)}))
