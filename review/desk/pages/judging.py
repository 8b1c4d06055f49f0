"""Pages to judge a session or a turn: they save and take back labels, and find the next session."""

from collections.abc import Mapping
from urllib.parse import parse_qsl, quote

from pydantic import JsonValue
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from records.sessions.labels import LabelName
from review.audits import AuditedIds
from review.desk import queue, shortcuts
from review.desk.desk import ROOT, Desk, render_page
from review.desk.filters import STATUSES, format_query, parse_selection
from review.desk.guard import FormFields, normalize_line_ends
from review.desk.pages.lists import parse_tags
from review.desk.pages.session_view import (
    link_to_blind_session,
    link_to_next,
    link_to_session,
    render_session_view,
)
from review.desk.transcript import TranscriptParts, get_judged_answer
from review.desk.visits import HELD_S
from review.errors import ChangedMeanwhileError, GateError
from review.index.indexed_session import make_alias
from review.label_service import SavedLabels
from review.selection import SessionSelection
from review.turns import list_turns

_CALLED: Mapping[LabelName, str] = {
    "evalStatus": "Status",
    "evalReady": "Eval-ready",
    "evalNotes": "Notes",
    "evalTags": "Tags",
    "expectedOutput": "Expected output",
}
_GOLDEN_READY = "golden_ready"
"""The choice of a form that gives the status golden and the mark eval-ready together."""


def render_session_page(desk: Desk, session_id: str, query: str) -> Response:
    """Return the page of a session in the list that the filter selects."""
    chosen = parse_selection(query, also=("part", "find"))
    visible = desk.labels.show(session_id)
    if visible.is_blind:
        return RedirectResponse(link_to_blind_session(session_id), 303)
    return render_session_view(desk, visible, chosen, query)


def render_blind_page(desk: Desk, session_id: str, query: str) -> Response:
    """Return the page of a session without facts that could influence its reviewer."""
    chosen = parse_selection(query, also=("part", "find"))
    if (
        chosen.selects_some or chosen.order != SessionSelection().order
    ):  # a filter by status, model or day would disclose them
        return RedirectResponse(link_to_blind_session(session_id), 303)
    visible = desk.labels.show(session_id, blind=True)
    if visible.is_disputed:  # who decides must see all judgements
        return RedirectResponse(link_to_session(session_id, chosen, blind=False), 303)
    return render_session_view(desk, visible, chosen, query)


def redirect_to_next_session(desk: Desk, query: str) -> Response:
    """Redirect to the next session to judge; if there is none, return a page that says so.

    Sessions that another reviewer has open are left out. The parameter ``done`` names a session
    that is being saved, so that the next session is the same before and after the save.
    """
    chosen = parse_selection(query, also=("after", "done", "blind"))
    parameters = dict(parse_qsl(query))
    audited = desk.labels.group_ids()
    queued = queue.select_queue(desk, audited, chosen)
    done, after = parameters.get("done"), parameters.get("after")
    left_open = 0
    if done is not None:
        # The index may not have the save of the session that was just left, so its record is read.
        # If it got no status, it is still to be judged.
        left = next((name for name in queued if make_alias(name) == done), None)
        if left is not None:
            visible = desk.labels.show(left, whole=False)
            left_open = int(visible.session.reviewed_at is None)
        queued = queue.drop_session(queued, done)
    free = queue.select_free(desk, queued)
    current = desk.index.find_alias(after) if after else None
    following = queue.find_next(free, current)
    if following is None:
        last = desk.visits.find_last_save()
        return render_page(
            desk,
            "nothing_left.html",
            title="Nothing left",
            chosen=chosen,
            here=ROOT,
            filtered=chosen.selects_some,
            list_address=ROOT + format_query(chosen),
            waiting=len(free) or left_open,
            held=len(queued) - len(free),
            last=last,
            shortcuts=shortcuts.OF_ANY_PAGE if last is None else shortcuts.WHERE_NOTHING_IS_LEFT,
            held_minutes=round(HELD_S / 60),
        )
    desk.visits.hold(following)
    if done is not None:
        desk.visits.lead_on(done, following)
    blind = _is_shown_blind(audited, following, by_choice=parameters.get("blind") == "1")
    return RedirectResponse(link_to_session(following, chosen, blind=blind), 303)


def _is_shown_blind(audited: AuditedIds, session_id: str, *, by_choice: bool) -> bool:
    return session_id in audited.waiting or (by_choice and session_id not in audited.disputed)


