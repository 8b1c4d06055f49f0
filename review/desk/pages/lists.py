"""Lists of all sessions or of eval-ready sessions, and changes of many sessions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from records.sessions.session import EvalStatus
from review.bulk_changes import BulkLabels
from review.desk import order, shortcuts
from review.desk.desk import ROOT, Desk, render_page
from review.desk.filters import STATUSES, format_query, parse_number, parse_selection
from review.desk.guard import FormFields
from review.desk.pages import bulk
from review.desk.queue_progress import compute_queue_progress
from review.errors import FilterError
from review.index.indexed_session import make_alias
from review.label_service import hide_disputed_rows
from review.selection import LIST_ORDERS, SessionSelection

PER_PAGE: Final = 50
LONGEST_TAG: Final = 60


def render_sessions_page(desk: Desk, query: str) -> Response:
    """Return the list of all sessions that the filter selects."""
    return _render_list_page(desk, query, evals=False)


def render_evals_page(desk: Desk, query: str) -> Response:
    """Return the list of the sessions that are eval-ready."""
    return _render_list_page(desk, query, evals=True)


def _render_list_page(desk: Desk, query: str, *, evals: bool) -> Response:
    chosen = parse_selection(query, also=("page",))
    if evals:
        if chosen.ready is not None:
            raise FilterError("ready: all sessions here are eval-ready")
        selection = replace(chosen, ready=True)
    else:
        selection = chosen
    number = parse_number(query, "page", 1, 1_000_000)
    audited = desk.read_audited_ids()
    listed = audited.restrict_selection(selection)
    listing = desk.index.list_page(listed, (number - 1) * PER_PAGE, PER_PAGE)
    here = f"{ROOT}evals" if evals else ROOT
    return render_page(
        desk,
        "list.html",
        title="Evals" if evals else "Sessions",
        here=here,
        evals=evals,
        chosen=chosen,
        filter=format_query(selection),
        rows=hide_disputed_rows(listing.rows, audited),
        total=listing.total,
        first=(number - 1) * PER_PAGE,
        earlier=here + format_query(chosen, page=number - 1) if number > 1 else None,
        later=here + format_query(chosen, page=number + 1)
        if number * PER_PAGE < listing.total
        else None,
        counts=[
            (status.value, count, here + format_query(_toggle_status(chosen, status)))
            for status, count in listing.counts.items()
        ],
        orders={order: here + format_query(replace(chosen, order=order)) for order in LIST_ORDERS},
        mine_address=here + format_query(_toggle_judged_by(chosen, desk.reviewer)),
        progress=compute_queue_progress(desk, audited, selection),
        next_address=f"{ROOT}next{format_query(selection)}",
        facets=listing.facets,
        statuses=STATUSES,
        problems=listing.problems,
        drawn=len(audited.waiting),
        interrupted=desk.bulk.find_interrupted(),
        last_change=desk.bulk.changes.find_latest(),
        stated_order=order.STATED,
        shortcuts=shortcuts.OF_A_LIST,
    )


def _toggle_status(chosen: SessionSelection, status: EvalStatus) -> SessionSelection:
    """Return the filter with only this status; without any if it is the only status already."""
    only = frozenset({status})
    return replace(chosen, statuses=frozenset() if chosen.statuses == only else only)


def change_many(desk: Desk, fields: FormFields) -> Response:
    """Give labels to the checked sessions, or to all sessions that the filter selects."""
    chosen = parse_selection((fields.read_value("filter") or "").removeprefix("?"))
    which = fields.read_choice("which", ("checked", "all")) or "checked"
    if fields.read_choice("to", ("export",)) == "export":
        return _to_export(desk, chosen, which, fields)
    status = fields.read_choice("evalStatus", STATUSES)
    ready = fields.read_choice("evalReady", ("yes", "no"))
    added, removed = (
        parse_tags(fields.read_value("add") or ""),
        parse_tags(fields.read_value("remove") or ""),
    )
    if status is None and ready is None and not added and not removed:
        raise HTTPException(400, "nothing is to be changed: choose a status, a mark or a tag")
    audited = desk.read_audited_ids()
    # Checked sessions that are to be judged for an audit are refused, each with a reason.
    selected = audited.restrict_selection(chosen) if which == "all" else chosen
    ids = _read_chosen_ids(desk, selected, which, fields)
    drawn = "drawn for an audit, and to be judged blind"
    change = desk.bulk.changes.begin(
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
        + format_query(_drop_ready(chosen, fields)),
    )
    return bulk.start_change(desk, change)


def _to_export(desk: Desk, chosen: SessionSelection, which: str, fields: FormFields) -> Response:
    """Redirect to the export of the checked sessions, or of all that the filter selects."""
    if which == "checked":
        audited = desk.read_audited_ids()
        ids = frozenset(
            _read_chosen_ids(desk, audited.restrict_selection(SessionSelection()), which, fields)
        )
        if not ids:
            raise HTTPException(400, "no session that is checked can be exported yet")
        chosen = SessionSelection(ids=ids)
    return RedirectResponse(f"{ROOT}export{format_query(chosen)}", 303)


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
    checked = frozenset(fields.read_values("id"))  # an empty set would select all
    if not checked:
        raise HTTPException(400, "no session is checked")
    return desk.index.list_ids(replace(chosen, ids=checked))


def _drop_ready(chosen: SessionSelection, fields: FormFields) -> SessionSelection:
    """Return the filter, without ``ready`` in the list of evals, which are all ready."""
    return replace(chosen, ready=None) if fields.read_value("evals") else chosen


def _toggle_judged_by(chosen: SessionSelection, reviewer: str | None) -> SessionSelection:
    """Return the selection with the condition ``judged_by``, or without it if it is set already."""
    return replace(chosen, judged_by=None if chosen.judged_by == reviewer else reviewer)


def parse_tags(text: str) -> list[str]:
    """Return the tags in a field, which are separated by commas.

    Raises:
        HTTPException: 400, a tag is too long.
    """
    tags = [tag for part in text.split(",") if (tag := " ".join(part.split()))]
    if any(len(tag) > LONGEST_TAG for tag in tags):
        raise HTTPException(400, f"a tag may have {LONGEST_TAG} characters at most")
    return list(dict.fromkeys(tags))
