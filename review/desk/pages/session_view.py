"""Pages of a session: with the form to judge it, as plain files, and the way from an attempt."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
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

_NAMELESS = "somebody without a pseudonym"


class UndoForm(NamedTuple):
    """The form that the key `u` sends."""

    address: str | None
    """The address of the form; None if there is no change to take back."""
    take_back: str
    """The address that takes back the reviewer's last save."""
    last: str
    """The key of that save; empty if another change is taken back, or none."""
    others: str | None
    """The address that takes back another reviewer's change with a reason; None if the latest
    change is not another reviewer's."""


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
    desk.visits.hold(desk.reviewer, session_id)
    audited = desk.read_audited_ids()
    session = visible.session
    answer, reference = transcript.get_judged_answer(session), visible.reference
    expected = reference if blind else session.expected_output
    transcript_context = _build_transcript(visible, chosen, query)
    # The context of the session's position in the list, with the addresses around it.
    # The page does not wait for an index that is being made; it is then without neighbours.
    ids: Sequence[str] = ()
    if desk.index.is_ready():
        ids = desk.index.list_ids_in_order(audited.restrict_selection(chosen))
    is_drawn = session_id in audited.waiting
    around: dict[str, Any] = {
        "place": ids.index(session_id) + 1 if session_id in ids else None,
        "count": len(ids),
        "previous": _link_to_neighbour(ids, session_id, chosen, -1, blind=blind),
        "following": _link_to_neighbour(ids, session_id, chosen, 1, blind=blind),
        "waiting": len(audited.waiting) if is_drawn else 0,
        "onward": link_to_next(session_id, chosen, blind=blind and not is_drawn, is_done=False),
        "done": link_to_next(session_id, chosen, blind=blind and not is_drawn),
        "onward_seen": link_to_next(session_id, chosen, blind=False, is_done=False),
        "other_address": link_to_session(session_id, chosen, blind=not blind),
    }
    undo = _undo(desk, visible, chosen)
    is_indexed = desk.index.is_ready()
    holders = desk.visits.find_other_holders(desk.reviewer)
    answered = render_page(
        desk,
        "blind.html" if blind else "session.html",
        visible=visible,
        session=session,
        answer=answer,
        expected=expected,
        lines=None if expected is None else transcript.compare_lines(answer, expected),
        here=link_to_session(session_id, chosen, blind=blind),
        chosen=chosen,
        facets=desk.index.list_facets() if is_indexed else Facets((), (), (), ()),
        stated_order=STATED,
        shortcuts=_list_working_keys(
            transcript_context,
            around,
            blind=blind,
            a=bool(answer),
            r=reference is not None,
            f=bool(session.messages),
        ),
        idle_keys=("u",) if undo.address is None else (),
        progress=compute_queue_progress(desk, audited, chosen) if is_indexed else None,
        undo=undo,
        title=session.title,
        publication=find_publication(desk.store.folder, session).value,
        held=(holders[session_id] or _NAMELESS) if session_id in holders else None,
        **transcript_context,
        **around,
    )
    answered.headers["ETag"] = f'"{visible.version}"'
    return answered


def _list_working_keys(
    read: Mapping[str, Any], around: Mapping[str, Any], *, blind: bool, **works: bool
) -> dict[str, str]:
    """Return the keys that have an effect on a page.

    Args:
        read: the context of the transcript.
        around: the context of the sessions before and after.
        blind: whether the session is shown blind.
        works: whether further keys have an effect, by key.
    """
    works["g"] = read["answer_part"] is not None
    works["o"] = bool(read["folds"])
    works["h"] = works["l"] = not blind and any(shown.turn for shown in read["messages"])
    works["j"] = around["following"] is not None
    works["k"] = around["previous"] is not None
    listed = shortcuts.OF_A_BLIND_SESSION if blind else shortcuts.OF_A_SESSION
    return {keys: does for keys, does in listed.items() if works.get(keys.split()[0], True)}


