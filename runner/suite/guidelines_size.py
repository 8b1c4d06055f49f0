"""Tokens of the guidelines, section by section, with the evals that need each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from records.benchmark import digest_of_texts
from records.guidelines_text import sections
from records.guidelines_tokens import GuidelinesTokens
from runner.evals.discovery import Suite
from runner.models import tokens

LARGEST: Final = 8000
"""Tokens that the whole text may have: every prompt carries it."""


@dataclass(frozen=True, slots=True)
class SectionSize:
    """One section of the guidelines."""

    slug: str
    tokens: int
    evals: Sequence[str]
    """The evals that exercise it, sorted by name."""


@dataclass(frozen=True, slots=True)
class GuidelinesSize:
    """The whole text."""

    sections: Sequence[SectionSize]
    tokens: int
    """Of all of it: more than the sections' sum by what stands before the first."""

    @property
    def problems(self) -> list[str]:
        """Return what is wrong, a line each: sections that no eval exercises, too many tokens."""
        found = [
            f"no eval exercises the section {section.slug}: name it in an eval.toml, or delete it"
            for section in self.sections
            if not section.evals
        ]
        if self.tokens > LARGEST:
            found.append(f"{self.tokens} tokens: at most {LARGEST} are allowed")
        return found


def counted(suite: Suite, size: GuidelinesSize) -> GuidelinesTokens:
    """Return ``size`` as the file beside the guidelines of ``suite`` holds it."""
    return GuidelinesTokens(
        digest=digest_of_texts(suite.guidelines),
        encoding=tokens.ENCODING,
        tokens=size.tokens,
        sections={section.slug: section.tokens for section in size.sections},
    )


def measure(suite: Suite) -> GuidelinesSize:
    """Return the sizes of the guidelines of ``suite``."""
    return GuidelinesSize(
        sections=[
            SectionSize(
                slug=slug,
                tokens=tokens.count(text),
                evals=[each.name for each in suite.evals if slug in each.config.guidelines],
            )
            for slug, text in sections(suite.guidelines).items()
        ],
        tokens=tokens.count(suite.guidelines),
    )
