"""Each rule about graders finds its fault, and accepts similar code without the fault."""

from pathlib import Path
from typing import Final

import pytest

from tests.runner.suite.lint.clean import (
    list_findings,
    list_found_rules,
    plant_code,
    write_clean,
)
from tests.support.texts import read_cases

pytestmark = pytest.mark.unit

CASES: Final = read_cases(__file__)
"""Code that is planted into a grader: faults by their rules, and code without a fault."""
FAULTS: Final = [
    pytest.param(code, rule, id=name)
    for rule, codes in CASES["faults"].items()
    for name, code in codes.items()
]


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """Return an eval without a fault."""
    return write_clean(tmp_path / "evals")


def test_a_clean_eval_has_no_findings(clean: Path) -> None:
    """Lint has no finding where nothing is wrong."""
    assert list_findings(clean) == []


@pytest.mark.parametrize(("code", "rule"), FAULTS)
def test_a_fault_is_found_by_its_rule(clean: Path, code: str, rule: str) -> None:
    """The planted fault is found by its own rule, and there is no other finding."""
    all_findings = plant_code(clean, code)
    assert set(list_found_rules(all_findings)) == {rule}
    # The line is that of the fault, or that of the code that hides it; never the first.
    assert all(finding.line > 1 for finding in all_findings)


@pytest.mark.parametrize("code", CASES["harmless"].values(), ids=CASES["harmless"])
def test_right_texts_pass(clean: Path, code: str) -> None:
    """Code that only looks like a fault has no finding."""
    assert plant_code(clean, code) == []
