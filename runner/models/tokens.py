"""The numbers of tokens of texts and prompts, counted on this machine by its own vocabulary."""

import importlib.util
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from runner.errors import ToolchainMissingError

if TYPE_CHECKING:
    import tiktoken

Prompt = Sequence[Mapping[str, str]]
"""The messages of a request, each with a role and a content."""

ENCODING = "cl100k_base"
"""The vocabulary of the counts. Those of providers differ, mostly by some percent of tokens."""

_FILE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""tiktoken's name of the vocabulary's file."""

COUNTED_AT_ONCE = 20_000
"""The most characters per call of the tokenizer, because its time grows faster than the text."""

_OTHER_SCRIPTS = re.compile(r"[^\x00-\x7f]+")


def count_tokens(text: str) -> int:
    """Return the number of tokens of ``text``.

    Raises:
        ToolchainMissingError: the vocabulary, a file of litellm's package, is not installed.
    """
    return len(_load_encoding().encode(text, disallowed_special=()))


@cache
def _load_encoding() -> "tiktoken.Encoding":
    import tiktoken  # noqa: PLC0415 - takes a moment, and most runs need no count

    # The vocabulary is a file of litellm's package. To import litellm would take seconds, and
    # tiktoken alone would download the file.
    spec = importlib.util.find_spec("litellm")
    locations = [] if spec is None else spec.submodule_search_locations or []
    folders = [Path(location) / "litellm_core_utils" / "tokenizers" for location in locations]
    folder = next((each for each in folders if (each / _FILE).is_file()), None)
    if folder is None:
        raise ToolchainMissingError("no vocabulary to count tokens by: run `make setup`")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    return tiktoken.get_encoding(ENCODING)


def count_text(text: str) -> int:
    """Return the number of tokens of ``text``, by this program's vocabulary, not the model's."""
    parts = range(0, len(text), COUNTED_AT_ONCE)
    return sum(count_tokens(text[at : at + COUNTED_AT_ONCE]) for at in parts)


def count_prompt(messages: Prompt) -> int:
    """Return the number of tokens of a prompt."""
    return sum(count_text(message["content"]) for message in messages)


def is_far_below(reported: int, messages: Prompt) -> int | None:
    """Return our count of a prompt's tokens if ``reported`` is below half of it; else None.

    The count is low: a common vocabulary needs at least half of it. Vocabularies differ by some
    percent for English and code. For other scripts newer vocabularies need only a fifth of the
    tokens, so only ASCII is counted.
    """
    most = sum(len(message["content"]) for message in messages)
    if 2 * reported >= most:  # a token of ASCII has at least one character
        return None
    own = sum(count_text(_OTHER_SCRIPTS.sub("", message["content"])) for message in messages)
    return own if 2 * reported < own else None
