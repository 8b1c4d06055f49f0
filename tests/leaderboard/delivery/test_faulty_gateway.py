"""Delivery through failing gateways: runs arrive whole, and no fault ends the courier's thread."""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Literal

import httpx
import pytest

from leaderboard.delivery import client as delivery
from leaderboard.delivery import courier as couriers
from leaderboard.delivery.courier import Courier, RunSender, send
from leaderboard.delivery.outbox import Outbox
from records.archives.archive import AttemptArtifact
from records.files.data_folder import DataFolder
from records.journal.entries import make_opening_entry
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run
from runner.runs.record import finish, reopen
from tests.leaderboard.api.serving import (
    MadeRun,
    Server,
    make_run_with_answers,
    put,
    serve_api,
)
from tests.leaderboard.delivery.sending import EVALS, get_address, make_note, record_run
from tests.records.examples import with_attempts
from tests.support.request_handlers import SilentHandler, serve_handler

pytestmark = pytest.mark.integration
Fault = Literal["502", "lost acknowledgement", "page 404", "page 302", "page 200", "false gzip"]
Faults = Callable[[int], Fault | None]
"""Failures of a gateway by the number of a request, from 0; None passes the request on."""


@dataclass
class Gateway:
    """A gateway that is running."""

    address: str
    requests: list[str] = field(default_factory=list[str])
    """Method and path of each request, also of failed requests."""


def fail_every_other(fault: Fault) -> Faults:
    """Fail at each second request, beginning with the second."""
    return lambda number: fault if number % 2 else None


