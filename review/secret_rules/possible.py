"""Search for the rules that a text may match, by its words; patterns take ten times as long."""

import re
from collections.abc import Sequence
from typing import Final

from review.secret_rules.rule import SecretRule, fold_case
from review.secret_rules.secret_tokens import SHORTEST

_RUN: Final = re.compile(r"[A-Za-z0-9_+/=-]{16,}+")
_MOST_KNOWN: Final = 20_000
"""Number of words in the cache; when it is exceeded, the cache is emptied."""
_LONGEST_KNOWN: Final = 64
"""Characters of a word; longer words are not cached, to limit memory."""


class PossibleRules:
    """The search for the rules that a text may match.

    The same words occur again and again, so the result for a word is cached as the bits of a
    number, three for each rule. (1) The word has a mark of the rule. (2) The longest run of the
    word is long enough. (3) The pattern matches in the word, for a rule whose matches are within a
    word. A rule is possible if the words of a text together have all three bits.
    """

    def __init__(self, rules: Sequence[SecretRule], tokens: SecretRule) -> None:
        """Prepare the search.

        Args:
            rules: all rules, in their order.
            tokens: the rule among them that has no marks, so that only its pattern is tried.
        """
        self._rules = rules
        self._count = len(rules)
        self._known: dict[str, int] = {}
        self._always = 0
        """Bits that are set for all texts, because their rule does not have the condition."""
        self._marks: dict[tuple[str, bool], int] = {}
        """Bits by mark, and by whether capital letters must be the same."""
        self._phrases: list[tuple[str, int, int]] = []
        """Marks with a space, each with the bit of its first word and the bit of its rule."""
        self._leasts: dict[int, int] = {}
        """Bits by the least length of the longest run."""
        self._in_words: list[tuple[re.Pattern[str], int, int]] = []
        """Patterns whose matches are within a word, with the bits of their marks and of matches."""
        for index, rule in enumerate(rules):
            self._add(rule, index, is_tokens=rule is tokens)

    def _add(self, rule: SecretRule, index: int, *, is_tokens: bool) -> None:
        marked, long, matched = (1 << index + self._count * kind for kind in range(3))
        if is_tokens:
            self._always |= marked | long
            self._in_words.append((rule.pattern, 0, matched))
            return
        for mark in rule.marks:
            if " " in mark:
                first = 1 << 3 * self._count + len(self._phrases)
                self._phrases.append((mark, first, marked))
                self._add_mark(mark.partition(" ")[0], first)
            else:
                self._add_mark(mark, marked, is_exact=rule.is_exact)
        if rule.least < SHORTEST:
            self._always |= long
        else:
            self._leasts[rule.least] = self._leasts.get(rule.least, 0) | long
        if rule.scope == "word":
            self._in_words.append((rule.pattern, marked, matched))
        else:
            self._always |= matched

    def _add_mark(self, mark: str, bit: int, *, is_exact: bool = False) -> None:
        self._marks[mark, is_exact] = self._marks.get((mark, is_exact), 0) | bit

    def find(self, text: str, small: str) -> list[SecretRule]:
        """Return the rules that ``text`` may match, in their order.

        Args:
            text: the text.
            small: the result of `fold_case` for the text.
        """
        numbers, words = self._known, set(text.split())  # another thread may replace _known
        unknown = [word for word in words if word not in numbers]
        bits = self._always | (self._learn(unknown) if unknown else 0)
        for number in set(map(numbers.get, words)):
            bits |= number or 0
        for phrase, first, marked in self._phrases:
            if bits & first and not bits & marked and phrase in small:
                bits |= marked
        possible = bits & bits >> self._count & bits >> 2 * self._count
        rules = [rule for index, rule in enumerate(self._rules) if possible >> index & 1]
        return [rule for rule in rules if not rule.also or any(mark in small for mark in rule.also)]

    def _learn(self, words: Sequence[str]) -> int:
        """Return the bits of words together, and cache the bits of each word."""
        bits = dict.fromkeys(words, 0)
        small = {word: fold_case(word) for word in bits}
        exact_text, small_text = "\n".join(bits), "\n".join(small.values())
        for (mark, is_exact), marked in self._marks.items():
            if mark not in (exact_text if is_exact else small_text):
                continue  # most marks are in no word
            for word, letters in small.items():
                if mark in (word if is_exact else letters):
                    bits[word] |= marked
        for word in words:
            if bits[word] or len(word) >= SHORTEST:
                bits[word] |= self._collect_word_bits(word, bits[word])
        if len(self._known) > _MOST_KNOWN:
            self._known = {}
        self._known.update((word, own) for word, own in bits.items() if len(word) <= _LONGEST_KNOWN)
        together = 0
        for own in bits.values():
            together |= own
        return together

    def _collect_word_bits(self, word: str, marked: int) -> int:
        bits = 0
        longest = max(map(len, _RUN.findall(word)), default=0)
        for least, long in self._leasts.items():
            if longest >= least:
                bits |= long
        for pattern, own, matched in self._in_words:
            if (not own or marked & own) and pattern.search(word):
                bits |= matched
        return bits
