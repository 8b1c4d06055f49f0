"""Failures of a report at the desk: one at a time, each class saved at once, or refused."""

from pathlib import Path

import httpx
import pytest

from records.files.data_folder import DataFolder
from records.shapes.failure_classes import FailureClass
from records.writer import write_record
from review.from_runs import make_attempt_session_id
from review.store import SessionStore
from runner.reports.write import save_class
from tests.leaderboard.reports.test_classify import list_failure_classes
from tests.records.sessions.audits import make_audit, make_audit_item
from tests.review.desk.reported_run import (
    FIRST,
    LAST,
    PLACE,
    RUN,
    SECOND,
    UNKNOWN,
    write_reported_run,
)
from tests.review.desking import make_desk_client, read_form_fields

pytestmark = pytest.mark.integration


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """A published run of twelve evals with four failures, and a report without classes."""
    return write_reported_run(tmp_path)


@pytest.fixture
def client(data: DataFolder) -> httpx.Client:
    """A client of the desk."""
    return make_desk_client(SessionStore(data))


def post_class(client: httpx.Client, path: str, **fields: str) -> httpx.Response:
    """Send the form of a failure."""
    return client.post(path, data={**read_form_fields(client, path), **fields})


def draw_first(data: DataFolder) -> str:
    """Write an audit that drew the first failure; return the id of its session."""
    drawn = make_attempt_session_id(RUN, UNKNOWN, 1)
    stratum = {"eval": UNKNOWN, "outcome": "failed", "population": 2, "drawn": 1}
    attempt = make_audit_item(1, session=drawn, eval=UNKNOWN, sample=1)
    write_record(data.audits, make_audit(attempt, strata=[stratum]))
    return drawn


def test_answers_from_models_are_text(client: httpx.Client) -> None:
    """No text of an answer becomes an element, and missing files are named."""
    text = client.get(LAST).raise_for_status().text
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "not in the reference" in text
    assert "Today's suite has no such eval" not in text
    assert "Today's suite has no such eval" in client.get(FIRST).raise_for_status().text


def test_a_second_key_on_the_failure_in_sight_corrects_the_first(
    client: httpx.Client, data: DataFolder
) -> None:
    """Both forms are of one page, as when keys are pressed faster than the next page comes."""
    form = read_form_fields(client, FIRST)
    for failure_class in ("model_fault", "model_fault", "known_gap"):
        answer = client.post(FIRST, data={**form, "class": failure_class, "note": "n"})
        assert answer.status_code == 303
    assert list_failure_classes(data)[0] == (FailureClass.KNOWN_GAP, "n")
    (path,) = data.list_report_files()
    save_class(path, (UNKNOWN, None), FailureClass.HARNESS_FAULT, None)
    refused = client.post(FIRST, data={**form, "class": "model_fault", "note": "n"})
    assert refused.status_code == 409
    assert list_failure_classes(data)[0] == (FailureClass.HARNESS_FAULT, "n")


def test_a_save_of_an_editor_meanwhile_stays(client: httpx.Client, data: DataFolder) -> None:
    """The form of an outdated page is refused; the other failures can be classed."""
    old = read_form_fields(client, FIRST)
    (path,) = data.list_report_files()
    save_class(path, (UNKNOWN, None), FailureClass.KNOWN_GAP, None)
    answer = client.post(FIRST, data={**old, "class": "model_fault", "note": ""})
    assert answer.status_code == 409
    assert "changed meanwhile (known_gap)" in answer.text
    assert post_class(client, SECOND, **{"class": "model_fault"}).status_code == 303
    assert [each for each, _ in list_failure_classes(data)][:2] == [
        FailureClass.KNOWN_GAP,
        FailureClass.MODEL_FAULT,
    ]
    path.write_text("no report")
    broken = client.get(FIRST)
    assert broken.status_code == 409
    assert path.name in broken.text


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [
        (FIRST, {"class": "fault"}, 400),
        (FIRST, {}, 400),
        (FIRST, {"class": "known_gap", "note": "n" * 2_001}, 400),
        (FIRST, {"class": "known_gap", "token": "0" * 40}, 403),
        (f"{PLACE}/{UNKNOWN}/7", {"class": "known_gap"}, 404),
        (f"reports/{'b' * 32}/{UNKNOWN}/0", {"class": "known_gap"}, 404),
    ],
)
def test_wrong_forms_write_nothing(
    client: httpx.Client, data: DataFolder, path: str, fields: dict[str, str], status: int
) -> None:
    """Another class, none, a note that is too long, no token, no such failure, no such run."""
    answer = client.post(path, data={**read_form_fields(client, FIRST), **fields})
    assert answer.status_code == status
    assert list_failure_classes(data) == [(None, "")] * 4


def test_a_run_without_a_report_names_the_command(client: httpx.Client, data: DataFolder) -> None:
    """The desk begins no report, because the command needs its author."""
    (path,) = data.list_report_files()
    path.unlink()
    answer = client.get(PLACE)
    assert answer.status_code == 404
    assert f"leaderboard report {RUN[:8]}" in answer.text
    assert "leaderboard report RUN" in client.get("reports").raise_for_status().text


@pytest.mark.parametrize("is_damaged", [False, True])
def test_an_attempt_that_waits_to_be_judged_blind_is_not_shown(
    data: DataFolder, *, is_damaged: bool
) -> None:
    """Its page would show the verdict; the other failures are classed.

    With a damaged label log, a judgement cannot be proved.
    """
    client = make_desk_client(SessionStore(data))
    form = read_form_fields(client, FIRST)
    log = data.get_label_file(draw_first(data))
    if is_damaged:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("no event\n")
    assert client.get(FIRST).status_code == 403
    refused = client.post(FIRST, data={**form, "class": "model_fault", "note": ""})
    assert refused.status_code == 403
    assert client.get(PLACE).headers["location"].endswith(SECOND)
    for _ in range(3):
        path = client.get(PLACE).headers["location"].removeprefix("/review/")
        assert post_class(client, path, **{"class": "model_fault"}).status_code == 303
    text = client.get(PLACE).raise_for_status().text
    assert "1 failure waits to be judged blind by you first" in text
    assert UNKNOWN not in text
    assert list_failure_classes(data)[0] == (None, "")
