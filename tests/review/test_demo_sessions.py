"""The demonstration sessions: their contents and places, and the documents that they follow."""

import json
import re
import shutil
from pathlib import Path

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from leaderboard.api.keys import KeyStore
from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.sessions.session import EvalStatus
from review.redaction import redact_text
from review.store import SessionStore
from tests.generator.contexts import gather_site
from tests.leaderboard.api.serving import Server, make_bearer_header, serve_api
from tests.support.shell_blocks import parse_shell_blocks, run
from tests.support.warm_command import BIN, ROOT, make_warm_program, start_server

pytestmark = pytest.mark.integration

DEMO_FOLDER = ROOT / "docs" / "demo"
DEMO = DataFolder(DEMO_FOLDER)


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


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return the store of a copy of the demonstration."""
    shutil.copytree(DEMO_FOLDER / "sessions", tmp_path / "data" / "sessions")
    return SessionStore(DataFolder(tmp_path / "data"))


def list_linked_sessions(client: httpx.Client, path: str) -> set[str]:
    """Return the ids of the sessions that a list of the desk links."""
    return set(re.findall(r"sessions/([0-9a-f]{32})", client.get(path).raise_for_status().text))


def test_evals_holds_the_eval_ready_and_filters_by_status(
    client: httpx.Client, store: SessionStore
) -> None:
    """The view lists marked sessions, also by status, and is in the navigation."""
    ready = [item.session for item in store if item.session.eval_ready]
    assert list_linked_sessions(client, "evals") == {item.id for item in ready}
    golden = {item.id for item in ready if item.eval_status is EvalStatus.GOLDEN}
    assert list_linked_sessions(client, "evals?status=golden") == golden
    navigation = LexborHTMLParser(client.get("").text).css("nav a")
    assert any((item.attributes["href"] or "").endswith("/review/evals") for item in navigation)


def test_the_documented_request_labels_a_session_that_waits(store: SessionStore) -> None:
    """The body and the address are those of the curl command of docs/hosting.md."""
    text = (ROOT / "docs" / "hosting.md").read_text("utf-8")
    request = re.search(r"-d '([^']+)' \\\n +http://[^/]+(/api/sessions/(\w+)/labels)", text)
    assert request is not None
    body, path, session_id = request.groups()
    assert store.read(session_id).session.eval_status is EvalStatus.NEEDS_REVIEW
    keys = KeyStore(store.folder.keys_file)
    key = keys.create("team", ("sessions:write",), None)
    with serve_api(Server(store.folder, keys, "none", "none")) as client:
        answer = client.post(path, json=json.loads(body), headers=make_bearer_header(key))
    assert answer.status_code == 200, answer.text
    (event, *_) = store.read(session_id).events
    assert (event.via, event.reviewer) == ("api", "p1")
    assert store.read(session_id).session.eval_status == json.loads(body)["evalStatus"]
