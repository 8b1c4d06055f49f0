"""An export of the program that is imported into the folder from which it came."""

import json
from pathlib import Path
from typing import Any

import pytest

from records.files.data_folder import DataFolder
from review.exports.formats import FORMATS, ExportCounts
from review.exports.prepared import ExportOptions
from review.store import SessionStore
from tests.leaderboard.commanding import run_on_data
from tests.review.exports.exporting import format_export
from tests.review.labelling import give_labels

pytestmark = pytest.mark.integration

SECRET = "sk-ant-api03-" + "a1B2" * 20


def import_file(data: Path, path: Path) -> Any:  # noqa: ANN401 - JSON of the command
    """Import a file into ``data``; return the counts that the command prints."""
    return json.loads(run_on_data(data, "session", "import", str(path), "--json").stdout)


def test_an_own_export_is_the_same_session(tmp_path: Path) -> None:
    """The session stays golden, ready and unchanged, with the texts that its export takes out."""
    data, chats, out = tmp_path / "data", tmp_path / "chats.jsonl", tmp_path / "x.jsonl"
    talk = [{"role": "user", "content": f"Use {SECRET}"}, {"role": "assistant", "content": "Hello"}]
    chats.write_text(json.dumps({"messages": talk}))
    import_file(data, chats)
    store = SessionStore(DataFolder(data))
    (first,) = store
    give_labels(store, first.session.id, {"evalStatus": "golden", "evalReady": True})
    (before,) = store
    pieces = format_export(
        [before.session], FORMATS["huggingface"], ExportOptions(), ExportCounts()
    )
    out.write_text("".join(pieces), "utf-8")
    assert SECRET not in out.read_text("utf-8")
    assert import_file(data, out)["changed"] == 0
    (after,) = store
    assert after == before
    assert (after.session.eval_status.value, after.session.eval_ready) == ("golden", True)
    assert after.session.messages[0].text == f"Use {SECRET}"
