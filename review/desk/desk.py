"""The desk, and the rendering of its pages.

Templates escape texts, and show control characters.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import escape
from starlette.responses import HTMLResponse

from records.text.markdown import render_passage
from records.text.visible import make_one_line, make_visible
from review.bulk_changes import BulkChanges
from review.comparisons import ComparisonStore, IntervalOf
from review.desk import transcript
from review.desk.filters import format_query
from review.desk.guard import FormToken
from review.desk.shortcuts import OF_ANY_PAGE, list_shown_keys
from review.desk.visits import Visits
from review.index.session_index import SessionIndex
from review.label_service import LabelService
from review.store import SessionStore

ROOT = "/review/"
_LONGEST_ID = 12
HERE = Path(__file__).parent
DEFINITIONS = {
    "golden": "Perfect: usable as ground truth.",
    "correct": "Acceptable.",
    "incorrect": "Wrong or harmful.",
    "needs_review": "Not judged yet.",
}
"""The meaning of each status, in a sentence."""


class Desk:
    """The stores and settings of all pages, with the reviewer who uses them."""

    def __init__(
        self,
        store: SessionStore,
        site_assets: Path,
        interval_of: IntervalOf,
        reviewer: str | None = None,
        make_sessions: Callable[[str], str] | None = None,
    ) -> None:
        """Prepare the desk without reading any session.

        Args:
            store: the sessions.
            site_assets: the folder of the site's style sheet, whose palette the desk has.
            interval_of: computes the intervals of results.
            reviewer: the pseudonym for labels if the browser has none; None for no pseudonym.
            make_sessions: makes the sessions of a run, by its id, and returns a summary; None if
                this is not offered.
        """
        self.store = store
        self.site_assets = site_assets
        self.interval_of = interval_of
        self.visits = Visits(reviewer)
        self.reviewer = reviewer
        self.default_reviewer = reviewer
        self.make_sessions = make_sessions
        self.index = SessionIndex(store, wait=False)
        self.bulk = BulkChanges(store.folder)
        self.token = FormToken(store.folder.local.root / "desk.token")
        self.labels = LabelService(store, "desk", reviewer)
        self.comparisons = ComparisonStore(store.folder.local)

    def copy_for_reviewer(self, reviewer: str | None) -> "Desk":
        """Return a copy of the desk for another reviewer."""
        desk = copy.copy(self)
        desk.reviewer = reviewer
        desk.labels = LabelService(self.store, "desk", reviewer)
        desk.visits = self.visits.copy_for_reviewer(reviewer)
        return desk


def render_page(
    desk: Desk,
    template: str,
    *,
    title: str,
    status: int = 200,
    shortcuts: Mapping[str, str] = OF_ANY_PAGE,
    **values: object,
) -> HTMLResponse:
    """Return a page, with the list of the keys that have an effect on it."""
    text = (
        _build_environment()
        .get_template(template)
        .render(
            root=ROOT,
            title=title,
            token=desk.token.value,
            reviewer=desk.reviewer,
            default_reviewer=desk.default_reviewer,
            definitions=DEFINITIONS,
            shortcuts=[(keys, list_shown_keys(keys), does) for keys, does in shortcuts.items()],
            **values,
        )
    )
    return HTMLResponse(text, status)


@cache
def _build_environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        finalize=_escape_text,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    values: dict[str, Any] = {"most_letters": transcript.MOST_LETTERS}
    environment.globals.update(values)
    filters: dict[str, Callable[..., Any]] = {
        "changed": replace,
        "day": _format_day,
        "editable": escape,  # hidden characters stay, so that an edit changes none
        "holds": transcript.holds,
        "indented": transcript.indent_arguments,
        "markdown": render_passage,
        "one_line": make_one_line,
        "passage": transcript.render_text,
        "query": format_query,
        "short": _shorten_id,
    }
    environment.filters.update(filters)
    return environment


def _escape_text(value: object) -> object:
    """Return a text escaped, with hidden characters shown; other values stay as they are."""
    if value is None:
        raise TypeError("a template prints a value that is not known")
    return escape(make_visible(value)) if type(value) is str else value


def _shorten_id(session_id: str) -> str:
    """Return the beginning of a session's id; for an attempt, of both parts of the id."""
    if len(session_id) <= _LONGEST_ID:
        return session_id
    run, _, attempt = session_id.partition("-")
    return f"{run[:8]}-{attempt[:4]}" if attempt else session_id[:8]


def _format_day(moment: Any) -> str:  # noqa: ANN401 - a datetime, its ISO form, or null
    """Return the day of a time; a dash if it is not known."""
    return "\N{EN DASH}" if moment is None else str(moment)[:10]
