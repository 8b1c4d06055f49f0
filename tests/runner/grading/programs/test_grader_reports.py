"""The reports of graders that are programs, the kit's `call`, and hints about authors' mistakes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from runner.grading.grade import GradingService, Submission
from runner.grading.programs import grader_reports
from runner.grading.programs.grader_reports import MOST_TESTS, UnreadableReportError, read_report
from runner.grading.worker.protocol import ALL_TESTS, SelectedTests
from runner.suite.check import check_graders
from tests.runner.command_suite import ANSWER, read_eval, write_command_suite
from tests.support.texts import read_cases
from tests.support.tiers import leave_to_night

pytestmark = pytest.mark.more
CASES = read_cases(__file__)


def test_junit_xml_is_read() -> None:
    """Each test has outcome, title, time and message; a repeated name gets a number."""
    tests = read_report(CASES["junit"].encode())
    assert [(test.name, test.outcome, test.title, test.message) for test in tests] == [
        ("test_adds_up", Outcome.PASSED, "Numbers are added.", None),
        ("test_zero", Outcome.FAILED, "Zero", "assert 1 == 0"),
        ("test_zero#2", Outcome.INFRASTRUCTURE, "Zero#2", "failed on setup"),
        ("test_one", Outcome.NOT_RUN, "One", "not today"),
    ]
    assert [test.duration_s for test in tests] == [0.25, None, None, None]


def test_lines_of_json_are_read() -> None:
    """A line is a test, and the last line has their number."""
    tests = read_report(CASES["lines"].encode())
    assert [(test.name, test.outcome, test.duration_s) for test in tests] == [
        ("adds", Outcome.PASSED, 0.5),
        ("test_zero", Outcome.FAILED, None),
    ]
    assert tests[1].message == "1 is not 0"


def test_ends_of_lines_within_a_text_are_part_of_it() -> None:
    """JSON may have U+2028 and U+0085 in a text, and ends of lines of Windows between the tests."""
    line = '{"test": "a\u2028b", "outcome": "failed", "message": "c\u0085d"}'
    tests = read_report(f'{line}\r\n{{"tests": 1}}\r\n'.encode())
    assert [(test.name, test.message) for test in tests] == [("a\u2028b", "c\u0085d")]


def test_every_test_has_a_name_of_its_own() -> None:
    """A number that another test has as its name is not given again."""
    names = ["a", "a", "a#2", "a", "b#2", "b", "b"]
    lines = [json.dumps({"test": name, "outcome": "passed"}) for name in names]
    tests = read_report("\n".join([*lines, '{"tests": 7}']).encode())
    assert [test.name for test in tests] == ["a", "a#2", "a#2#2", "a#3", "b#2", "b", "b#3"]


@pytest.mark.parametrize("time", ["inf", "nan", "-1", "1e300", "soon", ""])
def test_an_impossible_time_is_unknown(time: str) -> None:
    """The test counts, and its time is missing."""
    (test,) = read_report(f'<testsuite><testcase name="a" time="{time}"/></testsuite>'.encode())
    assert (test.outcome, test.duration_s) == (Outcome.PASSED, None)


def test_a_document_type_within_a_message_is_text() -> None:
    """A grader of web pages may quote the first line of a page."""
    (test,) = read_report(
        b'<testsuite><testcase name="a"><failure><![CDATA[<!DOCTYPE html>]]></failure></testcase>'
        b"</testsuite>"
    )
    assert test.message == "<!DOCTYPE html>"


@pytest.mark.parametrize(
    "suites",
    [
        '<testsuites {0}s="1"><testsuite name="sums" {0}s="1">{1}</testsuite></testsuites>',
        '<testsuites name="sums" {0}s="1">{1}</testsuites>',
    ],
    ids=["one", "all"],
)
@pytest.mark.parametrize("tag", ["error", "failure"])
def test_a_suite_that_could_not_run_judges_nobody(suites: str, tag: str) -> None:
    """An error or a failure of a suite itself is a test that could not judge."""
    report = suites.format(tag, f'<{tag} message="no module"/><testcase name="a"/>')
    assert [(test.name, test.outcome, test.message) for test in read_report(report.encode())] == [
        ("sums", Outcome.INFRASTRUCTURE, "no module"),
        ("a", Outcome.PASSED, None),
    ]


@pytest.mark.parametrize(
    ("inside", "message"),
    [("", "the test did not run"), ('<skipped message="no network"/>', "no network")],
)
def test_a_test_that_did_not_run_is_not_passed(inside: str, message: str) -> None:
    """GoogleTest writes a status for a disabled test, and no element."""
    report = f'<testsuite><testcase name="a" status="notrun">{inside}</testcase></testsuite>'
    (test,) = read_report(report.encode())
    assert (test.outcome, test.message) == (Outcome.NOT_RUN, message)


def test_a_failed_test_without_words_has_a_message() -> None:
    """The reason of a verdict is never empty."""
    (test,) = read_report(b'{"test": "a", "outcome": "failed"}\n{"tests": 1}')
    assert test.message == "failed"


def test_long_texts_are_cut() -> None:
    """A message of a megabyte does not reach the record."""
    line = json.dumps({"test": "n" * 900, "outcome": "failed", "message": "m" * 1_000_000})
    (test,) = read_report(f'{line}\n{{"tests": 1}}'.encode())
    assert len(test.name) < 400
    assert len(test.message or "") == 4000


@pytest.mark.parametrize(("output", "reason"), CASES["unreadable"])
def test_an_output_that_is_no_report_judges_nobody(output: str, reason: str) -> None:
    """A report that is missing, cut off or of another form is refused with the reason."""
    with pytest.raises(UnreadableReportError, match=reason):
        read_report(output.encode("latin-1"))


def test_too_many_tests_are_refused() -> None:
    """A report has a limit of tests, as it has of bytes."""
    lines = '{"test": "a", "outcome": "passed"}\n' * (MOST_TESTS + 1)
    with pytest.raises(UnreadableReportError, match=f"more than {MOST_TESTS}"):
        read_report(f'{lines}{{"tests": {MOST_TESTS + 1}}}'.encode())


@pytest.mark.integration
def test_a_test_with_subtests_is_one_test(tmp_path: Path) -> None:
    """The test fails with its first failed subtest; pytest's counts of subtests are no fault."""
    (tmp_path / "test_numbers.py").write_text(CASES["subtests"])
    kit = Path(grader_reports.__file__).with_name("kit")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest_report"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(kit)},
        capture_output=True,
        check=False,
    )
    assert b'failures="3"' in ran.stdout, ran.stderr
    tests = {test.name: (test.outcome, test.message) for test in read_report(ran.stdout)}
    assert tests == {
        "test_right": (Outcome.PASSED, None),
        "test_wrong": (Outcome.FAILED, "assert 0 == 1"),
    }


