"""The page of a session, with the form to judge it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from starlette.responses import Response

from records.sessions.labels import differing, last_own, last_to_undo
from records.sessions.session import Session
from review.audit.audit_progress import AuditedIds, blind_view
from review.audit.gate import Rights
from review.desk import order, shortcuts
from review.desk.desk import ROOT, Desk, page
from review.desk.filters import LONGEST_TEXT, number_of, query_of
from review.desk.queue_progress import queue_progress
from review.desk.transcripts.answer_diff import compare_lines
from review.desk.transcripts.transcript import (
    TranscriptParts,
    answer_of,
    make_shown_messages,
    part_of_answer,
)
from review.desk.transcripts.transcript_search import MOST_SHOWN, find_places
from review.errors import FilterError
from review.index.indexed_session import alias_of
from review.index.session_index import Facets
from review.labeled_session import LabeledSession
from review.publishing import publication_of
from review.selection import SessionSelection, source_name
from review.turns import OwnLabels


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


def session_view(  # noqa: PLR0913 - a page for each way of judging
    desk: Desk,
    shown: LabeledSession,
    rights: Rights,
    chosen: SessionSelection,
    query: str,
    *,
    blind: bool = False,
) -> Response:
    """Return the page of a session in the list that ``chosen`` selects.

    Args:
        desk: the desk.
        shown: the session.
        rights: the rights of the reviewer on the session.
        chosen: the filter in the address.
        query: the query of the address, which may have a part of the transcript.
        blind: whether facts that could influence a reviewer are left out.
    """
    desk.visits.hold(desk.reviewer, shown.session.id)
    audited = desk.read_audited_ids()
    session = blind_view(shown.session) if blind else rights.view(shown.session)
    answer, reference = answer_of(session), reference_of(shown)
    expected = reference if blind else session.expected_output
    transcript = _transcript(session, chosen, query, None if blind else shown.turns)
    around = _describe_position(desk, session.id, chosen, audited, blind=blind)
    undo = _undo(desk, shown, chosen, blind=blind)
    is_indexed = desk.index.is_ready()
    answered = page(
        desk,
        "blind.html" if blind else "session.html",
        session=session,
        answer=answer,
        reference=reference,
        expected=expected,
        lines=None if expected is None else compare_lines(answer, expected),
        here=address_of(session.id, chosen, blind=blind),
        chosen=chosen,
        facets=desk.index.facets() if is_indexed else Facets((), (), (), ()),
        stated_order=order.STATED,
        shortcuts=_working_keys(
            transcript,
            around,
            blind=blind,
            a=bool(answer),
            r=reference is not None,
            f=bool(session.messages),
        ),
        idle_keys=("u",) if undo.address is None else (),
        later_address=f"{ROOT}sessions/{session.id}/later{query_of(chosen)}",
        progress=queue_progress(desk, audited, chosen) if is_indexed else None,
        undo=undo,
        **_state(desk, shown, rights, session),
        **transcript,
        **_judgements(shown, rights, blind=blind),
        **around,
    )
    answered.headers["ETag"] = f'"{shown.version}"'
    return answered


def _state(desk: Desk, shown: LabeledSession, rights: Rights, session: Session) -> dict[str, Any]:
    """Return the facts of a session apart from its transcript and its labels."""
    return {
        "title": session.title,
        "source": source_name(session),
        "version": shown.version,
        "seen": shown.transcript,
        "stale": shown.is_stale,
        "publication": publication_of(desk.store.folder, shown.session).value,
        "unidentified": rights.is_disputed,
        "party": rights.is_party,
        "held": _find_holder(desk, session.id),
    }


def _working_keys(
    read: Mapping[str, Any], around: Mapping[str, Any], *, blind: bool, **works: bool
) -> list[shortcuts.Shortcut]:
    """Return the keys that have an effect on a page.

    Args:
        read: the context of the transcript.
        around: the context of the sessions before and after.
        blind: whether the session is shown blind.
        works: whether further keys have an effect, by key.
    """
    works["g"] = read["answer_address"] is not None
    works["o"] = bool(read["folds"])
    works["h"] = works["l"] = not blind and any(message.turn for message in read["messages"])
    works["j"] = around["following"] is not None
    works["k"] = around["previous"] is not None
    listed = shortcuts.OF_A_BLIND_SESSION if blind else shortcuts.OF_A_SESSION
    return [shortcut for shortcut in listed if works.get(shortcut.keys.split()[0], True)]


def _transcript(
    session: Session, chosen: SessionSelection, query: str, own: OwnLabels | None
) -> dict[str, Any]:
    """Return the context of the shown part of the transcript, with the addresses of other parts.

    Args:
        session: the session.
        chosen: the filter in the address.
        query: the query of the address.
        own: the labels of single turns; None if the session is shown blind.
    """
    blind = own is None
    parts = TranscriptParts.from_session(session)
    last, answer_part = len(parts.starts), part_of_answer(session, parts)
    part = number_of(query, "part", 1, last) if "part=" in query else answer_part or last
    own_address = ROOT + _place(address_of(session.id, chosen, blind=blind))
    linked = {*parts.find_near_parts(part), answer_part or part}
    addresses = {number: own_address + query_of(chosen, part=number) for number in sorted(linked)}
    search_text = dict(parse_qsl(query)).get("find", "").strip()
    if len(search_text) > LONGEST_TEXT:
        raise FilterError(f"find: may have {LONGEST_TEXT} characters at most")
    messages = make_shown_messages(session, part, blind=blind, wanted=search_text, own=own)
    matches = find_places(session, search_text)
    elsewhere = "" if part == answer_part else addresses.get(answer_part or 0)
    return {
        "messages": messages,
        "folds": any(
            message.before_task or message.summary or message.calls for message in messages
        ),
        "wanted": search_text,
        "found": [
            (
                match,
                own_address
                + query_of(chosen, part=parts.part_of(match.message - 1), find=search_text)
                + match.anchor,
            )
            for match in matches[:MOST_SHOWN]
        ],
        "found_count": len(matches),
        "own_address": own_address,
        "own_query": query_of(chosen),
        "chosen_inputs": parse_qsl(query_of(chosen).removeprefix("?")),
        "parts": [*addresses.items()],
        "part": part,
        "answer_address": None if elsewhere is None else f"{elsewhere}#answer",
    }


def _find_holder(desk: Desk, session_id: str) -> str | None:
    """Return the pseudonym of another reviewer who has the session open; None for nobody."""
    holders = desk.visits.find_other_holders(desk.reviewer)
    return (
        (holders[session_id] or "somebody without a pseudonym") if session_id in holders else None
    )


def _judgements(shown: LabeledSession, rights: Rights, *, blind: bool) -> dict[str, Any]:
    """Return the context of earlier judgements, with whether they need a decision."""
    task, between = rights.task, differing(shown.events)
    return {
        "judges": [] if blind else between or (task.judgements.blind if task else []),
        "disputed": bool(between) or rights.is_disputed,
        "events": [] if blind else shown.events[::-1],
        "judged_by": [] if blind else shown.judges,
    }


def _undo(desk: Desk, shown: LabeledSession, chosen: SessionSelection, *, blind: bool) -> UndoForm:
    """Return the form of the key `u`.

    It takes back the reviewer's last save. But if the reviewer changed this session, and the last
    save was not of it and did not lead to it, it takes back the latest change of this session.
    """
    session_id = shown.session.id
    last = desk.visits.last_save(desk.reviewer)
    take_back = f"{ROOT}undo{query_of(chosen)}"
    has_own = not blind and last_own(shown.events, desk.reviewer) is not None
    of_session = f"{ROOT}sessions/{session_id}/undo{query_of(chosen)}"
    is_others = not blind and not has_own and last_to_undo(shown.events) is not None
    others_address = of_session if is_others else None
    if last is not None and (not has_own or session_id in {last.session_id, last.led_to}):
        return UndoForm(take_back, take_back, last.key, others_address)
    return UndoForm(of_session if has_own else None, take_back, "", others_address)


def _describe_position(
    desk: Desk, session_id: str, chosen: SessionSelection, audited: AuditedIds, *, blind: bool
) -> dict[str, Any]:
    """Return the context of the session's position in the list, with the addresses around it."""
    # The page does not wait for an index that is being made; it is then without neighbours.
    ids: Sequence[str] = ()
    if desk.index.is_ready():
        ids = desk.index.list_ids_in_order(audited.restrict_selection(chosen))
    is_drawn = session_id in audited.waiting
    return {
        "place": ids.index(session_id) + 1 if session_id in ids else None,
        "count": len(ids),
        "previous": _neighbour(ids, session_id, chosen, -1, blind=blind),
        "following": _neighbour(ids, session_id, chosen, 1, blind=blind),
        "waiting": len(audited.waiting) if is_drawn else 0,
        "onward": next_address(session_id, chosen, blind=blind and not is_drawn),
        "done": make_next_address(session_id, chosen, blind=blind and not is_drawn),
        "onward_seen": next_address(session_id, chosen, blind=False),
        "other_address": address_of(session_id, chosen, blind=not blind),
        "list_address": ROOT + query_of(chosen),
    }


