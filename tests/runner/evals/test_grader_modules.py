"""The files of which a grader in TypeScript consists, and the texts that its version covers."""

from pathlib import Path

import pytest

from runner.errors import InvalidEvalError
from runner.evals.discovery import discover
from runner.evals.typescript_suites import list_settings, place_in_suite
from runner.suite.mint import make_benchmark

pytestmark = pytest.mark.unit

EVAL = "evals/000-a/000-b"
FILES = {
    f"{EVAL}/TASK.txt": b"Write.\n",
    f"{EVAL}/grader.test.ts": b'import { help } from "./helper";\nimport "../../../grader";\n',
    f"{EVAL}/helper.ts": b'export { deep } from "../../../lib/deep.js";\n',
    f"{EVAL}/__snapshots__/grader.test.ts.snap": b"exports[`a`] = `1`;\n",
    f"{EVAL}/picture.png": b"\x89PNG\xff",
    f"{EVAL}/answer/package.json": b"{}",
    f"{EVAL}/answer/bun.lockb": b"\xff\xfe",
    f"{EVAL}/answer/convex/index.ts": b"export {};\n",
    "grader/index.ts": b'import "../shared";\nimport "../../outside";\nimport "vitest";\n'
    b'import "../.keys";\nconfig({ path: "../.env" });\n',
    "shared/index.ts": b'import data from "./data.json";\n',
    "shared/data.json": b"{}",
    "lib/deep.ts": b"export const deep = 1;\n",
    "lib/unused.ts": b"export const unused = 1;\n",
    "node_modules/a/index.ts": b"",
    ".env": b"KEY=hidden",
    ".keys/index.ts": b"export {};\n",
    "package.json": b"{}",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A suite whose grader imports modules that stand elsewhere in it."""
    root = tmp_path / "suite"
    for path, content in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    (tmp_path / "outside.ts").write_text("export {};\n")
    return root


def test_imported_modules_belong_to_a_grader(root: Path) -> None:
    """Modules of the suite count in every folder.

    Packages, files outside of the suite and hidden files, which may hold keys, do not.
    """
    (evaluation,) = discover(root).evals

    relative_paths = {
        place_in_suite(path, evaluation.folder).as_posix()
        for path in evaluation.collect_grader_files()
    }

    assert relative_paths == {
        f"{EVAL}/grader.test.ts",
        f"{EVAL}/helper.ts",
        f"{EVAL}/__snapshots__/grader.test.ts.snap",
        f"{EVAL}/picture.png",
        "grader/index.ts",
        "shared/index.ts",
        "shared/data.json",
        "lib/deep.ts",
    }


@pytest.mark.parametrize("path", [f"{EVAL}/helper.ts", "lib/deep.ts", f"{EVAL}/picture.png"])
def test_a_version_covers_them(root: Path, path: str) -> None:
    """A change of a file that a verdict depends on makes another version."""
    before = make_benchmark(discover(root)).version

    (root / path).write_bytes(b"// changed\n")

    assert make_benchmark(discover(root)).version != before


@pytest.mark.parametrize("path", ["lib/unused.ts", f"{EVAL}/answer/convex/index.ts"])
def test_a_version_covers_nothing_else(root: Path, path: str) -> None:
    """Neither a reference answer nor a module that nothing imports is part of a version."""
    before = make_benchmark(discover(root)).version

    (root / path).write_bytes(b"// changed\n")

    assert make_benchmark(discover(root)).version == before


def test_settings_are_files_of_the_suite(root: Path) -> None:
    """A link among the settings is left out: it may lead to any file of this machine."""
    (root / "tsconfig.json").symlink_to(root / ".env")
    (evaluation,) = discover(root).evals

    assert [path.name for path in list_settings(evaluation.folder)] == ["package.json"]


def test_a_kit_with_a_link_is_refused(root: Path) -> None:
    """A link in the kit would bring any file of this machine into the jail."""
    (root / "grader" / "keys.ts").symlink_to(root / ".env")

    with pytest.raises(InvalidEvalError, match=r"keys\.ts: is a symbolic link"):
        discover(root)


def test_references_hold_texts_only(root: Path) -> None:
    """Lock files of other package managers are no part of a reference answer."""
    (evaluation,) = discover(root).evals

    assert list(evaluation.read_answer()) == ["convex/index.ts", "package.json"]
