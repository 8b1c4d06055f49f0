"""The label log of a session: one event for each change, appended and never rewritten.

The state of the labels is the fold of the events; undoing appends the inverse event. A session's
record repeats the state under the names that exports use; where both differ, the log is right.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal, Protocol, Self, TypeVar, cast

from pydantic import Field, JsonValue, model_validator

from records.base import Count, Digest, Moment, OutsideText, Record
from records.session import EvalStatus, Session

Way = Literal["cli", "desk", "api", "import", "grader"]
"""By which way somebody judged."""

PEOPLE: Final = frozenset({"cli", "desk", "api"})
"""The ways by which people judge: a grader's verdict and an import are no review."""

LabelName = Literal["evalReady", "evalStatus", "evalNotes", "evalTags", "expectedOutput"]


class LabelEvent(Record):
    """One change of one label."""

    at: Moment
    """When."""
    reviewer: Annotated[str, Field(pattern=r"^[\w.-]{1,40}$")] | None
    """A pseudonym that the reviewer chose; null where none was given. Never exported."""
    field: LabelName
    """Which label."""
    before: JsonValue
    """What it was."""
    after: JsonValue
    """What it is now."""
    reason: OutsideText = ""
    """Why, in words."""
    via: Way
    """By which way."""
    blind: bool = False
    """Whether model, verdict and other labels were out of sight."""
    seen: Digest
    """Digest of the transcript that was judged; the label is stale where it changed since."""
    undoes: Count | None = None
    """Place in the log of the event that this one takes back; null for any other."""

    @model_validator(mode="after")
    def _has_a_value_of_its_field(self) -> Self:
        _session_field(self.field, self.after)
        return self


def folded(session: Session, events: Sequence[LabelEvent]) -> Session:
    """Return ``session`` with the labels that ``events`` leave.

    A label of which every change was taken back is what it was before the first.
    """
    kept = standing(events)
    values: dict[LabelName, JsonValue] = {event.field: event.before for event in reversed(events)}
    values |= {event.field: event.after for event in kept}
    fields = dict(_session_field(name, value) for name, value in values.items())
    if "eval_status" in fields:
        # reviewedAt is when a person judged: verdicts of graders and imports do not set it.
        judged = [one for one in kept if one.field == "evalStatus" and one.via in PEOPLE]
        unjudged = fields["eval_status"] is EvalStatus.NEEDS_REVIEW
        fields["reviewed_at"] = judged[-1].at if judged and not unjudged else None
    return session.model_copy(update=fields) if fields else session


class Undoable(Protocol):
    """An event of a log that may take back an earlier one."""

    @property
    def undoes(self) -> int | None:
        """The place in the log of the event that it takes back; null where it takes back none."""
        ...


_Event = TypeVar("_Event", bound=Undoable)


def standing(events: Sequence[_Event]) -> list[_Event]:
    """Return the changes that were not taken back, in their order."""
    gone = {event.undoes for event in events}
    return [
        event for place, event in enumerate(events) if event.undoes is None and place not in gone
    ]


def differing(events: Sequence[LabelEvent]) -> list[LabelEvent]:
    """Return the last judgement of each reviewer, where these differ and nobody decided; else none.

    A decision is a status given in sight of judgements that differ, also where it is the status
    that the session has. Reviewers are told apart by their pseudonyms; without one, a judgement
    counts where it was blind. Who left it at needs_review did not judge.
    """
    last: dict[str | None, LabelEvent] = {}
    for event in standing(events):
        if event.field != "evalStatus" or event.via not in PEOPLE:
            continue
        if not event.blind and _says_something(event) and _differ(last.values()):
            last = {}
        if event.reviewer is not None or event.blind:
            last[event.reviewer] = event
    return [one for one in last.values() if _says_something(one)] if _differ(last.values()) else []


def _says_something(event: LabelEvent) -> bool:
    return event.after != EvalStatus.NEEDS_REVIEW.value


def _differ(events: Iterable[LabelEvent]) -> bool:
    return len({str(event.after) for event in events if _says_something(event)}) > 1


def last_to_undo(events: Sequence[LabelEvent]) -> int | None:
    """Return the place of the latest change that was not taken back; null where none is left."""
    gone = {event.undoes for event in events if event.undoes is not None}
    for place in range(len(events) - 1, -1, -1):
        if events[place].undoes is None and place not in gone:
            return place
    return None


def _session_field(name: LabelName, value: JsonValue) -> tuple[str, object]:
    """Return the field of a session that a label is, with its value.

    Raises:
        ValueError: the value is none that the label can have.
    """
    match name:
        case "evalReady" if isinstance(value, bool):
            return "eval_ready", value
        case "evalStatus" if isinstance(value, str):
            return "eval_status", EvalStatus(value)
        case "evalNotes" if isinstance(value, str):
            return "eval_notes", value
        case "evalTags" if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return "eval_tags", tuple(cast("list[str]", value))
        case "expectedOutput" if value is None or isinstance(value, str):
            return "expected_output", value
        case _:
            raise ValueError(f"{value!r} is no value of {name}")
