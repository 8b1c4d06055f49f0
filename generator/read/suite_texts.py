"""The reader of the suite's texts for pages: each eval's task, concept, reference answer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli

from generator.errors import GeneratorError
from generator.read.grading_texts import GradingTexts, TestText, read_grading_texts
from generator.sources import compute_key, list_files_below
from records.files.plain_files import find_symlink
from records.files.problems import InvalidFieldsError, validate_fields
from records.reader import read_suite
from records.suites.canary import LINE, format_canary_line, strip_canary
from records.suites.eval_config import DescribedEval, parse_eval_config
from records.suites.suite_config import SuiteConfig


@dataclass(frozen=True, slots=True)
class EvalTexts:
    """The texts of one eval."""

    title: str
    concept: str | None
    """None for an eval of another repository's suite, which does not publish it."""
    why: str | None
    guidelines: Sequence[str]
    """The sections of the guidelines that the eval exercises."""
    task: str
    reference: Mapping[str, str]
    digest: str
    """A digest of all fields above, which pages of runs show."""
    grading: GradingTexts
    """The grading of the eval in words."""
    is_of_project: bool = True
    """Whether this project's repository has the eval."""


def read_eval_texts(folder: Path) -> EvalTexts:
    """Read the eval at ``folder``.

    Raises:
        GeneratorError: a file of the eval cannot be read; the message names it.
    """
    answer = folder / "answer"
    fields = _read_config(folder / "eval.toml")
    task = _read_text(folder / "TASK.txt")
    reference = {
        path.relative_to(answer).as_posix(): _read_text(path)
        for path in sorted(Path(file) for file, _ in list_files_below(str(answer)))
    }
    digest = compute_key(*fields, task, list(reference.items()))
    return EvalTexts(*fields, task, reference, digest, read_grading_texts(folder))


def read_canary(root: Path, *, has_evals: bool) -> str | None:
    """Return the canary's line of the suite at ``root``; None if no suite is there.

    A suite without `suite.toml` is that of this program; ``has_evals`` says that there are evals.

    Raises:
        GeneratorError: its `suite.toml` cannot be read; the message names it.
    """
    path = root / "suite.toml"
    try:
        fields = tomli.loads(path.read_text(encoding="utf-8"))
        suite = validate_fields(fields, SuiteConfig)
    except (FileNotFoundError, NotADirectoryError):
        return LINE if has_evals else None
    except InvalidFieldsError as error:
        raise GeneratorError(f"{path}: {error}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise GeneratorError(f"{path}: not TOML: {error}") from error
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
    suites = sorted(map(read_suite, paths), key=lambda suite: (suite.described_at, suite.version))
    return {
        name: _build_described_texts(described)
        for suite in suites
        for name, described in suite.evals.items()
    }


def _build_described_texts(described: DescribedEval) -> EvalTexts:
    task, reference = strip_canary(described.task), described.reference
    tests = [TestText(title, title) for title in dict.fromkeys(described.tests)]
    return EvalTexts(
        title=described.title,
        concept=None,
        why=None,
        guidelines=(),
        task=task,
        reference=reference,
        digest=compute_key(described.title, task, list(reference.items())),
        grading=GradingTexts(tests, (), ()),
        is_of_project=False,
    )


def _read_config(path: Path) -> tuple[str, str, str, list[str]]:
    """Return the title, the concept, its reason, and the exercised sections of the guidelines."""
    try:
        config = parse_eval_config(tomli.loads(_read_text(path)))
    except InvalidFieldsError as error:
        raise GeneratorError(f"{path}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise GeneratorError(f"{path}: not TOML: {error}") from error
    return config.title, config.concept, config.why, list(config.guidelines)


def _read_text(path: Path) -> str:
    """Return a file's text without the canary, which every diff against an answer would show."""
    try:
        return strip_canary(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise GeneratorError(f"{path}: {error}") from error
