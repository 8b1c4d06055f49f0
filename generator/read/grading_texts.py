"""The grading of an eval in words: tests of its grader, and the answers that prove the grader.

Graders are read and never run: their functions' names and docstrings are all that is shown.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli

from generator.errors import GeneratorError
from records.files.problems import InvalidFieldsError, validate_fields
from records.suites.calibration_config import CalibrationConfig


@dataclass(frozen=True, slots=True)
class TestText:
    """A test of a grader."""

    __test__ = False  # pytest would otherwise collect this class

    name: str
    """The function's name."""
    sentence: str
    """The first line of its docstring; its name in words where it has none."""


@dataclass(frozen=True, slots=True)
class VariantText:
    """An answer that the grader is held against."""

    name: str
    reason: str
    step: str | None
    """The first step at which it fails; None for one that passes."""
    tests: Sequence[str]
    """Functions that must refuse it, where the step is ``tests``."""


@dataclass(frozen=True, slots=True)
class GradingTexts:
    """How an eval is judged."""

    tests: Sequence[TestText]
    """In the order in which they stand in the grader."""
    accepted: Sequence[VariantText]
    """Other right answers, which must pass."""
    refused: Sequence[VariantText]
    """Wrong answers, which must fail."""


def read_grading_texts(folder: Path) -> GradingTexts:
    """Read the grader and the calibrations of the eval at ``folder``; either may be missing.

    Raises:
        GeneratorError: one of them cannot be read; the message names the file.
    """
    described = _described(folder / "calibration" / "calibration.toml")
    return GradingTexts(
        tests=_tests(folder / "grader.py"),
        accepted=[
            VariantText(name, variant.reason, None, ())
            for name, variant in sorted(described.passing.items())
        ],
        refused=[
            VariantText(name, variant.reason, variant.step.value, _functions(variant.tests))
            for name, variant in sorted(described.failing.items())
        ],
    )


def _functions(tests: Sequence[str]) -> list[str]:
    """Return tests without their parameters, each once."""
    return list(dict.fromkeys(test.partition("[")[0] for test in tests))


def _tests(path: Path) -> list[TestText]:
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise GeneratorError(f"{path}: cannot be read as Python: {error}") from error
    return [
        TestText(node.name, _sentence(node))
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    ]


def _sentence(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    first = (ast.get_docstring(node) or "").partition("\n")[0].strip()
    return first or node.name.removeprefix("test_").replace("_", " ").capitalize()


def _described(path: Path) -> CalibrationConfig:
    try:
        fields = tomli.loads(path.read_text(encoding="utf-8"))
        return validate_fields(fields, CalibrationConfig, CalibrationConfig.model_validate)
    except FileNotFoundError:
        return CalibrationConfig()
    except InvalidFieldsError as error:
        raise GeneratorError(f"{path}: {error}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise GeneratorError(f"{path}: not TOML: {error}") from error