_REFUSALS = CASES["refusals"]
_DEEP = CASES["deep"]
_CIRCLE = "def add(a, b):\n    circle = []\n    circle.append(circle)\n    return circle\n"
_NO_ARGUMENTS = "    def __call__(self):\n        return 5\n"
_OWN_SIGNATURE = f"""\
class Add:
    @property
    def __signature__(self):
        raise RuntimeError("no")
{_NO_ARGUMENTS}
add = Add()
"""
_OTHER_ARGUMENTS = "does not take the arguments"
UNRAISED = {
    "set": ("def add(a, b):\n    return {1}\n", "JSON cannot hold: TypeError"),
    "generator": ("def add(a, b):\n    yield\n", "JSON cannot hold: TypeError"),
    "coroutine": ("async def add(a, b):\n    raise ValueError\n", "JSON cannot hold: TypeError"),
    "two-keys": ("def add(a, b):\n    return {(1, 2): 3}\n", "JSON cannot hold: TypeError"),
    "circle": (_CIRCLE, "JSON cannot hold: ValueError"),
    "deep": (_DEEP, "JSON cannot hold: RecursionError"),
    "digits": ("def add(a, b):\n    return 10**9000\n", "JSON cannot hold: ValueError"),
    "length": ("def add(a, b):\n    return 'x' * 9_000_000\n", "limit: output"),
    "exit": ("def add(a, b):\n    raise SystemExit(0)\n", "ended with status 0"),
    "interruption": ("def add(a, b):\n    raise KeyboardInterrupt\n", "gave no result"),
    "signature": ("def add():\n    return 5\n", _OTHER_ARGUMENTS),
    "object": (f"class Add:\n{_NO_ARGUMENTS}add = Add()\n", _OTHER_ARGUMENTS),
    "partial": ("import functools\nadd = functools.partial(lambda a: a)\n", _OTHER_ARGUMENTS),
    "cached": (
        "import functools\n\n@functools.cache\ndef add():\n    return 5\n",
        _OTHER_ARGUMENTS,
    ),
    "of-python": ("add = len\n", _OTHER_ARGUMENTS),
    "number": ("add = 5\n", _OTHER_ARGUMENTS),
    "own-signature": (_OWN_SIGNATURE, _OTHER_ARGUMENTS),
    "no-function": ("def sub(a, b):\n    return a - b\n", "could not be loaded: AttributeError"),
    "no-python": ("def add(a, b)\n", "could not be loaded: SyntaxError"),
    "broken-module": ("raise ValueError('no')\n", "could not be loaded: ValueError: no"),
}
"""Answers that raise nothing when they are called, and a part of the message about each."""


@pytest.fixture
def refusing(tmp_path: Path) -> Path:
    """A suite of one eval, whose tests expect an exception."""
    folder = write_command_suite(tmp_path / "evals")
    (folder / "000-numbers" / "000-sums" / "grader" / "test_sums.py").write_text(_REFUSALS)
    return folder


@pytest.mark.parametrize(
    ("answer", "message"),
    leave_to_night(UNRAISED, but=("set", "exit", "signature", "object", "no-function")),
)
def test_no_other_end_is_taken_for_an_exception_of_the_function(
    refusing: Path, service: GradingService, answer: str, message: str
) -> None:
    """A wrong answer meets no test of a refusal by its result, its end or a broken file."""
    submission = Submission(read_eval(refusing), ALL_TESTS, files={"sums.py": answer})
    tests = service.judge(submission).tests
    assert tests is not None
    assert [test.outcome for test in tests] == [Outcome.FAILED] * 4
    assert [test.message for test in tests if message not in (test.message or "")] == []


@pytest.mark.parametrize(
    "answer",
    [
        "def add(a, b):\n    raise TypeError('no numbers')\n",
        "def add(a, b):\n    return a + None\n",
        "import functools\n\n@functools.cache\ndef add(a, b):\n    return a + None\n",
        "class add:\n    def __init__(self, a, b):\n        raise TypeError('no numbers')\n",
        "add = next\n",
        "class Add:\n    def __call__(self, a, b):\n        return a + None\nadd = Add()\n",
    ],
    ids=["raised", "happened", "decorated", "class", "of-python", "object"],
)
def test_an_exception_of_the_function_is_its_own(
    refusing: Path, service: GradingService, answer: str
) -> None:
    """The test gets its class and text, for every kind of callable and at any depth."""
    submission = Submission(read_eval(refusing), ALL_TESTS, files={"sums.py": answer})
    tests = service.judge(submission).tests
    assert tests is not None
    passed = [test.name for test in tests if test.outcome is Outcome.PASSED]
    assert passed == ["test_refusal[TypeError]", "test_refusal[any]"]


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
