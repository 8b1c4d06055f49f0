"""Single attempts of archives."""

from pathlib import Path

from records.archives.archive import Archive, AttemptArtifact


def read_attempt(path: Path, evaluation: str, sample: int) -> AttemptArtifact:
    """Return the files of one attempt; raises what `Archive` raises."""
    with Archive(path) as archive:
        return archive.read(evaluation, sample)
