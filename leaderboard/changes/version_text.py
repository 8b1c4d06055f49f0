"""The paragraphs of a description about version and stale verdicts, with the next commands."""

from collections.abc import Iterator
from typing import Final

from generator.diff.markdown_text import format_code
from leaderboard.changes.description import RevisionChange
from leaderboard.changes.stale_verdicts import SuiteVersionChange
from records.text.numbers import format_count

_MOST_FILES: Final = 3


def describe_versions(change: RevisionChange) -> Iterator[str]:
    """Yield the paragraphs about version and verdicts; none if neither changes."""
    if change.version is not None:
        yield _describe_version(change.version)
        if change.changes_program:
            yield (
                "Version and stale verdicts are computed by the program as it is here: files of it "
                "change, too, and may give others."
            )
    yield from _describe_stale(change)


def _describe_version(version: SuiteVersionChange) -> str:
    if version.after is None:
        return f"The benchmark version of the suite is not known: {version.why_unknown}."
    if version.before == version.after:
        words = f"The suite stays benchmark version {format_code(version.after)}."
    elif version.before is None:
        words = f"The suite becomes benchmark version {format_code(version.after)}."
    else:
        before = format_code(version.before)
        after = format_code(version.after)
        words = f"The suite becomes benchmark version {after}, which was {before} before."
    if version.contradicts:
        return f"{words} The definition of this version describes another suite, so no run has it."
    if version.minted and version.is_new_definition:
        return f"{words} This change mints it."
    if version.minted:
        return f"{words} It is minted."
    command, file = (
        format_code("leaderboard suite mint"),
        format_code(f"data/benchmarks/{version.after}.json"),
    )
    return (
        f"{words} It is not minted: a maintainer calls {command} after the merge and commits "
        f"{file}, before runs of it are published."
    )


def _describe_stale(change: RevisionChange) -> Iterator[str]:
    stale = change.stale
    if stale is None:
        yield "How many published verdicts become stale is not known."
        return
    if stale.toolchain:
        first = ", ".join(map(format_code, stale.toolchain[:_MOST_FILES]))
        more = len(stale.toolchain) - _MOST_FILES
        files = f"{first} and {more} more" if more > 0 else first
        yield (
            f"All verdicts depend on {files}: up to {stale.at_most} published ones become stale, "
            "as far as they are not stale already."
        )
    regraded = stale.number - stale.other_questions
    if regraded:
        command = format_code(f"leaderboard regrade --all --since {change.commit[:12]} --why TEXT")
        verdicts = format_count(regraded, "stale verdict")
        yield f"{command} grades {verdicts} again, once the version is minted."
    if stale.other_questions:
        verdicts = format_count(stale.other_questions, "stale verdict")
        yield (
            f"{verdicts} cannot be graded again: the suite asks "
            "other questions than their runs answered (evals, tasks or guidelines differ), so "
            "their models have to be asked again."
        )
