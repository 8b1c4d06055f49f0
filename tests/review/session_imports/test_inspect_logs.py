"""Logs of Inspect, packed and plain: a session for each sample, or the reason for its absence."""

import json
import re
import sys
from pathlib import Path

import pytest

from records.sessions.session import FromFile, Session
from review.session_imports.common.source_file import BadLine
from tests.review.session_imports.reading_formats import import_sessions

pytestmark = pytest.mark.unit

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile


def read(path: Path) -> list[Session]:
    """Return the sessions of a file without problems."""
    parts = list(import_sessions(path))
    sessions = [part for part in parts if isinstance(part, Session)]
    assert sessions == parts
    return sessions


def read_noticed(path: Path) -> tuple[Session, BadLine]:
    """Return the session of a file, and its only problem; they may have either order."""
    parts = [*import_sessions(path)]
    (session,) = (part for part in parts if isinstance(part, Session))
    (notice,) = (part for part in parts if isinstance(part, BadLine))
    return session, notice


def read_bad(path: Path, importer: str | None = None) -> str:
    """Return the reason of the only problem of a file; it has no session."""
    (bad,) = import_sessions(path, importer)
    assert isinstance(bad, BadLine)
    return bad.reason


def _make_sample(identity: str | int, **more: object) -> dict[str, object]:
    return {
        "id": identity,
        "epoch": 1,
        "uuid": f"u{identity}",
        "target": ["yes", "yep"],
        "messages": [
            {"role": "user", "content": "attachment://aa", "source": "input"},
            {
                "role": "assistant",
                "model": "maker/model",
                "content": [
                    {"type": "reasoning", "reasoning": "hm"},
                    {"type": "text", "text": "ok"},
                ],
                "tool_calls": [{"id": "c1", "function": "ls", "arguments": {"path": "."}}],
            },
            {"role": "tool", "content": "a.ts", "tool_call_id": "c1"},
        ],
        "attachments": {"aa": "a long question"},
        "scores": {"match": {"value": "C"}},
        "model_usage": {"maker/model": {"total_tokens": 12, "output_tokens": 5}},
        "started_at": "2026-11-20T10:00:00+00:00",
        **more,
    }


LOG = {
    "version": 2,
    "status": "success",
    "eval": {
        "run_id": "r1",
        "task": "tiny",
        "model": "maker/model",
        "created": "2026-11-20T09:00:00+00:00",
    },
    "invalidated": False,
}


def _pack_log(folder: Path, samples: list[dict[str, object]], *, head: str = "header.json") -> Path:
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_ZSTANDARD) as archive:
        archive.writestr(head, json.dumps(LOG))
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    return path


def test_a_log_of_inspect_is_a_session_for_each_sample(tmp_path: Path) -> None:
    """Zstandard and plain JSON give the same sessions, with ids from the samples."""
    packed = _pack_log(
        tmp_path, [_make_sample(1), _make_sample("b", scores={"match": {"value": 0.5}})]
    )
    plain = tmp_path / "log.json"
    plain.write_text(json.dumps(LOG | {"samples": [_make_sample(1), _make_sample("b")]}))
    first, second = read(packed)
    assert [message.text for message in first.messages] == ["a long question", "ok", "a.ts"]
    assert first.messages[1].tool_calls[0].arguments == '{"path": "."}'
    assert (first.model, first.title) == ("maker/model", "tiny 1")
    assert (first.eval_status.value, first.expected_output) == ("correct", "yes")
    assert second.eval_status.value == "needs_review"
    assert (first.totals.tokens.input, first.totals.tokens.output) == (7, 5)
    assert isinstance(first.source, FromFile)
    assert (first.source.part, first.source.epoch) == ("1", 1)
    assert [session.id for session in read(plain)] == [first.id, second.id]


