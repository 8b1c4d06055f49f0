"""The files of an answer for pages and downloads."""

from collections.abc import Mapping

from generator.read.summaries import RunSummary
from records.archives.archive import AttemptArtifact
from records.suites.canary import strip_canary


def get_answer_files(summary: RunSummary, artifact: AttemptArtifact) -> Mapping[str, str]:
    """Return an answer's files by path, those of a baseline without the canary.

    A baseline copies files of the suite, and its canary would look like a change. In a model's
    answer the canary is shown, because it proves that the model has seen the suite.
    """
    if not summary.baseline:
        return artifact.files
    return {name: strip_canary(text) for name, text in artifact.files.items()}
