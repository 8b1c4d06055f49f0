"""The log of rows: what was added, graded again, corrected or withdrawn, and why."""

from typing import NamedTuple

from generator.render.environment import Frame
from generator.site.data import SiteData
from generator.site.parts import (
    frame,
)
from generator.site.rows.changes import change_rows


class ChangesPage(NamedTuple):
    """The log of rows, newest first."""

    template = "changes.html"

    frame: Frame
    changes: str
    """A row for each, HTML."""


def changes_page(site: SiteData) -> ChangesPage:
    """Gather the log, newest first."""
    head = frame(
        "Changes",
        "changes/",
        "What was added to the tables, graded again, corrected or withdrawn, and why.",
        "about",
    )
    return ChangesPage(frame=head, changes=change_rows(site, head.root))
