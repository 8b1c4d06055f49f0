"""Lists of all sessions or of eval-ready sessions, and changes of many sessions."""

from collections.abc import Sequence
from dataclasses import replace

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from records.sessions.session import EvalStatus
from review.bulk_changes import BulkChange, BulkLabels
from review.desk import shortcuts
from review.desk.desk import ROOT, Desk, render_page
from review.desk.filters import STATUSES, format_query, parse_number, parse_selection
from review.desk.guard import FormFields
from review.desk.queue import STATED, compute_queue_progress
from review.errors import BulkInUseError, FilterError
from review.index.indexed_session import make_alias
from review.label_service import hide_disputed_rows
from review.selection import SessionSelection

PER_PAGE = 50
LONGEST_TAG = 60


def render_list_page(desk: Desk, query: str, *, evals: bool) -> Response:
    """Return the list of the sessions, or of those that are eval-ready, that the filter selects."""
    chosen = parse_selection(query, also=("page",))
    if evals and chosen.ready is not None:
        raise FilterError("ready: all sessions here are eval-ready")
    selection = replace(chosen, ready=True) if evals else chosen
    number = parse_number(query, "page", 1_000_000)
    audited = desk.labels.group_ids()
    listed = audited.restrict_selection(selection)
    listing = desk.index.list_page(listed, (number - 1) * PER_PAGE, PER_PAGE)
    here = f"{ROOT}evals" if evals else ROOT
    only = chosen.statuses if len(chosen.statuses) == 1 else frozenset[EvalStatus]()
    return render_page(
        desk,
        "list.html",
        title="Evals" if evals else "Sessions",
        here=here,
        evals=evals,
        chosen=chosen,
        selection=selection,
        rows=hide_disputed_rows(listing.rows, audited),
        total=listing.total,
        number=number,
        per_page=PER_PAGE,
        counts=[
            # The filter with only this status; without any if it is the only status already.
            (
                status.value,
                count,
                here + format_query(replace(chosen, statuses=frozenset({status}) - only)),
            )
            for status, count in listing.counts.items()
        ],
        progress=compute_queue_progress(desk, audited, selection),
        facets=listing.facets,
        statuses=STATUSES,
        problems=listing.problems,
        drawn=len(audited.waiting),
        interrupted=desk.bulk.find_interrupted(),
        last_change=desk.bulk.find_latest(),
        stated_order=STATED,
        shortcuts=shortcuts.OF_A_LIST,
    )


def change_many(desk: Desk, fields: FormFields) -> Response:
    """Give labels to the checked sessions, or to all sessions that the filter selects."""
    chosen = parse_selection(fields.read_value("filter").removeprefix("?"))
    which = fields.read_choice("which", ("checked", "all")) or "checked"
    if fields.read_choice("to", ("export",)) == "export":
        # Redirect to the export of the checked sessions, or of all that the filter selects.
        if which == "checked":
            audited = desk.labels.group_ids()
            listed = audited.restrict_selection(SessionSelection())
            ids = frozenset(_read_chosen_ids(desk, listed, which, fields))
            if not ids:
                raise HTTPException(400, "no session that is checked can be exported yet")
            chosen = SessionSelection(ids=ids)
        return RedirectResponse(f"{ROOT}export{format_query(chosen)}", 303)
    status = fields.read_choice("evalStatus", STATUSES)
    ready = fields.read_choice("evalReady", ("yes", "no"))
    added, removed = (parse_tags(fields.read_value(name)) for name in ("add", "remove"))
    if status is None and ready is None and not added and not removed:
        raise HTTPException(400, "nothing is to be changed: choose a status, a mark or a tag")
    audited = desk.labels.group_ids()
    # Checked sessions that are to be judged for an audit are refused, each with a reason.
    selected = audited.restrict_selection(chosen) if which == "all" else chosen
    ids = _read_chosen_ids(desk, selected, which, fields)
    drawn = "drawn for an audit, and to be judged blind"
    change = desk.bulk.begin(
        BulkLabels(
            status=None if status is None else EvalStatus(status),
            ready=None if ready is None else ready == "yes",
            added=tuple(added),
            removed=tuple(removed),
        ),
        ids,
        desk.reviewer,
        refused={
            session_id: f"{make_alias(session_id)}: {drawn}"
            for session_id in ids
            if session_id in audited.waiting
        },
        back=(f"{ROOT}evals" if fields.read_value("evals") else ROOT)
        # All sessions in the list of evals are ready, so it takes no such parameter.
        + format_query(replace(chosen, ready=None) if fields.read_value("evals") else chosen),
    )
    return start_change(desk, change)


