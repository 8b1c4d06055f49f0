"""Sessions of other programs: read as they were, or refused by line and reason."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.session import FromFile, Session
from review.session_imports.importers import IMPORTERS, imported, sessions_in
from review.session_imports.reading import BadLine
from review.session_imports.source_file import SourceFile

pytestmark = pytest.mark.unit

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile


def lines(path: Path, *objects: object) -> Path:
    """Write a JSONL file."""
    path.write_text("".join(f"{json.dumps(one)}\n" for one in objects), "utf-8")
    return path


def only(path: Path) -> Session:
    """Import a file that holds one session and nothing wrong."""
    (found,) = imported(path)
    assert isinstance(found, Session)
    return found


def read(path: Path) -> list[Session]:
    """Import a file that holds sessions and nothing wrong."""
    found = list(imported(path))
    assert all(isinstance(one, Session) for one in found), found
    return [one for one in found if isinstance(one, Session)]


CLAUDE: Final = (
    {"type": "summary", "summary": "Fixing"},
    {
        "type": "user",
        "sessionId": "s",
        "cwd": "/home/anna/app",
        "timestamp": "2026-11-24T10:00:00Z",
        "message": {"role": "user", "content": "Fix the query"},
    },
    {"type": "user", "isMeta": True, "sessionId": "s", "message": {"role": "user", "content": "x"}},
    {
        "type": "assistant",
        "sessionId": "s",
        "timestamp": "2026-11-24T10:00:05Z",
        "message": {
            "id": "m1",
            "role": "assistant",
            "model": "claude-opus-5.5",
            "content": [{"type": "text", "text": "Let me look."}],
            "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 7},
        },
    },
    {
        "type": "assistant",
        "sessionId": "s",
        "message": {
            "id": "m1",
            "role": "assistant",
            "model": "claude-opus-5.5",
            "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"p": 1}}],
            "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 7},
        },
    },
    {
        "type": "user",
        "sessionId": "s",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "export {}"}],
        },
    },
    {
        "type": "assistant",
        "isSidechain": True,
        "sessionId": "s",
        "message": {"id": "m9", "role": "assistant", "content": "a helper"},
    },
    {
        "type": "assistant",
        "sessionId": "s",
        "message": {
            "id": "m2",
            "role": "assistant",
            "content": [{"type": "text", "text": "Done."}],
        },
    },
)


def test_claude_code(tmp_path: Path) -> None:
    """Lines of one message are one, its usage counts once; side chains are counted only."""
    found = only(lines(tmp_path / "a.jsonl", *CLAUDE))
    roles = [message.role for message in found.messages]
    assert roles == ["user", "program", "assistant", "tool", "assistant"]
    assert found.left_out == {"sub-agent record": 1}
    looked = found.messages[2]
    assert (looked.text, looked.tool_calls[0].name) == ("Let me look.", "Read")
    assert found.messages[3].tool_call_id == looked.tool_calls[0].id
    assert (found.totals.tokens.input, found.totals.tokens.output) == (15, 7)
    assert (found.model, found.project) == ("claude-opus-5.5", "app")
    assert found.title == "Fix the query"


CODEX: Final[Sequence[Mapping[str, object]]] = (
    {"type": "session_meta", "payload": {"cwd": "/srv/app"}},
    {
        "type": "response_item",
        "timestamp": "2026-11-24T10:00:00Z",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Fix it"}],
        },
    },
    {"type": "event_msg", "payload": {"type": "user_message", "message": "Fix it"}},
    {"type": "response_item", "payload": {"type": "reasoning", "summary": []}},
    {
        "type": "response_item",
        "payload": {
            "type": "function_call",
            "name": "shell",
            "arguments": "{}",
            "call_id": "c",
        },
    },
    {
        "type": "response_item",
        "payload": {"type": "function_call_output", "call_id": "c", "output": "ok"},
    },
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Done."}],
        },
    },
)


def test_codex(tmp_path: Path) -> None:
    """Only response items count; calls and results are joined by their ids."""
    path = lines(tmp_path / "rollout.jsonl", *CODEX)
    found = only(path)
    assert [message.role for message in found.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert found.messages[2].tool_call_id == found.messages[1].tool_calls[0].id == "c"
    assert found.project == "app"


OPENCODE: Final = {
    "info": {"id": "s", "title": "Fixing", "directory": "/srv/app"},
    "messages": [
        {
            "info": {"role": "user", "time": {"created": 1_795_000_000_000}},
            "parts": [{"type": "text", "text": "Fix it"}],
        },
        {
            "info": {
                "role": "assistant",
                "modelID": "gpt-6",
                "cost": 0.25,
                "tokens": {"input": 3, "output": 4, "reasoning": 0, "cache": {"read": 1}},
            },
            "parts": [
                {
                    "type": "tool",
                    "callID": "c",
                    "tool": "read",
                    "state": {"input": {"p": 1}, "output": "text"},
                },
                {"type": "text", "text": "Done."},
            ],
        },
    ],
}


def test_opencode(tmp_path: Path) -> None:
    """Parts of a message are its text and its calls; results follow as messages of their own."""
    path = tmp_path / "export.json"
    path.write_text(json.dumps(OPENCODE))
    found = only(path)
    assert [message.role for message in found.messages] == ["user", "assistant", "tool"]
    assert (found.title, found.model, found.totals.cost_usd) == ("Fixing", "gpt-6", 0.25)


def test_one_bad_line_does_not_lose_the_rest(tmp_path: Path) -> None:
    """It is told with its number and the reason."""
    path = tmp_path / "chats.jsonl"
    good = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
    bad = {"messages": [{"role": "wizard", "content": "q"}]}
    path.write_text(f"{json.dumps(good)}\n{{half\n{json.dumps(bad)}\n{json.dumps(good)}\n")
    found = list(imported(path))
    assert [type(one) for one in found] == [Session, BadLine, BadLine, Session]
    assert [one.line for one in found if isinstance(one, BadLine)] == [2, 3]
    sessions = [one for one in found if isinstance(one, Session)]
    assert len({one.id for one in sessions}) == 2


def test_older_chats_join_calls_by_the_functions_name(tmp_path: Path) -> None:
    """They have one call a message, in `function_call`, and no ids."""
    called = {"name": "read", "arguments": "{}"}
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "function_call": called},
        {"role": "function", "name": "read", "content": "text"},
        {"role": "assistant", "content": "a"},
    ]
    _, call, result, _ = only(lines(tmp_path / "a.jsonl", {"messages": messages})).messages
    assert [(one.name, one.arguments) for one in call.tool_calls] == [("read", "{}")]
    assert (result.role, result.tool_call_id) == ("tool", call.tool_calls[0].id)


def test_unknown_shapes_are_refused(tmp_path: Path) -> None:
    """With the importers that there are."""
    path = tmp_path / "notes.txt"
    path.write_text("just notes")
    with pytest.raises(InvalidRecordError, match="claude_code, codex, opencode, gemini_cli"):
        list(imported(path))


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_survived(data: bytes) -> None:
    """No file ends an importer with anything but sessions and reasons."""
    for one in IMPORTERS.values():
        source = SourceFile(Path("a.jsonl"), data)
        assert one.recognises(source) in {True, False}
        for found in sessions_in(source, one.NAME):
            assert isinstance(found, Session | BadLine)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "type",
                        "payload",
                        "message",
                        "messages",
                        "role",
                        "content",
                        "info",
                        "parts",
                        "id",
                    ]
                ),
                inner | st.sampled_from(["user", "assistant", "message", "response_item", "tool"]),
                max_size=5,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_survived(value: object) -> None:
    """Whatever shape a line has."""
    data = json.dumps(value).encode()
    for one in IMPORTERS.values():
        source = SourceFile(Path("a.jsonl"), data)
        assert one.recognises(source) in {True, False}
        for found in sessions_in(source, one.NAME):
            assert isinstance(found, Session | BadLine)


def _sample(identity: str | int, **more: object) -> dict[str, object]:
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


LOG: Final = {
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


def _packed(folder: Path, samples: list[dict[str, object]], *, head: str = "header.json") -> Path:
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_ZSTANDARD) as archive:
        archive.writestr(head, json.dumps(LOG))
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))
    return path


def test_a_log_of_inspect_is_a_session_for_each_sample(tmp_path: Path) -> None:
    """Packed with Zstandard or plain JSON: the same sessions, known by the ids of its samples."""
    packed = _packed(tmp_path, [_sample(1), _sample("b", scores={"match": {"value": 0.5}})])
    plain = tmp_path / "log.json"
    plain.write_text(json.dumps(LOG | {"samples": [_sample(1), _sample("b")]}))
    first, second = read(packed)
    assert [one.text for one in first.messages] == ["a long question", "ok", "a.ts"]
    assert first.messages[1].tool_calls[0].arguments == '{"path": "."}'
    assert (first.model, first.title) == ("maker/model", "tiny 1")
    assert (first.eval_status.value, first.expected_output) == ("correct", "yes")
    assert second.eval_status.value == "needs_review"
    assert (first.totals.tokens.input, first.totals.tokens.output) == (7, 5)
    assert isinstance(first.source, FromFile)
    assert (first.source.part, first.source.epoch) == ("1", 1)
    assert [one.id for one in read(plain)] == [first.id, second.id]


def test_a_log_that_was_never_finished_is_read_as_far_as_it_is(tmp_path: Path) -> None:
    """It has a journal in place of a header."""
    (only,) = read(_packed(tmp_path, [_sample(1)], head="_journal/start.json"))
    assert only.model == "maker/model"


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (
            {"status": "error", "error": {"message": "no key\nat line 1"}},
            "in an error, its.*no key$",
        ),
        ({"status": "cancelled"}, "the log is cancelled"),
        ({"status": "started"}, "the log is started"),
    ],
)
def test_a_log_that_ended_early_is_named(
    tmp_path: Path, end: dict[str, object], reason: str
) -> None:
    """Its samples up to there are read; it may have none at all."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(LOG | end | {"samples": [_sample(1)]}))
    told, good = imported(path)
    assert isinstance(good, Session)
    assert isinstance(told, BadLine)
    assert re.search(reason, told.reason)
    assert not told.wrong
    path.write_text(json.dumps(LOG | end))
    (told,) = imported(path)
    assert isinstance(told, BadLine)
    assert not told.wrong


