# canary: plain-python cf6a809e-a1da-45dd-8b8a-dce598cad2ea
"""Addresses made of titles."""

import unicodedata


def slug(title: str) -> str:
    """Return the last part of an address for a title."""
    plain = unicodedata.normalize("NFKD", title).lower()
    marked = "".join(
        character if character.isascii() and character.isalnum() else "-"
        for character in plain
        if not unicodedata.combining(character)
    )
    words = [word for word in marked.split("-") if word]
    if not words:
        raise ValueError(f"no letter or digit in {title!r}")
    return "-".join(words)
