"""The reader of the suite's guidelines, which the site shows section by section."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.errors import GeneratorError
from records.guidelines.sections import GuidelinesTokens, read_guidelines_tokens
from records.suites.benchmark import compute_texts_digest
from records.suites.canary import strip_canary


def read_method_text(method: Path) -> str:
    """Return the Markdown of the method page; if the file is missing, a sentence about that.

    Raises:
        GeneratorError: the file is not UTF-8.
    """
    if not method.exists():
        # The folder's own name only: the rest of the path is of the machine that builds.
        missing = f"{method.parent.name}/{method.name}"
        return f"The method is not written down yet: `{missing}` is missing.\n"
    try:
        return method.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise GeneratorError(f"{method}: {error}") from error


@dataclass(frozen=True, slots=True)
class GuidelinesText:
    """The guidelines that models are sent."""

    preamble: str
    """The text before the first section, without the title, as Markdown."""
    sections: Mapping[str, str]
    """The sections by slug, in their order, as Markdown without their headings."""
    characters: int
    """The number of characters of the whole text."""
    digest: str
    """The digest of the text, as in benchmark versions."""
    tokens: GuidelinesTokens | None
    """The number of tokens; None if nobody counted exactly this text."""


def read_guidelines_text(path: Path) -> GuidelinesText | None:
    """Read the guidelines at ``path``; None if there is no such file.

    Raises:
        GeneratorError: the file cannot be read or split into sections; the message names it.
    """
    from records.guidelines.sections import parse_sections, remove_sections  # noqa: PLC0415 - the parser is slow to load

    try:
        text = strip_canary(path.read_text(encoding="utf-8"))
        parts = parse_sections(text)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise GeneratorError(f"{path}: {error}") from error
    digest = compute_texts_digest(text)
    tokens_counted = read_guidelines_tokens(path.parent)
    return GuidelinesText(
        preamble=_without_heading(remove_sections(text)),
        sections={slug: _without_heading(section) for slug, section in parts.items()},
        characters=len(text),
        digest=digest,
        tokens=tokens_counted
        if tokens_counted is not None and tokens_counted.digest == digest
        else None,
    )


def _without_heading(text: str) -> str:
    first, _, body = text.strip().partition("\n")
    return body.strip() if first.startswith("#") else text.strip()
