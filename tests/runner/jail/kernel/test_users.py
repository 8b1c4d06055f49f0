"""The ids of a user namespace."""

import pytest

from runner.jail.kinds import has_ids

pytestmark = pytest.mark.unit

HIGH = range(1_900_000_000, 2_100_000_000)


@pytest.mark.parametrize(
    ("id_map", "holds_all"),
    [
        ("         0          0 4294967295\n", True),
        ("0 1000 1\n1 100000 65536\n", False),
        ("0 0 1\n", False),
        ("0 1000 1900000000\n", False),
        ("0 1000 1900000000\n1900000000 5000000 200000000\n", True),
        ("1900000000 5000000 100000000\n2000000000 9000000 100000000\n0 1000 1\n", True),
        ("1900000000 5000000 100000000\n2000000001 9000000 100000000\n", False),
        ("", False),
    ],
)
def test_a_map_holds_a_range_only_as_a_whole(id_map: str, *, holds_all: bool) -> None:
    """Ids may stand in several lines, in any order; a single missing id breaks the range."""
    assert has_ids(id_map, HIGH) is holds_all
