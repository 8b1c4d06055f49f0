"""Tokens of the guidelines, section by section, in a file beside them.

The site is built without a tokenizer, so `leaderboard suite guidelines --write` counts, and the
file names the text by a digest.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from records.reader import invalid, read_bytes
from records.shapes.base import Count, Digest, Record
from records.shapes.trial import SectionSlug
from records.writer import record_bytes, write_atomically

_FILE: Final = "guidelines.tokens.json"


class GuidelinesTokens(Record):
    """The tokens of one text of the guidelines."""

    digest: Digest
    """Of the text, as benchmark versions hold it."""
    encoding: str
    """The vocabulary counted by, such as ``cl100k_base``."""
    tokens: Count
    """The tokens of the whole text."""
    sections: Mapping[SectionSlug, Count]


def tokens_file(suite: Path) -> Path:
    """Return where the tokens of the guidelines of ``suite`` stand."""
    return suite / _FILE


def read_guidelines_tokens(suite: Path) -> GuidelinesTokens | None:
    """Read the tokens of the guidelines of ``suite``; None where nobody has counted them.

    Raises:
        InvalidRecordError: the file is not as it should be; the message names it.
    """
    path = tokens_file(suite)
    if not path.exists():
        return None
    try:
        return GuidelinesTokens.model_validate_json(read_bytes(path), strict=True)
    except ValidationError as error:
        raise invalid(path, error) from error


def write_guidelines_tokens(suite: Path, counted: GuidelinesTokens) -> None:
    """Write the tokens of the guidelines of ``suite`` beside them."""
    write_atomically(tokens_file(suite), record_bytes(counted))
