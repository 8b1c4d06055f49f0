"""Recorded runs that wait to be sent, and the address to which they are sent."""

import httpx

from leaderboard.delivery.outbox import OutboxNote
from records.archives.archive import write_archive
from records.files.data_folder import DataFolder
from records.shapes.run import Run
from records.writer import write_run
from tests.leaderboard.api.serving import MadeRun


def get_address(client: httpx.Client) -> str:
    """Return the address of a client's server."""
    return str(client.base_url).rstrip("/")


def record_run(folder: DataFolder, made: MadeRun) -> None:
    """Write the record and the archive of a run that has ended."""
    slug, run_id = made.run.key
    write_archive(folder.get_artifact_file(slug, run_id), made.artifacts.values())
    write_run(folder, made.run)


def make_note(run: Run, address: str) -> OutboxNote:
    """Return the note of a development run."""
    return OutboxNote(
        run_id=run.run_id, model=run.model.slug, channel="development", address=address
    )
