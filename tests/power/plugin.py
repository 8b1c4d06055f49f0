"""A pytest plugin that names the running test to the recorders of coverage."""

import os
import shutil
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

NODE_COVERAGE = "NODE_COVERAGE_FOLDER"
"""Environment variable: folder for the coverage of jailed Node programs, by pytest worker."""
_HERE = Path(__file__).parent


class TestContexts:
    """Switches both recorders to a test before it is set up."""

    def __init__(self) -> None:
        """Make the worker's folder for Node's coverage, if the environment names a folder."""
        folder = os.environ.get(NODE_COVERAGE)
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        self._folder = Path(folder, worker) if folder else None
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            # Jailed programs run as users of their own.
            self._folder.chmod(0o777)
            for name in ("bwrap", "recorder.cjs"):
                shutil.copy(_HERE / name, self._folder / name)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Name the test while it runs, fixtures included."""
        measured = coverage.Coverage.current()
        if measured is not None:
            measured.switch_context(item.nodeid)
        if self._folder is not None:
            (self._folder / "test").write_text(item.nodeid)
            _lead_jails_to(self._folder)
            _start_linters_from_sources()
        return (yield)


def _lead_jails_to(folder: Path) -> None:
    """Put the measuring bwrap first on the PATH by which jails find theirs."""
    from runner.jail import process  # noqa: PLC0415 - imported once coverage is measured

    process._SPAWNED_IN["PATH"] = f"{folder}:/usr/local/bin:/usr/bin:/bin"  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def _start_linters_from_sources() -> None:
    """Start linters without their snapshot, in which no recorder can look."""
    from runner.grading.steps import checks as lint  # noqa: PLC0415 - imported once coverage is measured
    from runner.jail import Bind, Jail, paths  # noqa: PLC0415
    from runner.toolchain import Toolchain  # noqa: PLC0415

    def start_command() -> tuple[str, ...]:
        return paths.NODE, f"{paths.HARNESS}/eslint/lint_worker.mjs", paths.NODE_MODULES

    def find_sources(jail: Jail, toolchain: Toolchain) -> Bind:
        del jail
        return toolchain.make_harness_bind("grading/steps/eslint")

    lint.start_command, lint.find_snapshot = start_command, find_sources


def pytest_configure(config: pytest.Config) -> None:
    """Start the plugin in the process that runs tests."""
    if not hasattr(config.option, "numprocesses") or not config.option.numprocesses:
        config.pluginmanager.register(TestContexts(), "test-contexts")
