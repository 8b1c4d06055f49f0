"""Runs that are sent to a server: while they are made, and later where it was away."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import click

from leaderboard.api.wire import Channel
from leaderboard.delivery.client import RefusedError, ScoresClient, report_key, server_address
from leaderboard.delivery.courier import Courier, send_all
from leaderboard.delivery.outbox import Outbox, OutboxNote
from leaderboard.delivery.sending import RunSender
from leaderboard.exits import DONE
from leaderboard.streams import say
from records import journal
from records.errors import MissingRecordError
from records.folder import DataFolder
from records.reader import read_run
from records.run import Run
from runner.models.api_keys import load_keys
from runner.runs.plan import RunPlan
from runner.runs.request import Destination


@contextmanager
def reporting(
    address: str | None,
    plans: Sequence[RunPlan],
    destination: Destination,
    tell: Callable[[str], object],
) -> Generator[Courier]:
    """Send the runs of ``plans`` to the server at ``address`` while they are made, if it is given.

    Raises:
        UsageError: the address or its key is none.
        RefusedError: the server does not take one of the runs; nothing was asked or paid yet.
    """
    if address is None:
        yield Courier((), tell)
        return
    known, key = server_address(address), report_key()
    outbox = Outbox(destination.data)
    channel: Channel = "production" if destination.publish else "development"
    notes = [
        OutboxNote(
            run_id=plan.run.run_id, model=plan.run.model.slug, channel=channel, address=known
        )
        for plan in plans
    ]
    with ScoresClient(known, key) as client:
        senders = [
            RunSender(client, outbox, note, plan.run)
            for note, plan in zip(notes, plans, strict=True)
        ]
        for note in notes:
            outbox.add(note)
        courier = Courier(senders, tell)
        try:
            courier.begin()
        except RefusedError:
            for note, plan in zip(notes, plans, strict=True):
                if not _exists(outbox.folder(note), plan.run):
                    outbox.remove(note)
            raise
        with courier:
            yield courier


def send(beginnings: Sequence[str], address: str | None, data: DataFolder) -> int:
    """Send runs to a server: those given, else all that the outbox notes; return the exit code.

    Raises:
        UsageError: no address is known, or there is no key.
        RecordsError: there is no such run, or it cannot be read.
    """
    load_keys()
    outbox = Outbox(data)
    noted = {note.run_id: note for note in outbox}
    if not beginnings and not noted:
        say("nothing waits to be sent")
        return DONE
    found = [_found(one, data) for one in beginnings] or [
        (note.channel, _plan(outbox.folder(note), note.run_id)) for note in noted.values()
    ]
    key, code = report_key(), DONE
    for channel, run in found:
        known = noted.get(run.run_id)
        where = address or (known.address if known else None)
        if where is None:
            raise click.UsageError(f"run {run.run_id}: to which server? --to URL")
        note = OutboxNote(
            run_id=run.run_id,
            model=run.model.slug,
            channel=channel,
            address=server_address(where),
        )
        outbox.add(note)
        with ScoresClient(note.address, key) as client:
            code = max(code, send_all([RunSender(client, outbox, note, run)], say))
    return code


def _found(beginning: str, data: DataFolder) -> tuple[Channel, Run]:
    channels: tuple[tuple[Channel, DataFolder], ...] = (
        ("development", data.local),
        ("production", data),
    )
    for channel, folder in channels:
        try:
            return channel, _plan(folder, beginning)
        except MissingRecordError:
            continue
    raise MissingRecordError(f"{data.root}: no run whose id begins with {beginning!r}")


def _plan(folder: DataFolder, beginning: str) -> Run:
    """Return the run whose id begins so, without its attempts where it is going on."""
    try:
        path = folder.find_run(beginning)
    except MissingRecordError:
        return journal.read(folder.find_journal(beginning)).header.run
    return read_run(path)


def _exists(folder: DataFolder, run: Run) -> bool:
    """Say whether a run was begun before."""
    slug, run_id = run.model.slug, run.run_id
    places = (folder.run_file(slug, run_id), folder.journal_file(slug, run_id))
    return any(path.exists() for path in places)
