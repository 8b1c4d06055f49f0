"""The markdown of a description, for a pull request: about a screen, with longer lists folded.

Names and values come from a stranger's files. They are in code spans, so that a mention notifies
nobody, an image is not loaded and HTML has no effect. All other words and all links come from this
program.
"""

from generator.diff.markdown_text import MARK, SiteLinks, fit_parts, format_code
from leaderboard.changes.description import RevisionChange
from leaderboard.changes.first_sentence import write_sentence
from leaderboard.changes.markdown_tables import TableWriter
from leaderboard.changes.result_text import (
    describe_runs,
    list_gone,
    list_moved,
    list_pairs,
    list_reports,
)
from leaderboard.changes.suite_text import list_evals, list_models, list_sections
from leaderboard.changes.version_text import describe_versions


def write_description(
    change: RevisionChange, links: SiteLinks, longest: int | None = None, *, folded: bool = True
) -> str:
    """Return a description as markdown.

    Args:
        change: the changes.
        links: the links to the site of the second revision.
        longest: the most characters, after which further parts are left out; None for no limit.
        folded: whether long tables are folded, for which HTML is needed.
    """
    tables = TableWriter(links, folded)
    unread = [[format_code(file.path), format_code(file.reason)] for file in change.unread]
    other = [[format_code(file.path), file.kind] for file in change.other]
    relation = "merged into" if change.is_merge else "compared with"
    parts = [
        f"{MARK}\n**{write_sentence(change)}**",
        *([] if change.note is None else [change.note]),
        *tables.write("Files that cannot be used", ["file", "reason"], unread),
        *list_evals(change, tables),
        *list_sections(change, tables),
        *list_models(change, tables),
        *describe_versions(change),
        *describe_runs(change, tables),
        *list_pairs(change, tables),
        *list_reports(change, tables),
        *list_gone(change, tables),
        *list_moved(change, tables),
        *tables.write("Other files, which nothing above describes", ["file", ""], other),
        f"{format_code(change.after)} {relation} {format_code(change.before)}.",
    ]
    return fit_parts(parts, longest)