def test_a_log_that_was_never_finished_is_read_as_far_as_it_is(tmp_path: Path) -> None:
    """Such a log has a journal in place of a header."""
    (only,) = read(_pack_log(tmp_path, [_make_sample(1)], head="_journal/start.json"))
    assert only.model == "maker/model"


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (
            {"status": "error", "error": {"message": "no key\nat line 1"}},
            "with an error; samples.*no key$",
        ),
        ({"status": "cancelled"}, "the log is cancelled"),
        ({"status": "started"}, "the log is started"),
    ],
)
def test_a_log_that_ended_early_is_named(
    tmp_path: Path, end: dict[str, object], reason: str
) -> None:
    """Its samples so far are read; it may have none at all."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(LOG | end | {"samples": [_make_sample(1)]}))
    _, notice = read_noticed(path)
    assert re.search(reason, notice.reason)
    assert not notice.wrong
    path.write_text(json.dumps(LOG | end))
    (notice,) = import_sessions(path)
    assert isinstance(notice, BadLine)
    assert not notice.wrong


def test_a_sample_that_ended_in_an_error_is_named(tmp_path: Path) -> None:
    """The sample is read, and waits for a person in spite of its scores."""
    sample = _make_sample(1, error={"message": "time is up"})
    good, notice = read_noticed(_pack_log(tmp_path, [sample]))
    assert good.eval_status.value == "needs_review"
    assert "time is up" in notice.reason
    assert not notice.wrong


def test_pictures_and_reasoning_of_a_log_are_counted(tmp_path: Path) -> None:
    """A picture is named in its place; its data may be an attachment, as for long texts."""
    picture = {"type": "image", "image": "attachment://aa", "detail": "auto"}
    thought = {"type": "reasoning", "reasoning": "hm"}
    messages = [
        {"role": "user", "content": [picture, {"type": "text", "text": "What is wrong?"}]},
        {"role": "assistant", "content": [thought, {"type": "text", "text": "A border."}]},
    ]
    (session,) = read(_pack_log(tmp_path, [_make_sample(1, messages=messages)]))
    assert [message.text for message in session.messages] == [
        "[image]\nWhat is wrong?",
        "A border.",
    ]
    assert session.left_out == {"image": 1, "reasoning": 1}


def test_calls_of_a_providers_own_tools_and_errors_of_tools_are_kept(tmp_path: Path) -> None:
    """The calls are among the parts of an answer, the errors beside an empty result."""
    search = {"type": "tool_use", "tool_type": "web_search", "id": "s", "name": "web_search"}
    messages = [
        {"role": "user", "content": "Q"},
        {"role": "assistant", "content": [{**search, "arguments": "rain", "result": "wet"}]},
        {"role": "tool", "content": "", "tool_call_id": "c1", "error": {"message": "timed out"}},
    ]
    (session,) = read(_pack_log(tmp_path, [_make_sample(1, messages=messages)]))
    assert [message.text for message in session.messages] == [
        "Q",
        "[web search: rain]",
        "timed out",
    ]
    assert session.left_out == {"server tool call": 1}


@pytest.mark.parametrize(
    ("sample", "reason", "wrong"),
    [
        (
            _make_sample(1, invalidation={"author": "p1", "reason": "leak"}),
            "it was invalidated",
            False,
        ),
        (_make_sample(1, attachments={}), "attachment://aa is not among", True),
        (_make_sample(1, messages="none"), "messages is no list", True),
        (_make_sample(1, messages=[{"role": "wizard", "content": "x"}]), "role", True),
        (_make_sample(1, messages=[]), "holds no message", True),
    ],
)
def test_samples_of_a_log_that_are_left_out(
    tmp_path: Path, sample: dict[str, object], reason: str, *, wrong: bool
) -> None:
    """The log excludes the first, a reason explains the others; all other samples are read."""
    _, bad = read_noticed(_pack_log(tmp_path, [sample, _make_sample("b")]))
    assert reason in bad.reason
    assert bad.wrong is wrong


@pytest.mark.parametrize(
    "usage",
    [
        *([{"total_tokens": 1}], "many", 7, {"maker/model": "many"}),
        {"maker/model": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}},
    ],
)
def test_usage_of_another_shape_is_unknown(tmp_path: Path, usage: object) -> None:
    """The sample is read without its usage."""
    (only,) = read(_pack_log(tmp_path, [_make_sample(1, model_usage=usage)]))
    assert only.totals.tokens.output is None


def test_a_sample_that_is_nested_too_deeply_loses_no_other(tmp_path: Path) -> None:
    """JSON may be nested deeper than Python calls itself."""
    deep: object = "x"
    for _ in range(700):
        deep = [deep]
    path = _pack_log(
        tmp_path, [_make_sample(1, messages=[{"role": "user", "content": deep}]), _make_sample(2)]
    )
    good, _ = read_noticed(path)
    assert good.title == "tiny 2"


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        # Offsets in the first entry of the central directory: the version that unpacks it, and its
        # name.
        (6, b"\xff", "zip file version 25.5"),
        (46, b"\xff", "decode"),
    ],
)
def test_an_archive_that_cannot_be_opened_is_a_problem(
    tmp_path: Path, at: int, value: bytes, reason: str
) -> None:
    """A problem names the version of ZIP, or the name that is not UTF-8."""
    path = _pack_log(tmp_path, [_make_sample(1)])
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + at : entry + at + 1] = value
    data[entry + 9] |= 0x08  # names are UTF-8
    path.write_bytes(data)
    assert reason in read_bad(path)


def test_only_zstandard_is_helped_by_its_package(tmp_path: Path) -> None:
    """The problem of a member that is packed in another way names the method."""
    path = _pack_log(tmp_path, [_make_sample(1), _make_sample(2)])
    data = path.read_bytes()
    at = data.index(b"samples/1_epoch_1.json", data.index(b"PK\x01\x02")) - 46
    path.write_bytes(data[: at + 10] + (97).to_bytes(2, "little") + data[at + 12 :])
    _, bad = read_noticed(path)
    assert "method 97" in bad.reason
    assert "pip install" not in bad.reason


def test_a_log_that_needs_zstandard_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python cannot unpack it, and the package is missing."""
    if sys.version_info >= (3, 14):
        pytest.skip("Python unpacks it")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    reason = read_bad(_pack_log(tmp_path, [_make_sample(1)]))
    assert "pip install 'convex-leaderboard[datasets]'" in reason


def test_a_file_that_only_looks_like_a_log_is_refused(tmp_path: Path) -> None:
    """A torn archive, a damaged archive, an invalidated log: nothing of them is imported."""
    whole = _pack_log(tmp_path, [_make_sample(1)])
    torn = tmp_path / "torn.eval"
    torn.write_bytes(whole.read_bytes()[:-40])
    assert "no whole ZIP file" in read_bad(torn)
    broken = tmp_path / "broken.eval"
    data = bytearray(whole.read_bytes())
    data[60:75] = b"\xff" * 15
    broken.write_bytes(data)
    assert all(isinstance(part, BadLine) for part in import_sessions(broken, "inspect"))
    void = tmp_path / "void.json"
    void.write_text(json.dumps(LOG | {"samples": [_make_sample(1)], "invalidated": True}))
    assert "invalidated" in read_bad(void)
