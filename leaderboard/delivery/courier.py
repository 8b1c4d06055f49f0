"""The sending of runs by a thread while they are made, and of the rest when they have ended."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import click

from leaderboard.api.run_shapes import compute_attempt_digest
from leaderboard.delivery.client import (
    AwayError,
    OtherVerdictsError,
    RefusedError,
    ScoresClient,
    parse_server_address,
    read_report_key,
)
from leaderboard.delivery.outbox import Outbox, OutboxNote, make_note
from leaderboard.terminal.streams import ExitCode
from records.archives.archive import Archive, AttemptArtifact
from records.errors import MissingRecordError, RecordsError
from records.files.data_folder import DataFolder
from records.files.plain_files import is_locked
from records.journal.journal import open_replay
from records.reader import find_benchmark, read_run
from records.runs.run_lookup import find_run
from records.shapes.attempt import Attempt, AttemptKey, Outcome
from records.shapes.run import Run
from records.text.visible import make_one_line
from runner.models.api_keys import load_keys
from runner.runs.plan import Destination, RunPlan

Digests = dict[AttemptKey, str]
"""The digests of the attempts' records on the server, by eval and sample."""

SentPair = tuple[Attempt, Callable[[], AttemptArtifact | None]]
"""An attempt with the function that reads its artifact, which is called only if it is sent."""


@dataclass(eq=False)
class RunSender:
    """The sender of a run, which sends only attempts that are new or changed for the server."""

    _client: ScoresClient
    _outbox: Outbox
    note: OutboxNote
    _plan: Run
    """The run of the note."""
    _folder: DataFolder
    """The folder of the run."""
    code: ExitCode = ExitCode.INFRASTRUCTURE
    """The exit code: 3 until the server has the run completely, 2 if the server refuses it."""
    _known: Digests | None = None

    def begin(self) -> Digests:
        """Announce the run to the server; return the digests of the attempts on the server.

        Raises:
            RefusedError: the server refuses the run.
            AwayError: the server does not answer.
        """
        self._known = None
        benchmark = find_benchmark(self._outbox.data, self._plan.benchmark_version)
        state = self._client.start(self._plan, self.note.channel, benchmark)
        digests = {
            AttemptKey(attempt.eval, attempt.sample): attempt.digest for attempt in state.attempts
        }
        self._known = digests
        return digests

    def add_note(self) -> None:
        """Add the note of the run to the outbox, so that `leaderboard send` finds it."""
        self._outbox.add(self.note)

    def send_new(self) -> None:
        """Send the attempts with an outcome so far, from the journal or else from the record.

        The journal is removed when the run ends, which may happen at any moment.

        Raises:
            RefusedError: the server refuses an attempt.
            AwayError: the server does not answer. The next call asks again which attempts it has.
            RecordsError: the journal or the record cannot be read.
        """
        with ExitStack() as stack:
            try:
                state = stack.enter_context(open_replay(self._journal))
            except MissingRecordError:
                with suppress(MissingRecordError):
                    run = read_run(self._record)
                    self._send(_read_recorded_attempts(self._folder, run))
                return
            self._send(
                (attempt, partial(state.read_attempt_artifact, attempt.place))
                for attempt in state.attempts.values()
            )

    def send_end(self) -> bool:
        """Send all attempts; if the run has ended, also report its end, and return true.

        Raises:
            RefusedError: the server refuses an attempt or the end of the run.
            AwayError: the server does not answer.
            RecordsError: the journal or the record cannot be read.
        """
        run = None
        # While a process executes the run, or if it has no end, its record is not whole.
        if not (self._journal.exists() and is_locked(self._journal)):
            with suppress(MissingRecordError):
                run = read_run(self._record)
        if run is None or run.status == "running":
            self.send_new()
            return False
        self._send(_read_recorded_attempts(self._folder, run))
        self._client.finish(run)
        self._outbox.remove(self.note)
        self.code = ExitCode.DONE
        return True

    @property
    def is_noted(self) -> bool:
        """True if the outbox has the note of the run."""
        return self.note in self._outbox

    def drop(self, error: OtherVerdictsError) -> str:
        """Remove the note, because the server will always refuse the run; return a line about it.

        The run itself stays in its folder.
        """
        self.code = ExitCode.BAD_USAGE
        self._outbox.remove(self.note)
        return (
            f"run {self.note.run_id[:8]}: {self.note.address} has other verdicts of it "
            f"({error.message}), as if two machines went on with the run. The run stays here, and "
            "is not sent any more"
        )

    @property
    def _journal(self) -> Path:
        return self._folder.get_journal_file(*self._plan.key)

    @property
    def _record(self) -> Path:
        return self._folder.get_run_file(*self._plan.key)

    def _send(self, attempts: Iterable[SentPair]) -> None:
        digests = self.begin() if self._known is None else self._known
        try:
            for attempt, read_artifact in attempts:
                attempt_key = attempt.place
                digest = compute_attempt_digest(attempt)
                # The server knows an attempt without results and costs from the plan.
                is_news = attempt_key in digests or attempt.outcome is not Outcome.NOT_RUN
                is_paid = attempt.generation is not None or attempt.failed_tries_usd is not None
                if (is_news or is_paid) and digests.get(attempt_key) != digest:
                    self._client.put(self._plan, attempt, read_artifact())
                    digests[attempt_key] = digest
        except BaseException:
            self._known = None
            raise


