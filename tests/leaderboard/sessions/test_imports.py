"""The import of files, folders and standard input: contents, messages, records, and a kill."""

import fcntl
import io
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from leaderboard.sessions.imports import ImportCounts, SessionImport
from records.checks.check_data import check_all
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.session import FromFile, Session
from review.session_imports.common.drafts import make_imported_session_id
from review.store import SessionStore
from tests.leaderboard.commanding import run_on_data
from tests.review.exports.exporting import export_rows
from tests.review.labelling import give_labels
from tests.review.session_imports.transcripts import (
    SESSION,
    Record,
    list_texts,
    make_answer_record,
    make_event,
    make_reply_item,
    make_request_item,
    make_session_meta,
    make_user_record,
)
from tests.support.warm_command import ROOT, get_installed_program, make_command_environment

pytestmark = pytest.mark.unit
HELLO = [
    make_user_record("u1", None, "Why is it slow?"),
    make_answer_record("a1", "u1", "m1", "No index."),
]
PICTURE: Record = {"type": "image", "source": {}}
HELPER = [record | {"isSidechain": True} for record in HELLO]


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return an empty store."""
    return SessionStore(DataFolder(tmp_path / "data"))


def write_records(path: Path, records: Sequence[Record]) -> Path:
    """Write a file of JSONL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def import_paths(store: SessionStore, *paths: Path, dry_run: bool = False) -> ImportCounts:
    """Import files and folders."""
    return SessionImport(store, dry_run=dry_run).run(paths)


