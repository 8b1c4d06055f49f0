"""Runs that are sent to a server: while they are made, and later where it was away."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import click

from leaderboard.api.wire import Channel
from leaderboard.delivery.client import (
    AwayError,
    OtherVerdictsError,
    ScoresClient,
    report_key,
    server_address,
)
from leaderboard.delivery.courier import Courier
from leaderboard.delivery.outbox import Outbox, OutboxNote
from leaderboard.delivery.sending import RunSender
from leaderboard.exits import BAD_USAGE, DONE, INFRASTRUCTURE
from leaderboard.streams import say
from records.errors import RecordsError
from records.folder import DataFolder
from records.run import Run
from records.run_lookup import find_run
from runner.models.api_keys import load_keys
from runner.runs.plan import RunPlan
from runner.runs.request import Destination


def channel_of(destination: Destination, *, publish: bool) -> Channel:
    """Return the channel of runs: by where they are recorded, or are to be in the end."""
    return "production" if publish or destination.publish else "development"


@contextmanager
def reporting(
    address: str | None,
    plans: Sequence[RunPlan],
    destination: Destination,
    channel: Channel,
    tell: Callable[[str], object],
) -> Generator[Courier]:
    """Send the runs of ``plans`` to the server at ``address`` while they are made, if it is given.

    They are of ``channel`` there, and lie in the folder of ``destination`` here.

    Raises:
        UsageError: the address or its key is none.
        RefusedError: the server does not take one of the runs; nothing was asked or paid yet.
    """
    if address is None:
        yield Courier((), tell)
        return
    known, key = server_address(address), report_key()
    outbox = Outbox(destination.data)
    notes = [
        OutboxNote(
            run_id=plan.run.run_id, model=plan.run.model.slug, channel=channel, address=known
        )
        for plan in plans
    ]
    with ScoresClient(known, key) as client:
        courier = Courier(
            [
                RunSender(client, outbox, note, plan.run, destination.folder)
                for note, plan in zip(notes, plans, strict=True)
            ],
            tell,
        )
        courier.begin()
        for note in notes:
            outbox.add(note)
        with courier:
            yield courier


def send(
    beginnings: Sequence[str],
    address: str | None,
    data: DataFolder,
    tell: Callable[[str], object] = say,
) -> int:
    """Send runs to a server: those given, else all that the outbox notes; return the exit code.

    Of those that the outbox notes, one that cannot be sent holds up no other.

    Raises:
        UsageError: no address is known, or there is no key.
        RecordsError: there is no run that begins as one of those given, or it cannot be read.
    """
    load_keys()
    outbox, code = Outbox(data), DONE
    where = None if address is None else server_address(address)
    if beginnings:
        notes = [note for one in beginnings for note in _notes(one, where, outbox)]
    else:
        notes = [note.model_copy(update={"address": where or note.address}) for note in outbox]
        for problem in outbox.damaged():
            tell(str(problem))
            code = BAD_USAGE
    if not notes and code == DONE:
        tell("nothing waits to be sent")
    key = report_key() if notes else ""
    for note in dict.fromkeys(notes):
        code = max(code, _send(note, outbox, key, tell))
    return code


def _notes(beginning: str, address: str | None, outbox: Outbox) -> list[OutboxNote]:
    """Return what is to be sent of a run that was named: to the server given, else to its own."""
    channel, run = _found(beginning, outbox)
    own = [note for note in outbox if note.run_id == run.run_id]
    if address is not None:
        new = OutboxNote(run_id=run.run_id, model=run.model.slug, channel=channel, address=address)
        own = [note for note in own if note.address == address] or [new]
    if not own:
        raise click.UsageError(f"run {run.run_id}: to which server? --to URL")
    return own


def _send(note: OutboxNote, outbox: Outbox, key: str, tell: Callable[[str], object]) -> int:
    """Send a run, or what there is of one that has not ended; return the exit code."""
    folder = outbox.home(note)
    if folder is None:
        tell(outbox.without_run(note))
        return DONE
    outbox.add(note)
    try:
        plan = find_run(outbox.folders[0], note.run_id).read()
        with ScoresClient(server_address(note.address), key) as client:
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


def _found(beginning: str, outbox: Outbox) -> tuple[Channel, Run]:
    """Return the run whose id begins so, and the channel that it was made for by where it lies."""
    stored = find_run(outbox.folders[0], beginning)
    return "development" if stored.is_local else "production", stored.read()
