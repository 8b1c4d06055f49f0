"""The number of tokens of a text, counted on this machine."""

import importlib.util
import os
from functools import cache
from pathlib import Path
from typing import Final

import tiktoken

from runner.errors import ToolchainMissingError

ENCODING: Final = "cl100k_base"
"""The vocabulary of the counts. Those of providers differ, mostly by some percent of tokens."""

_FILE: Final = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""tiktoken's name of the vocabulary's file."""


def count_tokens(text: str) -> int:
    """Return the number of tokens of ``text``.

    Raises:
        ToolchainMissingError: the vocabulary, a file of litellm's package, is not installed.
    """
    return len(_load_encoding().encode(text, disallowed_special=()))


@cache
def _load_encoding() -> tiktoken.Encoding:
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
