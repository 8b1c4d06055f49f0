"""The sending of runs to a server: while they are made, or later if the server did not answer."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import click

from leaderboard.api.run_shapes import Channel
from leaderboard.delivery.client import (
    AwayError,
    OtherVerdictsError,
    ScoresClient,
    parse_server_address,
    read_report_key,
)
from leaderboard.delivery.courier import Courier, RunSender
from leaderboard.delivery.outbox import Outbox, OutboxNote
from leaderboard.terminal.streams import BAD_USAGE, DONE, INFRASTRUCTURE, say
from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.runs.run_lookup import find_run
from runner.models.api_keys import load_keys
from runner.runs.plan import Destination, RunPlan


def choose_channel(destination: Destination, *, publish: bool) -> Channel:
    """Return the channel of runs: production if they are or will be published."""
    return "production" if publish or destination.publish else "development"


@contextmanager
def open_courier(
    address: str | None,
    plans: Sequence[RunPlan],
    destination: Destination,
    channel: Channel,
    tell: Callable[[str], object],
) -> Generator[Courier]:
    """Open the connection of a courier for ``plans`` to ``address``; without one, it sends nothing.

    The server records the runs in ``channel``; here they are in the folder of ``destination``.

    Raises:
        UsageError: the address or its key is invalid.
    """
    if address is None:
        yield Courier((), tell)
        return
    server, key = parse_server_address(address), read_report_key()
    outbox = Outbox(destination.data)
    notes = [
        OutboxNote(
            run_id=plan.run.run_id, model=plan.run.model.slug, channel=channel, address=server
        )
        for plan in plans
    ]
    with ScoresClient(server, key) as client:
        senders = [
            RunSender(client, outbox, note, plan.run, destination.folder)
            for note, plan in zip(notes, plans, strict=True)
        ]
        yield Courier(senders, tell)


def send(
    beginnings: Sequence[str],
    address: str | None,
    data: DataFolder,
    tell: Callable[[str], object] = say,
) -> int:
    """Send the runs whose ids have these beginnings; return the exit code.

    Without beginnings, all runs of the outbox are sent. If a run cannot be sent, the others still
    are.

    Raises:
        UsageError: the address of the server is not given and not in the outbox, or no key is set.
        RecordsError: no run has such an id, or a run cannot be read.
    """
    load_keys()
    outbox, code = Outbox(data), DONE
    server = None if address is None else parse_server_address(address)
    if beginnings:
        notes = [
            note for beginning in beginnings for note in _list_notes(beginning, server, outbox)
        ]
    else:
        notes = [note.model_copy(update={"address": server or note.address}) for note in outbox]
        for problem in outbox.find_damaged_notes():
            tell(str(problem))
            code = BAD_USAGE
    if not notes and code == DONE:
        tell("nothing waits to be sent")
    key = read_report_key() if notes else ""
    for note in dict.fromkeys(notes):
        code = max(code, _send(note, outbox, key, tell))
    return code


def _list_notes(beginning: str, address: str | None, outbox: Outbox) -> list[OutboxNote]:
    """Return the notes of a run: for the server at ``address``, else for all its servers."""
    stored = find_run(outbox.folders[0], beginning)
    run = stored.read()
    own = [note for note in outbox if note.run_id == run.run_id]
    if address is not None:
        # The folder of a run decides its channel.
        channel = "development" if stored.is_local else "production"
        new = OutboxNote(run_id=run.run_id, model=run.model.slug, channel=channel, address=address)
        own = [note for note in own if note.address == address] or [new]
    if not own:
        raise click.UsageError(f"run {run.run_id}: to which server? --to URL")
    return own


def _send(note: OutboxNote, outbox: Outbox, key: str, tell: Callable[[str], object]) -> int:
    """Send all recorded results of a run; return the exit code."""
    folder = outbox.find_home(note)
    if folder is None:
        tell(outbox.describe_missing_run(note))
        return DONE
    outbox.add(note)
    try:
        plan = find_run(outbox.folders[0], note.run_id).read()
        with ScoresClient(parse_server_address(note.address), key) as client:
            sender = RunSender(client, outbox, note, plan, folder)
            try:
                ended = sender.send_end()
            except OtherVerdictsError as error:
                tell(sender.drop(error))
                return BAD_USAGE
    except AwayError as error:
        tell(f"{note.run_id}: {note.address} is away: {error}")
        return INFRASTRUCTURE
    except (RecordsError, OSError, click.ClickException) as error:
        tell(f"{note.run_id}: {error}")
        return BAD_USAGE
    tell(f"{note.run_id}: sent" if ended else f"{note.run_id}: sent as far as it is")
    return DONE
