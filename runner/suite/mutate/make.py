"""The making of all mutants of an answer, and of a selection."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Final

from tree_sitter import Node

from runner.answers.rules import is_script
from runner.answers.syntax import get_node_text, parse_source, walk_descendants
from runner.suite.mutate import of_convex, of_language
from runner.suite.mutate.mutant import Edit, Mutant, apply_edits, describe_edits

_Operator = Callable[[Node], Iterable[Edit | tuple[Edit, ...]]]

OPERATORS: Final[Mapping[str, _Operator]] = MappingProxyType(
    {
        operator.__name__: operator
        for operator in (
            of_convex.any_validator,
            of_convex.change_bound,
            of_convex.change_take,
            of_convex.drop_args,
            of_convex.drop_bound,
            of_convex.drop_link,
            of_convex.drop_optional,
            of_convex.drop_range,
            of_convex.drop_returns,
            of_convex.drop_validator_field,
            of_convex.drop_variant,
            of_convex.flip_visibility,
            of_convex.index_to_filter,
            of_convex.swap_order,
            of_language.change_arithmetic,
            of_language.change_comparison,
            of_language.change_logic,
            of_language.change_number,
            of_language.drop_attribute,
            of_language.drop_await,
            of_language.drop_branch,
            of_language.drop_spread,
            of_language.drop_statement,
            of_language.drop_throw,
            of_language.empty_text,
            of_language.flip_boolean,
            of_language.negate_condition,
        )
    }
)
"""The kinds of mutation, by name."""


LIMIT: Final = 25
"""The default number of mutants of an eval that are graded, because all would take minutes."""
SEED: Final = 1
"""The default seed of the selection."""


def make_mutants(answer: Mapping[str, str]) -> list[Mutant]:
    """Return all mutants of an answer with different files, sorted by file, line and operator."""
    by_content: dict[tuple[str, str], Mutant] = {}
    for path, text in answer.items():
        if is_script(path):
            for mutant in _mutate_file(answer, path, text):
                by_content.setdefault((path, mutant.files[path]), mutant)
    return sorted(by_content.values(), key=lambda each: (each.path, each.line, each.operator))


def choose_mutants(every: Sequence[Mutant], most: int, seed: int) -> list[Mutant]:
    """Return at most ``most`` mutants, chosen at random, with about the same number per operator.

    The same mutants and the same seed give the same choice.
    """
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    by_operator: dict[str, list[Mutant]] = {}
    for mutant in every:
        by_operator.setdefault(mutant.operator, []).append(mutant)
    groups = list(by_operator.values())
    for group in groups:
        chance.shuffle(group)
    chance.shuffle(groups)
    longest = max(map(len, groups), default=0)
    turns = chain.from_iterable(
        (group[turn] for group in groups if turn < len(group)) for turn in range(longest)
    )
    chosen = list(turns)[:most]
    return sorted(chosen, key=every.index)


def _mutate_file(answer: Mapping[str, str], path: str, text: str) -> Iterator[Mutant]:
    source = text.encode()
    lines = source.split(b"\n")
    for node in walk_descendants(parse_source(path, text)):
        for name, operator in OPERATORS.items():
            for made in operator(node):
                edits = made if isinstance(made, tuple) else (made,)
                changed = apply_edits(source, edits)
                if changed != text:
                    offset = max(edits, key=lambda each: each.start).start
                    line = source.count(b"\n", 0, offset)
                    yield Mutant(
                        operator=name,
                        path=path,
                        function=_find_name_around(node),
                        line=line + 1,
                        before=lines[line].decode().strip(),
                        change=describe_edits(source, edits),
                        files={**answer, path: changed},
                    )


def _find_name_around(node: Node) -> str:
    """Return the name of the top-level definition that contains a node; empty if it has none."""
    while node.parent is not None and node.parent.type != "program":
        node = node.parent
    definition = node.child_by_field_name("declaration") or node
    for each in (definition, *definition.named_children):
        name = each.child_by_field_name("name")
        if name is not None:
            return get_node_text(name)
    return ""
