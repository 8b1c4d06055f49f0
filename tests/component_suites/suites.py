"""Test suites that npm packages of components ship, run over the emulator by vitest.

The packages test their functions with ``convex-test``, in the process of the test. Here that module
is an adapter (``convex_test.mjs``): it offers the same interface over the emulator's database,
syscalls, validation, transactions, components, scheduler and files. Functions run in the test's
process, with the clock of vitest, so that the closures and mocks of a test reach them. The
emulator's own clock, its bundler and the jail of model code take no part.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.emulator import embedded
from runner.toolchain import Toolchain

KNOWN: dict[str, dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("known.json").read_text("utf-8")
)


HERE = Path(__file__).parent
EMULATOR = Path(embedded.__file__).parent
SCOPE = "@convex-dev"
_TESTS = "src/**/*.test.ts*"
_LONGEST_S = 600


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The outcome of the suite of one package."""

    package: str
    version: str
    files: int
    passed: int
    failed: dict[str, str]
    """First lines of the errors, by ``file > name of the test``."""
    unloaded: dict[str, str]
    """Errors of files whose tests are not known, by file."""

    @property
    def tests(self) -> int:
        """The number of tests that are known."""
        return self.passed + len(self.failed)


def list_packages(toolchain: Toolchain) -> list[str]:
    """Return the names of the packages that ship tests, without the scope."""
    folders = sorted((toolchain.node_modules / SCOPE).iterdir())
    return [folder.name for folder in folders if any(folder.glob(_TESTS))]


def run_suite(package: str, toolchain: Toolchain) -> SuiteResult:
    """Run all tests of a package."""
    source = toolchain.node_modules / SCOPE / package
    version = json.loads((source / "package.json").read_text("utf-8"))["version"]
    with _lay_out_package(source, toolchain) as (root, folder):
        report = _run_vitest(root, folder, toolchain)
    passed = 0
    failed: dict[str, str] = {}
    unloaded: dict[str, str] = {}
    for file in report["testResults"]:
        name = Path(file["name"]).relative_to(folder).as_posix()
        if not file["assertionResults"] and file["status"] == "failed":
            unloaded[name] = _get_first_line(file["message"])
        for test in file["assertionResults"]:
            if test["status"] == "passed":
                passed += 1
            else:
                failed[f"{name} > {test['fullName']}"] = _get_first_line(*test["failureMessages"])
    files = len(report["testResults"])
    return SuiteResult(package, version, files, passed, failed, unloaded)


@contextmanager
def _lay_out_package(source: Path, toolchain: Toolchain) -> Generator[tuple[Path, Path]]:
    """Copy adapter, emulator and package into a folder that has the toolchain's packages."""
    with tempfile.TemporaryDirectory() as workspace:
        root = Path(workspace).resolve()
        shutil.copytree(HERE, root / "tests/component_suites")
        shutil.copytree(EMULATOR, root / "runner/emulator")
        (root / "node_modules").symlink_to(toolchain.node_modules)
        folder = root / "packages" / source.name
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
        _link_packages(folder / "node_modules", source / "node_modules", toolchain.node_modules)
        yield root, folder


def _link_packages(target: Path, *sources: Path) -> None:
    """Link the packages of several folders into a folder; earlier folders win."""
    for source in sources:
        for path in source.glob("*") if source.is_dir() else ():
            if path.name.startswith("@"):
                _link_packages(target / path.name, path)
            elif not (target / path.name).exists():
                target.mkdir(parents=True, exist_ok=True)
                (target / path.name).symlink_to(path)


def _run_vitest(root: Path, folder: Path, toolchain: Toolchain) -> dict[str, Any]:
    report = root / "report.json"
    config = root / "tests/component_suites/vitest.config.mjs"
    ended = subprocess.run(
        [
            str(toolchain.node),
            str(toolchain.node_modules / "vitest/vitest.mjs"),
            "run",
            f"--config={config}",
            "--reporter=json",
            f"--outputFile={report}",
        ],
        cwd=folder,
        env={**os.environ, "PACKAGE": str(folder), "CI": "1", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=_LONGEST_S,
        check=False,
    )
    if not report.exists():
        raise RuntimeError(f"vitest wrote no report:\n{ended.stdout}\n{ended.stderr}")
    return json.loads(report.read_text("utf-8"))


def _get_first_line(*messages: str) -> str:
    return messages[0].splitlines()[0] if messages and messages[0] else "no message"


def find_surprises(result: SuiteResult) -> list[str]:
    """Return a line for each failure without a reason, and for each reason without a failure."""
    wrong = {**result.failed, **result.unloaded}
    reasons = KNOWN.get(result.package, {})
    known_names = {name for names in reasons.values() for name in names}
    fail = [f"{name} fails: {error}" for name, error in wrong.items() if name not in known_names]
    return fail + [f"{name} passes" for name in sorted(known_names - wrong.keys())]


def format_row(result: SuiteResult) -> str:
    """Return the row of a suite: package, files, tests, passed tests, reasons of failures."""
    reasons = KNOWN.get(result.package, {})
    why = "; ".join(f"{len(names)}: {reason}" for reason, names in reasons.items())
    package = f"`{SCOPE}/{result.package}` {result.version}"
    return f"| {package} | {result.files} | {result.tests} | {result.passed} | {why or 'none'} |"
