"""Pages of the desk to class the failures of a report, one at a time; each class is saved at once.

Modules of runner are imported when a page needs them, because they are slow, and in an extra.
"""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from records.errors import MissingRecordError, RecordsError
from records.files.data_folder import DataFolder, get_model_slug
from records.reader import find_reports, read_report
from records.shapes.base import compute_text_digest
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure, Report
from review.desk import shortcuts
from review.desk.app import DeskPages
from review.desk.desk import ROOT, Desk, render_page
from review.desk.guard import FormFields
from review.desk.queue import find_next
from review.desk.transcript import ComparedLine, compare_lines
from review.from_runs import make_attempt_session_id

if TYPE_CHECKING:
    from runner.reports.write import FailedAttempt, FailureToClass, Subject

_LONGEST_TEXT = 40_000
"""Characters of a task, a message or a file; longer texts are cut on pages."""
_LONGEST_NOTE = 2_000
_WAITS = "this attempt waits to be judged blind: class it afterwards"

Place = tuple[str, int | None]
"""Eval and sample of an entry of a report; the sample is None for all failed samples."""


class _OpenReport(NamedTuple):
    """A report with its run, and the evidence on each of its failures."""

    subject: "Subject"
    path: Path
    report: Report
    failures: "Sequence[FailureToClass]"

    @property
    def model(self) -> str:
        """The slug of the model of the run."""
        return get_model_slug(self.path)

    def find_index(self, place: Place) -> int:
        """Return the index of the failure with this eval and sample.

        Raises:
            HTTPException: 404, there is none.
        """
        places = [failure.entry.place for failure in self.failures]
        if place not in places:
            raise HTTPException(404, "the report has no such failure")
        return places.index(place)

    def find_hidden(self, desk: Desk) -> set[Place]:
        """Return the failures of sessions that this reviewer is to judge blind."""
        hidden = desk.labels.group_ids().hidden
        return {
            failure.entry.place
            for failure in self.failures
            if hidden.intersection(
                make_attempt_session_id(self.report.run, *failed.attempt.place)
                for failed in failure.attempts
            )
        }

    def find_next_place(
        self, hidden: Collection[Place], after: Place | None = None
    ) -> Place | None:
        """Return the next failure without a class, from ``after`` on and then from the first.

        Return None if there is none.
        """
        entries = [failure.entry for failure in self.failures]
        # `after` is in the list as the place from which the search begins, and is never its result.
        waiting = [
            entry.place
            for entry in entries
            if entry.place == after or (entry.failure_class is None and entry.place not in hidden)
        ]
        return find_next(waiting, after)


