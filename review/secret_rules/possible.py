"""Search for the rules that a text may match, by its words; patterns take ten times as long."""

from collections.abc import Sequence

from review.secret_rules.rule import SecretRule, fold_case

_MOST_KNOWN = 20_000
"""Number of words in the cache; when it is exceeded, the cache is emptied."""
_LONGEST_KNOWN = 64
"""Characters of a word; longer words are not cached, to limit memory."""


class PossibleRules:
    """The search for the rules that a text may match.

    A rule is possible if a word of the text has one of its marks, and matches, if the scope of the
    rule is a word. The same words occur again and again, so the result for a word is cached, as a
    number with a bit for each rule.
    """

    def __init__(self, rules: Sequence[SecretRule]) -> None:
        """Prepare the search for all rules, in their order."""
        self._rules = rules
        self._known: dict[str, int] = {}
        self._marks: dict[tuple[str, bool], int] = {}
        """Bits by mark, and by whether capital letters must be the same. Of a mark with a space,
        this is the first word."""
        self._in_words = [
            (1 << index, rule.pattern) for index, rule in enumerate(rules) if rule.scope == "word"
        ]
        for index, rule in enumerate(rules):
            for mark in rule.marks:
                key = mark.partition(" ")[0], rule.is_exact
                self._marks[key] = self._marks.get(key, 0) | 1 << index

    def find(self, text: str) -> list[SecretRule]:
        """Return the rules that ``text`` may match, in their order."""
        known, words = self._known, set(text.split())  # another thread may replace _known
        unknown = [word for word in words if word not in known]
        bits = self._learn(unknown) if unknown else 0
        for own in set(map(known.get, words)):
            bits |= own or 0
        return [rule for index, rule in enumerate(self._rules) if bits >> index & 1]

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
        for word, marked in bits.items():
            for bit, pattern in self._in_words if marked else ():
                if marked & bit and not pattern.search(word):
                    bits[word] ^= bit
        if len(self._known) > _MOST_KNOWN:
            self._known = {}
        self._known.update((word, own) for word, own in bits.items() if len(word) <= _LONGEST_KNOWN)
        together = 0
        for own in bits.values():
            together |= own
        return together
