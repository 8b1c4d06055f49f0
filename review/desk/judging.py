"""The page of one session: its transcript and the form by which it is judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from pydantic import JsonValue
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from records.audit import AuditState
from records.labels import LabelName, last_to_undo
from review.audit.progress import blind_view
from review.desk import order, shortcuts
from review.desk.comparing import compared
from review.desk.filters import STATUSES, number_of, query_of, selection_of
from review.desk.guard import FormFields
from review.desk.lists import tags_in
from review.desk.pages import ROOT, Desk, alias_of, page
from review.desk.transcript import answer_of, part_count, shown_messages
from review.errors import ChangedMeanwhileError
from review.selection import SessionSelection, source_name
from review.store import LabeledSession, transcript_digest

_CALLED: Final[Mapping[LabelName, str]] = {
    "evalStatus": "Status",
    "evalReady": "Marked as an example",
    "evalNotes": "Notes",
    "evalTags": "Tags",
    "expectedOutput": "Expected output",
}


@dataclass(frozen=True, slots=True)
class Conflict:
    """A label that somebody else changed, or that one's own form would change."""

    label: str
    stored: str
    sent: str


def session_page(desk: Desk, session_id: str, query: str) -> Response:
    """Return the page of a session within the list that the filter selects."""
    chosen = selection_of(query, also=("part",))
    shown = desk.store.read(session_id)
    task = desk.audit.of(session_id)
    if task is not None and task.is_blind_for(desk.reviewer):
        return RedirectResponse(blind_address(session_id), 303)
    return _page(desk, shown, chosen, query, blind=False)


def blind_page(desk: Desk, alias: str, query: str) -> Response:
    """Return the page of a session without what could sway its reviewer."""
    session_id = _of_alias(desk, alias)
    chosen = selection_of(query, also=("part",))
    if chosen != SessionSelection():  # a filter by status, model or day would tell these
        return RedirectResponse(blind_address(session_id), 303)
    return _page(desk, desk.store.read(session_id), chosen, query, blind=True)


def next_page(desk: Desk, query: str) -> Response:
    """Lead to the next session to judge; where none is left, say so."""
    chosen = selection_of(query, also=("after", "blind"))
    audited = desk.audited()
    queued = desk.queue(audited)
    if chosen != SessionSelection():
        allowed = set(desk.index.ids(audited.left_out_of(chosen)))
        queued = [one for one in queued if one in allowed]
    asked = dict(parse_qsl(query))
    current = next((one for one in queued if alias_of(one) == asked.get("after")), None)
    found = order.next_after(queued, current)
    if found is None:
        return page(desk, "nothing_left.html", title="Nothing left", chosen=chosen, here=ROOT)
    blind = asked.get("blind") == "1" or found in audited.waiting
    return RedirectResponse(address_of(found, chosen, blind=blind), 303)


def address_of(session_id: str, chosen: SessionSelection, *, blind: bool) -> str:
    """Return where a session is judged."""
    if blind:
        return blind_address(session_id)
    return f"{ROOT}sessions/{session_id}{query_of(chosen)}"


def blind_address(session_id: str) -> str:
    """Return where a session is judged blind: the address tells neither its run nor a filter."""
    return f"{ROOT}blind/{alias_of(session_id)}"


def _next_address(session_id: str, chosen: SessionSelection, *, blind: bool) -> str:
    """Return where the session to judge after this one is found."""
    return f"{ROOT}next{query_of(chosen, after=alias_of(session_id), blind=1 if blind else None)}"


def save(desk: Desk, session_id: str, query: str, fields: FormFields) -> Response:
    """Write what the form of a session says, and lead on."""
    chosen, then = selection_of(query), _then(fields)
    before = desk.store.read(session_id)
    labels = _sent_labels(before, fields)
    try:
        desk.store.label(
            session_id,
            labels,
            via="desk",
            reviewer=desk.reviewer,
            reason=plain_text(fields.one("reason") or ""),
            version=_version(fields),
        )
    except ChangedMeanwhileError:
        return _conflict_page(desk, session_id, labels, chosen, fields)
    return _onward(session_id, chosen, then, blind=False)