def test_a_sample_that_ended_in_an_error_is_named(tmp_path: Path) -> None:
    """It is read, and waits for a person, whatever the scorers say."""
    good, told = imported(_packed(tmp_path, [_sample(1, error={"message": "time is up"})]))
    assert isinstance(good, Session)
    assert good.eval_status.value == "needs_review"
    assert isinstance(told, BadLine)
    assert "time is up" in told.reason
    assert not told.wrong


def test_pictures_and_reasoning_of_a_log_are_counted(tmp_path: Path) -> None:
    """A picture is named where it stood; it may be one of the long texts that stand apart."""
    picture = {"type": "image", "image": "attachment://aa", "detail": "auto"}
    thought = {"type": "reasoning", "reasoning": "hm"}
    messages = [
        {"role": "user", "content": [picture, {"type": "text", "text": "What is wrong?"}]},
        {"role": "assistant", "content": [thought, {"type": "text", "text": "A border."}]},
    ]
    (session,) = read(_packed(tmp_path, [_sample(1, messages=messages)]))
    assert [one.text for one in session.messages] == ["[image]\nWhat is wrong?", "A border."]
    assert session.left_out == {"image": 1, "reasoning": 1}


def test_calls_of_a_providers_own_tools_and_errors_of_tools_are_kept(tmp_path: Path) -> None:
    """The first stand among the parts of an answer, the second beside an empty result."""
    search = {"type": "tool_use", "tool_type": "web_search", "id": "s", "name": "web_search"}
    messages = [
        {"role": "user", "content": "Q"},
        {"role": "assistant", "content": [{**search, "arguments": "rain", "result": "wet"}]},
        {"role": "tool", "content": "", "tool_call_id": "c1", "error": {"message": "timed out"}},
    ]
    (session,) = read(_packed(tmp_path, [_sample(1, messages=messages)]))
    assert [one.text for one in session.messages] == ["Q", "[web search: rain]", "timed out"]
    assert session.left_out == {"server tool call": 1}


