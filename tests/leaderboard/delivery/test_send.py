"""`leaderboard send`: waiting runs are sent, also beside damaged notes."""

from collections.abc import Generator

import httpx
import pytest

from leaderboard.delivery.client import AwayError, ScoresClient
from leaderboard.delivery.courier import send
from leaderboard.delivery.outbox import Outbox
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from tests.leaderboard.api import serving
from tests.leaderboard.delivery.sending import get_address, make_note, record_run
from tests.support.request_handlers import SilentHandler, serve_handler

pytestmark = pytest.mark.integration

NOWHERE = "http://127.0.0.1:9"
"""A port without a server: only root may use it."""


def has(server: serving.Server, run: serving.MadeRun) -> bool:
    """Return whether the server recorded a development run."""
    return server.data.local.get_run_file(*run.run.key).exists()


def test_a_note_that_cannot_be_sent_holds_up_no_other(
    server: serving.Server, client: httpx.Client, mine: DataFolder
) -> None:
    """A missing run, a damaged run and a damaged note are reported; the last run is sent."""
    gone, damaged, good = (serving.make_run_with_answers(letter * 32) for letter in "abc")
    outbox = Outbox(mine)
    for item in (gone, damaged, good):
        outbox.add(make_note(item.run, get_address(client)))
    for item in (damaged, good):
        record_run(mine.local, item)
    broken = mine.local.get_run_file(*damaged.run.key)
    broken.write_text("{")
    (mine.local.root / "outbox" / f"{'d' * 32}.json").write_text("{}")
    lines: list[str] = []
    assert send((), None, mine, lines.append) == 2
    assert has(server, good)
    text = "\n".join(lines)
    assert (
        f"{outbox.build_note_path(make_note(gone.run, get_address(client)))}: its run is not here"
        in text
    )
    assert str(broken) in text
    assert f"{'d' * 32}.json: " in text
    assert f"{good.run.run_id}: sent" in lines
    waiting = {item.run_id for item in outbox}
    assert waiting == {gone.run.run_id, damaged.run.run_id}


def test_a_note_alone_without_its_run_is_no_fault(client: httpx.Client, mine: DataFolder) -> None:
    """The run of such a note may be just beginning, so the note is reported and kept."""
    outbox = Outbox(mine)
    outbox.add(make_note(serving.make_run_with_answers().run, get_address(client)))
    lines: list[str] = []
    assert send((), None, mine, lines.append) == 0
    assert ["its run is not here" in line for line in lines] == [True]
    assert len(list(outbox)) == 1


def test_a_run_that_was_published_meanwhile_is_sent(
    server: serving.Server, client: httpx.Client, mine: DataFolder
) -> None:
    """A run begun as a development run stays a development run at the server."""
    run = serving.make_run_with_answers()
    Outbox(mine).add(make_note(run.run, get_address(client)))
    record_run(mine, run)
    assert send((), None, mine, print) == 0
    assert has(server, run)
    assert list(Outbox(mine)) == []


def test_each_server_has_a_note_of_its_own(
    server: serving.Server, client: httpx.Client, mine: DataFolder
) -> None:
    """Sent to another server by hand, a run still waits for its own server."""
    run, other = serving.make_run_with_answers(), serving.make_run_with_answers("b" * 32)
    for unsent in (run, other):
        record_run(mine.local, unsent)
    outbox = Outbox(mine)
    outbox.add(make_note(run.run, NOWHERE))
    assert send([run.run.run_id[:8]], get_address(client), mine, print) == 0
    assert has(server, run)
    assert list(outbox) == [make_note(run.run, NOWHERE)]
    assert send([run.run.run_id], None, mine, print) == 3
    assert send([other.run.run_id], NOWHERE, mine, print) == 3
    assert list(outbox) == [make_note(run.run, NOWHERE), make_note(other.run, NOWHERE)]
    assert send((), get_address(client), mine, print) == 0
    assert has(server, other)
    assert list(outbox) == [make_note(run.run, NOWHERE), make_note(other.run, NOWHERE)]


def test_the_words_of_a_server_on_its_fault_are_reported(
    server: serving.Server, client: httpx.Client, mine: DataFolder
) -> None:
    """The reason is printed, and the note stays for a later try, as for a server that is away."""
    run = serving.make_run_with_answers()
    record_run(mine.local, run)
    damaged = server.data.local.get_run_file(*run.run.key)
    damaged.parent.mkdir(parents=True)
    damaged.write_text("{")
    lines: list[str] = []
    assert send([run.run.run_id], get_address(client), mine, lines.append) == 3
    assert "it answers 500: a file of this server cannot be read" in lines[0]
    assert list(Outbox(mine)) == [make_note(run.run, get_address(client))]


def test_a_run_that_is_named_must_be_there(client: httpx.Client, mine: DataFolder) -> None:
    """The beginning of an id that fits no run is an error, and no run is sent."""
    with pytest.raises(MissingRecordError, match="no run whose id begins with 'zzzz'"):
        send(["zzzz"], get_address(client), mine, print)


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Generator[list[str]]:
    """Serve a proxy that the environment names; yield the paths of its requests."""
    paths: list[str] = []

    class Proxy(SilentHandler):
        def do_POST(self) -> None:  # noqa: N802 - as the base class calls it
            paths.append(self.path)
            self.send_error(502)

    with serve_handler(Proxy) as address:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, address)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        yield paths


def test_no_proxy_is_sent_the_key_unencrypted(proxy: list[str]) -> None:
    """A server on this machine is asked without the proxy that the environment names."""
    with ScoresClient(NOWHERE, "osk_" + "0" * 40) as client, pytest.raises(AwayError):
        client.start(serving.make_run_with_answers().run, "development", None)
    assert proxy == []
