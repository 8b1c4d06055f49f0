"""The reader of the suite's texts for pages: tasks, answers, grading, guidelines, the method."""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import tomli

from generator.errors import GeneratorError
from generator.sources import compute_key, list_files_below
from records.files.plain_files import find_symlink
from records.files.problems import InvalidFieldsError, validate_fields
from records.guidelines.sections import GuidelinesTokens, read_guidelines_tokens
from records.reader import read_record
from records.suites.benchmark import compute_texts_digest
from records.suites.canary import LINE, format_canary_line, strip_canary
from records.suites.eval_config import CalibrationConfig, SuiteDescription, parse_eval_config
from records.suites.given_app import GIVEN
from records.suites.levels import Level
from records.suites.suite_config import SuiteConfig


class TestText(NamedTuple):
    """A test of a grader."""

    __test__ = False  # pytest would otherwise collect this class

    name: str
    """The name of the test function."""
    sentence: str
    """The first line of the function's docstring; without a docstring, its name in words."""


def _read_tests(path: Path) -> list[TestText]:
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise GeneratorError(f"{path}: cannot be read as Python: {error}") from error
    functions = [
        node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [
        TestText(
            node.name,
            (ast.get_docstring(node) or "").partition("\n")[0].strip()
            or node.name.removeprefix("test_").replace("_", " ").capitalize(),
        )
        for node in functions
        if node.name.startswith("test_")
    ]


class EvalTexts(NamedTuple):
    """The texts of one eval."""

    title: str
    concept: str | None
    """None for an eval of another repository's suite, which does not publish it."""
    why: str | None
    guidelines: Sequence[str]
    """The sections of the guidelines that the eval exercises."""
    task: str
    reference: Mapping[str, str]
    given: Mapping[str, str]
    """The app that answers change, by path; empty for an eval without one."""
    digest: str
    """A digest of all fields above, which pages of runs show."""
    tests: Sequence[TestText]
    """The tests, in the order of the grader."""
    calibration: CalibrationConfig
    """The right and wrong answers that prove the grader."""
    is_of_project: bool = True
    """Whether this project's repository has the eval."""
    level: Level | None = None
    """None for an eval of another repository's suite."""
    held_out: bool = False


def read_eval_texts(folder: Path) -> EvalTexts:
    """Read the eval at ``folder``; grader and calibration may be missing.

    Raises:
        GeneratorError: a file of the eval cannot be read; the message names it.
    """
    config = _read_toml(folder / "eval.toml", parse_eval_config)
    fields = config.title, config.concept, config.why, list(config.guidelines)
    task = _read_text(folder / "TASK.txt")
    reference, given_files = (_read_files(folder / name) for name in ("answer", GIVEN))
    # An eval without a given app keeps the digest that it had.
    digest = compute_key(
        *fields, task, list(reference.items()), *([*given_files.items()] if given_files else [])
    )
    graders = [folder / "grader.py", *sorted((folder / "grader").glob("test_*.py"))]
    tests = [test for file in graders for test in _read_tests(file)]
    file, calibration = folder / "calibration" / "calibration.toml", CalibrationConfig()
    if file.exists():
        calibration = _read_toml(file, lambda fields: validate_fields(fields, CalibrationConfig))
    return EvalTexts(
        *fields,
        task,
        reference,
        given_files,
        digest,
        tests,
        calibration,
        level=config.level,
        held_out=config.held_out,
    )


def _read_files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): _read_text(path)
        for path in sorted(Path(file) for file, _ in list_files_below(str(folder)))
    }


def read_canary(root: Path, *, has_evals: bool) -> str | None:
    """Return the canary's line of the suite at ``root``; None if no suite is there.

    A suite without `suite.toml` is that of this program; ``has_evals`` says that there are evals.

    Raises:
        GeneratorError: its `suite.toml` cannot be read; the message names it.
    """
    path = root / "suite.toml"
    if not path.exists():
        return LINE if has_evals else None
    suite = _read_toml(path, lambda fields: validate_fields(fields, SuiteConfig))
    return format_canary_line(suite.name, suite.canary)


