"""The reports of graders that are programs, and files that are no report and judge nobody."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from records.shapes.attempt import Outcome
from runner.grading.programs import grader_reports
from runner.grading.programs.grader_reports import MOST_TESTS, UnreadableReportError, read_report

pytestmark = pytest.mark.more

JUNIT = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" tests="4">
<testcase classname="test_a" name="test_adds_up" time="0.25">
<properties><property name="title" value="Numbers are added."/></properties></testcase>
<testcase classname="test_a" name="test_zero">
<failure message="assert 1 == 0">long</failure></testcase>
<testcase classname="test_b" name="test_zero">
<error message="failed on setup">why</error></testcase>
<testcase classname="test_b" name="test_one"><skipped message="not today"/></testcase>
</testsuite></testsuites>"""
LINES = b"""\
{"test": "adds", "outcome": "passed", "title": "Numbers are added.", "seconds": 0.5}

{"test": "test_zero", "outcome": "failed", "message": "1 is not 0"}
{"tests": 2}
"""


def test_junit_xml_is_read() -> None:
    """Each test has outcome, title, time and message; a repeated name gets a number."""
    tests = read_report(JUNIT)
    assert [(test.name, test.outcome, test.title, test.message) for test in tests] == [
        ("test_adds_up", Outcome.PASSED, "Numbers are added.", None),
        ("test_zero", Outcome.FAILED, "Zero", "assert 1 == 0"),
        ("test_zero#2", Outcome.INFRASTRUCTURE, "Zero#2", "failed on setup"),
        ("test_one", Outcome.NOT_RUN, "One", "not today"),
    ]
    assert [test.duration_s for test in tests] == [0.25, None, None, None]


def test_lines_of_json_are_read() -> None:
    """A line is a test, and the last line has their number."""
    tests = read_report(LINES)
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


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (b"", "printed no report"),
        (b" \n ", "printed no report"),
        (b"\xff\xfe", "not UTF-8"),
        (b"Traceback (most recent call last):", "line 1 of the report: Invalid JSON"),
        (b"[]", "line 1 of the report: Input should be"),
        (b'{"test": "a", "outcome": "passed"}', "without its last line"),
        (b'{"test": "a", "outcome": "passed"}\n{"tests": 2}', "counts 2 tests, and 1"),
        (b'{"tests": 0}\n{"test": "a", "outcome": "passed"}', "must be the last line"),
        (b'{"tests": 0}', "has no test"),
        (b'{"test": "a", "outcome": "perfect"}\n{"tests": 1}', "report: outcome: Input should be"),
        (b'{"outcome": "passed"}\n{"tests": 1}', "report: test: Field required"),
        (b'{"test": "a", "outcome": "passed", "score": 1}\n{"tests": 1}', "report: score: Extra"),
        (
            b'{"test": "a", "outcome": "passed", "seconds": -1}\n{"tests": 1}',
            "report: seconds: Input should",
        ),
        (b'{"test": "a", "outcome": "passed"}\n{"tests": "one"}', "2 of the report: tests: Input"),
        (b"<testsuite><testcase name='a'/>", "not XML"),
        (b"<html/>", "no JUnit XML"),
        (b"<testsuite/>", "has no test"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><testsuite/>", "document type"),
        (b"<testsuite><testcase name='a'/></testsuite> and more", "not XML"),
        (
            b"<testsuite failures='1'><testcase name='a'/></testsuite>",
            "failures is 1, and it has 0",
        ),
        (b"<testsuites errors='1'><testcase name='a'/></testsuites>", "errors is 1, and it has 0"),
        (
            b"<testsuite failures='2'><testcase name='a'><failure/></testcase></testsuite>",
            "failures is 2, and it has 1",
        ),
        (
            b"<testsuite errors='1'><testcase name='a'><any><error/></any></testcase></testsuite>",
            "errors is 1, and it has 0",
        ),
    ],
)
def test_an_output_that_is_no_report_judges_nobody(output: bytes, reason: str) -> None:
    """A report that is missing, cut off or of another form is refused with the reason."""
    with pytest.raises(UnreadableReportError, match=reason):
        read_report(output)


def test_too_many_tests_are_refused() -> None:
    """A report has a limit of tests, as it has of bytes."""
    lines = '{"test": "a", "outcome": "passed"}\n' * (MOST_TESTS + 1)
    with pytest.raises(UnreadableReportError, match=f"more than {MOST_TESTS}"):
        read_report(f'{lines}{{"tests": {MOST_TESTS + 1}}}'.encode())


SUBTESTS: Final = """\
def test_right(subtests):
    for number in range(3):
        with subtests.test(number=number):
            assert number < 3


def test_wrong(subtests):
    for number in range(3):
        with subtests.test(number=number):
            assert number == 1
"""


@pytest.mark.integration
def test_a_test_with_subtests_is_one_test(tmp_path: Path) -> None:
    """The test fails with its first failed subtest; pytest's counts of subtests are no fault."""
    (tmp_path / "test_numbers.py").write_text(SUBTESTS)
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
