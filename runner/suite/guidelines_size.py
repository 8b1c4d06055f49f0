"""The tokens of each section of the guidelines, with the evals that exercise the section."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from records.guidelines.sections import GuidelinesTokens, parse_sections
from records.suites.benchmark import compute_texts_digest
from runner.evals.discovery import Suite
from runner.models import tokens

LARGEST: Final = 8000
"""The most tokens that the whole text may have: every prompt contains it."""


@dataclass(frozen=True, slots=True)
class SectionSize:
    """A section of the guidelines with its tokens and evals."""

    slug: str
    tokens: int
    evals: Sequence[str]
    """The evals that exercise the section, sorted by name."""


@dataclass(frozen=True, slots=True)
class GuidelinesSize:
    """The sections and tokens of the guidelines."""

    sections: Sequence[SectionSize]
    tokens: int
    """The tokens of the whole text: of all sections and of the text before the first section."""

    @property
    def problems(self) -> list[str]:
        """A line for each fault: a section that no eval exercises, too many tokens."""
        faults = [
            f"no eval exercises the section {section.slug}: name it in an eval.toml, or delete it"
            for section in self.sections
            if not section.evals
        ]
        if self.tokens > LARGEST:
            faults.append(f"{self.tokens} tokens: at most {LARGEST} are allowed")
        return faults


def record_tokens(suite: Suite, size: GuidelinesSize) -> GuidelinesTokens:
    """Return ``size`` as the record that is stored beside the guidelines of ``suite``."""
    return GuidelinesTokens(
        digest=compute_texts_digest(suite.guidelines),
        encoding=tokens.ENCODING,
        tokens=size.tokens,
        sections={section.slug: section.tokens for section in size.sections},
    )


def measure_guidelines(suite: Suite) -> GuidelinesSize:
    """Return the sizes of the guidelines of ``suite``."""
    return GuidelinesSize(
        sections=[
            SectionSize(
                slug=slug,
                tokens=tokens.count_tokens(text),
                evals=[each.name for each in suite.evals if slug in each.config.guidelines],
            )
            for slug, text in parse_sections(suite.guidelines).items()
        ],
        tokens=tokens.count_tokens(suite.guidelines),
    )
