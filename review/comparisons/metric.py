"""The metric of comparisons: F1 of the tokens of answer and expected text, without a model."""

import re
import unicodedata
from collections import Counter
from typing import Final

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


def compute_token_f1(answer: str, expected: str) -> float:
    """Return the F1 of the tokens of two texts: from 0, no token shared, to 1, the same tokens.

    It is the F1 of Rajpurkar et al. 2016 (SQuAD, section 6.1), equal to ROUGE-1 F (Lin 2004), the
    harmonic mean of precision and recall. Let c be the number of tokens in common, each counted as
    often as in both texts. Then P = c / tokens of the answer, R = c / tokens of the expected text,
    and F1 = 2 P R / (P + R).

    A token is a run of letters, digits and underscores, or any other single character that is not a
    blank. Texts are compared after Unicode's NFKC, without regard to capital letters or the order
    of tokens. Unlike in SQuAD's script, articles and punctuation count, because they have a meaning
    in code. If neither text has a token, the result is 1; if only one text has tokens, it is 0.
    """
    answer_tokens, expected_tokens = _count_tokens(answer), _count_tokens(expected)
    if not answer_tokens and not expected_tokens:
        return 1.0
    common = (answer_tokens & expected_tokens).total()
    return 2 * common / (answer_tokens.total() + expected_tokens.total())


def _count_tokens(text: str) -> Counter[str]:
    return Counter(_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()))