def save_blind(desk: Desk, alias: str, fields: FormFields) -> Response:
    """Write a status that was given blind; then its page shows what was hidden."""
    then, session_id = _then(fields), _of_alias(desk, alias)
    status = fields.chosen("evalStatus", STATUSES)
    if status is None:
        raise HTTPException(400, "evalStatus: a blind judgement is a status")
    try:
        desk.store.label(
            session_id,
            {"evalStatus": status},
            via="desk",
            reviewer=desk.reviewer,
            reason=plain_text(fields.one("reason") or ""),
            blind=True,
            version=_version(fields),
        )
    except ChangedMeanwhileError as error:
        raise HTTPException(
            412, "somebody judged it since it was shown: reload the page, and judge it again"
        ) from error
    return _onward(session_id, SessionSelection(), then, blind=True)


def undo(desk: Desk, session_id: str, query: str, fields: FormFields) -> Response:
    """Take the latest change of a session back."""
    chosen = selection_of(query)
    try:
        desk.store.undo(session_id, via="desk", reviewer=desk.reviewer, version=_version(fields))
    except ChangedMeanwhileError as error:
        raise HTTPException(
            412, "somebody changed it since it was shown: reload the page, and undo again"
        ) from error
    return RedirectResponse(address_of(session_id, chosen, blind=False), 303)


