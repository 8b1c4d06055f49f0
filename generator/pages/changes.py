"""The log of rows: what was added, graded again, corrected or withdrawn, and why."""

from collections.abc import Iterator

from generator.contexts.runs import Change, ChangesPage
from generator.contexts.shared import Link
from generator.corpus import RunSummary
from generator.pages.lines import linked, share
from generator.pages.material import Material
from generator.pages.names import experiment, frame, run_path


def changes_page(material: Material) -> ChangesPage:
    """Gather the log, newest first."""
    changes = [change for run in material.corpus.runs for change in _of_run(material, run)]
    return ChangesPage(
        frame=frame(
            "Changes",
            "changes/",
            "What was added to the tables, graded again, corrected or withdrawn, and why.",
            "about",
        ),
        changes=sorted(changes, key=lambda change: change.date, reverse=True),
    )


def _of_run(material: Material, run: RunSummary) -> Iterator[Change]:
    model = linked(run)
    link = Link(run_path(run.run_id), run.run_id[:8])
    found = share(run.results.values())
    score = f"{found.count} of {found.judged} passed" if found else "nothing judged"
    origin = " Published elsewhere." if run.source else ""
    words = f"{experiment(run.experiment)}, {material.version_title(run.version)}"
    if run.withdrawn is not None:
        yield Change(run.date, "withdrawn", model, link, run.withdrawn)
    if run.corrected_passed is not None:
        text = f"Its publisher counts {run.corrected_passed} passes after mending graders."
        yield Change(run.date, "corrected", model, link, text)
    for again in reversed(run.regraded):
        text = f"{again.attempts} attempts graded again; {again.changed} outcomes changed."
        yield Change(again.date, "re-graded", model, link, text)
    yield Change(run.date, "added", model, link, f"{words}: {score}.{origin}")
