"""The report on a run: its lists, the parts that an update keeps, and its harmless texts."""

import asyncio
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from records.checks.check_data import check_data
from records.files.data_folder import DataFolder
from records.reader import read_report
from records.runs.failure_words import LONGEST_SHAPE, generalize_message
from records.shapes.attempt import Attempt, CarriedOver, Outcome, Step, StepName
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure, Proposal, encode_report
from records.writer import write_atomically
from runner.errors import NotReportableError
from runner.evals.discovery import Suite, discover
from runner.models.ask import GenerationResult
from runner.reports import proposals
from runner.reports.write import (
    KEPT,
    FailedAttempt,
    Subject,
    attach_proposal,
    find_patterns,
    find_subject,
    write_report,
)
from tests.records import examples
from tests.runner.conftest import write_prose_eval, write_prose_suite
from tests.runner.models.asking import make_entry

pytestmark = pytest.mark.unit
DAY = date(2026, 11, 24)
HOSTILE = "```\n<script>alert(1)</script>\n````\n![x](https://evil.example/p.png) @everyone"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Return a suite of the evals that the example run attempted."""
    root = write_prose_suite(tmp_path / "evals", 0)
    for number in range(6):
        write_prose_eval(root / examples.make_eval_name(number), number)
    return discover(root)


@pytest.fixture
def subject(tmp_path: Path, suite: Suite) -> Subject:
    """Return a run of six evals of which two failed, archived, as a published record."""
    data = DataFolder(tmp_path / "data")
    run = examples.write_answers(data, examples.make_run(evals=6))
    examples.write_runs(data, run)
    return find_subject(data, suite, run.run_id[:8])


def fail_attempt(attempt: Attempt, message: str) -> Attempt:
    """Return an attempt that failed to deploy with this message."""
    step = Step(name=StepName.DEPLOY, outcome=Outcome.FAILED, duration_s=0.1, message=message)
    return attempt.model_copy(
        update={
            "outcome": Outcome.FAILED,
            "failed_step": StepName.DEPLOY,
            "reason": "does not deploy",
            "steps": (step,),
            "tests": None,
        }
    )


def test_a_run_that_asked_for_nothing_has_cost_nothing(subject: Subject) -> None:
    """Another run paid for its answers; an unknown cost is different from no cost."""
    origin = CarriedOver(run="e" * 32, asked_from=examples.NOON, prompt=examples.make_digest())
    attempts = tuple(
        attempt.model_copy(update={"carried_over": origin}) for attempt in subject.run.attempts
    )
    carried = examples.with_attempts(subject.run, attempts)
    written = write_report(subject._replace(run=carried), "a maintainer", DAY)
    assert "| cost | none, all answers were carried over |" in read_report(written.path).text
    bare = tuple(
        attempt.model_copy(update={"generation": None}) for attempt in subject.run.attempts
    )
    unknown = examples.with_attempts(subject.run, bare)
    again = write_report(subject._replace(run=unknown), "a maintainer", DAY, update=True)
    assert "| cost | not known |" in read_report(again.path).text


def test_a_new_report_lists_each_failure_with_its_class_open(subject: Subject) -> None:
    """The report is a draft without a finding of `leaderboard check`."""
    written = write_report(subject, "a maintainer", DAY)
    report = read_report(written.path)
    assert report == written.report
    assert report.draft
    assert (report.passed, report.planned) == (4, 6)
    assert [(failure.eval, failure.step, failure.failure_class) for failure in report.failures] == [
        (examples.make_eval_name(number), StepName.TESTS, None) for number in (2, 5)
    ]
    assert [problem for problem in check_data(subject.data) if problem.path == written.path] == []


def test_each_failure_is_explained(subject: Subject) -> None:
    """The report has task, message, diff to the reference, and the failures' common pattern."""
    text = write_report(subject, "a maintainer", DAY).report.text
    assert "Write answer number <2>." in text
    assert "assert ['a'] == ['b']" in text
    assert "--- reference/convex/a.ts" in text
    assert "2 failed with “" in text
    # All six attempts exercise the section: it fails no more often than the run.
    assert "that exercise kinds" not in text
    assert "Raw score: 4 of 6 (66.7%)." in text


