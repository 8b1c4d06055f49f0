"""The words of a text, cached or new, give the rules that it may match."""

from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.redaction import list_rules
from review.secret_rules import possible
from review.secret_rules.possible import PossibleRules
from review.secret_rules.rule import SecretRule
from tests.review.secret_rules.redacted_texts import SECRETS

pytestmark = pytest.mark.unit

TEXTS: Final = [text for text, _ in SECRETS]
LASTING: Final = PossibleRules(list_rules())


def match_rules(text: str) -> list[SecretRule]:
    """Return the rules that match a text."""
    return [rule for rule in list_rules() if rule.pattern.search(text)]


@given(
    st.lists(st.sampled_from(TEXTS) | st.text(max_size=9), max_size=5), st.sampled_from(" \n\t=")
)
def test_a_rule_that_matches_is_possible(texts: Sequence[str], between: str) -> None:
    """The text has any known secrets; a word cached from another text counts the same."""
    text = between.join(texts)
    new = PossibleRules(list_rules())
    rules = new.find(text)
    assert [rule for rule in match_rules(text) if rule not in rules] == []
    assert new.find(text) == LASTING.find(text) == rules


def test_memory_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forgotten words are checked anew; a word of a thousand letters is never cached."""
    monkeypatch.setattr(possible, "_MOST_KNOWN", 10)
    rules = PossibleRules(list_rules())
    long = f"sk_live_{'a1B2' * 250}"
    expected = {text: rules.find(text) for text in [*TEXTS, long]}
    assert {text: rules.find(text) for text in expected} == expected
    words = rules._known  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - its size is the promise
    assert len(words) < 10 + max(len(text.split()) for text in TEXTS) + 1
    assert long not in words
    assert expected[long]
