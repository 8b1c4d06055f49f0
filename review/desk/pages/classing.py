"""Pages to class the failures of a report, one at a time; each class is saved at once."""

from collections.abc import Collection, Sequence

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from records.errors import MissingRecordError, RecordsError
from records.shapes.failure_classes import FailureClass
from review.desk import shortcuts
from review.desk.desk import (
    ROOT,
    Desk,
    FailureEvidence,
    OpenReport,
    OpenReports,
    Place,
    compute_entry_version,
    render_page,
)
from review.desk.guard import FormFields
from review.desk.transcript import ComparedLine, compare_lines
from review.errors import ReviewError
from review.from_runs import make_attempt_session_id

CLASSES = (
    ("m", FailureClass.MODEL_FAULT, "the answer is wrong"),
    ("o", FailureClass.OVERLY_STRICT, "the answer is right and the grader refused it"),
    ("a", FailureClass.AMBIGUOUS_TASK, "the task allows a reading that makes the answer right"),
    ("k", FailureClass.KNOWN_GAP, "wrong as with many models; the guidelines could mend it"),
    ("h", FailureClass.HARNESS_FAULT, "the machinery broke"),
)
"""Key, class and meaning; the keys are those of `leaderboard report --classify`."""
_LONGEST_TEXT = 40_000
"""Characters of a task, a message or a file; longer texts are cut on pages."""
_LONGEST_NOTE = 2_000
_WAITS = "this attempt waits to be judged blind: class it afterwards"


def render_reports_page(desk: Desk) -> Response:
    """Return the list of reports, those with open failures first."""
    lines = _get_reports(desk).list_reports()
    return render_page(desk, "reports.html", title="Reports", here=f"{ROOT}reports", lines=lines)


def redirect_to_next_failure(desk: Desk, run_id: str) -> Response:
    """Redirect to the first failure without a class; if there is none, show that all have one."""
    report = _read(desk, run_id)
    hidden = _find_hidden(desk, report)
    next_place = _find_next_place(report, hidden)
    if next_place is not None:
        return RedirectResponse(_link_to_failure(run_id, next_place), 303)
    return render_page(
        desk,
        "classed.html",
        title="Classes of a report",
        here=f"{ROOT}reports/{run_id}",
        line=report.line,
        hidden=len(hidden),
        failures=[
            (_link_to_failure(run_id, failure.entry.place), failure)
            for failure in report.failures
            if failure.entry.place not in hidden
        ],
    )


def render_failure_page(desk: Desk, run_id: str, eval_name: str, sample: int) -> Response:
    """Return the page of one failure, with its evidence and a button for each class."""
    report = _read(desk, run_id)
    at = _find_index(report, (eval_name, sample or None))
    failure = report.failures[at]
    if failure.entry.place in _find_hidden(desk, report):
        raise HTTPException(403, _WAITS)
    beside = [_link_to_failure(run_id, each.entry.place) for each in report.failures]
    return render_page(
        desk,
        "failure.html",
        title=f"Failure {at + 1} of {len(report.failures)}",
        here=beside[at],
        line=report.line,
        number=at + 1,
        failure=failure,
        version=compute_entry_version(failure.entry),
        classes=CLASSES,
        files=_compare_files(failure),
        message=_cut(failure.message),
        task=None if failure.task is None else _cut(failure.task),
        longest_note=_LONGEST_NOTE,
        previous=beside[at - 1] if at else None,
        following=beside[at + 1] if at + 1 < len(beside) else None,
        shortcuts=shortcuts.OF_A_FAILURE,
    )


