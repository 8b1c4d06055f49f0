"""Suites with ``suite.toml``: each eval is judged by a program in its folder ``grader/``."""

from pathlib import Path
from typing import Final

from records.suites.eval_config import CommandEvalConfig, EvalConfig, ProgramEvalConfig
from records.suites.suite_config import GraderProgram, SuiteConfig
from runner.errors import InvalidEvalError
from runner.evals.path_patterns import is_matching_any
from runner.evals.text_files import list_files, read_settings

SETTINGS: Final = "suite.toml"
GRADER_FOLDER: Final = "grader"


def read_suite_config(root: Path) -> SuiteConfig | None:
    """Return the settings of the suite at ``root``; None where it has no ``suite.toml``.

    Raises:
        InvalidEvalError: the file is no TOML, or a field is wrong.
    """
    path = root / SETTINGS
    if (config := read_settings(path, SuiteConfig)) is None:
        return None
    for required in config.answers.required:
        if not is_matching_any(required, config.answers.paths):
            raise InvalidEvalError(
                f"{path}: answers.required: {required} matches no pattern of answers.paths, so "
                "every answer would fail"
            )
    return config


def require_command(folder: Path, config: EvalConfig, suite: SuiteConfig) -> ProgramEvalConfig:
    """Return the configuration of an eval, with the suite's grader where it changes nothing.

    Raises:
        InvalidEvalError: the eval has another pipeline, or no files of a grader.
    """
    if not isinstance(config, CommandEvalConfig):
        raise InvalidEvalError(
            f'{folder / "eval.toml"}: pipeline: must be "command" in a suite with {SETTINGS}'
        )
    if not list_files(folder / GRADER_FOLDER):
        raise InvalidEvalError(f"{folder / GRADER_FOLDER}: missing: it holds the grader's files")
    grader = suite.grader if config.grader is None else config.grader.apply_to(suite.grader)
    return ProgramEvalConfig.model_validate(dict(config) | {"grader": grader})


def get_grader(config: EvalConfig) -> GraderProgram:
    """Return the program that judges answers to an eval of such a suite.

    Raises:
        InvalidEvalError: the eval is of another suite.
    """
    if not isinstance(config, ProgramEvalConfig):
        raise InvalidEvalError(f'{config.title}: has no grader: its pipeline is not "command"')
    return config.grader
