"""Sessions from the command line: made from a run or a file, judged, and exported."""

import json
import shutil
from pathlib import Path

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from tests.leaderboard.commanding import record_prose_run, run_on_data
from tests.review.session_imports.transcripts import (
    make_reply_item,
    make_request_item,
    make_response_item,
    make_session_meta,
)
from tests.support.warm_command import ROOT

pytestmark = pytest.mark.integration


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """Return a file of two conversations and a faulty line."""
    path = tmp_path / "chats.jsonl"
    talk = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    lines = [json.dumps({"messages": talk}), "{half", json.dumps({"messages": [*talk, *talk]})]
    path.write_text("\n".join(lines))
    return path


def test_a_dataset_is_made_of_a_file(tmp_path: Path, chats: Path) -> None:
    """A file is imported, judged, marked, tagged, exported; a bad line loses no other line."""
    data = tmp_path / "data"
    read = run_on_data(data, "session", "import", str(chats), code=1)
    assert f"{chats}:2: is not JSON" in read.stderr
    assert read.stdout == "2 sessions, 2 new or changed\n"
    again = run_on_data(data, "session", "import", str(chats), code=1)
    assert again.stdout == "2 sessions, 0 new or changed\n"
    rows = json.loads(run_on_data(data, "session", "list", "--json").stdout)
    first, _ = (row["id"] for row in rows)
    assert {row["evalStatus"] for row in rows} == {"needs_review"}
    run_on_data(data, "session", "label", first[:8], "--status", "golden", "--ready")
    run_on_data(data, "session", "label", first[:8], "--add", "auth")
    empty = run_on_data(data, "export", "--format", "openai", "--status", "incorrect")
    assert empty.stdout == ""
    assert "none is marked as an example" in empty.stderr
    exported = run_on_data(data, "export", "--format", "deepeval", "--tag", "auth")
    assert {row["source_file"] for row in json.loads(exported.stdout)} == {first}
    out = tmp_path / "all.jsonl"
    run_on_data(data, "export", "--format", "openai", "--all", "--out", str(out))
    assert len(out.read_text("utf-8").splitlines()) == 2
    stored = json.loads(run_on_data(data, "session", "show", first[:8], "--json").stdout)
    assert stored["session"]["evalStatus"] == "golden"
    assert [event["via"] for event in stored["events"]] == ["cli"] * 3
    of_turn = ("session", "label", first[:8], "--turn")
    assert (
        run_on_data(data, *of_turn, "1", "--status", "correct").stdout
        == f"{first} turn 1 correct\n"
    )
    assert "--turn 99: " in run_on_data(data, *of_turn, "99", "--notes", "none", code=2).stderr
    assert "--turn goes with" in run_on_data(data, *of_turn, "1", "--undo", code=2).stderr
    of_nobody = (*of_turn[:3], "--undo", "--of", "p1", "--reason", "a mistake")
    assert "no change" in run_on_data(data, *of_nobody, code=2).stderr
    for _ in ("the turn's status", "the tag"):
        undone = run_on_data(data, "session", "label", first[:8], "--undo")
    assert undone.returncode == 0
    assert run_on_data(data, "session", "list", "--tag", "auth").stdout == "0 sessions\n"
    assert "1 golden" in run_on_data(data, "session", "list").stdout
    assert {path.name for path in data.iterdir()} == {"local"}
    assert check_all(DataFolder(data)) == []


def test_attempts_are_sessions(tmp_path: Path) -> None:
    """The status is the grader's verdict before a review; the reference is the expected output."""
    data = tmp_path / "data"
    record = record_prose_run(data, tmp_path / "provider")
    made = run_on_data(data, "session", "from-run", record.stem[:8])
    assert made.stdout.splitlines()[0] == "1 session, 1 new or changed"
    assert [path.parent for path in DataFolder(data).list_session_files()] == [
        data / "local/sessions"
    ]
    (row,) = json.loads(run_on_data(data, "session", "list", "--json").stdout)
    assert (row["evalStatus"], row["source"], row["reviewedAt"]) == ("incorrect", "attempt", None)
    session = json.loads(run_on_data(data, "session", "show", row["id"], "--json").stdout)[
        "session"
    ]
    assert session["messages"][-1]["text"] == "Prose, no files."
    assert "convex/dome.ts" in session["expectedOutput"]
    again = run_on_data(data, "session", "from-run", record.stem[:8])
    assert again.stdout.startswith("1 session, 0 new or changed")


