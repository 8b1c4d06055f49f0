"""Mistakes of authors of graders in Python, and the hints about them."""

from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from runner.grading.grade import GradingService
from runner.grading.worker.protocol import SelectedTests
from runner.suite.check import check_graders
from tests.runner.command_suite import ANSWER, read_eval

pytestmark = pytest.mark.more


def test_a_test_with_parameters_is_named_with_one_of_them(
    root: Path, service: GradingService
) -> None:
    """Without it the message lists the names that there are; ids make them readable."""
    name = "test_small_numbers"
    evaluation = read_eval(root)
    (evaluation.grader / "test_sums.py").write_text(
        "import pytest\nfrom answer import call\n"
        "@pytest.mark.parametrize('number', [2, 3], ids=['even', 'odd'])\n"
        "def test_small_numbers(number):\n    assert call('sums.py', 'add', number, 3) > 4\n"
    )
    description = evaluation.folder / "calibration" / "calibration.toml"
    description.write_text(description.read_text().replace("a * b", "a - b"))
    proofs = check_graders([evaluation], service, times=1)
    (problem,) = (line for proof in proofs for line in proof.problems)
    assert problem.startswith(f"must fail {name}, but the grader has no such test; ")
    assert problem.endswith(f"close to it: {name}[even], {name}[odd]")


@pytest.mark.parametrize("line", ["import sums", "def test_it():\n    import sums"])
def test_a_test_that_imports_the_answer_learns_its_replacement(
    root: Path, service: GradingService, line: str
) -> None:
    """The grader's output ends with the hint, and so does the reason if no test could be judged."""
    evaluation = read_eval(root)
    (evaluation.grader / "test_sums.py").write_text(f"{line}\n")
    verdict = service.grade(evaluation, {"sums.py": ANSWER}, SelectedTests(with_output=True))
    assert verdict.outcome is not Outcome.PASSED
    assert (verdict.printed or "").endswith('use call("sums.py", ...) of the module answer\n')
