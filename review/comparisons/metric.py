"""The metric of comparisons: how much of an expected text stands in an answer, without a model."""

import re
import unicodedata
from collections import Counter
from typing import Final

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


def token_f1(answer: str, expected: str) -> float:
    """Return the harmonic mean of precision and recall over tokens: 0, none shared, to 1, the same.

    It is the F1 of Rajpurkar et al. 2016 (SQuAD, section 6.1), equal to ROUGE-1 F (Lin 2004): with
    c tokens in common, counted as often as they stand in both, P = c / tokens of the answer, and
    R = c / tokens of the expected text, F1 = 2 P R / (P + R). A token is a run of letters, digits
    and underscores, or a single other mark that is no blank, after Unicode's NFKC and with capital
    and small letters alike. Their order does not count. Unlike SQuAD's script, articles and
    punctuation stay: in code both mean something. It is 1 where neither text has a token, 0 where
    only one text has tokens.
    """
    answer_tokens, expected_tokens = _tokens(answer), _tokens(expected)
    if not answer_tokens and not expected_tokens:
        return 1.0
    common = (answer_tokens & expected_tokens).total()
    return 2 * common / (answer_tokens.total() + expected_tokens.total())


def _tokens(text: str) -> Counter[str]:
    return Counter(_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()))
