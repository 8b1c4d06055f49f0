"""A stand-in for Convex's own backend: it answers the command line's push, and serves one query.

It shows that the path to the backend works, and shows nothing about the backend itself.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.texts import read_texts, write_files

TEXTS = read_texts(__file__)

_PROGRAM = TEXTS["program"]


def write_stand_in(folder: Path, mode: str) -> Path:
    """Write the program into a folder; ``mode`` is its reply to a push, or "deploys"."""
    path = folder / "convex-local-backend"
    path.write_text(_PROGRAM.format(python=sys.executable, mode=mode))
    path.chmod(0o755)
    return path


def write_suite_over_stand_in(root: Path, graders: Mapping[str, str]) -> None:
    """Write a suite in TypeScript: a grader for each eval, beside a reference that deploys."""
    for name, grader in graders.items():
        files = {
            "TASK.txt": "A task.\n",
            "answer/package.json": '{"dependencies": {"convex": "*"}}',
            "answer/convex/index.ts": "export const a = 1;\n",
            "grader.test.ts": grader,
        }
        write_files(root / "evals" / "000-a" / name, files)
