"""Comparison of an attempt's archive with its record."""

from hashlib import sha256

from records.archives.archive import (
    AttemptArtifact,
    compute_answer_digest,
    compute_artifact_digest,
    compute_prompt_digest,
)
from records.shapes.attempt import Attempt


def find_contradiction(attempt: Attempt, artifact: AttemptArtifact) -> str | None:
    """Return how the archive ``artifact`` contradicts the record of ``attempt``; else None.

    The text is the middle of a sentence: the archive before it, the record's file after it.
    """
    if compute_artifact_digest(artifact) != attempt.artifact:
        return "is not what"
    generation, key = attempt.generation, attempt.key
    if generation is not None and artifact.reply is not None:
        digest = sha256(artifact.reply.encode()).hexdigest()
        if digest != generation.reply_digest:
            return "holds another reply than generation.reply_digest of"
    if key is not None and compute_answer_digest(artifact.files) != key.answer:
        return "holds other files than the key.answer that"
    origin = attempt.carried_over
    if origin is not None and compute_prompt_digest(artifact.messages) != origin.prompt:
        return "holds other messages than the carried_over.prompt that"
    return None
