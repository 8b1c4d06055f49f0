"""Details as Every Eval Ever takes them: every value is a text, and what is unknown is left out."""

import json
from collections.abc import Mapping


def detail_texts(values: Mapping[str, object]) -> dict[str, str]:
    """Return the known values as texts: texts as they are, all others as JSON."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in values.items()
        if value is not None
    }
