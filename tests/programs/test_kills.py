"""The campaign of kills, in small: see `tests.programs.kills` for a hundred of them."""

from pathlib import Path

import pytest

from tests.programs.kills import MOMENTS, Campaign

pytestmark = pytest.mark.more


@pytest.mark.parametrize("grading", [False, pytest.param(True, marks=pytest.mark.night)])
def test_nothing_is_lost_and_nothing_asked_twice(tmp_path: Path, *, grading: bool) -> None:
    """One kill at each moment of a journal, an archive and a record, and one at random."""
    campaign = Campaign(tmp_path, grading=grading, seed=1)
    try:
        findings = campaign.execute(len(MOMENTS))
    finally:
        campaign.close()
    assert findings.clean, (findings.lost, findings.twice, findings.wrong)
    assert set(findings.kills) == set(MOMENTS)
    assert findings.completed >= 1
