"""docs/another-benchmark.md, followed to the letter: three evals are written and proven."""

import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from tests.support.warm_command import ROOT, run_command

pytestmark = pytest.mark.integration(reason="It grades every answer that three evals know.")

_BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TASK: Final = re.compile(r"The task: \*(.*?)\*", re.DOTALL)


def _blocks(document: str, language: str) -> list[str]:
    return [block[1] for block in _BLOCK.findall(document) if block[0] == language]


def _write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def test_the_steps_of_the_document_lead_to_three_proven_evals(tmp_path: Path) -> None:
    """Its files, written where it says, have no fault, and each grader judges as promised."""
    document = (ROOT / "docs" / "another-benchmark.md").read_text("utf-8")
    first_answer, first_grader, second_answer, second_grader = _blocks(document, "python")
    config, first_variants, second_variants = _blocks(document, "toml")
    (task,) = _blocks(document, "text")
    second_task = _TASK.search(document)
    assert second_task is not None
    (init,) = re.findall(r"^leaderboard (init board .*)$", document, re.MULTILINE)
    assert init == 'init board --title "Our board" --category text'
    begun = run_command(*shlex.split(init), cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr
    category = tmp_path / "board" / "evals" / "000-text"
    _write(
        category / "001-initials",
        {
            "TASK.txt": task,
            "eval.toml": config,
            "answer/initials.py": first_answer,
            "grader/test_initials.py": first_grader,
            "calibration/calibration.toml": first_variants,
        },
    )
    _write(
        category / "002-sum",
        {
            "TASK.txt": second_task[1],
            "eval.toml": config.replace("Initials of a name", "A sum"),
            "answer/total.py": second_answer,
            "grader/test_total.py": second_grader,
            "calibration/calibration.toml": second_variants,
        },
    )
    for arguments, result in (
        (("suite", "lint", "--fix"), "3 evals: 0 faults"),
        (("suite", "check", "--once"), "3 evals: 14 verdicts right, 0 wrong"),
    ):
        ended = run_command(*arguments, cwd=tmp_path / "board")
        assert result in ended.stdout, f"{ended.stdout}\n{ended.stderr}"