class ReportPages:
    """The pages on the reports of a data folder, published and local."""

    def __init__(self, data: DataFolder, evals_root: Path) -> None:
        """Store the folders; nothing is read before a page needs it."""
        self._data, self._evals = data, evals_root
        self._saves: dict[tuple[str, Place, str | None], str] = {}
        """The version that a form of this desk wrote, by the version that the form showed."""

    def list_routes(self, pages: DeskPages) -> list[Route]:
        """Return the routes of these pages at the desk."""
        failure = "/reports/{run}/{eval:path}/{sample:int}"
        return [
            Route("/reports", pages.make_page_endpoint(self.render_reports_page)),
            Route("/reports/{run}", pages.make_page_endpoint(self.redirect_to_next_failure)),
            Route(failure, pages.make_page_endpoint(self.render_failure_page)),
            Route(failure, pages.make_form_endpoint(self.save_class), methods=["POST"]),
        ]

    def render_reports_page(self, desk: Desk) -> Response:
        """Return the list of reports: those with open failures first, then the newest first."""
        paths = chain(self._data.list_report_files(), self._data.local.list_report_files())
        filed = [(get_model_slug(path), read_report(path)) for path in paths]
        filed.sort(key=lambda each: (bool(each[1].unclassed), each[1].date), reverse=True)
        return render_page(
            desk, "reports.html", title="Reports", here=f"{ROOT}reports", reports=filed
        )

    def redirect_to_next_failure(self, desk: Desk, run_id: str) -> Response:
        """Redirect to the first failure without a class, or show that all have one."""
        opened = self._read(run_id)
        hidden = opened.find_hidden(desk)
        next_place = opened.find_next_place(hidden)
        if next_place is not None:
            return RedirectResponse(_link_to_failure(run_id, next_place), 303)
        return render_page(
            desk,
            "classed.html",
            title="Classes of a report",
            here=f"{ROOT}reports/{run_id}",
            opened=opened,
            hidden=len(hidden),
            failures=[
                (_link_to_failure(run_id, failure.entry.place), failure)
                for failure in opened.failures
                if failure.entry.place not in hidden
            ],
        )

    def render_failure_page(self, desk: Desk, run_id: str, eval_name: str, sample: int) -> Response:
        """Return the page of one failure, with its evidence and a button for each class."""
        from leaderboard.reports import MOST_EARLIER  # noqa: PLC0415 - as the module says

        opened = self._read(run_id)
        at = opened.find_index((eval_name, sample or None))
        failure = opened.failures[at]
        if failure.entry.place in opened.find_hidden(desk):
            raise HTTPException(403, _WAITS)
        beside = [_link_to_failure(run_id, each.entry.place) for each in opened.failures]
        first = failure.attempts[0]
        return render_page(
            desk,
            "failure.html",
            title=f"Failure {at + 1} of {len(beside)}",
            here=beside[at],
            opened=opened,
            at=at,
            beside=beside,
            failure=failure,
            first=first,
            earlier=first.earlier[:MOST_EARLIER],
            version=compute_entry_version(failure.entry),
            classes=shortcuts.CLASSES,
            files=_compare_files(first),
            message=_cut(first.message),
            task=None if first.task is None else _cut(first.task),
            longest_note=_LONGEST_NOTE,
            shortcuts=shortcuts.OF_A_FAILURE,
        )

    def save_class(
        self, desk: Desk, run_id: str, eval_name: str, sample: int, fields: FormFields
    ) -> Response:
        """Write class and note of a failure, and redirect to the next failure without a class.

        If all failures have a class then, the text of the report is updated.

        Raises:
            HTTPException: 400, the form names no class or a note that is too long; 409, class or
                note were changed since the page was shown. Then nothing is written.
        """
        from runner.errors import RunnerError  # noqa: PLC0415 - as the module says
        from runner.reports import write  # noqa: PLC0415

        failure_place = (eval_name, sample or None)
        chosen = fields.read_choice("class", tuple(FailureClass))
        if chosen is None:
            raise HTTPException(400, f"class: must be one of {', '.join(FailureClass)}")
        note = fields.read_value("note")
        if len(note) > _LONGEST_NOTE:
            raise HTTPException(400, f"note: has {len(note):,} characters of {_LONGEST_NOTE:,}")
        opened = self._read(run_id)
        entry = opened.failures[opened.find_index(failure_place)].entry
        hidden = opened.find_hidden(desk)
        if failure_place in hidden:
            raise HTTPException(403, _WAITS)
        shown_version = fields.read_value("version")
        known_version = self._saves.get((run_id, failure_place, shown_version))
        if compute_entry_version(entry) not in {shown_version, known_version}:
            present_class = entry.failure_class or "no class"
            raise HTTPException(
                409,
                f"it was changed meanwhile ({present_class}): reload its page. Nothing was saved",
            )
        saved = write.save_class(opened.path, failure_place, FailureClass(chosen), note)
        self._saves[run_id, failure_place, shown_version] = compute_entry_version(saved)
        report = read_report(opened.path)
        if not report.unclassed:
            today = datetime.now(UTC).date()
            try:
                write.write_report(opened.subject, report.author, today, update=True)
            except RunnerError as error:
                raise HTTPException(409, str(error)) from error
        following = opened.find_next_place(hidden, failure_place)
        to_end = f"{ROOT}reports/{run_id}"
        return RedirectResponse(
            to_end if following is None else _link_to_failure(run_id, following), 303
        )

    def _read(self, run_id: str) -> _OpenReport:
        """Return the report on a run, with the evidence on its failures.

        Raises:
            HTTPException: 404, there is no such run or no report on it; 409, a file cannot be read.
        """
        from runner.errors import RunnerError  # noqa: PLC0415 - as the module says
        from runner.evals.discovery import discover  # noqa: PLC0415
        from runner.reports import write  # noqa: PLC0415

        try:
            subject = write.find_subject(self._data, discover(self._evals), run_id)
            filed = next(find_reports(subject.home, subject.run), None)
            failed = filed and write.list_failed_attempts(subject)
        except MissingRecordError as error:
            raise HTTPException(404, str(error)) from error
        except (RecordsError, RunnerError) as error:
            raise HTTPException(409, str(error)) from error
        if filed is None or failed is None:
            short = run_id[:8]
            reason = f"run {short} has no report yet: leaderboard report {short} writes one"
            raise HTTPException(404, reason)
        return _OpenReport(subject, *filed, write.list_failures_to_class(filed[1], failed))


def compute_entry_version(entry: ClassedFailure) -> str:
    """Return a digest of an entry's class and note, by which forms notice changes of others."""
    return compute_text_digest(f"{entry.failure_class}\n{entry.note}")[:16]


def _link_to_failure(run_id: str, place: Place) -> str:
    eval_name, sample = place
    return f"{ROOT}reports/{run_id}/{eval_name}/{sample or 0}"


def _compare_files(
    failed: "FailedAttempt",
) -> list[tuple[str, str, Sequence[ComparedLine] | None]]:
    """Return path, state and compared lines of each file of an answer and of the reference.

    Lines are None if both files are equal, and empty if they are too long to be compared.
    """
    if failed.answer is None:
        return []
    files: list[tuple[str, str, Sequence[ComparedLine] | None]] = []
    for path in sorted({*failed.reference, *failed.answer}):
        answer, expected = failed.answer.get(path), failed.reference.get(path)
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
