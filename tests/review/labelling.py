"""Labels that tests give and take back without the checks of `review.label_service`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from records.sessions.labels import LabelEvent, Way
from review.labeled_session import LabeledSession, build_label_events, build_undo_events
from review.store import SessionStore

if TYPE_CHECKING:
    from pydantic import JsonValue

    from records.sessions.labels import LabelName
    from records.sessions.session import Session

    Labels = Mapping[LabelName, JsonValue]


def give_labels(  # noqa: PLR0913 - as the function for which it stands
    store: SessionStore,
    session_id: str,
    labels: "Labels | Callable[[Session], Labels]",
    *,
    via: Way = "cli",
    turn: int | None = None,
    version: str | None = None,
    **more: Any,  # noqa: ANN401 - as for `build_label_events`
) -> LabeledSession:
    """Label a session; a function of the session as it is then may return the labels."""

    def build_events(before: LabeledSession) -> Sequence[LabelEvent]:
        given = labels(before.session) if callable(labels) else labels
        return build_label_events(before, given, via=via, turn=turn, **more)

    return store.change_labels(session_id, build_events, version=version, whole=turn is not None)


def take_back(
    store: SessionStore,
    session_id: str,
    *,
    via: Way = "cli",
    version: str | None = None,
    **more: Any,  # noqa: ANN401 - as for `build_undo_events`
) -> LabeledSession:
    """Take a change of a session back."""
    return store.change_labels(
        session_id, lambda before: build_undo_events(before, via=via, **more), version=version
    )