@pytest.mark.parametrize(
    ("sample", "reason", "wrong"),
    [
        (_sample(1, invalidation={"author": "p1", "reason": "leak"}), "it was invalidated", False),
        (_sample(1, attachments={}), "attachment://aa is not among", True),
        (_sample(1, messages="none"), "messages is no list", True),
        (_sample(1, messages=[{"role": "wizard", "content": "x"}]), "role", True),
        (_sample(1, messages=[]), "holds no message", True),
    ],
)
def test_samples_of_a_log_that_are_left_out(
    tmp_path: Path, sample: dict[str, object], reason: str, *, wrong: bool
) -> None:
    """An invalidated one as the log says, a broken one with its reason; the rest is read."""
    bad, good = imported(_packed(tmp_path, [sample, _sample("b")]))
    assert isinstance(good, Session)
    assert isinstance(bad, BadLine)
    assert reason in bad.reason
    assert bad.wrong is wrong


@pytest.mark.parametrize("usage", [[{"total_tokens": 1}], "many", 7, {"maker/model": "many"}])
def test_usage_of_another_shape_is_unknown(tmp_path: Path, usage: object) -> None:
    """And the sample is read without it."""
    (only,) = read(_packed(tmp_path, [_sample(1, model_usage=usage)]))
    assert only.totals.tokens.output is None


