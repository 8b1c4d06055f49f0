# canary: plain-python cf6a809e-a1da-45dd-8b8a-dce598cad2ea
"""Addresses made of titles."""

from unicodedata import combining, normalize

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def slug(title: str) -> str:
    """Return the last part of an address for a title."""
    words = [""]
    for character in normalize("NFKD", title.casefold()):
        if character in LETTERS:
            words[-1] += character
        elif not combining(character) and words[-1]:
            words.append("")
    result = "-".join(filter(None, words))
    if not result:
        raise ValueError(title)
    return result
