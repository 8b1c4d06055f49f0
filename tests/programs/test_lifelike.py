"""The invented month of measuring, with which people look at pages."""

from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_run, read_trial
from tests.leaderboard.test_cli import run_leaderboard
from tests.programs.invented_models import MODELS
from tests.programs.lifelike import VERSION, write_lifelike

pytestmark = pytest.mark.night


def test_its_records_and_archives_are_accepted(tmp_path: Path) -> None:
    """`leaderboard check` finds nothing, no maker is a shipped one, and failures have reasons.

    An ablation is among them, so that its page is looked at.
    """
    data = tmp_path / "data"
    shipped = {path.parent.name for path in DataFolder(Path("data")).list_run_files()}
    written = write_lifelike(data)
    invented = [read_run(path) for path in DataFolder(data).list_run_files()]
    own = [run for run in invented if run.model.slug in {model.slug for model in MODELS}]
    assert len(own) == written
    assert {run.benchmark_version for run in own} == {VERSION}
    assert not shipped & {model.slug.partition("/")[2] for model in MODELS}
    for run in own:
        for attempt in run.attempts:
            tests = attempt.tests or ()
            assert "variant" not in " ".join(
                [attempt.reason or "", *(t.message or "" for t in tests)]
            )
    (trial,) = [read_trial(path) for path in DataFolder(data).list_trial_files()]
    tried = [run for run in own if run.run_id in {planned.run_id for planned in trial.runs}]
    assert len(tried) == len(trial.runs) == 9
    assert {run.model.name for run in tried} == {"Forge 400"}
    checked = run_leaderboard("check", "--data", str(data))
    assert (checked.returncode, checked.stderr) == (0, "")
