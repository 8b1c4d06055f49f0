"""The file beside the guidelines with the number of tokens of each section.

The build of the site has no tokenizer, so `leaderboard suite show --write` counts the tokens.
The digest in the file shows which text was counted.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from records.reader import build_record_error, read_bytes
from records.shapes.base import Count, Digest, Record
from records.shapes.trial import SectionSlug
from records.writer import encode_record, write_atomically

_FILE: Final = "guidelines.tokens.json"


class GuidelinesTokens(Record):
    """The numbers of tokens of one text of the guidelines."""

    digest: Digest
    """Digest of the text, as in benchmark versions."""
    encoding: str
    """The vocabulary of the tokens, such as ``cl100k_base``."""
    tokens: Count
    """Tokens of the whole text."""
    sections: Mapping[SectionSlug, Count]
    """Tokens of each section."""


def get_tokens_file(suite: Path) -> Path:
    """Return the path of the file with the tokens of the guidelines of ``suite``."""
    return suite / _FILE


def read_guidelines_tokens(suite: Path) -> GuidelinesTokens | None:
    """Read the tokens of the guidelines of ``suite``; None if there is no such file.

    Raises:
        InvalidRecordError: the file is not valid.
    """
    path = get_tokens_file(suite)
    if not path.exists():
        return None
    try:
        return GuidelinesTokens.model_validate_json(read_bytes(path), strict=True)
    except ValidationError as error:
        raise build_record_error(path, error) from error


def write_guidelines_tokens(suite: Path, tokens: GuidelinesTokens) -> None:
    """Write the tokens of the guidelines of ``suite`` to the file beside the guidelines."""
    write_atomically(get_tokens_file(suite), encode_record(tokens))
