# canary: plain-python cf6a809e-a1da-45dd-8b8a-dce598cad2ea
"""Titles become addresses."""

import pytest
from answer import AnswerRaised, call


@pytest.mark.parametrize(
    ("title", "expected"),
    [("Hello World", "hello-world"), ("10 Things", "10-things")],
    ids=["words", "digits"],
)
def test_words_are_joined_by_hyphens(title: str, expected: str) -> None:
    """Words and numbers are kept in small letters, with a hyphen between them."""
    assert call("slugs.py", "slug", title) == expected


def test_runs_of_other_characters_are_one_hyphen() -> None:
    """Punctuation and blanks together become a single hyphen, and none stands at an end."""
    assert call("slugs.py", "slug", "  Why -- and how?! ") == "why-and-how"


def test_accents_are_taken_off() -> None:
    """A letter with an accent is the letter itself."""
    assert call("slugs.py", "slug", "Café déjà vu") == "cafe-deja-vu"


def test_a_title_without_letters_is_refused() -> None:
    """Nothing that can be an address raises ValueError."""
    with pytest.raises(AnswerRaised) as raised:
        call("slugs.py", "slug", "?!")
    assert raised.value.kind == "ValueError"
