"""The HTML of the outcome of an attempt, a test or a step."""

from functools import lru_cache

from records.text.escaping import escape_html, mark_safe


@lru_cache(maxsize=1 << 8)
def render_outcome_tag(outcome: str, label: str | None = None) -> str:
    """Return an outcome as HTML; ``label`` replaces its name."""
    words = outcome.replace("_", " ") if label is None else label
    return mark_safe(f'<span class="outcome {escape_html(outcome)}">{escape_html(words)}</span>')