def _read_recorded_attempts(folder: DataFolder, run: Run) -> Iterator[SentPair]:
    has_files = any(attempt.artifact for attempt in run.attempts)
    with Archive(folder.get_artifact_file(*run.key)) if has_files else nullcontext() as archive:
        for attempt in run.attempts:
            read = archive.read if archive and attempt.artifact else None
            yield attempt, partial(read, *attempt.place) if read else lambda: None


_LOOK_EVERY_S = 2.0
_LONGEST_PAUSE_S = 30.0
PATIENCE_S = 30.0
"""The longest wait for an unreachable server after the runs have ended."""


class Courier:
    """The sender of runs while they are made.

    Unsent results are in the folders of the runs, and the outbox has a note for each run. No result
    is only in memory, so none is lost if the server does not answer or the runner is killed.
    """

    def __init__(self, senders: Sequence[RunSender], tell: Callable[[str], object]) -> None:
        """Prepare a thread for ``senders``, one for each run; ``tell`` gets the messages."""
        self._tell = tell
        self._tell_once = cache(tell)
        self._over = Event()
        self._thread = Thread(target=self._follow, name="courier", daemon=True)
        self._senders = senders
        self._followed = [*senders]
        """The senders without a fault so far; a sender with one tries again at the end."""
        self._was_away = False

    @contextmanager
    def send_during_runs(self) -> Generator[None]:
        """Announce the runs, note them in the outbox, and send them during the block.

        Raises:
            RefusedError: the server refuses one of the runs, before any model is asked and paid.
        """
        if not self._senders:
            yield
            return
        try:
            for sender in self._senders:
                sender.begin()
        except AwayError as error:
            self._say_away(error)
        for sender in self._senders:
            sender.add_note()
        self._thread.start()
        try:
            yield
        except BaseException:
            # A user who stops the program at once need not wait for a server.
            self._over.set()
            self._thread.join(_LOOK_EVERY_S)
            raise
        self._over.set()
        try:
            self._thread.join()
            self._send_rest()
        except KeyboardInterrupt:
            self._tell("sending was stopped; results are kept here")

    @property
    def exit_code(self) -> int:
        """The exit code: 2 if the server refused a run, 3 if it lacks a part of a run, else 0."""
        codes = {sender.code for sender in self._senders}
        if ExitCode.BAD_USAGE in codes:
            return ExitCode.BAD_USAGE
        return ExitCode.INFRASTRUCTURE if ExitCode.INFRASTRUCTURE in codes else ExitCode.DONE

    @property
    def is_something_left(self) -> bool:
        """True if the outbox still has the note of a run of this courier."""
        return any(sender.is_noted for sender in self._senders)

    def _follow(self) -> None:
        """Send new attempts until the runs are over; print a message for each fault."""
        pause = _LOOK_EVERY_S
        while not self._over.wait(pause):
            try:
                for sender in [*self._followed]:
                    if not self._try(sender, sender.send_new):
                        self._followed.remove(sender)
            except AwayError as error:
                pause = min(pause * 2, _LONGEST_PAUSE_S)
                self._say_away(error)
            else:
                pause = _LOOK_EVERY_S
                if self._was_away and self._followed:
                    self._was_away = False
                    self._tell("the server of --report-to answers again, and has what it missed")

    def _send_rest(self) -> None:
        until = monotonic() + PATIENCE_S
        waiting = [each for each in self._senders if each.code is ExitCode.INFRASTRUCTURE]
        while waiting:
            try:
                while waiting:
                    self._try(waiting[0], waiting[0].send_end)
                    waiting.pop(0)
            except AwayError as error:
                self._say_away(error)
                if monotonic() > until:
                    return
                Event().wait(_LOOK_EVERY_S)

    def _try(self, sender: RunSender, send: Callable[[], object]) -> bool:
        """Call ``send``, which sends a part of a run; return whether this run has no fault.

        A fault that concerns only this run is reported.

        Raises:
            AwayError: the server does not answer, which concerns all runs.
        """
        try:
            send()
        except AwayError:
            raise
        except OtherVerdictsError as error:
            self._tell_once(sender.drop(error))
        except RefusedError as error:
            sender.code = ExitCode.BAD_USAGE
            self._tell_once(f"{error.message}; results are kept here")
        except Exception as error:  # noqa: BLE001 - the thread sends the other runs, too
            cause = make_one_line(f"{type(error).__name__}: {error}", 300)
            self._tell_once(f"run {sender.note.run_id[:8]} is kept here, and not sent now: {cause}")
        else:
            return True
        return False

    def _say_away(self, error: AwayError) -> None:
        if not self._was_away:
            self._was_away = True
            self._tell(
                f"the server of --report-to is away ({error}): results are kept here, "
                "and are sent once it answers"
            )


