"""The faults that need grading are reported like any other fault."""

from pathlib import Path

import pytest

from runner.grading.grade import GradingService
from runner.suite.lint.deep import deep
from tests.runner.small_eval import question

pytestmark = pytest.mark.integration


def test_wavering_verdicts_and_surviving_mutants_are_told(
    grading: GradingService, tmp_path: Path
) -> None:
    """The report has a grader that fails the third time, and a public call that no test notices."""
    count = tmp_path / "count"
    grader = f'''
    from pathlib import Path

    def test_value(convex):
        """It is a number, four times of five."""
        times = Path({str(count)!r})
        value = convex.query("notes:value")
        seen = len(times.read_text()) if times.exists() else 0
        times.write_text("x" * (seen + 1))
        assert isinstance(value, float) and seen != 2
    '''
    evaluation = question(tmp_path / "eval", grader)
    findings = deep([evaluation], grading, most=25, seed=1, workers=1)
    wavering = [finding for finding in findings if finding.rule == "wavering-verdict"]
    assert [finding.advice.split(":")[0] for finding in wavering] == ["reference"]
    survivors = [finding for finding in findings if finding.rule == "surviving-mutant"]
    assert {(finding.file, finding.line) for finding in survivors} == {
        ("answer/convex/notes.ts", 3)
    }
    assert any("42 → 43" in finding.advice for finding in survivors)
