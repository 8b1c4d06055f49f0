"""The first sentence of a description, which names the changes of a merge or a revision."""

from collections.abc import Iterator, Sequence
from typing import Final

from generator.diff.data_diff import MovedRow
from generator.diff.markdown_text import format_code
from leaderboard.changes.checkout import ChangeKind
from leaderboard.changes.description import RevisionChange
from records.text.numbers import format_count

_VERBS: Final = {
    ChangeKind.ADDED: "adds",
    ChangeKind.CHANGED: "changes",
    ChangeKind.REMOVED: "removes",
}
_MOST_CLAUSES: Final = 8
_NOTHING: Final = "nothing below `data/` or `evals/`. No published result and no report changed"


def write_sentence(change: RevisionChange) -> str:
    """Return the sentence as markdown, with names as code."""
    subject = "Merging" if change.is_merge else format_code(change.after)
    if change.files == 0:
        return f"{subject} changes {_NOTHING}."
    clauses = [*_list_suite_clauses(change), *_list_result_clauses(change)]
    if not clauses and change.other:
        clauses = [f"changes {format_count(len(change.other), 'other file')}"]
    if not clauses and not change.unread:
        clauses = ["changes nothing that counts"]
    words = _join_clauses(clauses)
    if not change.shows:
        words += ". Nothing that the site shows changes"
    if change.unread:
        number = format_count(len(change.unread), "file")
        unknown = f"{number} cannot be used, so a part of the changes is not known"
        return f"{subject} {words}; {unknown}." if words else f"{unknown.capitalize()}."
    return f"{subject} {words}."


def _list_suite_clauses(change: RevisionChange) -> Iterator[str]:
    for kind in ChangeKind:
        names = [item.name for item in change.evals if item.kind is kind]
        yield from _name_things(_VERBS[kind], "eval", names)
    if change.guidelines is not None:
        sections = [item for item in change.guidelines.sections if item.slug is not None]
        for kind in ChangeKind:
            slugs = [item.slug or "" for item in sections if item.kind is kind]
            for clause in _name_things(_VERBS[kind], "section", slugs):
                yield f"{clause} of the guidelines"
        if not sections:
            yield "changes the guidelines"
    for kind in ChangeKind:
        names = [item.slug for item in change.models if item.kind is kind]
        yield from _name_things(_VERBS[kind], "model", names)
    if change.stale is not None and change.stale.number:
        yield f"makes {format_count(change.stale.number, 'published verdict')} stale"
    if change.stale is not None and change.stale.toolchain and change.stale.at_most:
        yield f"may make up to {format_count(change.stale.at_most, 'published verdict')} stale"
    version = change.version
    if version is not None and version.is_new_definition and version.after is not None:
        yield f"defines the benchmark version {format_code(version.after)}"


def _list_result_clauses(change: RevisionChange) -> Iterator[str]:
    for kind, verb in ((ChangeKind.ADDED, "publishes"), (ChangeKind.CHANGED, "changes")):
        slugs = [item.run.model.slug for item in change.runs if item.kind is kind]
        if len(slugs) == 1:
            yield f"{verb} a run of {format_code(slugs[0])}"
        elif slugs:
            yield f"{verb} {len(slugs)} runs"
    if change.withdrawn:
        yield f"withdraws {format_count(len(change.withdrawn), 'run')}"
    if change.removed:
        yield f"removes the record of {format_count(len(change.removed), 'run')}"
    for kind in ChangeKind:
        reports = [item for item in change.reports if item.kind is kind]
        if reports:
            yield f"{_VERBS[kind]} {format_count(len(reports), 'report')}"
    yield from _list_rank_clauses(
        [item for item in change.data.moved if item.rank_before != item.rank_after]
    )


def _list_rank_clauses(moved: Sequence[MovedRow]) -> Iterator[str]:
    if len(moved) > 1:
        yield f"moves the ranks of {len(moved)} rows of tables"
    elif moved:
        row = moved[0]
        before, after = (rank and rank.words for rank in (row.rank_before, row.rank_after))
        if before is None:
            yield f"gives {format_code(row.slug)} rank {after} of {row.ranked_after}"
        elif after is None:
            yield f"takes {format_code(row.slug)} out of a table, where it had rank {before}"
        else:
            yield f"moves {format_code(row.slug)} from rank {before} to {after}"


def _name_things(verb: str, noun: str, names: Sequence[str]) -> Iterator[str]:
    if len(names) == 1:
        yield f"{verb} the {noun} {format_code(names[0])}"
    elif names:
        yield f"{verb} {len(names)} {noun}s"


def _join_clauses(clauses: Sequence[str]) -> str:
    """Return clauses joined by commas and "and"; above a limit, only the number of the others."""
    clauses_shown = list(clauses[:_MOST_CLAUSES])
    if len(clauses) > len(clauses_shown):
        clauses_shown.append(
            f"makes {format_count(len(clauses) - len(clauses_shown), 'more change')}"
        )
    return " and ".join(filter(None, [", ".join(clauses_shown[:-1]), *clauses_shown[-1:]]))
