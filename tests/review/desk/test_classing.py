"""Failures of a report at the desk: one at a time, each class saved at once, or refused."""

import re
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from records.archives.archive import compute_artifact_digest, write_archive
from records.files.data_folder import DataFolder
from records.shapes.failure_classes import FailureClass
from records.writer import write_record, write_run
from review.from_runs import make_attempt_session_id
from review.store import SessionStore
from runner.reports.write import save_class
from tests.leaderboard.reports.test_report import list_failure_classes, read_only_report
from tests.records import examples
from tests.records.sessions.audits import make_audit, make_audit_item
from tests.review.desk.looks import LOOKS, Look, name_look, open_look
from tests.review.desking import HOSTILE, make_desk_client, read_form_fields, serve_desk
from tests.support.warm_command import ROOT, run_command

pytestmark = pytest.mark.integration
RUN = "a" * 32
PLACE = f"reports/{RUN}"
KNOWN = "000-fundamentals/002-puppet_schema"
"""An eval of today's suite, in place of the run's last, which failed."""
UNKNOWN = examples.make_eval_name(2)
FIRST = f"{PLACE}/{UNKNOWN}/0"
SECOND = f"{PLACE}/{examples.make_eval_name(5)}/0"
LAST = f"{PLACE}/{KNOWN}/0"


def write_reported_run(root: Path) -> DataFolder:
    """Write a published run of twelve evals, of which four failed, and a report without classes."""
    folder = DataFolder(root / "data")
    (root / "evals").symlink_to(ROOT / "evals")
    run = examples.make_run(RUN, evals=12)
    files = {"convex/gone.ts": "export {};\n", "convex/schema.ts": HOSTILE}
    answer = examples.make_artifact(KNOWN).model_copy(update={"files": files})
    failure = {"eval": KNOWN, "artifact": compute_artifact_digest(answer)}
    attempts = [
        attempt.model_copy(update=failure)
        if attempt.eval == examples.make_eval_name(11)
        else attempt
        for attempt in run.attempts
    ]
    planned = tuple(attempt.eval for attempt in attempts)
    run = run.model_copy(update={"attempts": tuple(attempts), "planned": planned})
    write_record(folder.benchmarks, examples.make_benchmark())
    write_run(folder, run)
    write_archive(folder.get_artifact_file(run.model.slug, RUN), [answer])
    run_command("report", RUN, "--data", folder.root, "--author", "me", code=0)
    return folder


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


@pytest.fixture
def address(data: DataFolder) -> Generator[str]:
    """The address of the desk on loopback."""
    with serve_desk(SessionStore(data)) as address:
        yield address


def test_keys_class_every_failure(page: Page, address: str, data: DataFolder) -> None:
    """A key saves class and note, and leads on; other keys skip and go back; the report follows."""
    page.goto(f"{address}reports")
    page.get_by_role("link", name="Class 4").click()
    expect(page.locator("h2").first).to_have_text(UNKNOWN)
    for name in ("Message", "Task", "Answer beside the reference"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.type("the index is missing")
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    expect(page).to_have_url(re.compile(SECOND))
    assert list_failure_classes(data)[0] == (FailureClass.MODEL_FAULT, "the index is missing")
    page.keyboard.press("b")
    expect(page.locator("[aria-pressed=true]")).to_have_attribute("value", "model_fault")
    page.keyboard.press("s")
    expect(page).to_have_url(re.compile(SECOND))
    for key, remaining in (("o", 2), ("k", 1)):
        page.keyboard.press(key)
        expect(page.get_by_text(f"{remaining} without a class")).to_be_visible()
    page.keyboard.press("h")
    expect(page.get_by_role("heading", name="Every failure has a class")).to_be_visible()
    assert [failure_class for failure_class, _ in list_failure_classes(data)] == [
        FailureClass.MODEL_FAULT,
        FailureClass.OVERLY_STRICT,
        FailureClass.KNOWN_GAP,
        FailureClass.HARNESS_FAULT,
    ]
    report = read_only_report(data)
    assert report.draft
    assert report.net_impact is not None
    assert report.net_impact in report.text


def test_a_key_that_is_held_down_classes_one_failure(
    page: Page, address: str, data: DataFolder
) -> None:
    """The keyboard repeats the key even after the next failure is in sight."""
    page.goto(f"{address}{PLACE}")
    page.keyboard.down("m")
    expect(page).to_have_url(re.compile(SECOND))
    for _ in range(3):
        page.keyboard.down("m")
    page.keyboard.up("m")
    page.keyboard.press("b")  # keys work in order: the repeated keys came before
    expect(page).to_have_url(re.compile(FIRST))
    assert [failure_class for failure_class, _ in list_failure_classes(data)].count(None) == 3


@pytest.mark.parametrize("look", LOOKS, ids=name_look)
def test_axe_finds_nothing_and_every_page_fits(
    browser: Browser, data: DataFolder, address: str, look: Look
) -> None:
    """The list, a failure with and without its evidence, and the end are checked."""
    with open_look(browser, look) as looked:
        page = looked.page
        for name, path in (("reports", "reports"), ("failure", LAST), ("no-evidence", FIRST)):
            page.goto(f"{address}{path}")
            looked.examine(name)
        page.goto(f"{address}{PLACE}")
        expect(page.get_by_text("4 without a class")).to_be_visible()
        (report,) = data.list_report_files()
        for failure in read_only_report(data).failures:
            save_class(report, (failure.eval, None), FailureClass.MODEL_FAULT, "a note")
        page.goto(f"{address}{PLACE}")
        expect(page.get_by_role("heading", name="Every failure has a class")).to_be_visible()
        looked.examine("classed")
