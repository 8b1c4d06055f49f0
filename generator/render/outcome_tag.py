"""The outcome of an attempt, a test or a step as it stands in pages."""

from functools import lru_cache

from records.text.escaping import escaped, trusted


@lru_cache(maxsize=1 << 8)
def outcome_tag(outcome: str, label: str | None = None) -> str:
    """Return an outcome, HTML; a label takes the place of its name."""
    words = outcome.replace("_", " ") if label is None else label
    return trusted(f'<span class="outcome {escaped(outcome)}">{escaped(words)}</span>')