@contextmanager
def open_courier(
    address: str | None,
    plans: Sequence[RunPlan],
    destination: Destination,
    tell: Callable[[str], object],
    *,
    publish: bool,
) -> Generator[Courier]:
    """Open the connection of a courier for ``plans`` to ``address``; without one, it sends nothing.

    The runs are in the folder of ``destination``. The server records them in the channel production
    if they are published, or will be by ``publish``.

    Raises:
        UsageError: the address or its key is invalid.
    """
    if address is None:
        yield Courier((), tell)
        return
    server, key = parse_server_address(address), read_report_key()
    outbox = Outbox(destination.data)
    channel = "production" if publish or destination.publish else "development"
    with ScoresClient(server, key) as client:
        senders = [
            RunSender(
                client,
                outbox,
                make_note(plan.run, channel, server),
                plan.run,
                destination.folder,
            )
            for plan in plans
        ]
        yield Courier(senders, tell)


def send(
    beginnings: Sequence[str],
    address: str | None,
    data: DataFolder,
    tell: Callable[[str], object],
) -> int:
    """Send the runs whose ids have these beginnings; return the exit code.

    They are sent to the server at ``address``, else to all servers of their notes. Without
    beginnings, all runs of the outbox are sent. If a run cannot be sent, the others still are.

    Raises:
        UsageError: the address of the server is not given and not in the outbox, or no key is set.
        RecordsError: no run has such an id, or a run cannot be read.
    """
    load_keys()
    outbox, code = Outbox(data), ExitCode.DONE
    server = None if address is None else parse_server_address(address)
    notes: list[OutboxNote] = []
    for beginning in beginnings:
        stored = find_run(data, beginning)
        run = stored.read()
        own = [note for note in outbox if note.run_id == run.run_id]
        if server is not None:
            # The folder of a run decides its channel.
            channel = "development" if stored.is_local else "production"
            own = [note for note in own if note.address == server]
            own = own or [make_note(run, channel, server)]
        if not own:
            raise click.UsageError(f"run {run.run_id}: to which server? --to URL")
        notes += own
    if not beginnings:
        notes = [note.model_copy(update={"address": server or note.address}) for note in outbox]
        for problem in outbox.find_damaged_notes():
            tell(str(problem))
            code = ExitCode.BAD_USAGE
    if not notes and code == ExitCode.DONE:
        tell("nothing waits to be sent")
    key = read_report_key() if notes else ""
    for note in dict.fromkeys(notes):
        code = max(code, _send(note, outbox, key, tell))
    return code


def _send(note: OutboxNote, outbox: Outbox, key: str, tell: Callable[[str], object]) -> int:
    """Send all recorded results of a run; return the exit code."""
    try:
        stored = find_run(outbox.data, note.run_id)
    except MissingRecordError:
        tell(outbox.describe_missing_run(note))
        return ExitCode.DONE
    outbox.add(note)
    try:
        plan = stored.read()
        with ScoresClient(parse_server_address(note.address), key) as client:
            sender = RunSender(client, outbox, note, plan, stored.folder)
            try:
                ended = sender.send_end()
            except OtherVerdictsError as error:
                tell(sender.drop(error))
                return ExitCode.BAD_USAGE
    except AwayError as error:
        tell(f"{note.run_id}: {note.address} is away: {error}")
        return ExitCode.INFRASTRUCTURE
    except (RecordsError, OSError, click.ClickException) as error:
        tell(f"{note.run_id}: {error}")
        return ExitCode.BAD_USAGE
    tell(f"{note.run_id}: sent" if ended else f"{note.run_id}: sent as far as it is")
    return ExitCode.DONE
