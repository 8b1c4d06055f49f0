"""The changes of the guidelines: added, changed and removed sections, with their tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.changes.checkout import ChangeKind, RevisionFolder
from leaderboard.changes.suites import SuiteState
from records.errors import RecordsError
from records.guidelines.section_tokens import read_guidelines_tokens
from records.guidelines.sections import parse_sections, remove_sections
from records.suites.benchmark import compute_texts_digest


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A section of the guidelines that differs."""

    slug: str | None
    """None for the text outside of all sections."""
    kind: ChangeKind
    tokens: tuple[int | None, int | None]
    """The numbers before and after; null if the section is missing, or tokens cannot be counted."""
    evals: Sequence[str]
    """The evals of the second suite that exercise the section."""


@dataclass(frozen=True, slots=True)
class GuidelinesChange:
    """The changes from one text of the guidelines to another."""

    sections: Sequence[SectionChange]
    tokens: tuple[int | None, int | None]
    """The tokens of the whole texts, before and after."""
    counts_are_stale: bool
    """True if the file of counts beside the second text is missing or is about another text."""


def compare_guidelines(
    old: SuiteState, new: SuiteState, after: RevisionFolder
) -> GuidelinesChange | None:
    """Return the changes of the guidelines; None if they are the same, or cannot be read."""
    if old.guidelines == new.guidelines or new.guidelines is None:
        return None
    before = old.guidelines or ""
    try:
        sides = [parse_sections(text) for text in (before, new.guidelines)]
        outsides = [remove_sections(text) for text in (before, new.guidelines)]
    except ValueError:  # the file is among the unread files
        return None
    slugs = dict.fromkeys((*sides[1], *sides[0]))
    changes = [
        _compare_section(slug, sides, new)
        for slug in slugs
        if sides[0].get(slug) != sides[1].get(slug)
    ]
    if outsides[0] != outsides[1]:
        counts = _count_tokens(outsides[0]), _count_tokens(outsides[1])
        changes.append(SectionChange(None, ChangeKind.CHANGED, counts, ()))
    return GuidelinesChange(
        sections=changes,
        tokens=(_count_tokens(before) if old.guidelines else None, _count_tokens(new.guidelines)),
        counts_are_stale=_are_counts_stale(new.guidelines, after),
    )


def _compare_section(
    slug: str, sides: Sequence[Mapping[str, str]], new: SuiteState
) -> SectionChange:
    texts = [side.get(slug) for side in sides]
    before, after = (None if text is None else _count_tokens(text) for text in texts)
    users = [name for name, evaluation in new.evals.items() if slug in evaluation.config.guidelines]
    return SectionChange(slug, ChangeKind.compare(*texts), (before, after), users)


def _count_tokens(text: str) -> int | None:
    """Return the number of tokens; None if this machine lacks the package or the vocabulary."""
    from runner.errors import ToolchainMissingError  # noqa: PLC0415 - see below

    try:
        # Some machines that compare revisions lack the package that counts tokens.
        from runner.models import tokens  # noqa: PLC0415

        return tokens.count_tokens(text)
    except (ModuleNotFoundError, ToolchainMissingError):
        return None


def _are_counts_stale(text: str, after: RevisionFolder) -> bool:
    if after.evals is None:
        return False
    try:
        counted = read_guidelines_tokens(after.evals)
    except RecordsError as error:
        after.refuse(after.evals / "guidelines.tokens.json", str(error))
        return True
    return counted is None or counted.digest != compute_texts_digest(text)
