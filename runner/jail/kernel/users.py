"""The user and group ids of this process's user namespace; a rootless container has few ids."""

from collections.abc import Iterator
from pathlib import Path

_MAPS = ("/proc/self/uid_map", "/proc/self/gid_map")


def are_known(ids: range) -> bool:
    """Return true if a program may use each of these ids, as user and as group."""
    return all(has_ids(Path(path).read_text("ascii"), ids) for path in _MAPS)


def has_ids(id_map: str, ids: range) -> bool:
    """Return true if ``id_map``, the text of a file such as /proc/self/uid_map, has all ids."""
    missing = ids
    for first, count in sorted(_parse_extents(id_map)):
        if first <= missing.start < first + count:
            missing = range(min(first + count, missing.stop), missing.stop)
    return not missing


def _parse_extents(id_map: str) -> Iterator[tuple[int, int]]:
    """Yield the first id and the number of ids of each line (user_namespaces(7))."""
    for line in id_map.splitlines():
        first, _, count = line.split()
        yield int(first), int(count)
