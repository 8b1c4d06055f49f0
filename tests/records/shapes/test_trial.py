"""The record of a trial: each model has the whole text once, and no text twice."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.shapes.trial import Edition, GuidelinesTrial
from records.writer import write_record
from tests.records import examples

pytestmark = pytest.mark.unit


def test_a_trial_is_read_as_it_was_written(tmp_path: Path) -> None:
    """The beginning of its id finds it, too."""
    data = DataFolder(tmp_path)
    made = examples.make_trial()
    path = write_record(data.trials, made)
    assert read_record(GuidelinesTrial, path) == made
    assert data.trials.find_file("dddd") == path


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (f'"run_id": "{"b" * 32}"', f'"run_id": "{"a" * 32}"', "a run is listed twice"),
        ('"section": "kinds"', '"section": null', "section is given exactly if"),
        ('"section_tokens": 100', '"section_tokens": null', "section_tokens is given exactly"),
        ('"edition": "left_out"', '"edition": "whole"', "section is given exactly if"),
        ('"edition": "whole"', '"edition": "before"', "needs the whole text once"),
        ('"model": "openai/gpt-example"', '"model": "openai/other"', "needs the whole text once"),
        ('"section": "kinds"', '"section": "../kinds"', "pattern"),
    ],
)
def test_a_trial_that_contradicts_itself_is_refused(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    """The error of the strict reader names the contradiction."""
    path = write_record(DataFolder(tmp_path).trials, examples.make_trial())
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InvalidRecordError, match=reason):
        read_record(GuidelinesTrial, path)


def test_an_ablation_is_of_one_model_and_of_today() -> None:
    """The page of an ablation has one whole text, and no text of an earlier revision."""
    made = examples.make_trial()
    other = [
        run.model_copy(update={"model": "openai/other", "run_id": f"{number}" * 32})
        for number, run in enumerate(made.runs)
    ]
    before = made.runs[1].model_copy(
        update={"edition": Edition.BEFORE, "section": None, "section_tokens": None}
    )
    for runs, reason in (
        ((*made.runs, *other), "asks one model"),
        ((made.runs[0], before), "no edition before"),
    ):
        record = made.model_copy(update={"runs": runs}).model_dump()
        with pytest.raises(ValidationError, match=reason):
            GuidelinesTrial.model_validate(record)
