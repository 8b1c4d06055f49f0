"""Strings that look random, as secrets do. This is only a guess."""

import re
from collections import Counter
from math import log2

LEAST = 20
"""The fewest characters of a string that can look random."""
_RUN = re.compile(r"[A-Za-z0-9+/_=-]{20,}+")
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_HASHES = frozenset({32, 40, 56, 64, 96, 128})
"""Numbers of hexadecimal digits of usual hashes, such as commits and checksums."""
_LEAST_BITS = 3.6
"""The least Shannon entropy of a character. Joined English words have less, or have no digits."""
_LEAST_BITS_HEX = 3.0
"""The same for hexadecimal digits, as in detect-secrets."""
_LEAST_CHANGES = 4
"""The fewest changes between capital letters, small letters and digits."""


def find_random_strings(text: str) -> list[str]:
    """Return the strings in ``text`` that look random, in their order."""
    words = "\n".join([word for word in text.split() if len(word) >= LEAST])
    return [run for run in _RUN.findall(words) if looks_random(run)]


def looks_random(text: str) -> bool:
    """Return whether ``text`` looks random and is not a hash, a UUID, a path or a name."""
    if len(text) < LEAST or _UUID.fullmatch(text) or not re.search("[0-9]", text):
        return False
    if _HEX.fullmatch(text):
        return len(text) not in _HASHES and compute_bits_per_character(text) >= _LEAST_BITS_HEX
    return count_changes(text) >= _LEAST_CHANGES and compute_bits_per_character(text) >= _LEAST_BITS


def compute_bits_per_character(text: str) -> float:
    """Return the Shannon entropy of a character of ``text``, in bits."""
    counts = Counter(text).values()
    return sum(count / len(text) * log2(len(text) / count) for count in counts)


def count_changes(text: str) -> int:
    """Return the number of changes between capital letters, small letters and digits."""
    # A capital letter at the beginning of a word is not a change.
    return len(
        re.findall(r"[0-9][A-Za-z]|[A-Za-z][0-9]|[a-z][A-Z](?![a-z]{2})|[A-Z]{2}[a-z]", text)
    )