def test_an_update_keeps_texts_of_people(subject: Subject) -> None:
    """Classes, notes and the text below the mark stay; figures become those of today's record."""
    written = write_report(subject, "a maintainer", DAY)
    strict = ClassedFailure.model_validate(
        {"eval": examples.make_eval_name(2), "class": "overly_strict", "note": "asks for an order"}
    )
    report = written.report.model_copy(
        update={
            "draft": False,
            "failures": (strict, written.report.failures[1]),
            "text": written.report.text.replace("None yet.", "The grader was mended."),
        }
    )
    write_atomically(written.path, encode_report(report).encode())
    later = write_report(subject, "somebody else", date(2027, 1, 1), update=True).report
    assert (later.author, later.date, later.draft) == ("a maintainer", DAY, False)
    assert later.failures[0].failure_class is FailureClass.OVERLY_STRICT
    assert later.failures[0].note == "asks for an order"
    assert later.text.count(KEPT) == 1
    assert "The grader was mended." in later.text
    assert later.net_impact == (
        "Raw score: 4 of 6 (66.7%). Attributed score, 1 set aside: 4 of 5 (80.0%). "
        "1 of the failures listed have no class yet."
    )


def test_an_update_sets_apart_mended_failures(subject: Subject) -> None:
    """After regrading, a failure that passes now is no failure any more, and keeps its class."""
    written = write_report(subject, "a maintainer", DAY)
    strict = ClassedFailure.model_validate(
        {"eval": examples.make_eval_name(2), "class": "overly_strict", "note": "asks for an order"}
    )
    classed = written.report.model_copy(update={"failures": (strict, written.report.failures[1])})
    write_atomically(written.path, encode_report(classed).encode())
    passed = examples.make_attempt(examples.make_eval_name(2))
    attempts = tuple(
        passed.model_copy(update={"artifact": each.artifact}) if each.eval == passed.eval else each
        for each in subject.run.attempts
    )
    mended = subject._replace(run=subject.run.model_copy(update={"attempts": attempts}))
    later = write_report(mended, "a maintainer", DAY, update=True).report
    assert [each.eval for each in later.failures] == [examples.make_eval_name(5)]
    assert later.passed == 5
    assert later.mended == (strict,)
    again = write_report(mended, "a maintainer", DAY, update=True).report
    assert again.mended == (strict,)
    back = write_report(subject, "a maintainer", DAY, update=True).report
    assert back.failures[0].failure_class is FailureClass.OVERLY_STRICT
    assert back.mended == ()


def test_a_report_is_not_overwritten_unasked(subject: Subject) -> None:
    """A second call is refused with the names of the file and the option."""
    write_report(subject, "a maintainer", DAY)
    with pytest.raises(NotReportableError, match="--update"):
        write_report(subject, "a maintainer", date(2026, 12, 1))


def test_a_run_that_goes_on_has_no_report(subject: Subject) -> None:
    """A run under way has only a part of its failures."""
    going = subject.run.model_copy(update={"status": "running", "finished_at": None})
    with pytest.raises(NotReportableError):
        write_report(subject._replace(run=going), "a maintainer", DAY)


def test_earlier_findings_on_an_eval_are_looked_up(subject: Subject) -> None:
    """Reports on other runs are named where they gave the eval a class; drafts do not count."""
    for number, draft in ((1, False), (2, True)):
        failure = {
            "eval": examples.make_eval_name(2),
            "class": "ambiguous_task",
            "note": f"see {number}",
        }
        run = examples.make_run("b" * 31 + str(number + 1))
        day = date(2026, 1, number)
        other = examples.make_report(run, draft=draft, date=day, failures=(failure,), passed=0)
        examples.write_report(subject.data, other, "other/model")
    text = write_report(subject, "a maintainer", DAY).report.text
    assert "`reports/other/model/bbbbbbbb_2026-01-01.md` on other/model: ambiguous" in text
    assert "see 2" not in text


def test_texts_of_models_cannot_act(subject: Subject) -> None:
    """Fences, HTML, images and mentions in a grader's message stay text inside of a code block."""
    attempts = (fail_attempt(subject.run.attempts[0], HOSTILE), *subject.run.attempts[1:])
    hostile = subject._replace(run=subject.run.model_copy(update={"attempts": attempts}))
    text = write_report(hostile, "a maintainer", DAY).report.text
    tokens = MarkdownIt("commonmark").parse(text)
    blocks = [token.content for token in tokens if token.type == "fence"]
    assert any("<script>" in block and "![x]" in block for block in blocks)
    html = [token.content for token in tokens if token.type == "html_block"]
    assert html == [f"{KEPT}\n"]
    outside = [token.content for token in tokens if token.type == "inline"]
    assert not any("evil.example" in content for content in outside)