def save(desk: Desk, session_id: str, query: str, fields: FormFields) -> Response:
    """Write the labels of a form, and return the answer that the form requests.

    Raises:
        GateError: the session is to be judged blind, and the form is from a page that is not blind.
    """
    chosen, wanted = parse_selection(query), _read_wanted_answer(fields)
    visible = desk.labels.show(session_id)
    if visible.is_blind:
        raise GateError(f"{visible.name} is to be judged blind: reload the page")
    # The labels of a form that differ from the labels that were shown.
    session = visible.session
    labels: dict[LabelName, JsonValue] = {}
    status = fields.read_choice("evalStatus", (*STATUSES, _GOLDEN_READY))
    if status is not None:
        labels["evalStatus"] = "golden" if status == _GOLDEN_READY else status
    if fields.read_value("whole"):  # browsers do not send an unchecked box
        marked = fields.read_choice("mark", ("yes", "no")) or fields.read_value("evalReady")
        labels["evalReady"] = marked == "yes"
        more = parse_tags(fields.read_value("more"))
        labels["evalTags"] = [*dict.fromkeys((*fields.getlist("tag"), *more))]
    if status == _GOLDEN_READY:
        labels["evalReady"] = True
    labels |= _read_changed_texts(fields, session.eval_notes, session.expected_output)
    use = fields.read_choice("use", ("answer", "reference"))
    if use is not None:
        labels["expectedOutput"] = (
            get_judged_answer(session) if use == "answer" else visible.reference
        )
    try:
        saved = desk.labels.label(
            session_id,
            labels,
            reason=fields.read_value("reason"),
            version=read_version(fields),
        )
    except ChangedMeanwhileError:
        now = desk.labels.show(session_id)
        present = now.session.model_dump(mode="json", by_alias=True)
        return render_page(
            desk,
            "conflict.html",
            title="Changed meanwhile",
            status=412,
            session=now.session,
            version=now.version,
            changed_text=fields.read_value("seen") not in {"", now.transcript},
            called=_CALLED,
            present=present,
            conflicts=[name for name, value in labels.items() if present[name] != value],
            labels=labels,
            reason=fields.read_value("reason"),
            here=link_to_session(session_id, chosen, blind=False),
            then=_read_next_step(fields),
        )
    return _answer_saved_form(desk, wanted, chosen, saved, blind=False, stays_blind=False)


def save_blind(desk: Desk, session_id: str, fields: FormFields) -> Response:
    """Write a status that was given blind, and return the answer that the form requests."""
    expected_answer = _read_wanted_answer(fields)
    status = fields.read_choice("evalStatus", STATUSES)
    if status is None:
        raise HTTPException(400, "evalStatus: a blind judgement is a status")
    visible = desk.labels.show(session_id, blind=True, whole=False)
    saved = desk.labels.label(
        session_id,
        {"evalStatus": status},
        reason=fields.read_value("reason"),
        blind=True,
        version=read_version(fields),
    )
    stays_blind = not visible.must_be_blind
    return _answer_saved_form(
        desk, expected_answer, SessionSelection(), saved, blind=True, stays_blind=stays_blind
    )


def undo(desk: Desk, session_id: str, query: str, fields: FormFields) -> Response:
    """Take back the latest change of a session, and redirect to its page."""
    chosen = parse_selection(query)
    desk.labels.undo(
        session_id,
        reason=fields.read_value("undo_reason"),
        version=read_version(fields),
    )
    return RedirectResponse(link_to_session(session_id, chosen, blind=False), 303)


def take_back(desk: Desk, query: str, fields: FormFields) -> Response:
    """Take back all labels of the reviewer's last save, and redirect to its session.

    Raises:
        HTTPException: 409, the save is not known any more; 412, the session was changed since.
    """
    chosen = parse_selection(query)
    change = desk.visits.take_save(fields.read_value("last"))
    if change is None:
        raise HTTPException(
            409,
            "this save is not known any more: it was taken back, or the server was started again. "
            "Each session has an undo of its own",
        )
    version = change.version
    try:
        for event_id in reversed(change.events):
            saved = desk.labels.undo(change.session_id, event_id=event_id, version=version)
            version = saved.visible.version
    except ChangedMeanwhileError as error:
        raise HTTPException(
            412, "the session was changed since you saved it, and is left as it is"
        ) from error
    desk.visits.resume(change.session_id)
    return RedirectResponse(link_to_session(change.session_id, chosen, blind=change.blind), 303)


def put_off(
    desk: Desk, session_id: str, query: str, _: FormFields, *, blind: bool = False
) -> Response:
    """Move a session to the end of the reviewer's queue, and redirect to the next."""
    chosen = SessionSelection() if blind else parse_selection(query)
    visible = desk.labels.show(session_id, blind=blind, whole=False)
    desk.visits.put_off(session_id)
    desk.visits.release(session_id)
    stays_blind = blind and not visible.must_be_blind
    return RedirectResponse(link_to_next(session_id, chosen, blind=stays_blind), 303)


