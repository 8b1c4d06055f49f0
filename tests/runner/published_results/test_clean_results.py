from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
from pydantic import JsonValue

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.foreign.files import ForeignFile
from records.shapes.attempt import Outcome
from records.shapes.base import Record
from records.suites.result_formats import ResultFormat
from review.redaction import redact_text
from runner.published_results.board_import import ReadBoard, clean_board, plan_boards
from runner.published_results.board_results import (
    BoardResults,
    ModelResults,
    SampleResult,
    make_generation,
)
from tests.runner.published_results.results import catch_refusal, import_files

pytestmark = pytest.mark.unit

KEY = "sk-ant-api03-" + "a1B2" * 12
PATH = Path("results.json")
FORMS = frozenset({"content", "file_digest", "kind"})
"""Fields whose texts have a form of their own."""
EMPTY = frozenset(
    [
        *("failed_step", "fault", "passes_at", "day", "ended_at", "duration_s", "tries"),
        *("time_to_first_token_s", "cost_at_most_usd", "reply_digest", "dialect"),
        *("input", "cached_input", "output", "reasoning"),
    ]
)
"""Fields without text from outside, which the results here leave empty."""
PARAMETERS: dict[str, JsonValue] = {
    "temperature": 0.5,
    "effort": KEY,
    KEY: "name",
    "headers": {"api_key": "hunter22", "names": ["plain", {"password": "correct-horse"}, KEY]},
}


def make_results(text: str) -> BoardResults:
    """Return results of which each text of outside ends with ``text``."""
    generation = make_generation(cost_usd=1, finish_reason=f"finished {text}")
    assert generation is not None
    names = ("answered_by", "served_by", "system_fingerprint")
    failed = SampleResult(
        task=f"task {text}",
        sample=f"sample {text}",
        label=f"label {text}",
        content="0" * 64,
        outcome=Outcome.FAILED,
        reason=f"reason {text}",
        generation=generation.model_copy(update={name: f"{name} {text}" for name in names}),
    )
    run = ModelResults(
        model=f"provider {text}/model {text}",
        variant=f"variant {text}",
        identity=f"identity {text}",
        parameters=PARAMETERS,
        began_at=datetime(2026, 11, 27, tzinfo=UTC),
        results=(failed,),
    )
    return BoardResults(
        format=ResultFormat.CSV,
        tool=f"tool {text}",
        file=f"file {text}",
        file_digest="0" * 64,
        source=f"source {text}",
        name=f"name {text}",
        score=f"score {text}",
        runs=(run,),
    )


def list_fields_without(value: object, text: str, name: str = "") -> list[str]:
    """Return the names of fields that are empty, or whose texts do not have ``text``."""
    if isinstance(value, Record):
        parts = list(value.__dict__.items())
    elif isinstance(value, tuple):
        parts = [(name, part) for part in cast("tuple[object, ...]", value)]
    else:
        return [name] if value is None or (type(value) is str and text not in value) else []
    return [field for key, part in parts for field in list_fields_without(part, text, key)]


def test_each_text_of_the_results_has_the_key() -> None:
    """Only texts with a form are without a key. A new field belongs into these tests."""
    assert set(list_fields_without(make_results(KEY), KEY)) == FORMS | EMPTY


def test_secrets_are_in_no_file_and_no_name(tmp_path: Path) -> None:
    """Neither the kept facts, nor the version, nor the run, nor a path has a part of a key."""
    folder = DataFolder(tmp_path / "data")
    planned = plan_boards([ReadBoard(PATH, make_results(KEY))], folder, redact_text)

    assert len(planned.files) == 3
    for path, data in planned.files.items():
        for text in (str(path), data.decode()):
            for part in ("sk-ant", "a1b2", "hunter22", "correct-horse"):
                assert part not in text.lower()
    (run,) = planned.runs.values()
    assert run.model.parameters["temperature"] == 0.5
    assert run.model.parameters["effort"] == "[redacted]"


def test_results_without_secrets_stay_as_they_are() -> None:
    """Another import of the cleaned copy changes nothing."""
    cleaned = clean_board(PATH, make_results(KEY), redact_text)
    assert clean_board(PATH, cleaned, redact_text) == cleaned


def test_names_that_differ_in_secrets_only_are_refused() -> None:
    """Two models would become one run, and two samples one eval."""
    board = make_results(KEY)
    (run,) = board.runs
    other = run.model_copy(update={"model": run.model.replace("a1B2", "c3D4")})
    with pytest.raises(InvalidRecordError, match="two runs are equal without their secrets"):
        clean_board(PATH, board.model_copy(update={"runs": (run, other)}), redact_text)
    (result,) = run.results
    same = result.model_copy(update={"sample": result.sample.replace("a1B2", "c3D4")})
    both = run.model_copy(update={"results": (result, same)})
    with pytest.raises(InvalidRecordError, match="two samples are equal without their secrets"):
        clean_board(PATH, board.model_copy(update={"runs": (both,)}), redact_text)


@pytest.mark.parametrize("depth", range(2))
def test_parameters_that_differ_in_secrets_only_are_refused(depth: int) -> None:
    """The value of one would replace that of the other."""
    parameters: dict[str, JsonValue] = {KEY: 1, KEY.replace("a1B2", "c3D4"): 2}
    board = make_results(KEY)
    (run,) = board.runs
    whole: dict[str, JsonValue] = {"headers": [parameters]} if depth else parameters
    changed = run.model_copy(update={"parameters": whole})
    with pytest.raises(InvalidRecordError, match="two parameters are equal without their secrets"):
        clean_board(PATH, board.model_copy(update={"runs": (changed,)}), redact_text)


def test_a_secret_is_taken_out_before_a_text_is_cut() -> None:
    """Nothing recognises the first letters of a key."""
    file = ForeignFile(PATH, b"", redact_text)
    assert file.shorten(f"{'x' * 285} {KEY}", 300) == f"{'x' * 285} [redacted]"
    assert file.shorten(f"{'x' * 300} {KEY}", 300) == "x" * 299 + "…"


def test_a_secret_as_the_name_of_models_is_refused_or_removed(
    folder: DataFolder, tmp_path: Path
) -> None:
    """A table in which each model is a key has no two models without them."""
    table = tmp_path / "results.csv"
    keys = KEY, KEY.replace("a1B2", "c3D4")
    table.write_text("model,task,sample,outcome\n" + "".join(f"{key},t,1,1\n" for key in keys))
    assert catch_refusal(folder, table) == "two runs are equal without their secrets: [redacted]"
    table.write_text(f"model,task,sample,outcome\n{KEY},t,1,1\n")
    import_files(folder, table)
    assert all(KEY not in path.read_text() for path in folder.root.rglob("*.json"))
