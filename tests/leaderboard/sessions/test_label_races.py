"""Two command lines that label one session at the same time."""

from pathlib import Path
from typing import Any

import pytest

from leaderboard.commands.session.label import command
from records.sessions.session import EvalStatus
from review.errors import ChangedMeanwhileError
from review.store import SessionStore
from tests.review.corpus import store_of
from tests.review.desking import make_talk

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "change", [("--status", "incorrect"), ("--notes", "no"), ("--status", "correct", "--turn", "1")]
)
def test_the_second_of_two_command_lines_sees_that_it_lost(
    change: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its label is not written over one that came after it had read the session."""
    store = store_of(tmp_path, [make_talk(1)])
    session_id = make_talk(1).id
    label = SessionStore.label

    def label_second(own: SessionStore, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - those of `label`
        label(store, session_id, {"evalStatus": "golden"}, via="cli", reviewer="p1")
        return label(own, *arguments, **options)

    monkeypatch.setattr(SessionStore, "label", label_second)
    arguments = [session_id, *change, "--data", str(tmp_path)]
    with pytest.raises(ChangedMeanwhileError, match="somebody changed the session"):
        command.main(arguments, standalone_mode=False)
    assert store.read(session_id).session.eval_status is EvalStatus.GOLDEN


def test_a_session_that_is_named_twice_is_labelled_once(tmp_path: Path) -> None:
    """The second name is no change that came between."""
    store = store_of(tmp_path, [make_talk(1)])
    session_id = make_talk(1).id
    arguments = [session_id, session_id[:12], "--status", "golden", "--data", str(tmp_path)]
    assert command.main(arguments, standalone_mode=False) == 0
    assert len(store.read(session_id).events) == 1
