"""Details as Every Eval Ever takes them: every value is a text, and what is unknown is left out."""

import json
from collections.abc import Mapping


def format_details(values: Mapping[str, object]) -> dict[str, str]:
    """Return the known values as texts: texts as they are, all others as JSON."""
    return {name: _format_value(value) for name, value in values.items() if value is not None}


def _format_value(value: object) -> str:
    if isinstance(value, str):
        return value
    kind = type(value)
    # JSON writes these so, too; half a million attempts have many.
    return repr(value) if kind is int or kind is float else json.dumps(value, ensure_ascii=False)
