"""Runs of a trial: they take turns, are published together, and have names that differ."""

import re
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.files.data_folder import DataFolder
from records.files.name_patterns import EXPERIMENT_NAME
from records.reader import read_record
from records.shapes.attempt import AttemptKey
from records.shapes.trial import Edition, GuidelinesTrial
from records.suites.experiments import is_of_a_trial
from records.writer import write_record, write_run
from runner.runs.execute import take_turns
from runner.runs.trials import make_text_edition, publish_trials
from tests.records import examples

pytestmark = pytest.mark.unit


def test_a_trial_is_published_once_all_its_runs_are(tmp_path: Path) -> None:
    """An earlier page would miss the runs that are still local."""
    data = DataFolder(tmp_path)
    trial = examples.make_trial()
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


PLACES = [AttemptKey(f"000-fundamentals/{number:03}-task", 1) for number in range(6)]


@given(st.lists(st.lists(st.sampled_from(PLACES), unique=True, max_size=6), min_size=1, max_size=5))
def test_each_place_is_passed_on_from_run_to_run(runs: list[list[AttemptKey]]) -> None:
    """Every place of every run comes once, and all runs make an attempt before the next attempt."""
    ordered = list(take_turns(runs))
    assert sorted(ordered) == sorted((key, at) for at, run in enumerate(runs) for key in run)
    assert len(list(groupby(ordered, key=lambda turn: turn[0]))) == len({p for p, _ in ordered})


def test_another_run_begins_each_turn() -> None:
    """No run is always the first to ask, or always the last."""
    ordered = list(take_turns([PLACES, PLACES, PLACES]))
    assert [number for _, number in ordered[:9]] == [0, 1, 2, 1, 2, 0, 2, 0, 1]