def test_a_proposal_is_no_class(subject: Subject) -> None:
    """The proposal stands in the report for a person to confirm, and sets no failure aside."""
    written = write_report(subject, "a maintainer", DAY)
    proposal = Proposal.model_validate(
        {"class": "overly_strict", "reason": "the task names no order", "by": "maker/judge"}
    )
    attach_proposal(written.path, written.failures[0].attempt, proposal)
    report = read_report(written.path)
    assert report.failures[0].proposal == proposal
    assert report.failures[0].failure_class is None
    later = write_report(subject, "a maintainer", DAY, update=True).report
    assert later.failures[0].proposal == proposal
    assert later.net_impact is not None
    assert "No failure is set aside" in later.net_impact


@pytest.mark.parametrize(
    ("message", "other"),
    [
        (
            "convex/a.ts(3,14): error TS2345: Argument of type 'string' is not assignable",
            "convex/lib/b.ts(120,1): error TS2345: Argument of type 'Id<\"x\">' is not assignable",
        ),
        ("grader.py:41: assert [1, 2] == [2, 1]", "grader.py:7: assert [{'a': 3}] == []"),
        ("expected 2, got 0\nat line 3", "expected 14, got 1.5"),
    ],
)
def test_messages_with_one_cause_have_one_shape(message: str, other: str) -> None:
    """Places, numbers, quoted texts and values differ from case to case, and are left out."""
    assert generalize_message(message) == generalize_message(other)


def test_messages_with_two_causes_differ() -> None:
    """A code of the compiler is not a number."""
    assert generalize_message("a.ts(1,1): error TS2345: no") != generalize_message(
        "a.ts(1,1): error TS2322: no"
    )


@given(st.text())
def test_a_shape_is_one_short_line(message: str) -> None:
    """Any message of a grader has a short shape without a line end."""
    line = generalize_message(message)
    assert len(line) <= LONGEST_SHAPE
    assert len(line.splitlines()) <= 1


def make_failure(number: int, *sections: str) -> FailedAttempt:
    """Return a failed attempt at an eval that exercises these sections."""
    attempt = examples.make_attempt(examples.make_eval_name(number), outcome=Outcome.FAILED)
    return FailedAttempt(attempt, None, {}, None, sections, ())


def test_a_section_is_a_pattern_where_it_fails_more_than_the_run() -> None:
    """The claim has both rates; a section that fails no more often than the run is no pattern."""
    failures = [make_failure(n, "often", "always") for n in range(5)] + [
        make_failure(9, "rare"),
        make_failure(8, "rare"),
    ]
    all_patterns = find_patterns(failures, {"often": 6, "always": 10, "rare": 5}, 14)
    (often,) = [each for each in all_patterns if "attempts that exercise" in each.claim]
    assert often.claim == ("5 of 6 attempts that exercise often failed (83%), of all 7 of 14 (50%)")
    assert often.examples == [examples.make_eval_name(number) for number in range(3)]
    assert often.left_out_note == " and 2 more"


def test_messages_of_one_shape_are_a_pattern_by_themselves() -> None:
    """Such messages have no rate of their own; three evals are named, and no number is added."""
    (messages,) = find_patterns([make_failure(1), make_failure(2)], {}, 10)
    assert messages.claim.startswith("2 failed with “")
    assert (messages.examples, messages.left_out_note) == (messages.evals, "")


REPLY = 'I think {"class": 7} or rather {"class": "known_gap", "reason": "No index."}'
MODEL = make_entry()
FAILURE = FailedAttempt(examples.make_attempt(examples.make_eval_name(0)), None, {}, None, (), ())


@pytest.fixture(autouse=True)
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the model answer each question with the same reply."""

    async def answer(*_: object, **_options: object) -> GenerationResult:
        return GenerationResult(REPLY, None, None)

    monkeypatch.setattr(proposals, "generate", answer)


def test_the_first_valid_object_of_a_reply_is_the_proposal() -> None:
    """An object that is no proposal is passed over."""
    drafts: list[proposals.Drafted] = []
    drafting = proposals.draft_proposals([FAILURE], MODEL, budget_usd=None, done=drafts.append)
    asyncio.run(drafting)
    (draft,) = drafts
    assert draft.problem is None
    assert draft.proposal is not None
    assert draft.proposal.failure_class is FailureClass.KNOWN_GAP


def test_an_error_of_the_receiver_is_not_hidden() -> None:
    """A report that cannot be written ends the drafting."""

    def fail(_: proposals.Drafted) -> None:
        raise ValueError("the report cannot be written")

    drafting = proposals.draft_proposals([FAILURE], MODEL, budget_usd=None, done=fail)
    with pytest.raises(ExceptionGroup, match="unhandled errors"):
        asyncio.run(drafting)
