"""The shared fixtures of the steps' tests: a workspace, the toolchain, a jail, a right answer."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from runner.grading.steps.checks import Linter, Typechecker
from runner.grading.steps.vitest_slots import VitestSlots
from runner.jail import Jail
from runner.toolchain import Toolchain
from runner.workspace import Workspace, create_workspace
from tests.runner.grading.steps.grader_runner import GraderRunner
from tests.support.texts import read_texts

RIGHT = read_texts(__file__)
"""The files of a right answer, by path."""


@pytest.fixture(scope="session")
def linter(jail: Jail, toolchain: Toolchain) -> Generator[Linter, None, None]:
    """Keep lint workers warm through the tests."""
    with Linter(jail, toolchain) as linter:
        yield linter


@pytest.fixture(scope="session")
def typechecker(jail: Jail, toolchain: Toolchain) -> Typechecker:
    """Return the type checker."""
    return Typechecker(jail, toolchain)


@pytest.fixture
def workspace(tmp_path: Path) -> Generator[Workspace, None, None]:
    """Create the folders of one attempt."""
    with create_workspace(tmp_path) as workspace:
        yield workspace


@pytest.fixture(scope="module")
def slots(
    jail: Jail, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[VitestSlots]:
    """The processes of a grading service."""
    with VitestSlots(jail, toolchain, tmp_path_factory.mktemp("slots")) as slots:
        yield slots


@pytest.fixture
def runner(jail: Jail, toolchain: Toolchain, slots: VitestSlots, tmp_path: Path) -> GraderRunner:
    """The runner of graders."""
    return GraderRunner(jail, toolchain, slots, tmp_path)
