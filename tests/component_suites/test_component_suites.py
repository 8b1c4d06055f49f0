"""The tests of npm packages of components, run over the emulator."""

from pathlib import Path

import pytest

from runner.toolchain import Toolchain, find_toolchain
from tests.component_suites import suites

ROOT = Path(__file__).parents[2]
SMALL = "migrations"
OTHERS = (
    "agent",
    "aggregate",
    "batch-worker",
    "rate-limiter",
    "sharded-counter",
    "workflow",
    "workpool",
)


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    """The pinned toolchain."""
    return find_toolchain(ROOT / "evals")


@pytest.mark.integration
def test_all_packages_with_tests_are_run(toolchain: Toolchain) -> None:
    """No package that ships tests is left out, and no reason is of another package."""
    assert sorted([SMALL, *OTHERS]) == suites.list_packages(toolchain)
    assert suites.KNOWN.keys() <= {SMALL, *OTHERS}


@pytest.mark.parametrize(
    "package",
    [
        pytest.param(SMALL, marks=pytest.mark.integration),
        *(pytest.param(package, marks=pytest.mark.night) for package in OTHERS),
    ],
)
def test_tests_of_a_package_pass_over_the_emulator(package: str, toolchain: Toolchain) -> None:
    """All pass but those with a known reason, and the document has the numbers."""
    result = suites.run_suite(package, toolchain)
    assert suites.find_surprises(result) == []
    assert suites.format_row(result) in (ROOT / "docs/backend.md").read_text("utf-8")
