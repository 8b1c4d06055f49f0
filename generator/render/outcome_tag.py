"""The HTML of the outcome of an attempt, a test or a step."""

from functools import lru_cache

from records.text.escaping import escaped, trusted


@lru_cache(maxsize=1 << 8)
def outcome_tag(outcome: str, label: str | None = None) -> str:
    """Return an outcome as HTML; ``label`` replaces its name."""
    words = outcome.replace("_", " ") if label is None else label
    return trusted(f'<span class="outcome {escaped(outcome)}">{escaped(words)}</span>')