def _answer_saved_form(  # noqa: PLR0913 - a form of two kinds of pages
    desk: Desk,
    wanted: tuple[bool, bool],
    chosen: SessionSelection,
    saved: SavedLabels,
    *,
    blind: bool,
    stays_blind: bool,
) -> Response:
    """Return the answer to a form whose labels were written: a redirect, or only headers.

    Args:
        desk: the desk.
        wanted: the answer that the form requests, as `_read_wanted_answer` returns it.
        chosen: the filter in the address of the form.
        saved: the written labels.
        blind: whether the labels were given blind.
        stays_blind: whether the reviewer chose to judge the next session blind, too.
    """
    session_id = saved.visible.id
    change = desk.visits.remember(saved, blind=blind) if saved.events else None
    goes_on, is_short = wanted
    if goes_on:
        desk.visits.release(session_id)
        if saved.is_open:
            # Otherwise it would be the next session again.
            desk.visits.put_off(session_id)
    if not is_short:
        here = link_to_session(session_id, chosen, blind=False)
        onward = link_to_next(session_id, chosen, blind=stays_blind)
        return RedirectResponse(onward if goes_on else here, 303)
    # By these headers the script updates its page.
    audited, alias = desk.labels.group_ids(), make_alias(session_id)
    queued = queue.drop_session(queue.select_queue(desk, audited, chosen), alias)
    headers = {"Desk-Undo": change.key} if change is not None else {}
    headers |= {
        "ETag": f'"{saved.visible.version}"',
        "Desk-Progress": quote(queue.compute_queue_progress(desk, audited, chosen).words),
    }
    if following := next(iter(queue.select_free(desk, queued)), None):
        desk.visits.lead_on(alias, following)
        next_is_blind = _is_shown_blind(audited, following, by_choice=stays_blind)
        headers["Desk-Next"] = link_to_session(following, chosen, blind=next_is_blind)
    return Response(None, 204, headers)


def read_version(fields: FormFields) -> str:
    """Return the version of the session that the form showed.

    Raises:
        HTTPException: 400, the form has no version, so it could overwrite labels that nobody saw.
    """
    version = fields.read_value("version")
    if not version:
        raise HTTPException(400, "version: is missing")
    return version


def _read_wanted_answer(fields: FormFields) -> tuple[bool, bool]:
    """Return whether the answer to a form leads to the next session, and whether it is short.

    A short answer has only headers, because the script has the next page already.
    """
    is_short = fields.read_choice("answer", ("page", "short")) == "short"
    return _read_next_step(fields) == "next", is_short


def _read_changed_texts(
    fields: FormFields, notes: JsonValue, expected: JsonValue
) -> dict[LabelName, JsonValue]:
    """Return notes and expected output of a form that differ from those present.

    Browsers send neither the line ends of a text nor its NULs.
    """
    present: dict[LabelName, JsonValue] = {"evalNotes": notes, "expectedOutput": expected}
    labels: dict[LabelName, JsonValue] = {}
    for name, value in present.items():
        sent = fields.read_value(name)
        shown = normalize_line_ends(str(value or "")).replace("\0", "\N{REPLACEMENT CHARACTER}")
        if name in fields and sent != shown:
            labels[name] = sent or (None if name == "expectedOutput" else "")
    return labels


def _read_next_step(fields: FormFields) -> str:
    """Return ``next`` if a form leads to the next session, and ``stay`` if it does not.

    A form with a status leads to the next session if it has the field ``onward``, unless it has the
    field ``stay``.
    """
    then = fields.read_choice("then", ("stay", "next"))
    if then is not None:
        return then
    goes_on = (
        fields.read_value("evalStatus")
        and fields.read_value("onward")
        and not fields.read_value("stay")
    )
    return "next" if goes_on else "stay"


def save_turn(desk: Desk, session_id: str, number: int, query: str, fields: FormFields) -> Response:
    """Write the labels of one turn, and redirect to its answer.

    Raises:
        HTTPException: 404, the turn has no answer; 412, the session was changed meanwhile.
    """
    chosen = parse_selection(query, also=("part", "find"))
    visible = desk.labels.show(session_id)
    if visible.is_blind:
        return RedirectResponse(link_to_blind_session(session_id), 303)
    places = {turn.number: turn.answer_place for turn in list_turns(visible.session)}
    place = places.get(number)
    if place is None:
        raise HTTPException(404, "there is no such turn, or nobody answered it")
    present = visible.turns.get(number, {})
    # The labels of a form that differ from those present; a status always counts.
    labels: dict[LabelName, JsonValue] = {}
    if (status := fields.read_choice("evalStatus", STATUSES)) is not None:
        labels["evalStatus"] = status
    labels |= _read_changed_texts(fields, present.get("evalNotes"), present.get("expectedOutput"))
    saved = desk.labels.label(
        session_id,
        labels,
        turn=number,
        version=read_version(fields),
    )
    if saved.events:
        desk.visits.remember(saved, blind=False)
    part = TranscriptParts.from_session(visible.session).find_part(place)
    address = f"{ROOT}sessions/{session_id}{format_query(chosen, part=part)}"
    return RedirectResponse(f"{address}#message-{place + 1}", 303)
