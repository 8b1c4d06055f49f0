"""The log of rows: what was added, graded again, corrected or withdrawn, and why."""

from generator.contexts.runs import ChangesPage
from generator.pages.material import Material
from generator.pages.names import frame
from generator.pages.rows.changes import change_rows


def changes_page(material: Material) -> ChangesPage:
    """Gather the log, newest first."""
    around = frame(
        "Changes",
        "changes/",
        "What was added to the tables, graded again, corrected or withdrawn, and why.",
        "about",
    )
    return ChangesPage(frame=around, changes=change_rows(material, around.root))
