"""Pages of a session: with the form to judge it, as plain files, and the way from an attempt."""

from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from records.errors import MissingRecordError, RecordsError
from records.sessions.labels import find_event_to_undo, find_last_own_event
from review.desk import shortcuts, transcript
from review.desk.desk import ROOT, Desk, render_page
from review.desk.filters import format_query, parse_number
from review.desk.guard import FormFields
from review.desk.queue import STATED, compute_queue_progress
from review.errors import FilterError, ReviewError
from review.from_runs import make_attempt_session_id
from review.index.indexed_session import make_alias
from review.index.session_index import Facets
from review.label_service import VisibleSession
from review.publishing import find_publication
from review.selection import LONGEST_TEXT, SessionSelection
from review.turns import find_judged_turn


def render_session_view(
    desk: Desk, visible: VisibleSession, chosen: SessionSelection, query: str
) -> Response:
    """Return the page of a session in the list that ``chosen`` selects.

    Args:
        desk: the desk.
        visible: the session, as the reviewer may see it.
        chosen: the filter in the address.
        query: the query of the address, which may have a part of the transcript.
    """
    session_id, blind = visible.id, visible.is_blind
    desk.visits.hold(session_id)
    audited = desk.labels.group_ids()
    session = visible.session
    answer, reference = transcript.get_judged_answer(session), visible.reference
    expected = reference if blind else session.expected_output
    parts = transcript.TranscriptParts.from_session(session)
    last, judged = len(parts.starts), find_judged_turn(session)
    place = None if judged is None else judged.answer_place
    answer_part = None if place is None else parts.find_part(place)
    part = parse_number(query, "part", last) if "part=" in query else answer_part or last
    search_text = dict(parse_qsl(query)).get("find", "").strip()
    if len(search_text) > LONGEST_TEXT:
        raise FilterError(f"find: may have {LONGEST_TEXT} characters at most")
    messages = transcript.make_shown_messages(session, part, None if blind else visible.turns)
    matches = transcript.find_places(session, search_text)
    read: dict[str, Any] = {
        "messages": messages,
        "folds": any(
            shown.before_task or (shown.is_folded and shown.text) or shown.results
            for shown in messages
        ),
        "wanted": search_text,
        "found": matches[: transcript.MOST_SHOWN],
        "found_count": len(matches),
        "own_address": link_to_session(visible.id, chosen, blind=blind).partition("?")[0],
        "chosen_inputs": parse_qsl(format_query(chosen).removeprefix("?")),
        "parts": parts,
        "linked": sorted({*parts.find_near_parts(part), answer_part or part}),
        "part": part,
        "answer_part": answer_part,
    }
    # The page does not wait for an index that is being made; it is then without neighbours.
    is_indexed = desk.index.is_ready()
    restricted = audited.restrict_selection(chosen)
    ids = desk.index.list_ids_in_order(restricted) if is_indexed else ()
    index = ids.index(session_id) if session_id in ids else len(ids)
    previous, following = (
        link_to_session(name, chosen, blind=blind) if name is not None else None
        for name in (
            ids[index - 1] if 0 < index < len(ids) else None,
            next(iter(ids[index + 1 :]), None),
        )
    )
    is_drawn = session_id in audited.waiting
    # The key `u` takes back the reviewer's last save. But if the reviewer changed this session, and
    # that save was not of it and did not lead to it, the latest change of this session is meant.
    last = desk.visits.find_last_save()
    has_own = find_last_own_event(visible.events, desk.reviewer) is not None
    is_last = last is not None and (not has_own or session_id in {last.session_id, last.led_to})
    works = {
        "a": bool(answer),
        "f": bool(session.messages),
        "g": read["answer_part"] is not None,
        "j": following is not None,
        "k": previous is not None,
        "o": read["folds"],
        "r": reference is not None,
        **dict.fromkeys("hl", not blind and any(shown.turn for shown in read["messages"])),
    }
    listed = shortcuts.OF_A_BLIND_SESSION if blind else shortcuts.OF_A_SESSION
    holders = desk.visits.find_other_holders()
    answered = render_page(
        desk,
        "blind.html" if blind else "session.html",
        title=session.title,
        here=link_to_session(session_id, chosen, blind=blind),
        visible=visible,
        session=session,
        answer=answer,
        expected=expected,
        lines=None if expected is None else transcript.compare_lines(answer, expected),
        chosen=chosen,
        facets=desk.index.list_facets() if is_indexed else Facets((), (), (), ()),
        stated_order=STATED,
        shortcuts={keys: does for keys, does in listed.items() if works.get(keys.split()[0], True)},
        idle_keys=() if is_last or has_own else ("u",),
        last_save=last.key if last is not None and is_last else "",
        has_own=has_own,
        is_others=not has_own and find_event_to_undo(visible.events) is not None,
        progress=compute_queue_progress(desk, audited, chosen) if is_indexed else None,
        publication=find_publication(desk.store.folder, session).value,
        held=(holders[session_id] or "somebody without a pseudonym")
        if session_id in holders
        else None,
        place=index + 1 if index < len(ids) else None,
        count=len(ids),
        previous=previous,
        following=following,
        waiting=len(audited.waiting) if is_drawn else 0,
        onward=link_to_next(session_id, chosen, blind=blind and not is_drawn, is_done=False),
        done=link_to_next(session_id, chosen, blind=blind and not is_drawn),
        onward_seen=link_to_next(session_id, chosen, blind=False, is_done=False),
        other_address=link_to_session(session_id, chosen, blind=not blind),
        **read,
    )
    answered.headers["ETag"] = f'"{visible.version}"'
    return answered


