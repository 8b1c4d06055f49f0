"""Imports of any format: limits, copies, secrets, and files that a stranger changed."""

import json
import math
import shutil
from collections.abc import Sequence
from copy import deepcopy
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.foreign.files import ForeignFile
from records.shapes.attempt import NO_TOKENS, Outcome
from records.shapes.base import Record
from records.suites.result_formats import ResultFormat
from review.redaction import redact_text
from runner.published_results import board_import, board_results
from runner.published_results.result_importers import plan_import
from tests.runner.published_results.results import FILES, catch_refusal, import_files, read_runs

pytestmark = pytest.mark.unit
HEAD = "model,task,sample,outcome"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of three answers."""
    path = tmp_path / "results.csv"
    path.write_text(f"{HEAD}\na,t,1,1\na,t,2,0\nb,t,1,1\n")
    return path


def test_models_times_samples_are_limited(folder: DataFolder, table: Path) -> None:
    """A file of 800 answers would make 640,000 attempts: it is refused before any is made."""
    rows = (f"model-{number},t,sample-{number},1" for number in range(800))
    table.write_text("\n".join((HEAD, *rows)))
    assert catch_refusal(folder, table) == (
        "makes 640000 attempts, at each sample and repetition by each model: the most are 500000"
    )


def test_repetitions_count_as_attempts(folder: DataFolder, table: Path) -> None:
    """One answer of number 100 makes 100 attempts at each sample."""
    rows = (f"model-{number % 3},t,sample-{number},1,100" for number in range(2000))
    table.write_text("\n".join((f"{HEAD},repetition", *rows)))
    assert "makes 600000 attempts" in catch_refusal(folder, table)


def test_all_files_of_a_command_count_together(
    folder: DataFolder, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many files do not take more memory than a single file."""
    monkeypatch.setattr(board_import, "MOST_ROWS", 7)
    other = table.with_name("other.csv")
    other.write_text(table.read_text().replace("t,", "u,"))
    reason = catch_refusal(folder, table, other)
    assert reason.startswith("with the files before it makes 8 attempts")
    import_files(folder, table)


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("MOST_ITEMS", "holds more than 50 names and values"),
        ("LARGEST_RECORD", "would be larger than 50 bytes"),
    ],
)
def test_nothing_is_written_that_could_not_be_read_again(
    folder: DataFolder, table: Path, monkeypatch: pytest.MonkeyPatch, limit: str, reason: str
) -> None:
    """The limits of reading hold for the files of an import, too."""
    monkeypatch.setattr(board_import, limit, 50)
    message = catch_refusal(folder, table)
    assert message.startswith("cannot be imported as a whole, import fewer results at once")
    assert message.endswith(reason)


@pytest.mark.parametrize("change", ["other samples twice", "broken analyses"])
def test_an_error_in_one_file_leaves_nothing_of_the_others(
    folder: DataFolder, table: Path, change: str
) -> None:
    """A refused command changes nothing."""
    other = table.with_name("other")
    other.write_text(
        f"{HEAD}\na,t,1,1\na,t,1,0\n"
        if change == "other samples twice"
        else '{"about": "", "suites": {}, "runs": [{}]}'
    )
    catch_refusal(folder, table, other)


def test_the_same_run_in_two_files_is_planned_once(folder: DataFolder) -> None:
    """Both forms of a log in one command are one run."""
    imported = import_files(folder, FILES / "inspect-sums.eval", FILES / "inspect-sums.json")
    assert (len(imported.runs), imported.known, len(read_runs(folder))) == (1, 1, 1)


def test_other_results_of_a_run_in_two_files_are_refused(folder: DataFolder) -> None:
    """Otherwise the order of the files would decide which results are kept."""
    whole, invalidated = FILES / "inspect-sums.eval", FILES / "inspect-invalidated.eval"
    for paths in ((whole, invalidated), (invalidated, whole)):
        reason = catch_refusal(folder, *paths)
        assert reason.startswith("has other results of run ")
        assert reason.endswith(" of model than another file of this command: name one of them")
    import_files(folder, whole)
    with pytest.raises(InvalidRecordError, match="has other results of run"):
        import_files(folder, whole, invalidated)


@pytest.mark.parametrize("identity", ["same", ""])
def test_two_runs_of_one_identity_are_refused(
    folder: DataFolder, table: Path, identity: str
) -> None:
    """A copy of the facts that somebody changed would lose a run, and nobody would notice."""
    import_files(folder, table)
    (copy,) = folder.imports.iterdir()
    facts = json.loads(copy.read_bytes())
    facts["runs"] = [{**facts["runs"][0], "identity": identity}] * 2
    changed = table.with_name("changed.json")
    changed.write_text(json.dumps(facts))
    with pytest.raises(InvalidRecordError, match="runs: has two runs of a with the same identity"):
        import_files(folder, changed)


def test_copies_of_a_file_are_read_once(folder: DataFolder, table: Path) -> None:
    """Neither a second name nor a second path of the same content makes anything new."""
    copy = table.with_name("copy.csv")
    copy.write_bytes(table.read_bytes())
    imported = import_files(folder, table, copy, table.parent / "." / table.name)
    assert (len(imported.runs), imported.known) == (2, 0)


