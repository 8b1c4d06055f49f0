"""A matcher that backtracks as Python's own does, and counts its steps."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

c: Final[Any] = import_module("re._constants")
"""Kinds of nodes, as Python names them."""
_parser: Final[Any] = import_module("re._parser")


def parse(pattern: str | bytes, flags: int = 0) -> Any:  # noqa: ANN401 - Python's tree has no types
    """Return the tree of a pattern."""
    return _parser.parse(pattern, flags)


def is_character(item: Any) -> bool:  # noqa: ANN401 - Python's tree
    """Say whether a node of the tree matches exactly one character."""
    return item[0] in {c.LITERAL, c.NOT_LITERAL, c.ANY, c.IN}


def build_character_test(item: Any, flags: int) -> Callable[[str], bool]:  # noqa: ANN401 - Python's tree
    """Return the test of one character that a node of the tree is."""
    kind, value = item
    if kind is c.ANY:
        return (lambda _: True) if flags & c.SRE_FLAG_DOTALL else (lambda sign: sign != "\n")
    parts = [item] if kind is not c.IN else list(value)
    absent = kind is c.NOT_LITERAL or parts[0][0] is c.NEGATE
    tests = [_build_part_test(part) for part in parts if part[0] is not c.NEGATE]
    fold = bool(flags & c.SRE_FLAG_IGNORECASE)
    cache: dict[str, bool] = {}

    def fits(sign: str) -> bool:
        if sign not in cache:
            signs = {sign, sign.lower(), sign.upper()} if fold else {sign}
            cache[sign] = any(test(form) for test in tests for form in signs) != absent
        return cache[sign]

    return fits


def _build_part_test(part: Any) -> Callable[[str], bool]:  # noqa: ANN401 - Python's tree
    kind, value = part
    if kind in {c.LITERAL, c.NOT_LITERAL}:
        return lambda sign: sign == chr(value)
    if kind is c.RANGE:
        return lambda sign: len(sign) == 1 and value[0] <= ord(sign) <= value[1]
    name = str(value)
    plain = {"DIGIT": str.isdecimal, "SPACE": str.isspace, "WORD": is_word}
    test = plain[name.removeprefix("CATEGORY_").removeprefix("NOT_")]
    return (lambda sign: not test(sign)) if "NOT_" in name else test


def is_word(sign: str) -> bool:
    """Say whether a character belongs to a word."""
    return sign == "_" or sign.isalnum()


Continuation = Callable[[int], int]
Matcher = Callable[[int], int]
FAILED = -1
_MOST = 10_000_000
_DEEPEST = 100_000
"""Calls of Python within one another: each repetition of a group is one more."""

_ASSERTIONS = {c.ASSERT, c.ASSERT_NOT}


class TooManyStepsError(Exception):
    """A search that took more steps than it was allowed."""


class StepCounter:
    """One pattern, searched in texts as `re` does, with a count of all characters looked at."""

    def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
        """Parse ``pattern``; bytes are searched in texts of the same characters."""
        tree = parse(pattern, flags)
        self._flags = tree.state.flags
        self._items = list(tree)
        self._text = ""
        self._groups: dict[int, tuple[int, int]] = {}
        self._steps = 0
        self._most = 0
        self._match = self._compile_sequence(self._items, self._flags, lambda position: position)

    def count_steps(self, text: str, *, anchored: bool = False, most: int = _MOST) -> int:
        """Return the steps of finding every match in ``text``; of one try at its start if anchored.

        Raises:
            TooManyStepsError: they are more than ``most``.
        """
        self._text, self._steps, self._most = text, 0, most
        position = 0
        with _allow_deep_recursion():
            while position <= len(text):
                end = self._try_place(position)
                if anchored:
                    break
                position = end if end > position else position + 1
        return self._steps

    def _try_place(self, position: int) -> int:
        self._groups = {}
        self._count_step()
        return self._match(position)

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > self._most:
            raise TooManyStepsError

    def _compile_sequence(self, items: Sequence[Any], flags: int, then: Continuation) -> Matcher:
        for item in reversed(items):
            then = self._compile_item(item, flags, then)
        return then

    def _compile_item(self, item: Any, flags: int, then: Continuation) -> Matcher:  # noqa: ANN401, PLR0911 - one case for each node of Python's tree
        kind, value = item
        if is_character(item):
            return self._compile_character(build_character_test(item, flags), then)
        if kind is c.BRANCH:
            return self._compile_branch(
                [self._compile_sequence(way, flags, then) for way in value[1]]
            )
        if kind is c.SUBPATTERN:
            number, added, removed, inner = value
            return self._compile_group(number, list(inner), (flags | added) & ~removed, then)
        if kind in {c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT}:
            return self._compile_repeat(kind, value, flags, then)
        if kind is c.ATOMIC_GROUP:
            return self._compile_atomic(
                self._compile_sequence(list(value), flags, lambda position: position), then
            )
        if kind in _ASSERTIONS:
            return self._compile_assertion(kind is c.ASSERT_NOT, value, flags, then)
        if kind is c.AT:
            return self._compile_place(str(value), flags, then)
        if kind is c.GROUPREF:
            return self._compile_reference(value, then)
        raise NotImplementedError(f"{kind}: teach the counter of steps this part of patterns")

    def _compile_character(self, fits: Callable[[str], bool], then: Continuation) -> Matcher:
        def match(position: int) -> int:
            self._count_step()
            return (
                then(position + 1)
                if position < len(self._text) and fits(self._text[position])
                else FAILED
            )

        return match

    def _compile_branch(self, ways: Sequence[Matcher]) -> Matcher:
        def match(position: int) -> int:
            for way in ways:
                if (end := way(position)) != FAILED:
                    return end
            return FAILED

        return match

    def _compile_group(
        self, number: int | None, items: Sequence[Any], flags: int, then: Continuation
    ) -> Matcher:
        if number is None:
            return self._compile_sequence(items, flags, then)
        starts: list[int] = []

        def close(position: int) -> int:
            before = self._groups.get(number)
            start = starts.pop()
            self._groups[number] = (start, position)
            end = then(position)
            starts.append(start)
            if end == FAILED and before is not None:
                self._groups[number] = before
            return end

        inner = self._compile_sequence(items, flags, close)

        def match(position: int) -> int:
            starts.append(position)
            end = inner(position)
            starts.pop()
            return end

        return match

    def _compile_repeat(self, kind: Any, value: Any, flags: int, then: Continuation) -> Matcher:  # noqa: ANN401 - Python's tree
        least, most, inner = value
        most = None if most is c.MAXREPEAT else int(most)
        items = list(inner)
        if kind is c.POSSESSIVE_REPEAT:
            whole = self._compile_repeat(c.MAX_REPEAT, value, flags, lambda position: position)
            return self._compile_atomic(whole, then)
        if len(items) == 1 and is_character(items[0]):
            fits = build_character_test(items[0], flags)
            run = self._compile_longest_run if kind is c.MAX_REPEAT else self._compile_shortest_run
            return run(fits, least, most, then)
        return self._compile_repeated_group(
            items, flags, (least, most), then, greedy=kind is c.MAX_REPEAT
        )

    def _compile_longest_run(
        self, fits: Callable[[str], bool], least: int, most: int | None, then: Continuation
    ) -> Matcher:
        def match(position: int) -> int:
            last = len(self._text) if most is None else min(len(self._text), position + most)
            end = position
            while end < last and fits(self._text[end]):
                self._count_step()
                end += 1
            for stop in range(end, position + least - 1, -1):
                self._count_step()
                if (match_end := then(stop)) != FAILED:
                    return match_end
            return FAILED

        return match

    def _compile_shortest_run(
        self, fits: Callable[[str], bool], least: int, most: int | None, then: Continuation
    ) -> Matcher:
        def match(position: int) -> int:
            end = position
            while True:
                self._count_step()
                if end - position >= least and (match_end := then(end)) != FAILED:
                    return match_end
                full = most is not None and end - position >= most
                if full or end >= len(self._text) or not fits(self._text[end]):
                    return FAILED
                end += 1

        return match

    def _compile_repeated_group(
        self,
        items: Sequence[Any],
        flags: int,
        times: tuple[int, int | None],
        then: Continuation,
        *,
        greedy: bool,
    ) -> Matcher:
        least, most = times
        counts: list[tuple[int, int]] = [(0, -1)]

        def match_once_more(position: int) -> int:
            count, start = counts[-1]
            if position == start and count >= least:
                return FAILED
            counts.append((count + 1, position))
            end = attempt(position)
            counts.pop()
            return end

        def leave(position: int) -> int:
            outer = counts[:]
            counts[:] = [(0, -1)]
            end = then(position)
            counts[:] = outer
            return end

        inner = self._compile_sequence(items, flags, match_once_more)

        def attempt(position: int) -> int:
            self._count_step()
            count = counts[-1][0]
            ways = [inner] if most is None or count < most else []
            if count >= least:
                ways = [*ways, leave] if greedy else [leave, *ways]
            for way in ways:
                if (end := way(position)) != FAILED:
                    return end
            return FAILED

        def match(position: int) -> int:
            outer = counts[:]
            counts[:] = [(0, position if least == 0 else -1)]
            end = attempt(position)
            counts[:] = outer
            return end

        return match

    def _compile_atomic(self, inner: Matcher, then: Continuation) -> Matcher:
        def match(position: int) -> int:
            end = inner(position)
            return FAILED if end == FAILED else then(end)

        return match

    def _compile_assertion(
        self,
        absent: bool,  # noqa: FBT001 - Python's tree
        value: Any,  # noqa: ANN401 - Python's tree
        flags: int,
        then: Continuation,
    ) -> Matcher:
        direction, tree = value
        back = tree.getwidth()[0] if direction < 0 else 0
        inner = self._compile_sequence(list(tree), flags, lambda position: position)

        def match(position: int) -> int:
            self._count_step()
            there = position >= back and inner(position - back) != FAILED
            return FAILED if there == absent else then(position)

        return match

    def _compile_place(self, name: str, flags: int, then: Continuation) -> Matcher:
        lines = bool(flags & c.SRE_FLAG_MULTILINE)

        def is_there(position: int) -> bool:
            text = self._text
            if name == "AT_BEGINNING":
                return position == 0 or (lines and text[position - 1] == "\n")
            if name == "AT_BEGINNING_STRING":
                return position == 0
            if name == "AT_END":
                rest = text[position : position + 2]
                return rest in {"", "\n"} or (lines and rest.startswith("\n"))
            if name == "AT_END_STRING":
                return position == len(text)
            before = position > 0 and is_word(text[position - 1])
            after = position < len(text) and is_word(text[position])
            return (before != after) == (name == "AT_BOUNDARY")

        def match(position: int) -> int:
            self._count_step()
            return then(position) if is_there(position) else FAILED

        return match

    def _compile_reference(self, number: int, then: Continuation) -> Matcher:
        def match(position: int) -> int:
            start, stop = self._groups.get(number, (0, -1))
            self._steps += max(0, stop - start)
            words = self._text[start:stop]
            there = stop >= start and self._text.startswith(words, position)
            return then(position + len(words)) if there else FAILED

        return match


@contextmanager
def _allow_deep_recursion() -> Generator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(_DEEPEST)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
