"""Commands outside of every project: only commands that need a suite ask for it."""

import json
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.writer import write_record
from tests.records.sessions.audits import make_audit, make_audit_item
from tests.support.warm_command import run_command

pytestmark = pytest.mark.integration


def test_progress_of_audits_needs_no_suite(tmp_path: Path) -> None:
    """Only the drawing of an audit needs a suite; the refusal names the option."""
    data = tmp_path / "results"
    drawn = write_record(
        DataFolder(data).audits, make_audit(make_audit_item(0), make_audit_item(1))
    )
    arguments = ("session", "audit", "--data", data)
    done = run_command(*arguments, "--status", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["audit"], row["open"]) == (drawn.stem, 2)
    for more in ((), ("--evals", "elsewhere")):
        refused = run_command(*arguments, "--seed", "1", *more, cwd=tmp_path)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "--evals: there is no folder" in refused.stderr
