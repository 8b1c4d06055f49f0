"""Checks of answers that were carried over, against the runs that asked for them."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from records.archives.archive import Archive, AttemptArtifact, compute_prompt_digest
from records.errors import MissingRecordError, RecordsError
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.runs.carrying import find_broken_promise
from records.shapes.attempt import Attempt
from records.shapes.run import Run


def find_carried_problems(
    folders: Sequence[DataFolder], run: Run, *, is_published: bool
) -> Iterator[tuple[str, str]]:
    """Yield field and reason of each contradiction between ``run`` and the runs that asked.

    Args:
        folders: the data folders in which the runs that asked are looked up.
        run: the run that carried answers over.
        is_published: whether a run that asked must be in ``folders``.
    """
    carried: dict[str, list[tuple[int, Attempt]]] = {}
    for number, attempt in enumerate(run.attempts):
        if attempt.carried_over is not None:
            carried.setdefault(attempt.carried_over.run, []).append((number, attempt))
    for run_id, attempts in carried.items():
        field = f"attempts.{attempts[0][0]}.carried_over"
        try:
            home, origin = _find_origin(folders, run.model.slug, run_id)
        except MissingRecordError:
            if is_published:
                yield f"{field}.run", f"{run_id} is no run of {run.model.slug} here"
            continue
        except RecordsError as error:
            yield f"{field}.run", f"{error}"
            continue
        yield from _compare_attempts(home, origin, run, attempts)


def _find_origin(folders: Sequence[DataFolder], slug: str, run_id: str) -> tuple[DataFolder, Run]:
    for folder in folders:
        path = folder.get_run_file(slug, run_id)
        if path.exists():
            return folder, read_run(path)
    raise MissingRecordError(f"{run_id}: there is no such run")


def _compare_attempts(
    home: DataFolder, origin: Run, run: Run, attempts: Sequence[tuple[int, Attempt]]
) -> Iterator[tuple[str, str]]:
    try:
        with Archive(home.get_artifact_file(origin.model.slug, origin.run_id)) as archive:
            for number, attempt in attempts:
                why = find_broken_promise(run, attempt, origin)
                if why is None:
                    why = _compare_archive(archive.read(attempt.eval, attempt.sample), attempt)
                if why is not None:
                    yield f"attempts.{number}.carried_over", why
    except RecordsError as error:
        yield f"attempts.{attempts[0][0]}.carried_over", f"{error}"


def _compare_archive(artifact: AttemptArtifact, attempt: Attempt) -> str | None:
    """Return how the archived attempt of the run that asked differs from ``attempt``; else None."""
    carried, generation = attempt.carried_over, attempt.generation
    if carried is None or compute_prompt_digest(artifact.messages) != carried.prompt:
        return "the run that asked has other messages in its archive"
    reply = None if artifact.reply is None else sha256(artifact.reply.encode()).hexdigest()
    if generation is None or reply != generation.reply_digest:
        return "the run that asked has another reply in its archive"
    return None
