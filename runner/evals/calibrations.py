"""The calibrations beside an eval: answers that its grader must pass, and answers it must fail."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from records.shapes.attempt import StepName
from records.suites.eval_config import CalibrationConfig, CalibrationVariant, WrongVariant
from runner.errors import InvalidEvalError
from runner.evals.line_diff import DiffError, apply_diff
from runner.evals.text_files import read_settings, read_tree


class Calibration(NamedTuple):
    """A variant of an eval's answer and the verdict that grading must return."""

    kind: Literal["pass", "fail"]
    name: str
    step: StepName | None
    """The first step that fails; None for a variant that passes."""
    reason: str
    tests: tuple[str, ...]
    """The tests that must be among the failing tests, if the step is ``tests``."""
    files: Mapping[str, str]
    """The whole answer: the reference with the changes of the variant."""


def read_calibrations(
    folder: Path, answer: Mapping[str, str], given: Mapping[str, str]
) -> tuple[Calibration, ...]:
    """Return the calibrations of the eval at ``folder``, first the passing variants, by name.

    A diff may change files of the ``given`` app that ``answer`` leaves as they are.

    Raises:
        InvalidEvalError: the description and the folders disagree, or a file cannot be used.
    """
    home = folder / "calibration"
    described = read_settings(home / "calibration.toml", CalibrationConfig) or CalibrationConfig()
    variants: Mapping[Literal["pass", "fail"], Mapping[str, CalibrationVariant]] = {
        "pass": described.passing,
        "fail": described.failing,
    }
    calibrations: list[Calibration] = []
    for kind, of_kind in variants.items():
        folders = {path.name for path in (home / kind).glob("*") if path.is_dir()}
        if nameless := sorted(folders - set(of_kind)):
            raise InvalidEvalError(
                f"{home / 'calibration.toml'}: [{kind}.{nameless[0]}]: missing, "
                f"but there is a folder {kind}/{nameless[0]}"
            )
        for name, variant in sorted(of_kind.items()):
            where, own_folder = f"{home / 'calibration.toml'}: [{kind}.{name}]", home / kind / name
            if not own_folder.is_dir() and not variant.delete and not variant.diff:
                raise InvalidEvalError(
                    f"{where}: changes nothing: give a `diff`, "
                    f"put files into {kind}/{name}/ or name some in `delete`"
                )
            changed = {**given, **answer}
            for key, paths, known in (
                ("delete", variant.delete, answer),
                ("diff", variant.diff, changed),
            ):
                if strays := sorted(set(paths) - set(known)):
                    raise InvalidEvalError(f"{where} {key}: {strays[0]} is not a file of answer/")
            whole = read_tree(own_folder) if own_folder.is_dir() else {}
            if twice := sorted({*variant.delete, *whole} & set(variant.diff)):
                raise InvalidEvalError(
                    f"{where} diff: {twice[0]} is also deleted, or also a file in {kind}/{name}/"
                )
            files = {path: text for path, text in answer.items() if path not in variant.delete}
            for path, diff in variant.diff.items():
                try:
                    files[path] = apply_diff(changed[path], diff)
                except DiffError as error:
                    raise InvalidEvalError(f'{where} diff."{path}": {error}') from error
            is_wrong = isinstance(variant, WrongVariant)
            step, tests = (variant.step, variant.tests) if is_wrong else (None, ())
            calibrations.append(Calibration(kind, name, step, variant.reason, tests, files | whole))
    return tuple(calibrations)
