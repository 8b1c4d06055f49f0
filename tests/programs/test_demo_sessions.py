"""The demonstration sessions: their contents, and their places."""

import re
import shutil
from pathlib import Path
from typing import Final

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.events import read_log
from records.sessions.labels import LabelEvent
from records.sessions.session import Session
from review.redaction import redact_text
from review.store import SessionStore
from tests.generator.contexts import gather_site
from tests.programs.demo_sessions import DEMO_FOLDER, ROOT, write_demo
from tests.support.shell_blocks import parse_shell_blocks, run
from tests.support.warm_command import BIN, make_warm_program, start_server

pytestmark = pytest.mark.integration

DEMO: Final = DataFolder(DEMO_FOLDER)


def test_the_set_is_current(tmp_path: Path) -> None:
    """`python -m tests.programs.demo_sessions` writes it after a change of the suite or a shape."""
    write_demo(tmp_path)
    made = DataFolder(tmp_path)
    paths = [path.name for path in made.list_session_files()]
    assert paths == [path.name for path in DEMO.list_session_files()]
    for name in paths:
        identity = name.removesuffix(".json")
        assert read_record(Session, made.get_session_file(identity)) == read_record(
            Session, DEMO.get_session_file(identity)
        )
        assert read_log(LabelEvent, made.get_label_file(identity)) == read_log(
            LabelEvent, DEMO.get_label_file(identity)
        )


def test_nothing_in_the_set_looks_like_a_secret() -> None:
    """Its sessions are therefore the same before and after redaction."""
    for labeled in SessionStore(DEMO):
        assert all(redact_text(each.text) == each.text for each in labeled.session.messages)


@pytest.mark.parametrize("relative_path", ["sessions", "local/sessions"])
def test_check_refuses_the_set_beside_measurements(tmp_path: Path, relative_path: str) -> None:
    """Every session is named; alone, the set is all right."""
    data = tmp_path / "data"
    shutil.copytree(DEMO_FOLDER / "sessions", data / relative_path)
    assert check_all(DataFolder(data)) == []
    shutil.copy(ROOT / "data" / "models.toml", data)
    problems = check_all(DataFolder(data))
    assert len(problems) == 20
    assert {problem.path.parent for problem in problems} == {data / relative_path}
    assert all("is a demonstration session" in problem.reason for problem in problems)


def test_no_page_counts_the_set(tmp_path: Path) -> None:
    """Pages have the same content with and without the set."""
    data = DataFolder(tmp_path / "data")
    shutil.copytree(ROOT / "data" / "benchmarks", data.root / "benchmarks")
    without = gather_site(data)
    shutil.copytree(DEMO_FOLDER / "sessions", data.root / "sessions")
    beside = gather_site(data)
    assert (beside.summaries, beside.audits) == (without.summaries, without.audits)


def list_readme_commands() -> list[str]:
    """Return the commands of the README that work on the set."""
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    return [line for line in lines if line.startswith("leaderboard ") and "docs/demo" in line]


@pytest.mark.more
def test_first_commands_have_a_result(tmp_path: Path) -> None:
    """The README's commands, then those of docs/sessions.md with the output printed there."""
    shutil.copytree(DEMO_FOLDER, tmp_path / "docs" / "demo")
    programs = (make_warm_program().parent, BIN)
    server = [start_server().fileno()]
    listing, exported = list_readme_commands()
    for line, expected in ((listing, "20 sessions: "), (exported, '"expected_output"')):
        (block,) = parse_shell_blocks(f"```sh\n{line}\n```\n")
        assert expected in run(block, tmp_path, *programs, pass_fds=server)
    document = (ROOT / "docs" / "sessions.md").read_text("utf-8")
    first, second, *_ = parse_shell_blocks(document)
    printed = run(first, tmp_path, *programs, pass_fds=server)
    assert "3 sessions: 3 needs_review" in printed
    waiting = re.findall(r"^([0-9a-f]{32}) ", printed.partition("3 sessions:")[0], re.MULTILINE)
    prefixes = re.findall(r"session (?:show|label|tag) (\w+)", first.commands + second.commands)
    assert len(prefixes) == 3
    assert all(any(identity.startswith(prefix) for identity in waiting) for prefix in prefixes)
    assert "# Files" in printed
    assert second.printed is not None
    assert run(second, tmp_path, *programs, pass_fds=server) == second.printed
    assert (tmp_path / "golden.json").stat().st_size > 0