def test_a_run_without_answers_leads_to_sessions_to_try(tmp_path: Path) -> None:
    """Published runs hold no answers of models: the demonstration is named, and can be listed."""
    data = tmp_path / "data"
    for path in (ROOT / "data").glob("*/baseline/stub/4p2bzjf*"):
        copy = data / path.relative_to(ROOT / "data")
        copy.parent.mkdir(parents=True)
        shutil.copy(path, copy)
    made = run_on_data(data, "session", "from-run", "4p2bzjf")
    assert made.stdout.startswith("0 sessions")
    assert "leaderboard session list --data docs/demo" in made.stdout
    listed = run_on_data(ROOT / "docs/demo", "session", "list", "--json")
    assert len(json.loads(listed.stdout)) == 20


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("session", "label", "zz", "--ready"), "begins 0 sessions"),
        (("session", "label", "zz"), "what changes?"),
        *(
            (("session", subcommand, "zz", "--reviewer", "two words"), "hyphens and underscores")
            for subcommand in ("label", "show")
        ),
        (("export", "--format", "csv"), "'csv' is not one of"),
        (("session", "list", "--status", "great"), "'great' is not one of"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, arguments: tuple[str, ...], reason: str) -> None:
    """Mistakes end with exit code 2 and a message."""
    assert reason in run_on_data(tmp_path, *arguments, code=2).stderr


def test_an_audit_is_drawn_and_judged_blind(tmp_path: Path) -> None:
    """Attempts to judge are shown without model, verdict, run and labels."""
    data = tmp_path / "data"
    record = record_prose_run(data, tmp_path / "provider")
    slug = json.loads(record.read_text())["model"]["slug"]
    assert "name a local run" in run_on_data(data, "session", "audit", "--seed", "1", code=2).stderr
    assert "--seed" in run_on_data(data, "session", "audit", record.stem[:8], code=2).stderr
    made = run_on_data(data, "session", "audit", record.stem[:8], "--seed", "1", "--double", "1")
    name = made.stdout.split(":")[0] + "/1"
    assert f"next: leaderboard session show {name}" in made.stdout
    assert "failed: 1 drawn of 1" in made.stdout
    again = run_on_data(data, "session", "audit", record.stem[:8], "--seed", "1", code=2)
    assert "give another --seed" in again.stderr

    (stored,) = data.rglob("sessions/*.json")
    output = run_on_data(data, "session", "show", name).stdout
    assert "Prose, no files." in output
    for hidden in (slug, "status: ", record.stem):
        assert hidden not in output
    refused = run_on_data(data, "suite", "new", stored.stem[:20], "mutations", "boats", code=2)
    assert f"{name} is to be judged blind" in refused.stderr
    assert "incorrect" not in refused.stdout + refused.stderr
    judge = ("session", "label", stored.stem, "--status", "incorrect", "--reviewer")
    assert run_on_data(data, *judge, "p1").stdout == f"{name} incorrect\n"
    back = run_on_data(data, "session", "label", name, "--undo", "--reviewer", "p1")
    assert back.stdout == f"{name} is to be judged blind again\n"
    run_on_data(data, *judge, "p1")
    assert slug not in run_on_data(data, "session", "show", name, "--json").stdout
    run_on_data(data, *judge, "p2")
    assert slug in run_on_data(data, "session", "show", name, "--json").stdout
    (row,) = json.loads(run_on_data(data, "session", "audit", "--status", "--json").stdout)
    assert (row["open"], row["disputed"], row["settled"]) == (0, 0, 1)
    assert check_all(DataFolder(data)) == []


def test_an_eval_begins_with_a_golden_session(tmp_path: Path) -> None:
    """The request is the task, the files of the answer the reference, both without secrets."""
    data, evals, chats = tmp_path / "data", tmp_path / "evals", tmp_path / "chats.jsonl"
    answer = "# Files\n\n## convex/boats.ts\n\n```ts\nexport const boat = 1;\n```\n"
    messages = [
        {"role": "user", "content": "Write a boat, mail anna@example.org"},
        {"role": "assistant", "content": answer},
    ]
    chats.write_text(json.dumps({"messages": messages}))
    (evals / "003-mutations").mkdir(parents=True)
    for name in ("package.json", "guidelines.md"):
        (evals / name).write_bytes((ROOT / "evals" / name).read_bytes())
    run_on_data(data, "session", "import", str(chats))
    (row,) = json.loads(run_on_data(data, "session", "list", "--json").stdout)
    begin = ("suite", "new", row["id"][:8], "mutations", "boats", "--evals", str(evals))
    assert "only a golden session" in run_on_data(data, *begin, code=2).stderr
    run_on_data(data, "session", "label", row["id"][:8], "--status", "golden")
    made = run_on_data(data, *begin)
    folder = evals / "003-mutations" / "000-boats"
    assert made.stdout.startswith(str(folder))
    boats = (folder / "answer" / "convex" / "boats.ts").read_text()
    assert boats.endswith("\nexport const boat = 1;\n")
    task = (folder / "TASK.txt").read_text()
    assert "Write a boat, mail [redacted]" in task
    assert "FILL IN" in task


