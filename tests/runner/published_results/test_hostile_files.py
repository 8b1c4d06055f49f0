"""Files that another program or a stranger changed: each is imported or refused with a reason."""

import json
import math
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.foreign.files import ForeignFile
from review.redaction import redact_text
from runner.published_results.board_results import ResultChoices
from runner.published_results.result_importers import plan_import
from tests.runner.published_results.results import FILES, catch_refusal

pytestmark = pytest.mark.unit

STRANGE: Final = cast(
    "list[Any]",
    [
        *(None, True, False, 0, 1, -1, 0.5, 10**400, -(10**400), 1e300, math.nan, math.inf),
        *("", " ", "\x00", "\ud800", "a\ud800/b", "x" * 500, "a\nb", "../..", "nan", "1e-"),
        *("9" * 400, [], [[]], [None], {}, {"": None}, {"a": []}, [{}], {"\udfff": "\udfff"}),
    ],
)
"""Values that stand in the place of others."""
SHALLOW: Final = 0.15
"""The part of changes that exchange an object or list as a whole."""
SETS: Final[dict[str, tuple[str, ...]]] = {
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
        planned = plan_import(files, folder, ResultChoices(score, passes_at), redact_text)
    except InvalidRecordError:
        return
    copies = [path for path in planned.files if path.parent == folder.imports]
    assert copies
    for path in copies:
        again = [ForeignFile(path, planned.files[path], redact_text)]
        plan_import(again, folder, ResultChoices(), redact_text)


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
        plan_import(files, DataFolder(Path("does-not-exist")), ResultChoices(), redact_text)
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
