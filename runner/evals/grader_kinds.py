"""The kinds of graders, with the facts that other parts need about the form of a grader.

`find_kind` alone chooses a kind. Three rooms add what they do for each: the prompt
(`runner/answers/prompt.py`), the steps of grading (`runner/grading/grade.py`), and the tools of
authors (`runner/suite/lint/__init__.py`).
"""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

from records.suites import eval_config
from records.suites.canary import LINE, format_canary_line
from records.suites.given_app import GIVEN
from records.suites.suite_config import GraderProgram, SuiteConfig
from runner.errors import InvalidEvalError
from runner.evals import typescript_suites
from runner.evals.path_patterns import is_matching_any
from runner.evals.text_files import list_files, parse_settings, read_required, read_settings

SETTINGS = "suite.toml"
_JUDGED_TEST = "createAIGraderTest("
_PIPELINES = (eval_config.Pipeline.FULL, eval_config.Pipeline.STATIC)
_NOT_OF_THE_GRADER = frozenset({"answer", "TASK.txt", typescript_suites.EVAL_SETTINGS})


class GraderKind(ABC):
    """The answers of a suite to questions that depend on the form of its graders."""

    grader: ClassVar[str]
    """The tests in the folder of an eval: a file, or the folder of a program."""
    output_name: ClassVar[str]
    """The name of the texts that a grader prints beside its tests."""
    has_convex_answers: ClassVar[bool] = True
    """True if answers are projects for Convex, and not any files."""
    is_of_others: ClassVar[bool] = False
    """True if the suite was written for another program.

    Nothing is written into its folder, so pages get its texts from the data folder. Its answers may
    have settings of programs at their root, binary files, and packages that nothing imports.
    """
    local_backend_problem: ClassVar[str | None] = None
    """The reason why graders cannot use the real backend; None if they can."""
    kit: Path | None = None
    """The folder of a suite's own modules, which its graders import as ``grader``; else None."""

    @abstractmethod
    def read_config(self, folder: Path) -> eval_config.EvalConfig:
        """Return the configuration of the eval in ``folder``, whose grader is there.

        Raises:
            InvalidEvalError: a file is missing or invalid; the message names it.
        """

    @abstractmethod
    def list_grader_files(self, folder: Path) -> tuple[Path, ...]:
        """Return the files of an eval that a verdict depends on: the grader, and its imports."""

    def has_eval(self, folder: Path) -> bool:
        """Return true if a folder of a category is an eval."""
        return folder.is_dir() and not folder.name.startswith((".", "_"))

    def asks_judge(self, folder: Path) -> bool:
        """Return true if a judge model decides a test of the eval in ``folder``."""
        del folder
        return False

    def get_canary_line(self) -> str | None:
        """Return the line that marks the files of evals; None if this program adds none."""
        return LINE


@dataclass(frozen=True, slots=True)
class PythonGraders(GraderKind):
    """Tests in Python with the fixtures of this project."""

    grader = "grader.py"
    output_name = "printed while the grader was loaded"
    local_backend_problem = (
        "its graders call test controls such as `reset`, which only the emulator has"
    )

    def read_config(self, folder: Path) -> eval_config.EvalConfig:
        """Return the configuration in ``eval.toml``."""
        config = _read_eval_config(folder)
        if config.pipeline is eval_config.Pipeline.COMMAND:
            raise InvalidEvalError(
                f"{folder.parents[1] / SETTINGS}: missing: it holds the rules for answers to evals "
                'of pipeline = "command"'
            )
        read_required(folder / self.grader, "the tests")
        is_given = (folder / GIVEN).is_dir()
        home = folder / GIVEN if is_given else folder / "answer"
        read_required(home / "package.json", "the dependencies of the app")
        if config.steps and not is_given:
            raise InvalidEvalError(f"{folder / 'eval.toml'}: steps: there is no {GIVEN}/ to change")
        return config

    def list_grader_files(self, folder: Path) -> tuple[Path, ...]:
        """Return the check modules and the grader."""
        return (*sorted(folder.glob("check_*.py")), folder / self.grader)


