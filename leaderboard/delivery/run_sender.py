"""The sending of those results of a run that a server does not have."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from leaderboard.api.attempt_shapes import compute_attempt_digest
from leaderboard.delivery.client import OtherVerdictsError, ScoresClient
from leaderboard.delivery.outbox import Outbox, OutboxNote
from records.archives.archive import Archive, AttemptArtifact
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.journal import journal
from records.journal.entries import AttemptKey
from records.journal.replay import open_replay
from records.reader import find_benchmark, read_run
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run

Digests = dict[AttemptKey, str]
"""The digests of the attempts' records on the server, by eval and sample."""

SentPair = tuple[Attempt, Callable[[], AttemptArtifact | None]]
"""An attempt with the function that reads its artifact, which is called only if it is sent."""


class RunSender:
    """The sender of a run, which sends only attempts that are new or changed for the server."""

    def __init__(
        self,
        client: ScoresClient,
        outbox: Outbox,
        note: OutboxNote,
        plan: Run,
        folder: DataFolder,
    ) -> None:
        """Store the run of ``note``, which is in ``folder``, and its ``plan``."""
        self._client = client
        self._outbox = outbox
        self.note = note
        self._plan = plan
        self._folder = folder
        self._known: Digests | None = None

    def begin(self) -> Digests:
        """Announce the run to the server; return the digests of the attempts on the server.

        Raises:
            RefusedError: the server refuses the run.
            AwayError: the server does not answer.
        """
        self._known = None
        benchmark = find_benchmark(self._outbox.folders[0], self._plan.benchmark_version)
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
                self._send_recorded()
                return
            self._send(
                (attempt, partial(state.read_attempt_artifact, attempt.eval, attempt.sample))
                for attempt in state.list_attempts()
            )

    def send_end(self) -> bool:
        """Send all attempts; if the run has ended, also report its end, and return true.

        Raises:
            RefusedError: the server refuses an attempt or the end of the run.
            AwayError: the server does not answer.
            RecordsError: the journal or the record cannot be read.
        """
        run = self._read_ended_run()
        if run is None:
            self.send_new()
            return False
        self._send(_read_recorded_attempts(self._folder, run))
        self._client.finish(run)
        self._outbox.remove(self.note)
        return True

    def drop(self, error: OtherVerdictsError) -> str:
        """Remove the note, because the server will always refuse the run; return a line about it.

        The run itself stays in its folder.
        """
        self._outbox.remove(self.note)
        return (
            f"run {self.note.run_id[:8]}: {self.note.address} has other verdicts of it "
            f"({error.message}), as if two machines went on with the run. The run stays here, and "
            "is not sent any more"
        )

    def _send_recorded(self) -> None:
        """Send the attempts of the record, if there is a record."""
        with suppress(MissingRecordError):
            run = read_run(self._folder.get_run_file(self._plan.model.slug, self._plan.run_id))
            self._send(_read_recorded_attempts(self._folder, run))

    @property
    def _journal(self) -> Path:
        return self._folder.get_journal_file(self._plan.model.slug, self._plan.run_id)

    def _read_ended_run(self) -> Run | None:
        """Return the record of the run; None while a process executes it, or if it has no end."""
        if self._journal.exists() and journal.is_in_use(self._journal):
            return None
        with suppress(MissingRecordError):
            run = read_run(self._folder.get_run_file(self._plan.model.slug, self._plan.run_id))
            return None if run.status == "running" else run
        return None

    def _send(self, attempts: Iterable[SentPair]) -> None:
        digests = self.begin() if self._known is None else self._known
        try:
            for attempt, read_artifact in attempts:
                attempt_key = AttemptKey(attempt.eval, attempt.sample)
                digest = compute_attempt_digest(attempt)
                is_news = attempt_key in digests or _is_worth_sending(attempt)
                if is_news and digests.get(attempt_key) != digest:
                    self._client.put(self._plan, attempt, read_artifact())
                    digests[attempt_key] = digest
        except BaseException:
            self._known = None
            raise


def _read_recorded_attempts(folder: DataFolder, run: Run) -> Iterator[SentPair]:
    if all(attempt.artifact is None for attempt in run.attempts):
        yield from ((attempt, _read_nothing) for attempt in run.attempts)
        return
    with Archive(folder.get_artifact_file(run.model.slug, run.run_id)) as archive:
        for attempt in run.attempts:
            read = partial(archive.read, attempt.eval, attempt.sample)
            yield attempt, read if attempt.artifact else _read_nothing


def _read_nothing() -> None:
    """Return the artifact of an attempt that has none."""


def _is_worth_sending(attempt: Attempt) -> bool:
    """Return whether an attempt has results or costs; the server has all others by the plan."""
    was_asked = attempt.generation is not None or attempt.failed_tries_usd is not None
    return attempt.outcome is not Outcome.NOT_RUN or was_asked
