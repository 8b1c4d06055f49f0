"""Texts that make a pattern slow, made of the pattern's own parts."""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from tests.patterns.counting import (
    StepCounter,
    TooManyStepsError,
    build_character_test,
    c,
    is_character,
    parse,
)

_REPEATS = frozenset({c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT})
_SIGNS = "aA0_-. /:=@\"'`<>([{|,;\t\n\\+*!#~\u00e9"
_BETWEEN = ("", "-", " ", ".")
"""Characters that end a word or go on with it."""
_SCREENED = (100, 200)
"""Characters of the texts by which attacks are chosen that are looked at closely."""
_CHEAP = 4
"""Steps for each character of a screened text that need no closer look."""
_MEASURED = (500, 1_000, 2_000)
_GROWN = 2.6
"""Growth of the steps with twice the characters: 2 where they are linear, 4 where quadratic."""
_MOST_PER_CHARACTER = 1_500
_SEEDS = 3
MOST_PUMPS = 160
FEW_PUMPS = 80
"""Repeated parts of a pattern, at night and at each change."""
_LARGEST_BOUND = 1_000


class Attack(NamedTuple):
    """A text that can be made as long as wanted."""

    before: str
    pump: str
    after: str

    def make_text(self, size: int) -> str:
        """Return about ``size`` characters."""
        times = max(1, (size - len(self.before) - len(self.after)) // len(self.pump))
        return self.before + self.pump * times + self.after


def find_slow(
    pattern: str | bytes, flags: int = 0, *, anchored: bool = False, pumps: int = MOST_PUMPS
) -> Attack | None:
    """Return a text on which the steps of ``pattern`` grow faster than its size; None without one.

    An ``anchored`` pattern is tried at the start of the text only; ``pumps`` is
    that of `make_attacks`.
    """
    if not _is_unbounded(list(parse(pattern, flags))):
        return None
    counter = StepCounter(pattern, flags)
    longest = min(_LARGEST_BOUND, _find_largest_bound(list(parse(pattern, flags))))
    for attack in make_attacks(pattern, flags, pumps=pumps):
        if _looks_slow(counter, attack, anchored=anchored):
            sizes = [size * max(1, longest // 100) for size in _MEASURED]
            if _grows(counter, attack, sizes, anchored=anchored):
                return attack
    return None


def _looks_slow(counter: StepCounter, attack: Attack, *, anchored: bool) -> bool:
    text = attack.make_text(_SCREENED[-1])
    try:
        cheap = counter.count_steps(text, anchored=anchored, most=_MOST_PER_CHARACTER * len(text))
    except TooManyStepsError:
        return True
    return cheap > _CHEAP * len(text) and _grows(counter, attack, _SCREENED, anchored=anchored)


def _grows(counter: StepCounter, attack: Attack, sizes: Sequence[int], *, anchored: bool) -> bool:
    """Say whether the steps grow too fast from each of the sizes to the next."""
    steps: list[int] = []
    for size in sizes:
        text = attack.make_text(size)
        try:
            steps.append(
                counter.count_steps(text, anchored=anchored, most=_MOST_PER_CHARACTER * len(text))
            )
        except TooManyStepsError:
            return True
    return all(after > _GROWN * before for before, after in pairwise(steps))


@cache
def make_attacks(
    pattern: str | bytes, flags: int = 0, *, pumps: int = MOST_PUMPS
) -> tuple[Attack, ...]:
    """Return texts of the parts of a pattern: a part repeated, the parts before it, an end.

    ``pumps`` is the largest number of repeated parts, each of which makes two to four texts.
    """
    tree = parse(pattern, flags)
    chosen = random.Random(7)  # noqa: S311 - no secret: the same texts each time
    listed = list(_make_pumps(tree, chosen))
    if len(listed) > pumps:
        listed = chosen.sample(listed, pumps)
    texts: list[Attack] = []
    for lead, pump in listed:
        for before in sorted({lead, ""}):
            texts.append(Attack(before, pump, chosen.choice(["", "\n\n", "!", "(", " x"])))
            texts.append(Attack(before, pump, "\u2603"))
    return tuple(texts)


def _make_pumps(tree: Any, chosen: random.Random) -> dict[tuple[str, str], None]:  # noqa: ANN401
    """Return the parts of a tree as texts that can be repeated, each with the text before it."""
    sampler = _Sampler(chosen)
    ways = list(_list_ways(list(tree)))
    pumps: dict[tuple[str, str], None] = {}
    for _ in range(_SEEDS):
        for before, items in ways:
            for start in range(len(items)):
                lead = sampler.sample([*before, *items[:start]], tree.state.flags)
                for stop in range(start + 1, len(items) + 1):
                    pump = sampler.sample(items[start:stop], tree.state.flags)
                    for more in (*_BETWEEN, chosen.choice(_SIGNS)):
                        if pump + more:
                            pumps[lead, pump + more] = None
    return pumps


def _list_ways(items: Sequence[Any]) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    """Yield every sequence of nodes in a tree, with the nodes before it."""
    yield [], items
    for index, (kind, value) in enumerate(items):
        inner: list[Sequence[Any]] = []
        if kind is c.BRANCH:
            inner = [list(way) for way in value[1]]
        elif kind is c.SUBPATTERN:
            inner = [list(value[3])]
        elif kind in _REPEATS:
            inner = [list(value[2])]
        elif kind is c.ATOMIC_GROUP:
            inner = [list(value)]
        elif kind in {c.ASSERT, c.ASSERT_NOT}:
            inner = [list(value[1])]
        for sequence in inner:
            for before, items_inside in _list_ways(sequence):
                yield [*items[:index], *before], items_inside


class _Sampler:
    """Makes texts that nodes of a tree match, but for what they look at around them."""

    def __init__(self, chosen: random.Random) -> None:
        self._chosen = chosen
        self._fitting: dict[tuple[int, int], list[str]] = {}
        """The characters that a node matches, by the node's identity and its flags."""

    def sample(self, items: Sequence[Any], flags: int) -> str:
        """Return a text that a sequence of nodes matches."""
        return "".join(self._sample_item(item, flags) for item in items)

    def _sample_item(self, item: Any, flags: int) -> str:  # noqa: ANN401 - Python's tree
        kind, value = item
        if is_character(item):
            return self._sample_character(item, flags)
        if kind is c.SUBPATTERN:
            return self.sample(list(value[3]), (flags | value[1]) & ~value[2])
        if kind in _REPEATS:
            least, most, inner = value
            more = least + 2 if most is c.MAXREPEAT else min(least + 2, most)
            times = self._chosen.randint(least, more)
            return "".join(self.sample(list(inner), flags) for _ in range(times))
        ways = {c.BRANCH: lambda: self._chosen.choice(value[1]), c.ATOMIC_GROUP: lambda: value}
        ways[c.ASSERT] = lambda: value[1]
        return self.sample(list(ways[kind]()), flags) if kind in ways else ""

    def _sample_character(self, item: Any, flags: int) -> str:  # noqa: ANN401 - Python's tree
        kind, value = item
        if kind is c.LITERAL:
            return chr(value)
        key = id(item), flags
        if key not in self._fitting:
            self._fitting[key] = _list_fitting(item, flags)
        fitting = self._fitting[key]
        return self._chosen.choice(fitting) if fitting else ""


def _list_fitting(item: Any, flags: int) -> list[str]:  # noqa: ANN401 - Python's tree
    """Return the characters of a node, and the signs, that the node matches."""
    kind, value = item
    fits = build_character_test(item, flags)
    own = [chr(part[1]) for part in value if part[0] is c.LITERAL] if kind is c.IN else []
    own += [chr(part[1][0]) for part in value if part[0] is c.RANGE] if kind is c.IN else []
    return [sign for sign in [*own, *_SIGNS] if fits(sign)]


def _is_unbounded(items: Sequence[Any]) -> bool:
    """Return whether a tree has a repetition without a bound; in any other, each try has an end."""
    return any(
        kind in _REPEATS and value[1] is c.MAXREPEAT
        for _, sequence in _list_ways(items)
        for kind, value in sequence
    )


def _find_largest_bound(items: Sequence[Any]) -> int:
    """Return the largest bound of a repetition in a tree; 1 where none has a bound."""
    bounds = [
        int(bound)
        for _, sequence in _list_ways(items)
        for kind, value in sequence
        if kind in _REPEATS
        for bound in value[:2]
        if bound is not c.MAXREPEAT
    ]
    return max([1, *bounds])
