"""The sessions that a command changes after the user has agreed, named or selected."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from leaderboard.options import data_option, json_option
from leaderboard.sessions.selection_options import add_selection_options
from leaderboard.sessions.session_lookup import choose_session_ids
from leaderboard.terminal.confirmation import ask
from records.files.data_folder import DataFolder
from review.store import SessionStore

Change = TypeVar("Change")
"""The result of a change of a session."""


@dataclass(frozen=True, slots=True)
class ChosenSessions:
    """The sessions to change."""

    store: SessionStore
    ids: Sequence[str]
    agreed: bool
    """True if the user agreed with `--yes`."""
    as_json: bool

    def change(self, question: str, change: Callable[[SessionStore, str], Change]) -> list[Change]:
        """Ask the user, change each session, and return the results.

        Raises:
            Abort: the user does not agree.
            UsageError: there is no terminal to ask in, and `--yes` is missing.
        """
        if self.ids:
            ask(question, agreed=self.agreed)
        return [change(self.store, session_id) for session_id in self.ids]


def changes_sessions(agreed: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator for a command that gets its sessions as the argument ``chosen``.

    Args:
        agreed: the help text of `--yes`.
    """

    def with_options(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def with_sessions(
            *,
            sessions: tuple[str, ...],
            agreed: bool,
            data_root: Path,
            as_json: bool,
            **options: Any,  # noqa: ANN401 - as selection_options has them
        ) -> int:
            store = SessionStore(DataFolder(data_root))
            ids = choose_session_ids(store, sessions, options)
            return command(chosen=ChosenSessions(store, ids, agreed, as_json))

        decorated = json_option(data_option(with_sessions))
        decorated = click.option("--yes", "agreed", is_flag=True, help=agreed)(decorated)
        return click.argument("sessions", nargs=-1)(add_selection_options(decorated))

    return with_options
