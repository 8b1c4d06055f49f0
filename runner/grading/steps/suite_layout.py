"""The copy of a suite for the jail of a grader in TypeScript."""

import os
import shutil
from pathlib import Path
from typing import Final

from runner.backends.codegen import write_generated
from runner.evals.discovery import Eval
from runner.evals.typescript_suites import find_shared_modules, list_settings, place_in_suite
from runner.jail import NODE_MODULES, PROJECT

_OWN_KIT: Final = Path(__file__).parents[1] / "fixtures" / "typescript" / "kit"
_JUDGE_MODULE: Final = _OWN_KIT / "aiGrader.ts"


def lay_out_suite(evaluation: Eval, root: Path) -> None:
    """Copy an eval, the kit and the modules that they import to the folder ``root``.

    Generated files are written into the copy, never into the suite.
    """
    folder = root / "evals" / evaluation.name
    _copy_tree(evaluation.folder, folder)
    _copy_tree(evaluation.kind.kit or _OWN_KIT, root / "grader")
    for module in (root / "grader").glob(f"{_JUDGE_MODULE.stem}.*"):
        # The jail has no connection to a model, so a suite's own module could not ask a judge.
        shutil.copyfile(_JUDGE_MODULE, module)
    shared = find_shared_modules(evaluation.folder, evaluation.kind.kit)
    for path in (*shared, *list_settings(evaluation.folder)):
        _copy_file(path, root / place_in_suite(path, evaluation.folder))
    if (folder / "answer" / "convex").is_dir():
        write_generated(folder / "answer")
    # Older graders search the project below a folder of outputs.
    output = root / "output_root" / "output" / "provider" / "model" / evaluation.name
    output.parent.mkdir(parents=True)
    output.symlink_to(PROJECT)


def _copy_tree(source: Path, target: Path) -> None:
    """Copy a folder without packages and hidden files, which may have keys (``.env``).

    Copies of read-only files are writable.
    """
    for path, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name[0] != "." and name != "node_modules"]
        for name in names:
            if not name.startswith("."):
                _copy_file(Path(path) / name, target / Path(path).relative_to(source) / name)


def _copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def link_packages(project: Path) -> None:
    """Link the jail's packages into a project, if the project has no ``node_modules``."""
    link = project / "node_modules"
    if not link.exists() and not link.is_symlink():
        link.symlink_to(NODE_MODULES)
