"""What the site shows of the suite: each eval's task, concept and reference answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli

from generator.errors import GeneratorError
from generator.keys import key_of


@dataclass(frozen=True, slots=True)
class EvalTexts:
    """The texts of one eval."""

    title: str
    concept: str
    why: str
    guidelines: Sequence[str]
    """Sections of the guidelines that it exercises."""
    task: str
    reference: Mapping[str, str]
    digest: str
    """Of all of this."""


def read_suite_texts(root: Path) -> dict[str, EvalTexts]:
    """Read every eval of the suite at ``root``, by ``category/name``.

    Raises:
        GeneratorError: an eval's file cannot be read; the message names it.
    """
    folders = sorted(path.parent for path in root.glob("[0-9]*/[0-9]*/eval.toml"))
    return {f"{folder.parent.name}/{folder.name}": _texts(folder) for folder in folders}


def _texts(folder: Path) -> EvalTexts:
    try:
        about = tomli.loads((folder / "eval.toml").read_text(encoding="utf-8"))
        answer = folder / "answer"
        task = (folder / "TASK.txt").read_text(encoding="utf-8")
        reference = {
            path.relative_to(answer).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(answer.rglob("*"))
            if path.is_file() and not {"_generated", "node_modules"} & set(path.parts)
        }
        said = about["title"], about["concept"], about["why"], about["guidelines"]
        return EvalTexts(*said, task, reference, key_of(*said, task, list(reference.items())))
    except (OSError, UnicodeDecodeError, tomli.TOMLDecodeError, KeyError) as error:
        raise GeneratorError(f"{folder}: {error!r}") from error
