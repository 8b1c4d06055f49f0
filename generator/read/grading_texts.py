"""The grading of an eval in words: the tests of its grader, and the variants that prove it.

A grader is parsed and never run; only the names and docstrings of its tests are used.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli

from generator.errors import GeneratorError
from records.files.problems import InvalidFieldsError, validate_fields
from records.suites.eval_config import CalibrationConfig


@dataclass(frozen=True, slots=True)
class TestText:
    """A test of a grader."""

    __test__ = False  # pytest would otherwise collect this class

    name: str
    """The name of the test function."""
    sentence: str
    """The first line of the function's docstring; without a docstring, its name in words."""


@dataclass(frozen=True, slots=True)
class VariantText:
    """A variant: a right or wrong answer that proves the grader."""

    name: str
    reason: str
    step: str | None
    """The first step at which the variant fails; None for a right answer."""
    tests: Sequence[str]
    """The names of the test functions that must refuse the variant; empty unless the step is
    ``tests``."""


@dataclass(frozen=True, slots=True)
class GradingTexts:
    """The tests and the variants of an eval."""

    tests: Sequence[TestText]
    """The tests, in the order of the grader."""
    accepted: Sequence[VariantText]
    """Other right answers, which must pass."""
    refused: Sequence[VariantText]
    """Wrong answers, which must fail."""


def read_grading_texts(folder: Path) -> GradingTexts:
    """Read the grader and the calibration of the eval at ``folder``; either may be missing.

    Raises:
        GeneratorError: a file cannot be read; the message names it.
    """
    calibration = _read_calibration(folder / "calibration" / "calibration.toml")
    graders = [folder / "grader.py", *sorted((folder / "grader").glob("test_*.py"))]
    return GradingTexts(
        tests=[test for file in graders for test in _read_tests(file)],
        accepted=[
            VariantText(name, variant.reason, None, ())
            for name, variant in sorted(calibration.passing.items())
        ],
        refused=[
            VariantText(name, variant.reason, variant.step.value, _list_functions(variant.tests))
            for name, variant in sorted(calibration.failing.items())
        ],
    )


def _list_functions(tests: Sequence[str]) -> list[str]:
    """Return the names of test functions, without parameters and without repetitions."""
    return list(dict.fromkeys(test.partition("[")[0] for test in tests))


def _read_tests(path: Path) -> list[TestText]:
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise GeneratorError(f"{path}: cannot be read as Python: {error}") from error
    return [
        TestText(node.name, _describe_test(node))
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    ]


def _describe_test(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    first = (ast.get_docstring(node) or "").partition("\n")[0].strip()
    return first or node.name.removeprefix("test_").replace("_", " ").capitalize()


def _read_calibration(path: Path) -> CalibrationConfig:
    try:
        fields = tomli.loads(path.read_text(encoding="utf-8"))
        return validate_fields(fields, CalibrationConfig)
    except FileNotFoundError:
        return CalibrationConfig()
    except InvalidFieldsError as error:
        raise GeneratorError(f"{path}: {error}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise GeneratorError(f"{path}: not TOML: {error}") from error
