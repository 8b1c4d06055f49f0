"""Judging one session: it is shown, labelled, taken back, and the next one is found."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from pydantic import JsonValue
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from records.labels import LabelName
from review.desk import order
from review.desk.filters import STATUSES, query_of, selection_of
from review.desk.guard import FormFields
from review.desk.lists import tags_in
from review.desk.pages import ROOT, Desk, page
from review.desk.session_view import (
    address_of,
    blind_address,
    next_address,
    reference_of,
    session_view,
)
from review.desk.transcript import answer_of
from review.errors import ChangedMeanwhileError, GateError
from review.selection import SessionSelection
from review.store import LabeledSession

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
    return session_view(desk, shown, chosen, query, blind=False)


def blind_page(desk: Desk, alias: str, query: str) -> Response:
    """Return the page of a session without what could sway its reviewer."""
    session_id = _of_alias(desk, alias)
    chosen = selection_of(query, also=("part",))
    if chosen != SessionSelection():  # a filter by status, model or day would tell these
        return RedirectResponse(blind_address(session_id), 303)
    if session_id in desk.audited().disputed:  # it is decided by whoever sees both judgements
        return RedirectResponse(address_of(session_id, chosen, blind=False), 303)
    return session_view(desk, desk.store.read(session_id), chosen, query, blind=True)


def next_page(desk: Desk, query: str) -> Response:
    """Lead to the next session to judge; where none is left, say so."""
    chosen = selection_of(query, also=("after", "blind"))
    audited = desk.audited()
    queued = desk.queue(audited)
    if chosen != SessionSelection():
        allowed = set(desk.index.ids(audited.left_out_of(chosen)))
        queued = [one for one in queued if one in allowed]
    asked = dict(parse_qsl(query))
    current = desk.index.find_alias(asked.get("after", ""))
    found = order.next_after(queued, current)
    if found is None:
        return page(
            desk,
            "nothing_left.html",
            title="Nothing left",
            chosen=chosen,
            here=ROOT,
            filtered=chosen != SessionSelection(),
            list_address=ROOT + query_of(chosen),
        )
    by_choice = asked.get("blind") == "1" and found not in audited.disputed
    blind = by_choice or found in audited.waiting
    return RedirectResponse(address_of(found, chosen, blind=blind), 303)


def save(desk: Desk, session_id: str, query: str, fields: FormFields) -> Response:
    """Write what the form of a session says, and lead on."""
    chosen, then = selection_of(query), _then(fields)
    before, rights = desk.gate.read(session_id, desk.reviewer)
    if rights.is_blind:  # the form is from a page that showed everything
        raise GateError(f"{rights.blind_name} is to be judged blind: reload the page")
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
    by_choice = session_id not in desk.audited().waiting
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
    return _onward(session_id, SessionSelection(), then, blind=by_choice)


def undo(desk: Desk, session_id: str, query: str, fields: FormFields) -> Response:
    """Take the latest change of a session back."""
    chosen = selection_of(query)
    try:
        desk.store.undo(
            session_id,
            via="desk",
            reviewer=desk.reviewer,
            reason=plain_text(fields.one("undo_reason") or ""),
            version=_version(fields),
        )
    except ChangedMeanwhileError as error:
        raise HTTPException(
            412, "somebody changed it since it was shown: reload the page, and undo again"
        ) from error
    return RedirectResponse(address_of(session_id, chosen, blind=False), 303)


def plain_text(text: str) -> str:
    """Return a text as forms send it, with the ends of lines that texts have."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


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
        return RedirectResponse(next_address(session_id, chosen, blind=blind), 303)
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
        changed_text=fields.one("seen") not in {None, now.transcript},
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
    session_id = desk.index.find_alias(alias)
    if session_id is None:
        raise HTTPException(404, "there is no such session")
    return session_id