def _build_transcript(
    visible: VisibleSession, chosen: SessionSelection, query: str
) -> dict[str, Any]:
    """Return the context of the shown part of the transcript, with the addresses of other parts.

    Args:
        visible: the session.
        chosen: the filter in the address.
        query: the query of the address.
    """
    session, blind = visible.session, visible.is_blind
    parts = transcript.TranscriptParts.from_session(session)
    last, answer_part = len(parts.starts), transcript.find_answer_part(session, parts)
    part = parse_number(query, "part", 1, last) if "part=" in query else answer_part or last
    search_text = dict(parse_qsl(query)).get("find", "").strip()
    if len(search_text) > LONGEST_TEXT:
        raise FilterError(f"find: may have {LONGEST_TEXT} characters at most")
    messages = transcript.make_shown_messages(session, part, None if blind else visible.turns)
    matches = transcript.find_places(session, search_text)
    return {
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


def _undo(desk: Desk, visible: VisibleSession, chosen: SessionSelection) -> UndoForm:
    """Return the form of the key `u`.

    It takes back the reviewer's last save. But if the reviewer changed this session, and the last
    save was not of it and did not lead to it, it takes back the latest change of this session.
    """
    session_id = visible.id
    last = desk.visits.find_last_save(desk.reviewer)
    take_back = f"{ROOT}undo{format_query(chosen)}"
    has_own = find_last_own_event(visible.events, desk.reviewer) is not None
    of_session = f"{ROOT}sessions/{session_id}/undo{format_query(chosen)}"
    is_others = not has_own and find_event_to_undo(visible.events) is not None
    others_address = of_session if is_others else None
    if last is not None and (not has_own or session_id in {last.session_id, last.led_to}):
        return UndoForm(take_back, take_back, last.key, others_address)
    return UndoForm(of_session if has_own else None, take_back, "", others_address)


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


def _link_to_neighbour(
    ids: Sequence[str], session_id: str, chosen: SessionSelection, step: int, *, blind: bool
) -> str | None:
    index = ids.index(session_id) + step if session_id in ids else -1
    return link_to_session(ids[index], chosen, blind=blind) if 0 <= index < len(ids) else None


def serve_raw_session(desk: Desk, session_id: str) -> Response:
    """Return a session with its labels as JSON; redirect a blind reviewer to the blind page."""
    visible = desk.labels.show(session_id, desk.reviewer)
    if visible.is_blind:
        return RedirectResponse(link_to_blind_session(session_id), 303)
    text = visible.session.model_dump_json(by_alias=True, indent=2)
    return Response(text, media_type="application/json; charset=utf-8")


def serve_message(desk: Desk, session_id: str, number: int, *, blind: bool = False) -> Response:
    """Return the text of a message by its number, from 1."""
    visible = desk.labels.show(session_id, desk.reviewer, blind=blind)
    if visible.is_blind and not blind:
        return RedirectResponse(f"{link_to_blind_session(session_id)}/messages/{number}", 303)
    if not 1 <= number <= len(visible.session.messages):
        raise HTTPException(404, "there is no such message")
    return PlainTextResponse(visible.session.messages[number - 1].text)


def render_attempt_page(desk: Desk, run_id: str, evaluation: str, sample: int) -> Response:
    """Redirect to the session of an attempt; if there is none, offer to make those of its run."""
    identity = make_attempt_session_id(run_id, evaluation, sample)
    try:
        desk.labels.show(identity, desk.reviewer, whole=False)
    except MissingRecordError:
        return render_page(
            desk,
            "attempt.html",
            title=evaluation,
            run_id=run_id,
            here=f"{ROOT}attempts/{run_id}/{evaluation}/{sample}",
            possible=desk.make_sessions is not None,
        )
    return RedirectResponse(link_to_session(identity, SessionSelection(), blind=False), 303)


def make_sessions(desk: Desk, run_id: str, evaluation: str, sample: int, _: FormFields) -> Response:
    """Make the sessions of a run, and redirect to the session of this attempt."""
    if desk.make_sessions is None:
        raise HTTPException(404, "sessions of runs are not made here")
    try:
        summary = desk.make_sessions(run_id)
    except (RecordsError, ReviewError) as error:
        raise HTTPException(404, str(error)) from error
    identity = make_attempt_session_id(run_id, evaluation, sample)
    try:
        desk.labels.show(identity, desk.reviewer, whole=False)
    except MissingRecordError as error:
        reason = f"{summary}; this attempt has no verdict or no answer, or no model was asked"
        raise HTTPException(404, reason) from error
    return RedirectResponse(link_to_session(identity, SessionSelection(), blind=False), 303)
