"""What commands over sessions share."""

import click

from review.store import SessionStore


def found(store: SessionStore, beginning: str) -> str:
    """Return the id of the session that begins so.

    Raises:
        UsageError: there is none, or there are several.
    """
    ids = [path.stem for path in store.folder.session_files() if path.stem.startswith(beginning)]
    if beginning in ids:
        return beginning
    if len(ids) != 1 or not beginning:
        raise click.UsageError(
            f"{beginning!r} begins {len(ids)} sessions: `leaderboard session list` has their ids"
        )
    return ids[0]