def save_class(
    desk: Desk, run_id: str, eval_name: str, sample: int, fields: FormFields
) -> Response:
    """Write class and note of a failure, and redirect to the next failure without a class.

    Raises:
        HTTPException: 400, the form names no class or a note that is too long; 409, class or note
            were changed since the page was shown. Then nothing is written.
    """
    failure_place = (eval_name, sample or None)
    chosen = fields.read_choice("class", tuple(FailureClass))
    if chosen is None:
        raise HTTPException(400, f"class: must be one of {', '.join(FailureClass)}")
    note = fields.read_value("note") or ""
    if len(note) > _LONGEST_NOTE:
        raise HTTPException(400, f"note: has {len(note):,} characters of {_LONGEST_NOTE:,}")
    report = _read(desk, run_id)
    failure = report.failures[_find_index(report, failure_place)]
    hidden = _find_hidden(desk, report)
    if failure_place in hidden:
        raise HTTPException(403, _WAITS)
    shown_version, known_version = (
        fields.read_value("version"),
        compute_entry_version(failure.entry),
    )
    if known_version not in {
        shown_version,
        desk.class_saves.get((run_id, failure_place, shown_version)),
    }:
        present_class = failure.entry.failure_class or "no class"
        raise HTTPException(
            409, f"it was changed meanwhile ({present_class}): reload its page. Nothing was saved"
        )
    try:
        saved = _get_reports(desk).save(run_id, failure_place, FailureClass(chosen), note)
    except ReviewError as error:
        raise HTTPException(409, str(error)) from error
    desk.class_saves[run_id, failure_place, shown_version] = compute_entry_version(saved)
    following = _find_next_place(_read(desk, run_id), hidden, failure_place)
    to_end = f"{ROOT}reports/{run_id}"
    return RedirectResponse(
        to_end if following is None else _link_to_failure(run_id, following), 303
    )


def _get_reports(desk: Desk) -> OpenReports:
    if desk.reports is None:
        raise HTTPException(404, "reports are not classed here")
    return desk.reports()


def _read(desk: Desk, run_id: str) -> OpenReport:
    try:
        return _get_reports(desk).read(run_id)
    except MissingRecordError as error:
        raise HTTPException(404, str(error)) from error
    except (RecordsError, ReviewError) as error:
        raise HTTPException(409, str(error)) from error


def _find_index(report: OpenReport, place: Place) -> int:
    places = [failure.entry.place for failure in report.failures]
    if place not in places:
        raise HTTPException(404, "the report has no such failure")
    return places.index(place)


def _find_hidden(desk: Desk, report: OpenReport) -> set[Place]:
    """Return the failures of sessions that this reviewer is to judge blind."""
    hidden, run_id = desk.read_audited_ids().hidden, report.line.run_id
    return {
        failure.entry.place
        for failure in report.failures
        if hidden.intersection(
            make_attempt_session_id(run_id, failure.entry.eval, sample)
            for sample in failure.samples
        )
    }


def _find_next_place(
    report: OpenReport, hidden: Collection[Place], after: Place | None = None
) -> Place | None:
    """Return the next failure without a class, from ``after`` on and then from the first.

    Return None if there is none.
    """
    places = [failure.entry.place for failure in report.failures]
    begin = places.index(after) + 1 if after in places else 0
    for failure in (*report.failures[begin:], *report.failures[:begin]):
        if failure.entry.failure_class is None and failure.entry.place not in hidden:
            return failure.entry.place
    return None


def _link_to_failure(run_id: str, place: Place) -> str:
    eval_name, sample = place
    return f"{ROOT}reports/{run_id}/{eval_name}/{sample or 0}"


def _compare_files(
    failure: FailureEvidence,
) -> list[tuple[str, str, Sequence[ComparedLine] | None]]:
    """Return path, state and compared lines of each file of an answer and of the reference.

    Lines are None if both files are equal, and empty if they are too long to be compared.
    """
    if failure.answer is None:
        return []
    files: list[tuple[str, str, Sequence[ComparedLine] | None]] = []
    for path in sorted({*failure.reference, *failure.answer}):
        answer, expected = failure.answer.get(path), failure.reference.get(path)
        if answer == expected:
            files.append((path, "as the reference", None))
            continue
        missing = "not written" if answer is None else "not in the reference"
        state = "differs" if answer is not None and expected is not None else missing
        files.append((path, state, compare_lines(answer or "", expected or "") or ()))
    return files


def _cut(text: str) -> str:
    left_out = len(text) - _LONGEST_TEXT
    return text if left_out <= 0 else f"{text[:_LONGEST_TEXT]}\n… {left_out:,} more characters"
