"""Texts that make a pattern slow, made of the pattern's own parts."""

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from tests.patterns.counting import StepCounter, TooManyStepsError
from tests.patterns.tree import c, is_character, parse, reader

_REPEATS: Final = frozenset({c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT})
_SIGNS: Final = "aA0_-. /:=@\"'`<>([{|,;\t\n\\+*!#~\u00e9"
_BETWEEN: Final = ("", "-", " ", ".")
"""Characters that end a word or go on with it."""
_SCREENED: Final = (100, 200)
"""Characters of the texts by which attacks are chosen that are looked at closely."""
_CHEAP: Final = 4
"""Steps for each character of a screened text that need no closer look."""
_MEASURED: Final = (500, 1_000, 2_000)
_GROWN: Final = 2.6
"""Growth of the steps with twice the characters: 2 where they are linear, 4 where quadratic."""
_MOST_PER_CHARACTER: Final = 1_500
_SEEDS: Final = 3
_MOST_PUMPS: Final = 160
_LARGEST_BOUND: Final = 1_000


class Attack(NamedTuple):
    """A text that can be made as long as wanted."""

    before: str
    pump: str
    after: str

    def text(self, size: int) -> str:
        """Return about ``size`` characters."""
        times = max(1, (size - len(self.before) - len(self.after)) // len(self.pump))
        return self.before + self.pump * times + self.after


def find_slow(pattern: str | bytes, flags: int = 0, *, anchored: bool = False) -> Attack | None:
    """Return a text on which the steps of ``pattern`` grow faster than its size; None without one.

    An ``anchored`` pattern is tried at the start of the text only.
    """
    if not _is_unbounded(list(parse(pattern, flags))):
        return None
    counter = StepCounter(pattern, flags)
    longest = min(_LARGEST_BOUND, _largest_bound(list(parse(pattern, flags))))
    for attack in attacks(pattern, flags):
        if _looks_slow(counter, attack, anchored=anchored):
            sizes = [size * max(1, longest // 100) for size in _MEASURED]
            if _grows(counter, attack, sizes, anchored=anchored):
                return attack
    return None


def _looks_slow(counter: StepCounter, attack: Attack, *, anchored: bool) -> bool:
    text = attack.text(_SCREENED[-1])
    try:
        cheap = counter.steps(text, anchored=anchored, most=_MOST_PER_CHARACTER * len(text))
    except TooManyStepsError:
        return True
    return cheap > _CHEAP * len(text) and _grows(counter, attack, _SCREENED, anchored=anchored)


def _grows(counter: StepCounter, attack: Attack, sizes: Sequence[int], *, anchored: bool) -> bool:
    """Say whether the steps grow too fast from each of the sizes to the next."""
    steps: list[int] = []
    for size in sizes:
        text = attack.text(size)
        try:
            steps.append(
                counter.steps(text, anchored=anchored, most=_MOST_PER_CHARACTER * len(text))
            )
        except TooManyStepsError:
            return True
    return all(after > _GROWN * before for before, after in pairwise(steps))


def attacks(pattern: str | bytes, flags: int = 0) -> Iterator[Attack]:
    """Yield texts of the parts of a pattern: a part repeated, the parts before it, an end."""
    tree = parse(pattern, flags)
    chosen = random.Random(7)  # noqa: S311 - no secret: the same texts each time
    pumps: dict[tuple[str, str], None] = {}
    for _ in range(_SEEDS):
        for before, items in _ways(list(tree)):
            for start in range(len(items)):
                lead = _sample([*before, *items[:start]], tree.state.flags, chosen)
                for stop in range(start + 1, len(items) + 1):
                    pump = _sample(items[start:stop], tree.state.flags, chosen)
                    for more in (*_BETWEEN, chosen.choice(_SIGNS)):
                        if pump + more:
                            pumps[lead, pump + more] = None
    listed = list(pumps)
    if len(listed) > _MOST_PUMPS:
        listed = chosen.sample(listed, _MOST_PUMPS)
    for lead, pump in listed:
        for before in sorted({lead, ""}):
            yield Attack(before, pump, chosen.choice(["", "\n\n", "!", "(", " x"]))
            yield Attack(before, pump, "\u2603")


def _ways(items: Sequence[Any]) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    """Yield every sequence of nodes in a tree, with the nodes before it."""
    yield [], items
    for place, (kind, value) in enumerate(items):
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
            for before, items_inside in _ways(sequence):
                yield [*items[:place], *before], items_inside


def _sample(items: Sequence[Any], flags: int, chosen: random.Random) -> str:
    """Return a text that nodes of a tree match, but for what they look at around it."""
    return "".join(_one_sample(item, flags, chosen) for item in items)


def _one_sample(item: Any, flags: int, chosen: random.Random) -> str:  # noqa: ANN401 - Python's tree
    kind, value = item
    if is_character(item):
        return _character(item, flags, chosen)
    if kind is c.SUBPATTERN:
        return _sample(list(value[3]), (flags | value[1]) & ~value[2], chosen)
    if kind in _REPEATS:
        least, most, inner = value
        more = least + 2 if most is c.MAXREPEAT else min(least + 2, most)
        times = chosen.randint(least, more)
        return "".join(_sample(list(inner), flags, chosen) for _ in range(times))
    ways = {c.BRANCH: lambda: chosen.choice(value[1]), c.ATOMIC_GROUP: lambda: value}
    ways[c.ASSERT] = lambda: value[1]
    return _sample(list(ways[kind]()), flags, chosen) if kind in ways else ""


def _character(item: Any, flags: int, chosen: random.Random) -> str:  # noqa: ANN401 - Python's tree
    kind, value = item
    if kind is c.LITERAL:
        return chr(value)
    fits = reader(item, flags)
    own = [chr(part[1]) for part in value if part[0] is c.LITERAL] if kind is c.IN else []
    own += [chr(part[1][0]) for part in value if part[0] is c.RANGE] if kind is c.IN else []
    fitting = [sign for sign in [*own, *_SIGNS] if fits(sign)]
    return chosen.choice(fitting) if fitting else ""


def _is_unbounded(items: Sequence[Any]) -> bool:
    """Say whether a tree has a repetition without a bound: without one, each try has an end."""
    return any(
        kind in _REPEATS and value[1] is c.MAXREPEAT
        for _, sequence in _ways(items)
        for kind, value in sequence
    )


def _largest_bound(items: Sequence[Any]) -> int:
    """Return the largest bound of a repetition in a tree; 1 without one."""
    bounds = [
        int(bound)
        for _, sequence in _ways(items)
        for kind, value in sequence
        if kind in _REPEATS
        for bound in value[:2]
        if bound is not c.MAXREPEAT
    ]
    return max([1, *bounds])
