"""An own export that is imported into the folder from which it came."""

import json
from pathlib import Path

import pytest

from tests.warm_command import Ended, run_command

pytestmark = pytest.mark.integration

SECRET = "sk-ant-api03-" + "a1B2" * 20


def command(data: Path, *arguments: str) -> Ended:
    """Run a command over ``data``; it must end well."""
    done = run_command(*arguments, "--data", data)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def records(data: Path) -> list[bytes]:
    """Return the records of all sessions of a folder."""
    return [path.read_bytes() for path in sorted((data / "local" / "sessions").glob("*.json"))]


def test_an_own_export_is_the_same_session(tmp_path: Path) -> None:
    """It stays golden, ready and as it is; in another folder it has the same id."""
    data, other = tmp_path / "data", tmp_path / "other"
    chats, out = tmp_path / "chats.jsonl", tmp_path / "x.jsonl"
    talk = [{"role": "user", "content": f"Use {SECRET}"}, {"role": "assistant", "content": "Hello"}]
    chats.write_text(json.dumps({"messages": talk}))
    command(data, "session", "import", str(chats))
    before = records(data)
    (name,) = (row["id"] for row in json.loads(command(data, "session", "list", "--json").stdout))
    command(data, "session", "label", name, "--status", "golden", "--ready")
    command(data, "export", "--format", "huggingface", "--out", str(out))
    assert SECRET not in out.read_text("utf-8")
    again = command(data, "session", "import", str(out), "--json")
    assert json.loads(again.stdout)["changed"] == 0
    assert records(data) == before
    (row,) = json.loads(command(data, "session", "list", "--json").stdout)
    assert (row["id"], row["evalStatus"], row["evalReady"]) == (name, "golden", True)
    command(other, "session", "import", str(out))
    (row,) = json.loads(command(other, "session", "list", "--json").stdout)
    assert (row["id"], row["evalStatus"]) == (name, "golden")