def _read_chosen_ids(
    desk: Desk, chosen: SessionSelection, which: str, fields: FormFields
) -> Sequence[str]:
    """Return the ids of the sessions to change.

    Raises:
        HTTPException: 400, no session is checked; 412, the number of sessions that the filter
            selects is not the number that was shown.
    """
    if which == "all":
        ids = desk.index.list_ids(chosen)
        if fields.read_value("total") != str(len(ids)):
            raise HTTPException(
                412, f"the filter selects {len(ids)} sessions now: see them, then send it again"
            )
        return ids
    checked = frozenset(fields.getlist("id"))  # an empty set would select all
    if not checked:
        raise HTTPException(400, "no session is checked")
    return desk.index.list_ids(replace(chosen, ids=checked))


def parse_tags(text: str) -> list[str]:
    """Return the tags in a field, which are separated by commas.

    Raises:
        HTTPException: 400, a tag is too long.
    """
    tags = [tag for part in text.split(",") if (tag := " ".join(part.split()))]
    if any(len(tag) > LONGEST_TAG for tag in tags):
        raise HTTPException(400, f"a tag may have {LONGEST_TAG} characters at most")
    return list(dict.fromkeys(tags))


_FEW = 200
"""Number of sessions; the answer waits for a change of at most so many sessions."""
_SOON_S = 1
"""Seconds for which the answer waits for a larger change."""
_PROBLEMS = 50
"""The most problems in the list of a page."""


def start_change(desk: Desk, change: BulkChange) -> Response:
    """Start a change, and return its result, or redirect to the page of its progress."""
    thread = desk.bulk.start(change)
    thread.join(None if change.total <= _FEW else _SOON_S)
    if thread.is_alive():
        return RedirectResponse(f"{ROOT}many/{change.key}", 303)
    return render_change_page(desk, change.key)


def render_change_page(desk: Desk, key: str) -> Response:
    """Return the page of a change: its progress, a form to continue it, or its result."""
    change = _find_change(desk, key, 404)
    is_running, remaining = desk.bulk.is_running(change), len(change.remaining)
    response = render_page(
        desk,
        "changed.html",
        title=_describe_change(change, is_running=is_running, remaining=remaining),
        change=change,
        is_running=is_running,
        remaining=remaining,
        most_problems=_PROBLEMS,
        back=change.start.back if change.start.back.startswith(ROOT) else ROOT,
    )
    if is_running:
        response.headers["Refresh"] = "1"
    return response


def go_on(desk: Desk, fields: FormFields) -> Response:
    """Continue a change that was interrupted."""
    return start_change(desk, _find_change(desk, fields.read_value("bulk"), 409))


def undo_many(desk: Desk, fields: FormFields) -> Response:
    """Take back a change of many sessions. Sessions that changed since stay, and are listed.

    Raises:
        HTTPException: 409, there is no such change, it is still going on, or it was taken back.
    """
    change = _find_change(desk, fields.read_value("bulk"), 409)
    if change.is_taken_back and not change.remaining:
        raise HTTPException(409, "this change was taken back already")
    try:
        change.begin_to_take_back(desk.reviewer)
    except BulkInUseError as error:
        raise HTTPException(409, str(error)) from error
    return start_change(desk, change)


def _find_change(desk: Desk, key: str, status: int) -> BulkChange:
    change = desk.bulk.find(key)
    if change is None:
        raise HTTPException(
            status,
            "this change is not known any more: only the latest ones are kept. Each session has an "
            "undo of its own",
        )
    return change


def _describe_change(change: BulkChange, *, is_running: bool, remaining: int) -> str:
    done = change.total - remaining
    if is_running:
        verb = "are taken back" if change.is_taken_back else "are changed"
        return f"{done:,} of {_format_sessions(change.total)} {verb}"
    if remaining:
        return f"A change of {_format_sessions(change.total)} was interrupted"
    if change.is_taken_back:
        undone = len(change.list_lines("undone"))
        return f"{_format_sessions(undone)} {'is' if undone == 1 else 'are'} as before"
    return f"{_format_sessions(len(change.list_lines('written')))} changed"


def _format_sessions(number: int) -> str:
    return f"{number:,} session{'' if number == 1 else 's'}"
