"""Records are read strictly, each in the one version of its shape."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records import reader
from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.shapes.run import RUN_VERSION
from records.writer import encode_run, write_record, write_run
from tests.records import examples

pytestmark = pytest.mark.unit
GOOD = encode_run(examples.make_run())
ANYWHERE = Path("run.json")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


Container = dict[Any, Any] | list[Any]


def list_spots(node: object) -> list[tuple[Container, Any]]:
    """Return every (container, key) below ``node``."""
    match node:
        case dict() | list():
            container = cast("Container", node)
            keys = list(container) if isinstance(container, dict) else list(range(len(container)))
            below = [spot for key in keys for spot in list_spots(container[key])]
            return [*((container, key) for key in keys), *below]
        case _:
            return []


def parse_or_refuse(data: bytes) -> None:
    """Parse; only a run, or an error of the records package, passes the test."""
    with suppress(InvalidRecordError):
        reader.parse_run(ANYWHERE, data)


def test_written_files_are_read(tmp_path: Path) -> None:
    """A run and a benchmark version survive a round trip."""
    folder = DataFolder(tmp_path)

    assert reader.read_run(write_run(folder, examples.make_run())) == examples.make_run()
    assert (
        reader.read_benchmark(write_record(folder.benchmarks, examples.make_benchmark()))
        == examples.make_benchmark()
    )


def test_the_same_run_gives_the_same_bytes() -> None:
    """Writing a record that was read changes nothing."""
    assert encode_run(reader.parse_run(ANYWHERE, GOOD)) == GOOD


@given(st.data())
def test_a_changed_value_is_read_or_refused_by_name(data: st.DataObject) -> None:
    """With any JSON in place of another value, the reader does not crash."""
    record = json.loads(GOOD)
    container, key = data.draw(st.sampled_from(list_spots(record)))
    if data.draw(st.booleans()):
        container[key] = data.draw(json_values)
    else:
        del container[key]
    parse_or_refuse(json.dumps(record).encode())


@given(st.data())
def test_changed_bytes_are_read_or_refused(data: st.DataObject) -> None:
    """The reader does not crash for bytes that are no longer JSON, either."""
    start = data.draw(st.integers(0, len(GOOD)))
    end = data.draw(st.integers(start, min(len(GOOD), start + 50)))
    parse_or_refuse(GOOD[:start] + data.draw(st.binary(max_size=8)) + GOOD[end:])


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    """No short string of bytes is a run."""
    with pytest.raises(InvalidRecordError):
        reader.parse_run(ANYWHERE, data)


ATTEMPT = "attempts[000-category/000-eval sample 1]"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ((b'"samples": 1', b'"samples": "1"'), "samples"),
        ((b'"samples": 1', b'"samples": 1.0'), "samples"),
        ((b'"samples": 1', b'"samples": true'), "samples"),
        ((b'"samples": 1', b'"samples": null'), "samples"),
        ((b'"duration_s":0.125', b'"duration_s":NaN'), f"{ATTEMPT}.steps[filesystem].duration_s"),
        ((b'"duration_s":0.125', b'"duration_s":1e999'), f"{ATTEMPT}.steps[filesystem].duration_s"),
        ((b'"duration_s":0.125', b'"duration_s":-1'), f"{ATTEMPT}.steps[filesystem].duration_s"),
        ((b'"output":500', b'"output":9007199254740992'), f"{ATTEMPT}.generation.tokens.output"),
        ((b'"temperature": 0.5', b'"temperature": Infinity'), "model.parameters.temperature"),
        ((b'"name": "GPT Example"', b'"nmae": "GPT Example"'), "model.nmae"),
        ((b'"name": "GPT Example"', b'"name": ""'), "model.name"),
        ((b'"name": "GPT Example"', rb'"name": "\u200b \u202e\t"'), "model.name"),
        ((b'"name": "GPT Example"', rb'"name": "GPT\nExample"'), "model.name"),
        ((b"2026-11-21T12:00:00Z", b"2026-11-21T12:00:00"), "started_at"),
        ((b"2026-11-21T12:00:00Z", b"yesterday"), "started_at"),
        ((b"2026-11-21T12:00:00Z", b"0001-01-01T00:00:00+01:00"), "started_at"),
        ((b"2026-11-21T12:00:00Z", b"9999-12-31T23:59:59-05:00"), "started_at"),
        ((b"openai/gpt-example", b"../gpt-example"), "model.slug"),
        ((b'"status": "completed"', b'"status": "done"'), "status"),
        ((b'"schema_version": 3', b'"schema_version": 4'), "schema_version"),
        ((b'"schema_version": 3', b'"schema_version": 0'), "schema_version"),
        ((b'"schema_version": 3', b'"schema_version": true'), "schema_version"),
        ((b'"schema_version": 3', b'"schema_versoin": 2'), "schema_version"),
    ],
)
def test_the_message_names_the_field(change: tuple[bytes, bytes], field: str) -> None:
    """The message of each strict check names the field."""
    with pytest.raises(InvalidRecordError) as caught:
        reader.parse_run(ANYWHERE, GOOD.replace(*change, 1))

    assert caught.value.field.startswith(field)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"\xef\xbb\xbf" + GOOD,
        GOOD.decode().encode("utf-16"),
        GOOD.replace(b"GPT Example", b"GPT \xe9xample"),
        GOOD.replace(b"GPT Example", b"\\ud800"),
        GOOD.replace(b'"samples": 1', b'"samples": ' + b"9" * 10_000),
        GOOD.replace(b'"samples": 1', b'"samples": 9007199254740991'),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        GOOD.replace(b'"seed": null', b'"seed": ' + b"[" * 5000 + b"]" * 5000),
        GOOD + b"{}",
        b"\0" * 100,
        GOOD[:-3],
    ],
    ids=lambda data: repr(data[:12]),
)
def test_pathological_files_are_refused(data: bytes) -> None:
    """Marks, wrong encodings, depth, size and cut files end in an error of the package."""
    with pytest.raises(InvalidRecordError):
        reader.parse_run(ANYWHERE, data)


def test_windows_line_ends_do_no_harm() -> None:
    """A checkout with CRLF reads as the same record."""
    assert reader.parse_run(ANYWHERE, GOOD.replace(b"\n", b"\r\n")) == examples.make_run()


def test_the_registry_is_read_strictly(tmp_path: Path) -> None:
    """TOML types are kept apart as JSON's are, and slugs are unique."""
    path = tmp_path / "models.toml"
    head = "schema_version = 1\n"
    entry = (
        '[[models]]\nslug = "a/b"\nname = "B"\nprovider = "A"\nlitellm_id = "a/b"\n'
        "released = 2026-01-02\nlimits = { concurrency = 4 }\n"
    )
    path.write_text(head + entry)
    assert reader.read_registry(path).models[0].limits.concurrency == 4

    described = '[[described]]\nslug = "a/b"\nname = "B"\nprovider = "A"\n'
    stated = 'effort = "high"\nparameters = { reasoning_effort = "low" }\n'
    scheme = 'source = "javascript:alert(1)"\n'
    for wrong, reason in (
        (head + entry + entry, "slugs used twice: a/b"),
        (head + entry + described, "slugs used twice: a/b"),
        (head + entry + stated, "effort: is not the reasoning_effort"),
        (head + entry + scheme, r"models\[a/b\]\.source: String should match"),
        (head + entry.replace("= 4", '= "4"'), r"models\[a/b\]\.limits\.concurrency"),
    ):
        path.write_text(wrong)
        with pytest.raises(InvalidRecordError, match=reason):
            reader.read_registry(path)

    for wrong in ("", "9" * 5000, "[" * 5000):
        path.write_text(f"schema_version = {wrong}")
        with pytest.raises(InvalidRecordError, match="not TOML"):
            reader.read_registry(path)


def test_an_earlier_version_is_refused(tmp_path: Path) -> None:
    """The message has the file, the field and the version that is read."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps(json.loads(GOOD) | {"schema_version": RUN_VERSION - 1}))
    with pytest.raises(InvalidRecordError, match=f"schema_version: .*version {RUN_VERSION}"):
        reader.read_run(path)
