"""The files of an answer, as pages and downloads show them."""

from collections.abc import Mapping

from generator.read.summaries import RunSummary
from records.archives.archive import AttemptArtifact
from records.suites.canary import stripped


def answer_files(summary: RunSummary, artifact: AttemptArtifact) -> Mapping[str, str]:
    """Return an answer's files; a baseline copies the suite's, whose canary would read as a change.

    In a model's answer the canary stays in sight: it shows that the model has seen the suite.
    """
    if not summary.baseline:
        return artifact.files
    return {name: stripped(text) for name, text in artifact.files.items()}