@dataclass(frozen=True, slots=True)
class VitestGraders(GraderKind):
    """Tests in TypeScript for vitest, written for another program."""

    grader = typescript_suites.GRADER
    output_name = "vitest"
    is_of_others = True

    kit: Path | None

    def read_config(self, folder: Path) -> eval_config.EvalConfig:
        """Return the configuration, made of the folder's name and ``eval.json``."""
        path = folder / typescript_suites.EVAL_SETTINGS
        settings: dict[str, Any] = {}
        if path.is_file():
            try:
                content: object = json.loads(path.read_text("utf-8"))
            except (ValueError, RecursionError) as error:
                raise InvalidEvalError(f"{path}: is not JSON: {error}") from error
            if not isinstance(content, dict):
                raise InvalidEvalError(f"{path}: must hold an object")
            settings = cast("dict[str, Any]", content)
        pipeline = settings.get("pipeline", eval_config.Pipeline.FULL.value)
        if pipeline not in _PIPELINES:
            choices = ", ".join(_PIPELINES)
            raise InvalidEvalError(
                f"{path}: pipeline: {pipeline!r} is not known: choose from {choices}"
            )
        title = typescript_suites.derive_title(folder)
        return eval_config.EvalConfig(
            title=title[:80],
            concept=f"{title}: see the task.",
            why="The suite does not state why.",
            guidelines=(),
            pipeline=eval_config.Pipeline(pipeline),
        )

    def list_grader_files(self, folder: Path) -> tuple[Path, ...]:
        """Return the grader, the files beside it and of the kit, and the modules they import.

        Files that tools generate are left out.
        """
        beside = [
            path
            for path in list_files(folder)
            if path.relative_to(folder).parts[0] not in _NOT_OF_THE_GRADER
        ]
        of_kit = list_files(self.kit) if self.kit else ()
        return tuple(
            sorted({*beside, *of_kit, *typescript_suites.find_shared_modules(folder, self.kit)})
        )

    def has_eval(self, folder: Path) -> bool:
        """Return true if a folder has a grader."""
        return (folder / typescript_suites.GRADER).is_file()

    def asks_judge(self, folder: Path) -> bool:
        """Return true if the grader defines a test that a judge model decides."""
        return _JUDGED_TEST in (folder / typescript_suites.GRADER).read_text(
            "utf-8", errors="replace"
        )

    def get_canary_line(self) -> str | None:
        """Return None, because nothing is written into such a suite."""
        return None


@dataclass(frozen=True, slots=True)
class ProgramGraders(GraderKind):
    """Programs of a suite's author, by the suite's own rules in ``suite.toml``."""

    grader = "grader"
    output_name = "printed by the grader"
    has_convex_answers = False
    local_backend_problem = "its graders use no backend"

    config: SuiteConfig

    def read_config(self, folder: Path) -> eval_config.EvalConfig:
        """Return the configuration, with the suite's grader where ``eval.toml`` changes nothing."""
        config = _read_eval_config(folder)
        if not isinstance(config, eval_config.CommandEvalConfig):
            raise InvalidEvalError(
                f'{folder / "eval.toml"}: pipeline: must be "command" in a suite with {SETTINGS}'
            )
        if not self.list_grader_files(folder):
            raise InvalidEvalError(f"{folder / self.grader}: missing: it holds the grader's files")
        program = self.config.grader
        if config.grader is not None:
            program = config.grader.apply_to(program)
        return eval_config.ProgramEvalConfig.model_validate(dict(config) | {"grader": program})

    def list_grader_files(self, folder: Path) -> tuple[Path, ...]:
        """Return all files of the grader's folder."""
        return tuple(sorted(list_files(folder / self.grader)))

    def get_canary_line(self) -> str | None:
        """Return the line with the suite's own canary."""
        return format_canary_line(self.config.name, self.config.canary)


PYTHON = PythonGraders()


def find_kind(evals: Path, folder: Path | None = None) -> GraderKind:
    """Return the kind of the graders below ``evals``, the folder of categories.

    For a single eval, ``folder`` is its folder.

    Raises:
        InvalidEvalError: ``suite.toml`` is invalid.
    """
    if (config := read_suite_config(evals)) is not None:
        return ProgramGraders(config)
    is_typescript = (
        (folder / typescript_suites.GRADER).is_file()
        if folder
        else typescript_suites.has_typescript_graders(evals)
    )
    return VitestGraders(typescript_suites.find_kit(evals)) if is_typescript else PYTHON


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


def get_program(config: eval_config.EvalConfig) -> GraderProgram:
    """Return the program that judges answers to an eval.

    Raises:
        InvalidEvalError: the eval has a grader of another kind.
    """
    if not isinstance(config, eval_config.ProgramEvalConfig):
        raise InvalidEvalError(f'{config.title}: has no grader: its pipeline is not "command"')
    return config.grader


def _read_eval_config(folder: Path) -> eval_config.EvalConfig:
    path = folder / "eval.toml"
    read_required(path, "what the eval measures")
    return parse_settings(path, eval_config.parse_eval_config)