def read_all_files(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder with their bytes."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_all_files_below_it(
    store: SessionStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files of sub-agents, empty files and files of other kinds in a folder are no faults."""
    folder = tmp_path / "projects"
    write_records(folder / "app" / f"{SESSION}.jsonl", HELLO)
    write_records(folder / "app" / SESSION / "subagents" / "agent-a1.jsonl", HELPER)
    write_records(
        folder / "rollout.jsonl",
        [make_session_meta("other"), make_request_item("Why?"), make_reply_item("So.")],
    )
    write_records(folder / "empty.jsonl", [{"type": "summary", "summary": "x", "leafUuid": "u"}])
    (folder / "notes.md").write_text("# Notes")
    (folder / "link.jsonl").symlink_to(folder / "rollout.jsonl")
    counts = import_paths(store, folder)
    assert (counts.sessions, counts.new, counts.faults) == (2, 2, 0)
    assert counts.left_out == {"sub-agent transcript": 1, "file of no known shape": 1}
    stderr = capsys.readouterr().err
    assert f"agent-a1.jsonl: left out: it is a sub-agent's part of session {SESSION}" in stderr
    assert "empty.jsonl: holds no message" in stderr


def test_a_file_that_is_named_must_be_a_transcript(store: SessionStore, tmp_path: Path) -> None:
    """A named file of no known shape is a fault; a missing file ends the import."""
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes")
    counts = import_paths(store, notes, write_records(tmp_path / "a.jsonl", HELLO))
    assert (counts.faults, counts.sessions) == (1, 1)
    with pytest.raises(MissingRecordError):
        import_paths(store, tmp_path / "nowhere.jsonl")


def test_standard_input_is_read(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input has two names, and any layout of files."""
    for name in ("-", "/dev/stdin"):
        data = json.dumps(HELLO, indent=1).encode("utf-16")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert import_paths(store, Path(name)).sessions == 1
    (stored,) = store
    assert isinstance(stored.session.source, FromFile)
    assert stored.session.source.name == "standard-input"


def test_parts_that_were_left_out_are_reported_by_kind(store: SessionStore, tmp_path: Path) -> None:
    """The most frequent kind comes first, each in words; the record has them, too."""
    thinking = {"type": "thinking", "thinking": "hm"}
    records = [
        make_user_record("u1", None, [*[PICTURE] * 3, {"type": "text", "text": "What is wrong?"}]),
        make_answer_record("a1", "u1", "m1", *[thinking] * 12, "A border."),
        make_user_record("u2", "a1", "Delete it."),
        make_user_record("u3", "a1", [PICTURE, {"type": "hologram"}]),
        {"type": "dream", "sessionId": SESSION},
    ]
    counts = import_paths(store, write_records(tmp_path / "a.jsonl", records))
    assert list(counts.format_counts()) == [
        "1 session, 1 new or changed",
        (
            "left out: 12 reasoning parts, 4 images, 1 hologram, 1 message taken back, "
            "1 record of kind dream"
        ),
    ]
    (stored,) = store
    assert stored.session.left_out == counts.left_out


def test_a_dry_run_shows_the_same_and_writes_nothing(store: SessionStore, tmp_path: Path) -> None:
    """New and changed sessions, stale labels and forks have the same counts in a dry run."""
    path = write_records(tmp_path / f"{SESSION}.jsonl", HELLO)
    fork = [
        make_session_meta("fork", forked_from_id="other"),
        make_session_meta("other"),
        make_request_item("Q"),
        make_reply_item("A"),
        make_request_item("R"),
    ]
    rollouts = [
        write_records(tmp_path / "fork.jsonl", fork),
        write_records(
            tmp_path / "original.jsonl",
            [make_session_meta("other"), make_request_item("Q"), make_reply_item("A")],
        ),
    ]
    tried = import_paths(store, path, *rollouts, dry_run=True)
    assert not read_all_files(store.folder.root)
    assert tried == import_paths(store, path, *rollouts)
    give_labels(store, make_imported_session_id("claude_code", SESSION), {"evalStatus": "golden"})
    before = read_all_files(store.folder.root)
    write_records(path, [*HELLO, make_user_record("u2", "a1", "And?")])
    tried = import_paths(store, path, *rollouts, dry_run=True)
    assert read_all_files(store.folder.root) == before
    assert (tried.new, tried.changed, len(tried.stale)) == (0, 1, 1)
    assert tried == import_paths(store, path, *rollouts)


def make_token_count(total: int) -> Record:
    """Return an event with the usage so far."""
    usage = {"input_tokens": total, "output_tokens": total}
    last = {"input_tokens": 10, "output_tokens": 10}
    return make_event("token_count", info={"total_token_usage": usage, "last_token_usage": last})


@pytest.mark.parametrize("order", ["original first", "fork first", "together", "fork alone"])
def test_a_fork_repeats_no_turn_of_its_original(
    store: SessionStore, tmp_path: Path, order: str
) -> None:
    """In any order of import, repeated messages are only context of the fork's own turn."""
    start = [
        make_request_item("Why is it slow?"),
        make_reply_item("No index."),
        make_token_count(10),
    ]
    original = write_records(tmp_path / "b.jsonl", [make_session_meta("original"), *start])
    head = [make_session_meta("fork", forked_from_id="original"), make_session_meta("original")]
    own = [make_request_item("Another way?"), make_reply_item("Paginate."), make_token_count(20)]
    fork = write_records(tmp_path / "a.jsonl", [*head, *start, *own])
    if order == "together":
        import_paths(store, fork, original)
    else:
        paths = [original, fork] if order == "original first" else [fork, original]
        for path in paths[:1] if order == "fork alone" else paths:
            import_paths(store, path)
    sessions = [stored.session for stored in store]
    written = export_rows("deepeval", *sessions)
    rows = {row["input"]: row for row in written}
    assert len(written) == 2
    assert rows["Another way?"]["context"] == ["Why is it slow?", "No index."]
    session = store.read(make_imported_session_id("codex", "fork")).session
    if order != "fork alone":
        assert (session.title, session.totals.tokens.output) == ("Another way?", 10)
        assert [message.repeated for message in session.messages] == [True, True, False, False]


def test_a_branch_of_claude_code_repeats_no_turn(store: SessionStore, tmp_path: Path) -> None:
    """The records of a branch name the session that they were copied from."""
    mark = {"sessionId": "branch", "forkedFrom": {"sessionId": SESSION, "messageUuid": "u1"}}
    own = [make_user_record("u2", "a1", "And?"), make_answer_record("a2", "u2", "m2", "So.")]
    branch = [
        *(record | mark for record in HELLO),
        *(entry | {"sessionId": "branch"} for entry in own),
    ]
    import_paths(
        store,
        write_records(tmp_path / "b.jsonl", branch),
        write_records(tmp_path / "s.jsonl", HELLO),
    )
    session = store.read(make_imported_session_id("claude_code", "branch")).session
    assert [entry.repeated for entry in session.messages] == [True, True, False, False]
    assert session.totals.tokens.output == 20
    assert list_texts(session, "user") == ["Why is it slow?", "And?"]


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
    write_records(
        tmp_path / "files" / "chats.jsonl", [{"messages": talk, "n": n} for n in range(20)]
    )
    for number in range(5):
        name = f"session-{number}"
        records = [record | {"sessionId": name} for record in HELLO]
        write_records(tmp_path / "files" / f"{name}.jsonl", records)
    assert import_paths(store, tmp_path / "files").sessions == 25
    assert len(listed) == 1


SESSIONS = 3000
PIPE = 4096
"""Bytes that a pipe holds: the smallest size in Linux."""


def write_large_import(path: Path) -> int:
    """Write a file of sessions whose last third has faulty lines; return the number of them."""
    wrong = 0
    with path.open("w") as file:
        for number in range(SESSIONS):
            question = {"role": "user", "content": f"Question {number}"}
            answer = {"role": "assistant", "content": f"Answer {number}"}
            file.write(f"{json.dumps({'messages': [question, answer]})}\n")
            if number > 2000 and number % 5 == 0:
                file.write("no JSON\n")
                wrong += 1
    return wrong


@pytest.mark.night
def test_a_large_import_shows_progress_and_survives_a_kill(tmp_path: Path) -> None:
    """Reported sessions are whole after SIGKILL; the same file again adds only the rest.

    The import cannot end before it is killed: its messages about faulty lines are not read, and
    are larger than the pipe.
    """
    path, data = tmp_path / "chats.jsonl", tmp_path / "data"
    wrong = write_large_import(path)
    assert wrong * (len(str(path)) + len(": is not JSON")) > 2 * PIPE
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE)
    arguments = ["session", "import", path, "--data", data]
    program = get_installed_program("kill -9 leaves what a true process had not written yet")
    with subprocess.Popen(
        [program, *arguments],
        cwd=ROOT,
        env=make_command_environment(),
        stdout=subprocess.DEVNULL,
        stderr=writing,
    ) as going:
        os.close(writing)
        output = b""
        while not output.endswith(b"2000 sessions so far\n"):
            output += os.read(reading, 1)
            assert going.poll() is None, output
        os.kill(going.pid, signal.SIGKILL)
        going.wait()
    os.close(reading)
    assert output == b"1000 sessions so far\n2000 sessions so far\n"
    sessions = {
        item.stem: read_record(Session, item) for item in DataFolder(data).list_session_files()
    }
    assert 2000 <= len(sessions) < SESSIONS
    again = run_on_data(data, "session", "import", str(path), code=1)
    assert again.stdout == f"{SESSIONS} sessions, {SESSIONS - len(sessions)} new or changed\n"
    assert "3000 sessions so far" in again.stderr
    folder = DataFolder(data)
    assert len(list(folder.list_session_files())) == SESSIONS
    assert all(
        read_record(Session, folder.get_session_file(name)) == item
        for name, item in sessions.items()
    )
    problems = [item for item in check_all(folder) if ".tmp" not in item.path.name]
    assert problems == []
