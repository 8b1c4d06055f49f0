"""Verdicts on mutants are kept in a file, from which a second run goes on."""

from pathlib import Path
from typing import Final

import pytest

from tests.power.killing import Verdict, append_verdict, read_verdicts

pytestmark = pytest.mark.unit

PLACE: Final = "a.py:3: < -> <="


def test_a_second_run_reads_the_verdicts_of_its_tier(tmp_path: Path) -> None:
    """The verdicts of a tier come back by mutant and place; those of the other tier do not."""
    file = tmp_path / "mutants.jsonl"
    survived = Verdict(
        PLACE, 40, in_node=False, tier="change", outcome="survived", tests=7, seconds=2.5
    )
    again = Verdict(PLACE, 52, in_node=False, tier="change", outcome="killed", tests=7, seconds=1.0)
    night = Verdict(PLACE, 40, in_node=False, tier="night", outcome="killed", tests=1, seconds=9.0)
    assert read_verdicts(file, "change") == {}
    for verdict in (survived, again, night):
        append_verdict(file, verdict)
    assert read_verdicts(file, "change") == {
        (survived.mutant, 40): survived,
        (again.mutant, 52): again,
    }
    assert list(read_verdicts(file, "night").values()) == [night]