def read_suite_texts(
    root: Path, read_eval: Callable[[Path], EvalTexts] = read_eval_texts
) -> dict[str, EvalTexts]:
    """Return the texts of all evals of the suite at ``root``, by ``category/name``.

    ``read_eval`` reads the eval in a folder.

    Raises:
        GeneratorError: a file of an eval is a symbolic link or cannot be read; the message names
            it.
    """
    for category in sorted(root.glob("[0-9]*")):
        if (link := find_symlink(category, skipped=("node_modules",))) is not None:
            raise GeneratorError(f"{link}: is a symbolic link; put the file or folder itself there")
    folders = sorted(path.parent for path in root.glob("[0-9]*/[0-9]*/eval.toml"))
    return {f"{folder.parent.name}/{folder.name}": read_eval(folder) for folder in folders}


def read_described_texts(paths: Iterable[Path]) -> dict[str, EvalTexts]:
    """Return the texts of evals of described suites; of several with an eval, the newest counts.

    Raises:
        InvalidRecordError: a file does not describe a suite.
    """
    suites = sorted(
        (read_record(SuiteDescription, path) for path in paths),
        key=lambda suite: (suite.described_at, suite.version),
    )
    texts: dict[str, EvalTexts] = {}
    for suite in suites:
        for name, described in suite.evals.items():
            task, reference = strip_canary(described.task), described.reference
            texts[name] = EvalTexts(
                title=described.title,
                concept=None,
                why=None,
                guidelines=(),
                task=task,
                reference=reference,
                given={},
                digest=compute_key(described.title, task, list(reference.items())),
                tests=[TestText(title, title) for title in dict.fromkeys(described.tests)],
                calibration=CalibrationConfig(),
                is_of_project=False,
            )
    return texts


Config = TypeVar("Config")


def _read_toml(path: Path, parse: Callable[[dict[str, Any]], Config]) -> Config:
    """Return what ``parse`` makes of the fields of a file."""
    try:
        return parse(tomli.loads(_read_text(path)))
    except InvalidFieldsError as error:
        raise GeneratorError(f"{path}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise GeneratorError(f"{path}: not TOML: {error}") from error


def _read_text(path: Path) -> str:
    """Return a file's text without the canary, which every diff against an answer would show."""
    try:
        return strip_canary(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise GeneratorError(f"{path}: {error}") from error


def read_method_text(method: Path) -> str:
    """Return the Markdown of the method page; if the file is missing, a sentence about that.

    Raises:
        GeneratorError: the file is not UTF-8.
    """
    if not method.exists():
        # The folder's own name only: the rest of the path is of the machine that builds.
        missing = f"{method.parent.name}/{method.name}"
        return f"The method is not written down yet: `{missing}` is missing.\n"
    try:
        return method.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise GeneratorError(f"{method}: {error}") from error


class GuidelinesText(NamedTuple):
    """The guidelines that models are sent."""

    preamble: str
    """The text before the first section, without the title, as Markdown."""
    sections: Mapping[str, str]
    """The sections by slug, in their order, as Markdown without their headings."""
    characters: int
    """The number of characters of the whole text."""
    digest: str
    """The digest of the text, as in benchmark versions."""
    tokens: GuidelinesTokens | None
    """The number of tokens; None if nobody counted exactly this text."""


def read_guidelines_text(path: Path) -> GuidelinesText | None:
    """Read the guidelines at ``path``; None if there is no such file.

    Raises:
        GeneratorError: the file cannot be read or split into sections; the message names it.
    """
    from records.guidelines.sections import parse_sections, remove_sections  # noqa: PLC0415 - the parser is slow to load

    try:
        text = strip_canary(path.read_text(encoding="utf-8"))
        parts = parse_sections(text)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise GeneratorError(f"{path}: {error}") from error
    digest = compute_texts_digest(text)
    tokens_counted = read_guidelines_tokens(path.parent)
    return GuidelinesText(
        preamble=_without_heading(remove_sections(text)),
        sections={slug: _without_heading(section) for slug, section in parts.items()},
        characters=len(text),
        digest=digest,
        tokens=tokens_counted
        if tokens_counted is not None and tokens_counted.digest == digest
        else None,
    )


def _without_heading(text: str) -> str:
    first, _, body = text.strip().partition("\n")
    return body.strip() if first.startswith("#") else text.strip()
