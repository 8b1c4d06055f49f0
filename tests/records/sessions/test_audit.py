"""Audits: the sums of the drawn items, and people's judgements of them."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from records.checks.check_data import check_all, check_data
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.audit import Audit, AuditState, find_judgements
from records.sessions.events import read_log
from records.sessions.labels import LabelEvent
from records.writer import write_record
from tests.records.sessions.audits import make_audit, make_audit_item, make_status_event
from tests.records.sessions.test_session import make_plain_session
from tests.support.sessions import write_session

pytestmark = pytest.mark.unit
RIGHT = make_status_event("correct", reviewer="p1")
WRONG = make_status_event("incorrect", reviewer="p2")


def test_an_audit_is_read_back(tmp_path: Path) -> None:
    """Its name is the benchmark version and the seed."""
    drawn = make_audit(make_audit_item(0), make_audit_item(1, "passed"))
    path = write_record(DataFolder(tmp_path).audits, drawn)
    assert path == tmp_path / "audits" / "9fdfa625ac2f-7.json"
    assert read_record(Audit, path) == drawn
    assert (drawn.count_population("failed"), drawn.count_drawn("failed"), drawn.doubles) == (
        2,
        1,
        0,
    )


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"seed": 8}, "audit_id"),
        ({"items": (make_audit_item(0), make_audit_item(0))}, "drawn twice"),
        ({"items": (make_audit_item(0, weight=3.0),)}, "should be 2.0"),
        ({"items": (make_audit_item(0, failed_step=None),)}, "failed_step is null exactly"),
        ({"items": (make_audit_item(0, run_id="b" * 32),)}, "is not one of the runs"),
        ({"items": (make_audit_item(0, eval="000-other/000-eval"),)}, "in no stratum"),
        ({"items": ()}, "strata: drawn differs"),
        ({"steps": {"tests": 1}}, "steps do not add up"),
    ],
)
def test_an_audit_adds_up(changed: dict[str, Any], reason: str) -> None:
    """Rates are computed from these numbers, so a contradiction is refused."""
    with pytest.raises(ValidationError, match=reason):
        make_audit(make_audit_item(0), **changed)


def test_one_judgement_settles_an_attempt_of_one_reviewer() -> None:
    """The statuses correct and golden mean that the answer is right."""
    single = make_audit_item(0)
    assert find_judgements(make_audit(single), single, []).state is AuditState.OPEN
    for status, right in (("golden", True), ("correct", True), ("incorrect", False)):
        summary = find_judgements(make_audit(single), single, [make_status_event(status)])
        assert (summary.state, summary.acceptable) == (AuditState.SETTLED, right)


@pytest.mark.parametrize(
    "event",
    [
        make_status_event("correct", blind=False),
        make_status_event("correct", via="grader"),
        make_status_event("correct", minutes=-1),
        make_status_event("needs_review"),
        make_status_event("correct", field="evalNotes"),
    ],
)
def test_not_a_judgement(event: Any) -> None:  # noqa: ANN401 - a label event
    """Events with a seen verdict, no person, too early, no status or another label do not count."""
    single = make_audit_item(0)
    assert find_judgements(make_audit(single), single, [event]).state is AuditState.OPEN


def test_a_judgement_that_was_taken_back_is_none() -> None:
    """No earlier judgement of the reviewer comes back by mistake: there was none."""
    single = make_audit_item(0)
    first = make_status_event("correct")
    back = make_status_event("incorrect", undoes=first.id)
    assert find_judgements(make_audit(single), single, [first, back]).blind == []


def test_two_reviewers_agree_or_are_decided_between() -> None:
    """The last judgement of each counts; the person who decides has seen both."""
    double = make_audit_item(0, reviewers=2)
    drawn = make_audit(double)
    assert find_judgements(drawn, double, [RIGHT]).state is AuditState.OPEN
    assert (
        find_judgements(drawn, double, [RIGHT, make_status_event("correct")]).state
        is AuditState.SETTLED
    )
    disputed = find_judgements(drawn, double, [RIGHT, WRONG])
    assert (disputed.state, disputed.acceptable) == (AuditState.DISPUTED, None)
    decision = make_status_event("correct", reviewer="p3", blind=False, reason="the task allows it")
    decided = find_judgements(drawn, double, [RIGHT, WRONG, decision])
    assert (decided.state, decided.acceptable) == (AuditState.SETTLED, True)
    assert decided.decision == decision
    again = make_status_event("correct", reviewer="p2", minutes=2)
    assert find_judgements(drawn, double, [RIGHT, WRONG, again]).state is AuditState.SETTLED


def test_only_a_judgement_that_was_seen_is_decided() -> None:
    """A status decides between the judgements that it names, and between no others."""
    double = make_audit_item(0, reviewers=2)
    drawn = make_audit(double)
    seen = make_status_event("golden", reviewer="p3", blind=False, decides=(RIGHT.id, WRONG.id))
    blind_to_second = make_status_event("golden", reviewer="p3", blind=False, decides=())
    decided = find_judgements(drawn, double, [RIGHT, WRONG, seen])
    assert (decided.state, decided.decision) == (AuditState.SETTLED, seen)
    open_still = find_judgements(drawn, double, [RIGHT, WRONG, blind_to_second])
    assert (open_still.state, open_still.decision) == (AuditState.DISPUTED, None)


def test_golden_and_correct_differ_and_both_are_right() -> None:
    """They are disputed as labels; the grader's error is known all the same."""
    double = make_audit_item(0, reviewers=2)
    golden = make_status_event("golden", reviewer="p2")
    summary = find_judgements(make_audit(double), double, [RIGHT, golden])
    assert (summary.state, summary.acceptable) == (AuditState.DISPUTED, True)


def test_a_torn_last_line_of_a_log_is_no_event(tmp_path: Path) -> None:
    """The writer was killed before it reported that the label is stored."""
    event = make_status_event("correct")
    line = event.model_dump_json().encode() + b"\n"
    path = tmp_path / "log"
    path.write_bytes(line + line[:20])
    assert read_log(LabelEvent, path) == [event]
    assert read_log(LabelEvent, tmp_path / "none") == []


def test_check_compares_audits_with_runs_and_sessions(tmp_path: Path) -> None:
    """The runs and sessions of an audit exist, and its file has the name of its id."""
    data = DataFolder(tmp_path)
    path = write_record(data.audits, make_audit(make_audit_item(1)))
    path.rename(path.with_name("9fdfa625ac2f-8.json"))
    write_session(data, make_plain_session())
    data.get_label_file("session-0001").write_bytes(b"{}\n")
    problems = {(problem.path.name, problem.field) for problem in check_all(data)}
    assert problems == {
        ("9fdfa625ac2f-8.json", "audit_id"),
        ("9fdfa625ac2f-8.json", "runs"),
        ("session-0001.labels.jsonl", "line 1"),
    }
    data.get_session_file("session-0001").unlink()
    assert "items.0.session" in {problem.field for problem in check_data(data)}