def test_a_folder_is_tried_then_imported(tmp_path: Path) -> None:
    """The dry run prints the same and writes nothing."""
    data, folder = tmp_path / "data", tmp_path / "projects"
    folder.mkdir()
    search = make_response_item(type="web_search_call", id="c", action={"query": "rain"})
    records = [make_session_meta(), make_request_item("Why?"), search, make_reply_item("So.")]
    (folder / "a.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    tried = run_on_data(data, "session", "import", "--dry-run", str(folder))
    assert tried.stdout.splitlines() == [
        "1 session, 1 new or changed",
        "left out: 1 result of a server's tool",
        "nothing was written",
    ]
    assert not data.exists()
    done = run_on_data(data, "session", "import", "--json", str(folder))
    assert json.loads(done.stdout) == {
        "sessions": 1,
        "changed": 1,
        "new": 1,
        "stale": [],
        "left_out": {"server tool result": 1},
        "faults": 0,
        "dry_run": False,
    }


def test_a_session_is_published_and_deleted(tmp_path: Path) -> None:
    """The removed and kept texts are listed first; without consent no file changes."""
    data, folder = tmp_path / "data", DataFolder(tmp_path / "data")
    hidden = "swordfish99"
    talk = [
        {"role": "user", "content": f"API_KEY={hidden} or Xq7Rk2Lm9Tz4Vb8Nc3Wd"},
        {"role": "assistant", "content": "a"},
    ]
    chats = tmp_path / "chats.jsonl"
    chats.write_text(json.dumps({"messages": talk}))
    run_on_data(data, "session", "import", str(chats))
    (name,) = (path.stem for path in folder.list_session_files())
    assert "which sessions?" in run_on_data(data, "session", "publish", code=2).stderr
    refused = run_on_data(data, "session", "publish", name[:8], code=2)
    assert "looks like a secret, and stays: Xq7Rk2Lm9Tz4Vb8Nc3Wd" in refused.stdout
    assert "taken out: 2 x value of a secret's name" in refused.stdout
    assert "--yes" in refused.stderr
    assert list(folder.sessions.list_files()) == []
    done = run_on_data(data, "session", "publish", "--source", "chat", "--yes")
    (copy,) = folder.sessions.list_files()
    assert hidden not in copy.read_text()
    assert done.stdout.splitlines()[-2:] == [str(copy), "1 session published"]
    again = run_on_data(data, "session", "publish", name, "--yes", "--json")
    assert (json.loads(again.stdout), "published already" in again.stderr) == ([], True)
    chats.write_text(json.dumps({"messages": [*talk, *talk]}))
    (row,) = json.loads(run_on_data(data, "session", "list", "--json").stdout)
    assert row["publication"] == "published"
    assert "(published)" in run_on_data(data, "session", "list").stdout
    assert "\npublished\n" in run_on_data(data, "session", "show", name).stdout
    raw = folder.local.sessions.get_file(name)
    raw.write_text(raw.read_text().replace('"text": "a"', '"text": "b"'))
    assert "changed since it was published" in run_on_data(data, "check").stdout
    assert "published copy outdated" in run_on_data(data, "session", "list").stdout
    run_on_data(data, "session", "publish", "--undo", name, "--yes")
    assert list(folder.sessions.list_files()) == []
    assert str(raw) in run_on_data(data, "session", "delete", name, code=2).stdout
    assert run_on_data(data, "session", "delete", name, "--yes").stdout.endswith(
        "1 session deleted\n"
    )
    assert list(folder.list_session_files()) == []


def test_raw_sessions_among_the_published_move(tmp_path: Path) -> None:
    """`check` names them, `session publish --undo` moves them to a folder that git ignores."""
    data, folder = tmp_path / "data", DataFolder(tmp_path / "data")
    chats = tmp_path / "chats.jsonl"
    chats.write_text(json.dumps({"messages": [{"role": "user", "content": "q"}]}))
    run_on_data(data, "session", "import", str(chats))
    (raw,) = folder.list_session_files()
    old = folder.sessions.get_file(raw.stem)
    old.parent.mkdir()
    raw.rename(old)
    assert "history of git keeps it" in run_on_data(data, "check", code=1).stdout
    refused = run_on_data(data, "session", "publish", raw.stem, "--yes", code=2)
    assert f"`leaderboard session publish --undo {raw.stem}` first" in refused.stderr
    run_on_data(data, "session", "publish", "--undo", raw.stem, "--yes")
    assert list(folder.list_session_files()) == [raw]
    run_on_data(data, "check")
