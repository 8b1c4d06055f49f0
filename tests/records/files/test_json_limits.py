"""Counts of names and values in JSON, before the JSON is parsed."""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from records.archives.archive import Archive
from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.files.json_limits import DEEPEST, MOST_NAMES, find_excess, find_large_object
from records.reader import find_duplicate_keys, read_record, read_run
from records.sessions.events import read_log
from records.sessions.labels import LabelEvent
from records.sessions.session import Session
from records.writer import write_run
from review.session_imports.common.source_file import BadLine
from tests.records import examples
from tests.review.session_imports.reading_formats import import_sessions
from tests.support.zips import pack_zip

pytestmark = pytest.mark.unit

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def count_values(value: object) -> int:
    """Return the number of objects, lists and separating commas of a value."""
    if isinstance(value, dict):
        value = list(cast("dict[str, object]", value).values())
    if not isinstance(value, list):
        return 0
    inside = cast("list[object]", value)
    return 1 + max(0, len(inside) - 1) + sum(map(count_values, inside))


@given(JSON, st.integers(0, 30), st.sampled_from([None, 1]), st.integers(0, 1))
def test_values_are_counted_outside_of_texts(
    value: object, most: int, indent: int | None, plain: int
) -> None:
    """Signs in texts and escaped quotes do not count; blanks and line ends change nothing."""
    data = json.dumps(value, indent=indent, ensure_ascii=bool(plain)).encode("utf-8", "replace")
    assert (find_excess(data, most) is not None) == (count_values(value) > most)


@pytest.mark.parametrize("names", [MOST_NAMES, MOST_NAMES + 1])
def test_names_of_one_object_are_counted(names: int) -> None:
    """Names of objects inside, before and after it are counted separately."""
    small: dict[str, Any] = {str(number): {} for number in range(MOST_NAMES)}
    value = [
        small,
        {"x": {str(number): [small][:1] * (number == 3) for number in range(names)}},
        small,
    ]
    reason = find_large_object(json.dumps(value).encode())
    assert reason == (
        None if names == MOST_NAMES else f"has an object of more than {MOST_NAMES} names"
    )


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_depth_is_limited(opening: bytes) -> None:
    """The limit holds before a parser calls itself for each level."""
    reason = f"is nested more than {DEEPEST} levels deep"
    assert find_excess(opening * DEEPEST, 10**9) is None
    assert find_excess(opening * (DEEPEST + 1), 10**9) == reason


@pytest.mark.parametrize("text", ["[" * 300, '\\"' * 300 + "{", "[\\" * 300, '{"a":' * 300])
def test_brackets_of_texts_are_no_depth(text: str) -> None:
    """Escaped signs do not matter; a depth around these texts is found."""
    value: Any = [text, {text: f"{text}\\"}]
    assert find_excess(json.dumps(value).encode(), 10**9) is None
    for _ in range(DEEPEST):
        value = [text, value]
    assert find_excess(json.dumps(value).encode(), 10**9) is not None


@given(st.lists(st.booleans(), min_size=DEEPEST - 40, max_size=DEEPEST + 40))
def test_depth_is_found_among_pairs_of_brackets(objects: list[bool]) -> None:
    """Lists and objects in any order count alike, with empty ones beside them."""
    value: Any = [0]
    empty: list[Any] = []
    for is_object in objects:
        value = {"a": value, "b": [empty]} if is_object else [{}, value, [0]]
    is_deep = find_excess(json.dumps(value).encode(), 10**9) is not None
    assert is_deep == (len(objects) + 1 > DEEPEST)


def write_hostile_files(data: DataFolder) -> dict[str, tuple[Path, Callable[[Path], object]]]:
    """Return files of a few megabytes with a fault in each of very many places."""
    names = b",".join(b'"x%07d":1' % number for number in range(300_000))
    attempts = b'{"schema_version":1,"attempts":[' + b",".join([b'{"x":1}'] * 300_000) + b"]}"
    files: dict[str, tuple[bytes, Callable[[Path], object]]] = {
        "names of a run": (b'{"schema_version":4,' + names + b"}", read_run),
        "attempts of a run": (attempts.replace(b":1,", b":4,", 1), read_run),
        "messages of a session": (
            b'{"schema_version":1,"messages":[' + b",".join([b"{}"] * 300_000) + b"]}",
            partial(read_record, Session),
        ),
        "names of a label": (b'{"at":1,' + names + b"}\n", partial(read_log, LabelEvent)),
    }
    cases: dict[str, tuple[Path, Callable[[Path], object]]] = {}
    for name, (text, read) in files.items():
        path = data.root / name.replace(" ", "-")
        path.write_bytes(text)
        cases[name] = path, read
    return cases


def test_few_faults_of_a_record_are_kept(tmp_path: Path) -> None:
    """A fault takes a kilobyte of memory, so only the first faults of a list are reported."""
    for name, (path, read) in write_hostile_files(DataFolder(tmp_path)).items():
        with pytest.raises(InvalidRecordError) as raised:
            read(path)
        more = re.search(r"\(and (\d+) more\)", str(raised.value))
        assert more is None or int(more[1]) < 50, name
        assert len(str(raised.value)) < 500, name


def test_an_archive_of_many_messages_takes_bounded_memory(tmp_path: Path) -> None:
    """Some kilobytes of a zip file may unpack to millions of empty messages."""
    path = tmp_path / "a.zip"
    name = examples.make_eval_name(0)
    many = f"{name}/1/messages.json", "[" + "{}," * 300_000 + "{}]"
    deep = f"{name}/2/messages.json", '[{"r":' + "[" * 500 + "]" * 500 + "}]"
    path.write_bytes(pack_zip(many, deep))
    with Archive(path) as opened:
        with pytest.raises(InvalidRecordError, match=r"\[entry 1\]\.role: Field") as raised:
            opened.read(name, 1)
        assert isinstance(raised.value.__cause__, ValidationError)
        assert raised.value.__cause__.error_count() == 2
        with pytest.raises(InvalidRecordError, match="recursion limit exceeded"):
            opened.read(name, 2)


def test_a_transcript_of_too_many_values_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the line, and the next line is read."""
    monkeypatch.setattr("records.foreign.fields.MOST_ITEMS", 100)
    path = tmp_path / "chat.jsonl"
    good = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    lines: list[dict[str, Any]] = [{**good, "more": [[]] * 100}, good]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    bad, read = list(import_sessions(path, "chat"))
    assert isinstance(bad, BadLine)
    assert str(bad) == f"{path}:1: holds more than 100 names and values"
    assert not isinstance(read, BadLine)


def test_repeated_names_are_found_in_linear_time() -> None:
    """Each name of a large object stands twice."""
    names = [str(number) for number in range(30_000)]
    text = "{" + ",".join(f'"{name}":1' for name in [*names, *names]) + "}"
    assert find_duplicate_keys(text.encode()) == sorted(names)


def test_a_large_true_record_is_read(tmp_path: Path) -> None:
    """Limits are on the names of an object, not on the number of attempts in a run."""
    data = DataFolder(tmp_path)
    run = examples.make_run("a" * 32, evals=900)
    assert read_run(write_run(data, run)) == run