@contextmanager
def serve_gateway(server: str, faults: Faults) -> Generator[Gateway]:
    """Pass requests on to ``server``, except for faults; yield the gateway."""
    numbers = count()
    passing = httpx.Client(base_url=server, timeout=60)

    class Handler(SilentHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            served.requests.append(f"{self.command} {self.path}")
            fault = faults(next(numbers))
            if fault is None or fault == "lost acknowledgement":
                headers = {
                    name: self.headers[name]
                    for name in ("Authorization", "Content-Type")
                    if self.headers[name]
                }
                answer = passing.request(self.command, self.path, content=body, headers=headers)
                if fault is None:
                    self.send_content(answer.content, answer.status_code)
                else:
                    self.close_connection = True
            elif fault == "false gzip":
                self.send_content(b"{}", Content_Encoding="gzip")
            else:
                more = {"Location": "/maintenance"} if fault == "page 302" else {}
                self.send_content(b"<html>Back soon</html>", int(fault[-3:]), "text/html", **more)

        do_POST = do_PUT = _pass  # noqa: N815 - as the base class calls them

    with passing, serve_handler(Handler) as address:
        served = Gateway(address)
        yield served


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten pauses; the tests do not depend on their length."""
    monkeypatch.setattr(delivery, "_PAUSES_S", (0.01, 0.02))
    monkeypatch.setattr(couriers, "_LOOK_EVERY_S", 0.05)


@pytest.fixture
def made(mine: DataFolder) -> MadeRun:
    """Return a run that is recorded here."""
    run = make_run_with_answers(evals=EVALS)
    record_run(mine.local, run)
    return run


def read_record_bytes(folder: DataFolder, run: Run) -> bytes:
    """Return the record of a run from the disk."""
    return folder.local.get_run_file(*run.key).read_bytes()


def make_sender(
    data: DataFolder, run: Run, through: Gateway, connection: delivery.ScoresClient
) -> tuple[RunSender, Outbox]:
    """Return the sender of a run, and the outbox with its note."""
    outbox, note = Outbox(data), make_note(run, through.address)
    outbox.add(note)
    return RunSender(connection, outbox, note, run, data.local), outbox


@pytest.mark.parametrize("fault", ["502", "lost acknowledgement", "page 404", "false gzip"])
def test_every_other_answer_fails_and_everything_is_delivered(
    server: Server, client: httpx.Client, mine: DataFolder, made: MadeRun, fault: Fault
) -> None:
    """`leaderboard send` ends with 0; record and archive are those of the runner."""
    lines: list[str] = []
    with serve_gateway(get_address(client), fail_every_other(fault)) as through:
        assert send([made.run.run_id], through.address, mine, lines.append) == 0, lines
    assert read_record_bytes(server.data, made.run) == read_record_bytes(mine, made.run)
    assert list(Outbox(mine)) == []
    assert len(through.requests) <= 2 * (EVALS + 2), "no request was begun anew"


@pytest.mark.parametrize("fault", ["page 404", "page 302", "page 200", "false gzip", "502"])
def test_a_page_of_a_proxy_is_no_refusal(
    server: Server, client: httpx.Client, mine: DataFolder, made: MadeRun, fault: Fault
) -> None:
    """A server that is being redeployed is away: the courier waits, and delivers everything."""
    lines: list[str] = []
    with (
        serve_gateway(get_address(client), lambda number: fault if number < 8 else None) as through,
        delivery.ScoresClient(through.address, server.development) as connection,
    ):
        sender, outbox = make_sender(mine, made.run, through, connection)
        courier = Courier([sender], lines.append)
        with courier.send_during_runs():
            pass
    assert (courier.exit_code, courier.is_something_left) == (0, False)
    assert list(outbox) == []
    assert read_record_bytes(server.data, made.run) == read_record_bytes(mine, made.run)
    assert "is away" in lines[0]
    status = "DecodingError" if fault == "false gzip" else f"it answers {fault[-3:]}"
    assert status in lines[0]
    assert ("a redirect to /maintenance" in lines[0]) == (fault == "page 302")


def test_a_page_in_place_of_the_server_is_reported_and_everything_is_kept(
    client: httpx.Client, mine: DataFolder, made: MadeRun
) -> None:
    """The exit code is 3, and the message asks for the address, which may be wrong."""
    lines: list[str] = []
    with serve_gateway(get_address(client), lambda _: "page 404") as through:
        assert send([made.run.run_id], through.address, mine, lines.append) == 3
    (line,) = lines
    assert "it answers 404, and not as a server of scores does; is its address right?" in line
    assert list(Outbox(mine)) == [make_note(made.run, through.address)]
    assert len(through.requests) == 3, "the request is made three times"


def journal_run(data: DataFolder, made: MadeRun) -> Path:
    """Put a run into a journal, with all its verdicts; return its path."""
    record_run(data.local, made)
    journal = reopen(data.local, made.run, make_opening_entry(made.run))
    data.local.get_run_file(*made.run.key).unlink()
    data.local.get_artifact_file(*made.run.key).unlink()
    return journal


class _EndingClient(delivery.ScoresClient):
    """A client during whose first attempt the run ends: its journal becomes a record."""

    def end_with(self, data: DataFolder, journal: Path) -> None:
        self._ends = iter([lambda: finish(data.local, journal)])

    def put(self, run: Run, attempt: Attempt, artifact: AttemptArtifact | None) -> None:
        super().put(run, attempt, artifact)
        for end in self._ends:
            end()


def test_the_end_of_a_run_takes_its_journal_away_while_it_is_sent(
    server: Server, client: httpx.Client, mine: DataFolder
) -> None:
    """All attempts arrive whole; later calls read the record in place of the journal."""
    made = make_run_with_answers(evals=EVALS)
    journal = journal_run(mine, made)
    with (
        serve_gateway(get_address(client), lambda _: None) as through,
        _EndingClient(through.address, server.development) as connection,
    ):
        connection.end_with(mine, journal)
        sender, _ = make_sender(mine, made.run, through, connection)
        sender.send_new()
        assert not journal.exists()
        assert sum(line.startswith("PUT /api/runs") for line in through.requests) == EVALS
        sender.send_new()
        assert sender.send_end()
    assert sum(line.startswith("PUT /api/runs") for line in through.requests) == EVALS
    assert read_record_bytes(server.data, made.run) == read_record_bytes(mine, made.run)


def test_news_of_a_run_without_a_journal_are_in_its_record(
    server: Server, client: httpx.Client, mine: DataFolder, made: MadeRun
) -> None:
    """A run that has ended is sent on while other runs of the command are still active."""
    with (
        serve_gateway(get_address(client), lambda _: None) as through,
        delivery.ScoresClient(through.address, server.development) as connection,
    ):
        sender, outbox = make_sender(mine, made.run, through, connection)
        sender.send_new()
        assert len(list(server.data.inbox.glob("*/[0-9]*.json"))) == EVALS
        assert len(list(outbox)) == 1, "the end is not told before the runner says so"


@pytest.fixture
def uncaught() -> Iterator[list[str]]:
    """Return the exceptions that end threads."""
    seen: list[str] = []
    before = threading.excepthook
    threading.excepthook = lambda arguments: seen.append(repr(arguments.exc_value))
    yield seen
    threading.excepthook = before


def test_no_surprise_ends_the_courier(
    server: Server, client: httpx.Client, mine: DataFolder, uncaught: list[str]
) -> None:
    """A damaged journal is reported in a line; the other run is sent live, and to its end."""
    damaged, good = make_run_with_answers(evals=EVALS), make_run_with_answers("b" * 32, evals=EVALS)
    broken, journal = journal_run(mine, damaged), journal_run(mine, good)
    broken.write_bytes(b"{}\n")
    lines: list[str] = []
    arrived = threading.Event()

    class Telling(delivery.ScoresClient):
        def put(self, run: Run, attempt: Attempt, artifact: AttemptArtifact | None) -> None:
            super().put(run, attempt, artifact)
            arrived.set()

    with (
        serve_gateway(get_address(client), lambda _: None) as through,
        Telling(through.address, server.development) as connection,
    ):
        senders = [make_sender(mine, made.run, through, connection)[0] for made in (damaged, good)]
        courier = Courier(senders, lines.append)
        with courier.send_during_runs():
            assert arrived.wait(60), "the second run is sent while it goes"
            finish(mine.local, journal)
    assert uncaught == []
    assert (courier.exit_code, courier.is_something_left) == (3, True)
    assert [line for line in lines if "InvalidRecordError" in line] == lines[:1]
    assert lines[0].startswith(f"run {damaged.run.run_id[:8]} is kept here, and not sent now: ")
    assert read_record_bytes(server.data, good.run) == read_record_bytes(mine, good.run)
    assert [note.run_id for note in Outbox(mine)] == [damaged.run.run_id]


def fail_first_attempt(made: MadeRun) -> MadeRun:
    """Return the run as another machine made it: the first attempt has another verdict."""
    first, *remaining = made.run.attempts
    other = first.model_copy(update={"outcome": Outcome.FAILED, "reason": "it did not deploy"})
    step = first.steps[0].name if first.steps else None
    attempts = (other.model_copy(update={"failed_step": step}), *remaining)
    return MadeRun(with_attempts(made.run, attempts), made.artifacts)


@pytest.fixture
def contested(client: httpx.Client, mine: DataFolder) -> tuple[MadeRun, MadeRun]:
    """Return two runs that are recorded here; the server has another verdict of the first."""
    lost, good = make_run_with_answers(evals=EVALS), make_run_with_answers("b" * 32, evals=EVALS)
    assert client.post("/api/runs", json=lost.build_start()).status_code == 201
    theirs = fail_first_attempt(lost)
    assert put(client, theirs, theirs.run.attempts[0]).status_code == 201
    for made in (lost, good):
        record_run(mine.local, made)
    return lost, good


def test_a_run_with_other_verdicts_there_is_settled(
    server: Server, client: httpx.Client, mine: DataFolder, contested: tuple[MadeRun, MadeRun]
) -> None:
    """The message has the reason, the note goes, and the other run is sent; no run waits later."""
    lost, good = contested
    lines: list[str] = []
    for made in contested:
        Outbox(mine).add(make_note(made.run, get_address(client)))
    before = read_record_bytes(mine, lost.run)
    assert send((), None, mine, lines.append) == 2
    first = lost.run.attempts[0]
    assert lines[0] == (
        f"run {lost.run.run_id[:8]}: {get_address(client)} has other verdicts of it "
        f"({first.eval}/{first.sample}: the attempt has another verdict here), as if two "
        "machines went on with the run. The run stays here, and is not sent any more"
    )
    assert read_record_bytes(mine, lost.run) == before
    assert read_record_bytes(server.data, good.run) == read_record_bytes(mine, good.run)
    assert send((), None, mine, lines.append) == 0
    assert lines[-1] == "nothing waits to be sent"


def test_a_refused_run_costs_no_other_run_of_the_command(
    server: Server, client: httpx.Client, mine: DataFolder, contested: tuple[MadeRun, MadeRun]
) -> None:
    """The courier settles the run with other verdicts, and sends the rest to its end."""
    lost, good = contested
    lines: list[str] = []
    with (
        serve_gateway(get_address(client), lambda _: None) as through,
        delivery.ScoresClient(through.address, server.development) as connection,
    ):
        senders = [make_sender(mine, made.run, through, connection)[0] for made in (lost, good)]
        courier = Courier(senders, lines.append)
        with courier.send_during_runs():
            pass
    assert (courier.exit_code, courier.is_something_left) == (2, False)
    assert ["has other verdicts of it" in line for line in lines] == [True]
    assert read_record_bytes(server.data, good.run) == read_record_bytes(mine, good.run)
    assert list(Outbox(mine)) == []


def test_an_answer_of_another_version_is_a_refusal(server: Server, client: httpx.Client) -> None:
    """Valid JSON of another shape comes from a program that gives the same answer for ever."""
    with (
        serve_api(server),
        delivery.ScoresClient(
            f"{get_address(client)}/api/openapi.json?", server.development
        ) as connection,
        pytest.raises(delivery.RefusedError),
    ):
        connection.start(make_run_with_answers(evals=EVALS).run, "development", None)