def address_of(session_id: str, chosen: SessionSelection, *, blind: bool) -> str:
    """Return the address of the page on which a session is judged."""
    if blind:
        return blind_address(session_id)
    return f"{ROOT}sessions/{session_id}{query_of(chosen)}"


def blind_address(session_id: str) -> str:
    """Return the address on which a session is judged blind, without its run and any filter."""
    return f"{ROOT}blind/{alias_of(session_id)}"


def next_address(session_id: str, chosen: SessionSelection, *, blind: bool) -> str:
    """Return the address that leads to the session to judge after this session."""
    return f"{ROOT}next{query_of(chosen, after=alias_of(session_id), blind=1 if blind else None)}"


def make_next_address(session_id: str, chosen: SessionSelection, *, blind: bool) -> str:
    """Return the address of the next session to judge when this session is saved or put off."""
    return f"{ROOT}next{query_of(chosen, done=alias_of(session_id), blind=1 if blind else None)}"


def _place(address: str) -> str:
    return address.removeprefix(ROOT).partition("?")[0]


def _neighbour(
    ids: Sequence[str], session_id: str, chosen: SessionSelection, step: int, *, blind: bool
) -> str | None:
    index = ids.index(session_id) + step if session_id in ids else -1
    return address_of(ids[index], chosen, blind=blind) if 0 <= index < len(ids) else None


def reference_of(shown: LabeledSession) -> str | None:
    """Return the reference answer of an attempt, its expected output before people's labels."""
    if shown.session.source.kind != "attempt":
        return None
    changes = [
        event for event in shown.events if event.field == "expectedOutput" and event.turn is None
    ]
    if not changes:
        return shown.session.expected_output
    before = changes[0].before
    return before if isinstance(before, str) else None