def test_copies_of_results_and_samples_are_one_board(folder: DataFolder, tmp_path: Path) -> None:
    """Results of lm-evaluation-harness that are named in two folders count once."""
    for name in ("one", "two"):
        shutil.copytree(FILES / "lm-eval", tmp_path / name)
    paths = (path for name in ("one", "two") for path in (tmp_path / name).iterdir())
    imported = import_files(folder, *paths, score="exact_match,strict")
    assert (len(imported.runs), imported.known) == (1, 0)


def test_copies_of_samples_are_no_repetitions(folder: DataFolder, tmp_path: Path) -> None:
    """Samples of Every Eval Ever that are named in two folders count once."""
    names = ("eee-own.json", "eee-own_samples.jsonl")
    for subfolder, name in product(("one", "two"), names):
        path = tmp_path / subfolder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((FILES / name).read_bytes())
    import_files(
        folder, *(tmp_path / subfolder / name for subfolder in ("one", "two") for name in names)
    )
    assert len(read_runs(folder)) == 1


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


def make_results(text: str) -> board_results.BoardResults:
    """Return results of which each text of outside ends with ``text``."""
    generation = board_results.make_generation(
        NO_TOKENS, cost_usd=1, duration_s=None, finish_reason=f"finished {text}"
    )
    assert generation is not None
    names = ("answered_by", "served_by", "system_fingerprint")
    failed = board_results.SampleResult(
        task=f"task {text}",
        sample=f"sample {text}",
        label=f"label {text}",
        content="0" * 64,
        outcome=Outcome.FAILED,
        reason=f"reason {text}",
        generation=generation.model_copy(update={name: f"{name} {text}" for name in names}),
    )
    run = board_results.ModelResults(
        model=f"provider {text}/model {text}",
        variant=f"variant {text}",
        identity=f"identity {text}",
        parameters=PARAMETERS,
        began_at=datetime(2026, 11, 27, tzinfo=UTC),
        results=(failed,),
    )
    return board_results.BoardResults(
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
    planned = board_import.plan_boards(
        [board_import.ReadBoard(PATH, make_results(KEY))], folder, redact_text
    )

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
    cleaned = board_import.clean_board(PATH, make_results(KEY), redact_text)
    assert board_import.clean_board(PATH, cleaned, redact_text) == cleaned


def test_names_that_differ_in_secrets_only_are_refused() -> None:
    """Two models would become one run, and two samples one eval."""
    board = make_results(KEY)
    (run,) = board.runs
    other = run.model_copy(update={"model": run.model.replace("a1B2", "c3D4")})
    with pytest.raises(InvalidRecordError, match="two runs are equal without their secrets"):
        board_import.clean_board(PATH, board.model_copy(update={"runs": (run, other)}), redact_text)
    (result,) = run.results
    same = result.model_copy(update={"sample": result.sample.replace("a1B2", "c3D4")})
    both = run.model_copy(update={"results": (result, same)})
    with pytest.raises(InvalidRecordError, match="two samples are equal without their secrets"):
        board_import.clean_board(PATH, board.model_copy(update={"runs": (both,)}), redact_text)


@pytest.mark.parametrize("depth", range(2))
def test_parameters_that_differ_in_secrets_only_are_refused(depth: int) -> None:
    """The value of one would replace that of the other."""
    parameters: dict[str, JsonValue] = {KEY: 1, KEY.replace("a1B2", "c3D4"): 2}
    board = make_results(KEY)
    (run,) = board.runs
    whole: dict[str, JsonValue] = {"headers": [parameters]} if depth else parameters
    changed = run.model_copy(update={"parameters": whole})
    with pytest.raises(InvalidRecordError, match="two parameters are equal without their secrets"):
        board_import.clean_board(PATH, board.model_copy(update={"runs": (changed,)}), redact_text)


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


STRANGE = cast(
    "list[Any]",
    [
        *(None, True, False, 0, 1, -1, 0.5, 10**400, -(10**400), 1e300, math.nan, math.inf),
        *("", " ", "\x00", "\ud800", "a\ud800/b", "x" * 500, "a\nb", "../..", "nan", "1e-"),
        *("9" * 400, [], [[]], [None], {}, {"": None}, {"a": []}, [{}], {"\udfff": "\udfff"}),
    ],
)
"""Values that stand in the place of others."""
SHALLOW = 0.15
"""The part of changes that exchange an object or list as a whole."""
SETS: dict[str, tuple[str, ...]] = {
    "inspect": ("inspect-sums.json",),
    "every_eval_ever": ("eee-sums.json", "eee-sums_samples.jsonl"),
    "own every_eval_ever": ("eee-own.json", "eee-own_samples.jsonl"),
    "promptfoo": ("promptfoo-sums.json",),
    "lm_eval": tuple(
        str(path.relative_to(FILES)) for path in sorted((FILES / "lm-eval").rglob("*.json*"))
    ),
}
"""Files that are read together."""


def read_json_values(path: Path) -> list[Any]:
    """Return the JSON values of a file: that of the whole file, or of each of its lines."""
    text = path.read_text()
    return [json.loads(line) for line in (text.splitlines() if path.suffix == ".jsonl" else [text])]


def choose_place(value: Any, random: Random) -> tuple[Any, Any]:  # noqa: ANN401 - any JSON
    """Return an object or list within a value, with one of its names or positions."""
    holder, name = value, 0
    while True:
        inside = cast("dict[str, Any] | list[Any]", holder)
        names = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        name = random.choice(names)
        part = holder[name]
        if not isinstance(part, dict | list) or not part or random.random() < SHALLOW:
            return holder, name
        holder = cast("Any", part)


def change(values: list[Any], random: Random) -> None:
    """Exchange, copy or remove one value somewhere."""
    content = random.choice(values)
    holder, name = choose_place(content, random)
    match random.randrange(4):
        case 0 if isinstance(holder, dict):
            del holder[name]
        case 1:
            other, position = choose_place(random.choice(values), random)
            holder[name] = deepcopy(other[position])
        case _:
            holder[name] = deepcopy(random.choice(STRANGE))


def as_bytes(path: Path, values: Sequence[object]) -> bytes:
    """Return values as JSON, or JSON Lines."""
    lines = "\n".join(json.dumps(value) for value in values)
    return lines.encode() if path.suffix == ".jsonl" else json.dumps(values[0]).encode()


def without_checksum(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return the content of a file that does not name the checksum of another."""
    if isinstance(value, dict):
        cast("dict[str, Any]", value).get("detailed_evaluation_results", {}).pop("checksum", None)
    return cast("Any", value)


@pytest.mark.parametrize("names", SETS.values(), ids=SETS)
@given(seed=st.integers(0, 2**32), passes_at=st.sampled_from([None, 0.5]))
def test_changed_files_are_imported_or_refused(
    names: tuple[str, ...], seed: int, passes_at: float | None
) -> None:
    """Exchanged types, huge numbers, halves of letters, missing fields: never a traceback.

    The copy of imported facts can be imported again.
    """
    random, folder = Random(seed), DataFolder(Path("does-not-exist"))  # noqa: S311 - no secret
    contents = {
        name: [without_checksum(value) for value in read_json_values(FILES / name)]
        for name in names
    }
    for _ in range(random.randint(1, 3)):
        change(list(contents.values()), random)
    score = "exact_match,strict" if names[0].startswith("lm-eval") else None
    files = [
        ForeignFile(FILES / name, as_bytes(Path(name), values), redact_text)
        for name, values in contents.items()
    ]
    try:
        planned = plan_import(
            files, folder, board_results.ResultChoices(score, passes_at), redact_text
        )
    except InvalidRecordError:
        return
    copies = [path for path in planned.files if path.parent == folder.imports]
    assert copies
    for path in copies:
        again = [ForeignFile(path, planned.files[path], redact_text)]
        plan_import(again, folder, board_results.ResultChoices(), redact_text)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"checksum": [None]}, "checksum: is not that of the file of samples"),
        (
            {"additional_details": {"without_verdict": '[["a", 1, [], null, null]]'}},
            "without_verdict: unknown end []",
        ),
    ],
)
def test_a_list_in_the_place_of_a_text_is_refused(change: dict[str, Any], reason: str) -> None:
    """A list is in no set and no dictionary, so it needs its own refusal."""
    names = SETS["own every_eval_ever"]
    aggregate = read_json_values(FILES / names[0])
    aggregate[0]["detailed_evaluation_results"] |= change
    files = [
        ForeignFile(FILES / names[0], as_bytes(Path(names[0]), aggregate), redact_text),
        ForeignFile(FILES / names[1], (FILES / names[1]).read_bytes(), redact_text),
    ]
    with pytest.raises(InvalidRecordError) as error:
        plan_import(
            files, DataFolder(Path("does-not-exist")), board_results.ResultChoices(), redact_text
        )
    assert str(error.value).endswith(reason)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'\n{"evalId": 1, "results": {', "is not JSON: Expecting property name"),
        (b'{"evalId": "\xff"}', "is not JSON: 'utf-8' codec can't decode"),
        (b"[1, 2", "is not JSON: Expecting ',' delimiter"),
        (b"[" * 300, "is nested more than 200 levels deep"),
        (b"{}", "its format is not known"),
        (b"[1]", "its format is not known"),
    ],
)
def test_broken_json_is_refused_with_its_fault(
    tmp_path: Path, folder: DataFolder, data: bytes, reason: str
) -> None:
    """A cut file is not called a file of an unknown format."""
    path = tmp_path / "results.json"
    path.write_bytes(data)
    assert catch_refusal(folder, path).startswith(reason)


@pytest.mark.parametrize("format_name", ["inspect", "promptfoo"])
def test_the_fault_is_named_for_a_named_format_too(
    tmp_path: Path, folder: DataFolder, format_name: str
) -> None:
    """A file whose end is missing is no file without a field."""
    path = tmp_path / "results.json"
    path.write_bytes((FILES / "promptfoo-sums.json").read_bytes()[:-20])
    assert catch_refusal(folder, path, format_name=format_name).startswith("is not JSON: ")
