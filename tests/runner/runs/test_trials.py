"""Trials beside their runs: published together, with names of experiments that differ."""

import re
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.files.name_patterns import EXPERIMENT_NAME
from records.reader import read_record
from records.shapes.trial import Edition, GuidelinesTrial
from records.suites.experiments import is_of_a_trial
from records.writer import write_record, write_run
from runner.runs.trials import make_text_edition, publish_trials
from tests.records import examples

pytestmark = pytest.mark.unit


def test_a_trial_is_published_once_all_its_runs_are(tmp_path: Path) -> None:
    """An earlier page would miss the runs that are still local."""
    data = DataFolder(tmp_path)
    trial = examples.make_trial("b" * 32)
    write_record(data.local.trials, trial)
    write_run(data, examples.make_run())
    assert publish_trials(data) == []
    write_run(data, examples.make_run("b" * 32))
    assert publish_trials(data) == [trial.trial_id]
    assert read_record(GuidelinesTrial, data.trials.get_file(trial.trial_id)) == trial
    assert list(data.local.trials.list_files()) == []
    assert publish_trials(data) == []


def test_every_section_has_a_name_of_an_experiment_of_its_own() -> None:
    """Long section names with a common start give experiments with different names, too."""
    slugs = ["kinds", "a" * 36 + "-one", "a" * 36 + "-two"]
    text = "# G\n\n" + "".join(f"## {slug}\n\n{'Some text. ' * 20}\n" for slug in slugs)
    names = [
        make_text_edition(text, edition, slug).experiment.name
        for slug in slugs
        for edition in (Edition.LEFT_OUT, Edition.PLACEBO)
    ]
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(EXPERIMENT_NAME, name)
        assert is_of_a_trial(name)
    assert not is_of_a_trial("default")
