"""The live branch of a conversation whose messages name their parents."""

from collections.abc import Mapping
from typing import TypeVar

_Id = TypeVar("_Id", str, int)


def trace_branch(parents: Mapping[_Id, _Id | None], leaf: _Id) -> tuple[list[_Id], _Id | None]:
    """Return the ids from the root to ``leaf``, and the id of a parent that is missing, or None.

    In a circle of parents, each id is returned once.
    """
    branch: list[_Id] = []
    seen: set[_Id] = set()
    node: _Id | None = leaf
    while node is not None and node in parents and node not in seen:
        branch.append(node)
        seen.add(node)
        node = parents[node]
    missing = None if node is None or node in parents else node
    return branch[::-1], missing