def link_to_session(session_id: str, chosen: SessionSelection, *, blind: bool) -> str:
    """Return the address of the page on which a session is judged."""
    if blind:
        return link_to_blind_session(session_id)
    return f"{ROOT}sessions/{session_id}{format_query(chosen)}"


def link_to_blind_session(session_id: str) -> str:
    """Return the address on which a session is judged blind, without its run and any filter."""
    return f"{ROOT}blind/{make_alias(session_id)}"


def link_to_next(
    session_id: str, chosen: SessionSelection, *, blind: bool, is_done: bool = True
) -> str:
    """Return the address of the next session to judge when this one is saved or put off.

    If it is not done, the address is that of the session after it.
    """
    parameter = {"done" if is_done else "after": make_alias(session_id)}
    return f"{ROOT}next{format_query(chosen, **parameter, blind=1 if blind else None)}"


def serve_raw_session(desk: Desk, session_id: str) -> Response:
    """Return a session with its labels as JSON; redirect a blind reviewer to the blind page."""
    visible = desk.labels.show(session_id)
    if visible.is_blind:
        return RedirectResponse(link_to_blind_session(session_id), 303)
    text = visible.session.model_dump_json(by_alias=True, indent=2)
    return Response(text, media_type="application/json; charset=utf-8")


def serve_message(desk: Desk, session_id: str, number: int, *, blind: bool = False) -> Response:
    """Return the text of a message by its number, from 1."""
    visible = desk.labels.show(session_id, blind=blind)
    if visible.is_blind and not blind:
        return RedirectResponse(f"{link_to_blind_session(session_id)}/messages/{number}", 303)
    if not 1 <= number <= len(visible.session.messages):
        raise HTTPException(404, "there is no such message")
    return PlainTextResponse(visible.session.messages[number - 1].text)


def render_attempt_page(desk: Desk, run_id: str, evaluation: str, sample: int) -> Response:
    """Redirect to the session of an attempt; if there is none, offer to make those of its run."""
    try:
        return _redirect_to_attempt(desk, run_id, evaluation, sample)
    except MissingRecordError:
        return render_page(
            desk,
            "attempt.html",
            title=evaluation,
            run_id=run_id,
            here=f"{ROOT}attempts/{run_id}/{evaluation}/{sample}",
            possible=desk.make_sessions is not None,
        )


def make_sessions(desk: Desk, run_id: str, evaluation: str, sample: int, _: FormFields) -> Response:
    """Make the sessions of a run, and redirect to the session of this attempt."""
    if desk.make_sessions is None:
        raise HTTPException(404, "sessions of runs are not made here")
    try:
        summary = desk.make_sessions(run_id)
    except (RecordsError, ReviewError) as error:
        raise HTTPException(404, str(error)) from error
    try:
        return _redirect_to_attempt(desk, run_id, evaluation, sample)
    except MissingRecordError as error:
        reason = f"{summary}; this attempt has no verdict or no answer, or no model was asked"
        raise HTTPException(404, reason) from error


def _redirect_to_attempt(desk: Desk, run_id: str, evaluation: str, sample: int) -> Response:
    """Redirect to the session of an attempt.

    Raises:
        MissingRecordError: it has no session.
    """
    session_id = make_attempt_session_id(run_id, evaluation, sample)
    desk.labels.show(session_id, whole=False)
    return RedirectResponse(link_to_session(session_id, SessionSelection(), blind=False), 303)
