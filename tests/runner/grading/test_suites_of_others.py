"""Suites in TypeScript of other authors: read-only, large, with modules of their own."""

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from runner.answers.reply import render_reply
from runner.evals.discovery import Eval, discover
from runner.grading.grade import Submission
from runner.grading.worker.protocol import ALL_TESTS, SelectedTests
from runner.suite.check import find_stub_passes
from runner.suite.lint import lint
from runner.suite.mint import mint
from runner.suite.vitest_tests import describe_suite
from tests.runner.grading.steps.grader_runner import read_grader

pytestmark = pytest.mark.integration

if TYPE_CHECKING:
    from runner.grading.grade import GradingService

MANY = 100
ROOT = Path(__file__).parents[3]
STATIC = Path(__file__).parents[1] / "typescript_suite" / "evals" / "000-kit" / "001-static_notes"
WRITTEN = Path(__file__).parent / "suite_of_others"


def _write_suite(root: Path, *, evals: int = 1) -> Path:
    for place in ("lib", "grader"):
        shutil.copytree(WRITTEN / place, root / place)
    for number in range(evals):
        folder = root / "evals" / "000-a" / f"{number:03d}-notes_{number}"
        shutil.copytree(STATIC, folder)
        shutil.copytree(WRITTEN / "evals/000-a/000-notes", folder, dirs_exist_ok=True)
    return root


def _protect(root: Path) -> None:
    """Take away the right to write in a suite."""
    for path in (root, *root.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)


def _stamp(root: Path) -> dict[str, tuple[int, int, int]]:
    """Return mode, size and time of change of each file in a folder."""
    stamps: dict[str, tuple[int, int, int]] = {}
    for path in (root, *sorted(root.rglob("*"))):
        status = path.stat()
        stamps[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns)
    return stamps


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of one eval without the right to write."""
    root = _write_suite(tmp_path / "suite")
    _protect(root)
    return root


def test_modules_and_packages_of_a_suite_are_found(
    grading: "GradingService", suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A suite is graded by a relative path, with packages of its own, and stays unchanged."""
    suite.chmod(0o755)
    (suite / "node_modules").symlink_to(ROOT / "evals" / "node_modules")
    suite.chmod(0o555)
    monkeypatch.chdir(suite.parent)
    (evaluation,) = discover(Path(suite.name)).evals
    before = _stamp(suite / "evals")

    verdict = grading.grade(evaluation, evaluation.read_answer())

    assert verdict.outcome is Outcome.PASSED, verdict.reason
    assert len(verdict.tests or ()) == len(("beside", "elsewhere", "snapshot", "kit"))
    assert _stamp(suite / "evals") == before


def test_authors_see_the_output_of_vitest(grading: "GradingService", suite: Path) -> None:
    """Parts of titles select tests, and the output has vitest's lines and those of the grader."""
    (evaluation,) = discover(suite).evals
    selection = SelectedTests(only=("modules > beside",), with_output=True)

    verdict = grading.grade(evaluation, evaluation.read_answer(), selection)

    assert [test.title for test in verdict.tests or ()] == ["modules > beside the grader"]
    assert "a line of the grader" in verdict.printed
    assert "1 passed | 3 skipped" in verdict.printed


def test_tests_that_a_stub_passes_are_reported(grading: "GradingService", suite: Path) -> None:
    """A grader that passes an answer without effect is at fault."""
    (evaluation,) = discover(suite).evals
    graded: list[Eval] = []

    findings = find_stub_passes([evaluation], grading, graded.append)

    assert [(finding.rule, graded) for finding in findings] == [("wrong-verdict", [evaluation])]
    assert "nothing is measured" in findings[0].advice


@pytest.mark.more
def test_a_suite_of_hundreds_of_evals_is_only_read(tmp_path: Path) -> None:
    """A large suite without the right to write is minted and linted, and stays unchanged."""
    root = _write_suite(tmp_path / "suite", evals=MANY)
    _protect(root)
    before = _stamp(root)
    data = DataFolder(tmp_path / "data")

    suite = discover(root)
    version = mint(suite, data)
    described = describe_suite(suite, version.version)
    findings = lint(suite, suite.evals)

    assert len(described.evals) == len(version.evals) == len(suite.evals) == MANY
    assert version.title.startswith("suite · ")
    assert described.evals["000-a/007-notes_7"].tests == (
        "modules > beside the grader",
        "modules > elsewhere in the suite",
        "a snapshot",
        "the kit of vitest",
    )
    assert findings == []
    assert _stamp(root) == before
    for folder, _, _ in os.walk(root):  # pytest needs the right to delete it
        Path(folder).chmod(0o755)


def _make_settings_answer(target: str) -> dict[str, str]:
    compiler = {"compilerOptions": {"target": target}}
    return {
        "package.json": json.dumps({"dependencies": {"convex": "*", "node-fetch": "github:a/b"}}),
        "tsconfig.json": json.dumps(compiler),
        "vitest.config.ts": 'export { defineConfig as default } from "nowhere";\n',
        "bun.lock": "{}",
        ".env": "KEY=1",
        "convex/tsconfig.json": '{ "extends": "../tsconfig.json" }',
        "convex/convex.config.ts": (
            'import { defineApp } from "convex/server";\nimport { v } from "convex/values";\n'
            "export default defineApp({ env: { KEY: v.string() } });\n"
        ),
        "convex/notes.ts": (
            'import { query } from "./_generated/server";\n'
            'export const list = query({ args: {}, handler: () => ["a"] });\n'
        ),
        "src/target.ts": f'export const target = "{target}";\n',
    }


def test_an_answer_brings_settings(grading: "GradingService", tmp_path: Path) -> None:
    """Files of the root are there for the grader, by files and in a reply, each answer its own.

    A package that nothing imports is left out, and a script of the root is not checked.
    """
    root = _write_suite(tmp_path / "suite")
    (folder,) = (root / "evals" / "000-a").iterdir()
    (folder / "grader.test.ts").write_text(read_grader("settings_of_answer"))
    (folder / "eval.json").unlink()
    (evaluation,) = discover(root).evals

    files = _make_settings_answer("es2022")
    by_files = grading.grade(evaluation, files)
    assert by_files.outcome is Outcome.PASSED, by_files.reason
    assert set(by_files.files) == set(files) - {".env"}
    reply = render_reply(_make_settings_answer("es2023"))
    by_reply = grading.judge(Submission(evaluation, ALL_TESTS, reply=reply))
    assert by_reply.outcome is Outcome.PASSED, by_reply.reason
