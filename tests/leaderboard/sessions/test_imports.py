"""The import of files, folders and standard input: contents, messages, counts and records."""

import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from leaderboard.sessions.imports import ImportCounts, SessionImport
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.sessions.session import FromFile
from review.exports.formats import FORMATS, ExportCounts
from review.exports.rows import ExportOptions
from review.session_imports.common.adapter import make_imported_session_id
from review.store import SessionStore
from tests.review.exports.exporting import exported
from tests.review.session_imports.transcripts import (
    SESSION,
    Record,
    answer,
    asked,
    event,
    meta,
    replied,
    texts,
    user,
)

pytestmark = pytest.mark.unit

HELLO = [user("u1", None, "Why is it slow?"), answer("a1", "u1", "m1", "No index.")]
PICTURE: Record = {"type": "image", "source": {}}
HELPER = [record | {"isSidechain": True} for record in HELLO]


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return an empty store."""
    return SessionStore(DataFolder(tmp_path / "data"))


def written(path: Path, records: Sequence[Record]) -> Path:
    """Write a file of JSONL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def imported(store: SessionStore, *paths: Path, dry_run: bool = False) -> ImportCounts:
    """Import files and folders."""
    return SessionImport(store, dry_run=dry_run).run(paths)


def files_of(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder with their bytes."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_all_files_below_it(
    store: SessionStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files of sub-agents, empty files and files of other kinds in a folder are no faults."""
    folder = tmp_path / "projects"
    written(folder / "app" / f"{SESSION}.jsonl", HELLO)
    written(folder / "app" / SESSION / "subagents" / "agent-a1.jsonl", HELPER)
    written(folder / "rollout.jsonl", [meta("other"), asked("Why?"), replied("So.")])
    written(folder / "empty.jsonl", [{"type": "summary", "summary": "x", "leafUuid": "u"}])
    (folder / "notes.md").write_text("# Notes")
    (folder / "link.jsonl").symlink_to(folder / "rollout.jsonl")
    counts = imported(store, folder)
    assert (counts.sessions, counts.new, counts.faults) == (2, 2, 0)
    assert counts.left_out == {"sub-agent transcript": 1, "file of no known shape": 1}
    stderr = capsys.readouterr().err
    assert f"agent-a1.jsonl: left out: it is a sub-agent's part of session {SESSION}" in stderr
    assert "empty.jsonl: holds no message" in stderr


def test_a_file_that_is_named_must_be_a_transcript(store: SessionStore, tmp_path: Path) -> None:
    """A named file of no known shape is a fault; a missing file ends the import."""
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes")
    counts = imported(store, notes, written(tmp_path / "a.jsonl", HELLO))
    assert (counts.faults, counts.sessions) == (1, 1)
    with pytest.raises(MissingRecordError):
        imported(store, tmp_path / "nowhere.jsonl")


def test_standard_input_is_read(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input has two names, and any layout of files."""
    for name in ("-", "/dev/stdin"):
        data = json.dumps(HELLO, indent=1).encode("utf-16")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert imported(store, Path(name)).sessions == 1
    (stored,) = store
    assert isinstance(stored.session.source, FromFile)
    assert stored.session.source.name == "standard-input"


def test_parts_that_were_left_out_are_told_by_kind(store: SessionStore, tmp_path: Path) -> None:
    """The most frequent kind comes first, each in words; the record has them, too."""
    thinking = {"type": "thinking", "thinking": "hm"}
    records = [
        user("u1", None, [*[PICTURE] * 3, {"type": "text", "text": "What is wrong?"}]),
        answer("a1", "u1", "m1", *[thinking] * 12, "A border."),
        user("u2", "a1", "Delete it."),
        user("u3", "a1", [PICTURE, {"type": "hologram"}]),
        {"type": "dream", "sessionId": SESSION},
    ]
    counts = imported(store, written(tmp_path / "a.jsonl", records))
    assert list(counts.format_counts()) == [
        "1 session, 1 new or changed",
        (
            "left out: 12 reasoning parts, 4 images, 1 hologram, 1 message taken back, "
            "1 record of kind dream"
        ),
    ]
    (stored,) = store
    assert stored.session.left_out == counts.left_out


def test_a_dry_run_tells_the_same_and_writes_nothing(store: SessionStore, tmp_path: Path) -> None:
    """New and changed sessions, stale labels and forks have the same counts in a dry run."""
    path = written(tmp_path / f"{SESSION}.jsonl", HELLO)
    fork = [
        meta("fork", forked_from_id="other"),
        meta("other"),
        asked("Q"),
        replied("A"),
        asked("R"),
    ]
    rollouts = [
        written(tmp_path / "fork.jsonl", fork),
        written(tmp_path / "original.jsonl", [meta("other"), asked("Q"), replied("A")]),
    ]
    tried = imported(store, path, *rollouts, dry_run=True)
    assert not files_of(store.folder.root)
    assert tried == imported(store, path, *rollouts)
    store.label(
        make_imported_session_id("claude_code", SESSION), {"evalStatus": "golden"}, via="cli"
    )
    before = files_of(store.folder.root)
    written(path, [*HELLO, user("u2", "a1", "And?")])
    tried = imported(store, path, *rollouts, dry_run=True)
    assert files_of(store.folder.root) == before
    assert (tried.new, tried.changed, len(tried.stale)) == (0, 1, 1)
    assert tried == imported(store, path, *rollouts)


def test_the_same_file_again_changes_nothing(store: SessionStore, tmp_path: Path) -> None:
    """Sessions and forks stay, and the count of changes is zero."""
    paths = [
        written(tmp_path / "a.jsonl", HELLO),
        written(tmp_path / "o.jsonl", [meta("other"), asked("Q"), replied("A")]),
        written(
            tmp_path / "f.jsonl", [meta("f", forked_from_id="other"), asked("Q"), replied("B")]
        ),
    ]
    imported(store, *paths)
    before = files_of(store.folder.root / "local" / "sessions")
    counts = imported(store, *paths)
    assert (counts.sessions, counts.new, counts.changed) == (3, 0, 0)
    assert files_of(store.folder.root / "local" / "sessions") == before


def counted(total: int) -> Record:
    """Return an event with the usage so far."""
    usage = {"input_tokens": total, "output_tokens": total}
    last = {"input_tokens": 10, "output_tokens": 10}
    return event("token_count", info={"total_token_usage": usage, "last_token_usage": last})


@pytest.mark.parametrize("order", ["original first", "fork first", "together", "fork alone"])
def test_a_fork_repeats_no_turn_of_its_original(
    store: SessionStore, tmp_path: Path, order: str
) -> None:
    """In any order of import, repeated messages are only context of the fork's own turn."""
    start = [asked("Why is it slow?"), replied("No index."), counted(10)]
    original = written(tmp_path / "b.jsonl", [meta("original"), *start])
    head = [meta("fork", forked_from_id="original"), meta("original")]
    own = [asked("Another way?"), replied("Paginate."), counted(20)]
    fork = written(tmp_path / "a.jsonl", [*head, *start, *own])
    if order == "together":
        imported(store, fork, original)
    else:
        paths = [original, fork] if order == "original first" else [fork, original]
        for path in paths[:1] if order == "fork alone" else paths:
            imported(store, path)
    sessions = [stored.session for stored in store]
    options = ExportOptions()
    text = "".join(exported(sessions, FORMATS["deepeval"], options, ExportCounts()))
    rows = {row["input"]: row for row in json.loads(text)}
    assert len(json.loads(text)) == 2
    assert rows["Another way?"]["context"] == ["Why is it slow?", "No index."]
    session = store.read(make_imported_session_id("codex", "fork")).session
    if order != "fork alone":
        assert (session.title, session.totals.tokens.output) == ("Another way?", 10)
        assert [message.repeated for message in session.messages] == [True, True, False, False]


def test_a_branch_of_claude_code_repeats_no_turn(store: SessionStore, tmp_path: Path) -> None:
    """The records of a branch name the session that they were copied from."""
    mark = {"sessionId": "branch", "forkedFrom": {"sessionId": SESSION, "messageUuid": "u1"}}
    own = [user("u2", "a1", "And?"), answer("a2", "u2", "m2", "So.")]
    branch = [
        *(record | mark for record in HELLO),
        *(entry | {"sessionId": "branch"} for entry in own),
    ]
    imported(store, written(tmp_path / "b.jsonl", branch), written(tmp_path / "s.jsonl", HELLO))
    session = store.read(make_imported_session_id("claude_code", "branch")).session
    assert [entry.repeated for entry in session.messages] == [True, True, False, False]
    assert session.totals.tokens.output == 20
    assert texts(session, "user") == ["Why is it slow?", "And?"]


def test_the_store_is_looked_through_once(
    store: SessionStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of sessions in the store does not slow an import."""
    listed: list[None] = []
    listing = DataFolder.list_session_files

    def list_files(folder: DataFolder) -> Iterator[Path]:
        listed.append(None)
        return listing(folder)

    monkeypatch.setattr(DataFolder, "list_session_files", list_files)
    talk = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    written(tmp_path / "files" / "chats.jsonl", [{"messages": talk, "n": n} for n in range(20)])
    for number in range(5):
        name = f"session-{number}"
        records = [record | {"sessionId": name} for record in HELLO]
        written(tmp_path / "files" / f"{name}.jsonl", records)
    assert imported(store, tmp_path / "files").sessions == 25
    assert len(listed) == 1