def test_a_sample_that_is_nested_too_deeply_loses_no_other(tmp_path: Path) -> None:
    """JSON may be nested deeper than Python calls itself."""
    deep: object = "x"
    for _ in range(700):
        deep = [deep]
    path = _packed(tmp_path, [_sample(1, messages=[{"role": "user", "content": deep}]), _sample(2)])
    _, good = imported(path)
    assert isinstance(good, Session)
    assert good.title == "tiny 2"


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        # Of the first entry of the central directory: the version that unpacks it, and its name.
        (6, b"\xff", "zip file version 25.5"),
        (46, b"\xff", "decode"),
    ],
)
def test_an_archive_that_cannot_be_opened_is_told(
    tmp_path: Path, at: int, value: bytes, reason: str
) -> None:
    """Of a later version of ZIP than is known, or with a name that is not UTF-8."""
    path = _packed(tmp_path, [_sample(1)])
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + at : entry + at + 1] = value
    data[entry + 9] |= 0x08  # names are UTF-8
    path.write_bytes(data)
    (bad,) = imported(path)
    assert isinstance(bad, BadLine)
    assert reason in bad.reason


def test_only_zstandard_is_helped_by_its_package(tmp_path: Path) -> None:
    """A member that is packed in another way is told with the method."""
    path = _packed(tmp_path, [_sample(1), _sample(2)])
    data = path.read_bytes()
    at = data.index(b"samples/1_epoch_1.json", data.index(b"PK\x01\x02")) - 46
    path.write_bytes(data[: at + 10] + (97).to_bytes(2, "little") + data[at + 12 :])
    bad, good = imported(path)
    assert isinstance(good, Session)
    assert isinstance(bad, BadLine)
    assert "method 97" in bad.reason
    assert "pip install" not in bad.reason


def test_a_log_that_needs_zstandard_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Python cannot unpack it and the package is missing."""
    if sys.version_info >= (3, 14):
        pytest.skip("Python unpacks it")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    (bad,) = imported(_packed(tmp_path, [_sample(1)]))
    assert "pip install 'convex-leaderboard[datasets]'" in str(bad)


def test_what_only_looks_like_a_log(tmp_path: Path) -> None:
    """A torn archive, one of something else, an invalidated log: told, and nothing is imported."""
    whole = _packed(tmp_path, [_sample(1)])
    torn = tmp_path / "torn.eval"
    torn.write_bytes(whole.read_bytes()[:-40])
    (bad,) = imported(torn)
    assert "no whole ZIP file" in str(bad)
    broken = tmp_path / "broken.eval"
    data = bytearray(whole.read_bytes())
    data[60:75] = b"\xff" * 15
    broken.write_bytes(data)
    assert all(isinstance(one, BadLine) for one in imported(broken, "inspect"))
    void = tmp_path / "void.json"
    void.write_text(json.dumps(LOG | {"samples": [_sample(1)], "invalidated": True}))
    (bad,) = imported(void)
    assert "invalidated" in str(bad)