def plain_text(text: str) -> str:
    """Return a text as forms send it, with the ends of lines that texts have."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _page(
    desk: Desk, shown: LabeledSession, chosen: SessionSelection, query: str, *, blind: bool
) -> Response:
    task = desk.audit.of(shown.session.id)
    session = blind_view(shown.session) if blind else shown.session
    parts = part_count(session)
    part = number_of(query, "part", 1, parts) if "part=" in query else parts
    here = address_of(session.id, chosen, blind=blind)
    ids = desk.index.listed(desk.audited().left_out_of(chosen))
    reference = reference_of(shown)
    expected = reference if blind else session.expected_output
    answer = answer_of(session)
    answered = page(
        desk,
        "blind.html" if blind else "session.html",
        title=session.title,
        session=session,
        source=source_name(session),
        version=shown.version,
        seen=transcript_digest(session),
        stale=shown.is_stale,
        differing=[] if blind or task is None else task.judgements.blind,
        disputed=task is not None and task.state is AuditState.DISPUTED,
        events=[] if blind else shown.events[::-1],
        can_undo=last_to_undo(shown.events) is not None,
        messages=shown_messages(session, part, blind=blind),
        parts=[
            (number, ROOT + _place(here) + query_of(chosen, part=number))
            for number in range(1, parts + 1)
        ],
        part=part,
        answer=answer,
        reference=reference,
        expected=expected,
        lines=None if expected is None else compared(answer, expected),
        here=here,
        chosen=chosen,
        previous=_neighbour(ids, session.id, chosen, -1, blind=blind),
        following=_neighbour(ids, session.id, chosen, 1, blind=blind),
        place=ids.index(session.id) + 1 if session.id in ids else None,
        count=len(ids),
        onward=_next_address(session.id, chosen, blind=blind),
        other_address=address_of(session.id, chosen, blind=not blind),
        list_address=ROOT + query_of(chosen),
        facets=desk.index.facets(),
        stated_order=order.STATED,
        shortcuts=_shortcuts(blind=blind, reference=reference is not None, answer=bool(answer)),
    )
    answered.headers["ETag"] = f'"{shown.version}"'
    return answered


def _place(address: str) -> str:
    return address.removeprefix(ROOT).partition("?")[0]


def _shortcuts(*, blind: bool, reference: bool, answer: bool) -> list[shortcuts.Shortcut]:
    """Return the keys that do something on this page."""
    without = set("untear") if blind else set[str]()
    if not reference:
        without.add("r")
    if not answer:
        without.add("a")
    return [one for one in shortcuts.OF_A_SESSION if one.keys not in without]


def _neighbour(
    ids: Sequence[str], session_id: str, chosen: SessionSelection, step: int, *, blind: bool
) -> str | None:
    place = ids.index(session_id) + step if session_id in ids else -1
    return address_of(ids[place], chosen, blind=blind) if 0 <= place < len(ids) else None


def reference_of(shown: LabeledSession) -> str | None:
    """Return the reference answer of an attempt: what was expected before any person said so."""
    if shown.session.source.kind != "attempt":
        return None
    said = [event for event in shown.events if event.field == "expectedOutput"]
    if not said:
        return shown.session.expected_output
    before = said[0].before
    return before if isinstance(before, str) else None


def _sent_labels(shown: LabeledSession, fields: FormFields) -> dict[LabelName, JsonValue]:
    """Return the labels that a form gives, without those that it leaves as they were shown."""
    session = shown.session
    labels: dict[LabelName, JsonValue] = {}
    if (status := fields.chosen("evalStatus", STATUSES)) is not None:
        labels["evalStatus"] = status
    if fields.one("whole") is not None:  # what a browser does not send of a box is: unchecked
        labels["evalReady"] = fields.one("evalReady") == "yes"
        more = tags_in(fields.one("more") or "")
        labels["evalTags"] = [*dict.fromkeys((*fields.all("tag"), *more))]
    edited: Mapping[LabelName, str] = {
        "evalNotes": session.eval_notes,
        "expectedOutput": session.expected_output or "",
    }
    for name, now in edited.items():
        sent = fields.one(name)
        if sent is not None and plain_text(sent) != _as_edited(now):
            text = plain_text(sent)
            labels[name] = text or (None if name == "expectedOutput" else "")
    use = fields.chosen("use", ("answer", "reference"))
    if use is not None:
        labels["expectedOutput"] = answer_of(session) if use == "answer" else reference_of(shown)
    return labels


def _as_edited(text: str) -> str:
    """Return a text as it comes back from a browser's field that nobody touched."""
    return plain_text(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


def _version(fields: FormFields) -> str:
    """Return the version that the form was made for.

    Raises:
        HTTPException: 400, the form does not say: it could overwrite what nobody saw.
    """
    version = fields.one("version")
    if not version:
        raise HTTPException(400, "version: is missing")
    return version


def _then(fields: FormFields) -> str:
    """Return where a form leads when it is written: it stays, or leads to the next one."""
    return fields.chosen("then", ("stay", "next")) or "stay"


def _onward(session_id: str, chosen: SessionSelection, then: str, *, blind: bool) -> Response:
    if then == "next":
        return RedirectResponse(_next_address(session_id, chosen, blind=blind), 303)
    return RedirectResponse(address_of(session_id, chosen, blind=False), 303)


def _conflict_page(
    desk: Desk,
    session_id: str,
    labels: Mapping[LabelName, JsonValue],
    chosen: SessionSelection,
    fields: FormFields,
) -> Response:
    now = desk.store.read(session_id)
    said = now.session.model_dump(mode="json", by_alias=True)
    return page(
        desk,
        "conflict.html",
        title="Changed meanwhile",
        status=412,
        session=now.session,
        version=now.version,
        changed_text=fields.one("seen") not in {None, transcript_digest(now.session)},
        conflicts=[
            Conflict(_CALLED[name], _words(said[name]), _words(value))
            for name, value in labels.items()
            if said[name] != value
        ],
        labels=labels,
        reason=plain_text(fields.one("reason") or ""),
        here=address_of(session_id, chosen, blind=False),
        then=_then(fields),
    )


def _words(value: JsonValue) -> str:
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _of_alias(desk: Desk, alias: str) -> str:
    for session_id in desk.index.ids(SessionSelection()):
        if alias_of(session_id) == alias:
            return session_id
    raise HTTPException(404, "there is no such session")
