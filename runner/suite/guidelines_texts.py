"""Lengths of the guidelines in tokens: whole, by sections, and placebos of equal length.

A placebo is a text about neither Convex nor programs. It replaces a section of the guidelines and
has the same form, a heading of the second level and a list. So a prompt keeps its length, and loses
only the content of the section.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from records.guidelines.sections import GuidelinesTokens, parse_sections, replace_section
from records.suites.benchmark import compute_texts_digest
from runner.errors import BadSelectionError
from runner.evals.discovery import Suite
from runner.models import tokens

LARGEST = 8000
"""The most tokens that the whole text may have: every prompt contains it."""

HEADING = "## apple-orchards"
_PADDING = " fruit"
"""A word that is one token, also when repeated. It fills the last sentence up to the length."""
_LONGEST_PADDING = 8


def measure_guidelines(suite: Suite) -> GuidelinesTokens:
    """Return the tokens of the guidelines of ``suite``, whole and by section."""
    return GuidelinesTokens(
        digest=compute_texts_digest(suite.guidelines),
        encoding=tokens.ENCODING,
        tokens=tokens.count_tokens(suite.guidelines),
        sections={
            slug: tokens.count_tokens(text)
            for slug, text in parse_sections(suite.guidelines).items()
        },
    )


def with_placebo(text: str, slug: str) -> str:
    """Return the guidelines ``text`` with a placebo instead of a section, and as many tokens.

    If the section is longer than all sentences of the placebo, they are repeated.

    Raises:
        KeyError: there is no such section.
        BadSelectionError: the section is shorter than the placebo's heading.
    """
    length = count_sent_tokens(text)

    def make_edition(words: int, padding: int) -> str:
        pieces = "".join(islice(_generate_pieces(), words))
        return replace_section(text, slug, f"{HEADING}\n\n{pieces}{_PADDING * padding}\n")

    numbers = range(tokens.count_tokens(parse_sections(text)[slug]))
    # The numbers of words with which the text is not longer than before.
    fitting = bisect_right(
        numbers, length, key=lambda words: count_sent_tokens(make_edition(words, 0))
    )
    # A word may be several tokens, and a line end may share a token with the word before it. So
    # words are removed and words of one token added, until the sum is right.
    for words in range(fitting - 1, -1, -1):
        for padding in range(_LONGEST_PADDING):
            candidate = make_edition(words, padding)
            if (counted := count_sent_tokens(candidate)) == length:
                return candidate
            if counted > length:
                break
    raise BadSelectionError(f"the section {slug} is too short for a placebo of its length")


def count_sent_tokens(text: str) -> int:
    """Return the number of tokens of guidelines in a prompt, without blanks at their ends."""
    return tokens.count_tokens(text.strip())


def _generate_pieces() -> Iterator[str]:
    """Yield the words of the placebo, without end; the first of a line has the list's mark."""
    begins = "- "
    sentences = Path(__file__).with_name("placebo.txt").read_text("utf-8").splitlines()
    for sentence in cycle(sentences):
        head, *words = sentence.split()
        yield f"{begins}{head}"
        begins = "\n- "
        yield from (f" {word}" for word in words)
