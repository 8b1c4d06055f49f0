"""The reports of graders that are programs, and files that are no report and judge nobody."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from runner.grading.programs import grader_reports
from runner.grading.programs.grader_reports import MOST_TESTS, UnreadableReportError, read_report
from tests.support.texts import read_cases

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
