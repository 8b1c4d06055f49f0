"""Texts with a secret each, ordinary texts, and secrets that no rule finds.

They are in `redacted_texts.json`; all secrets are invented.
"""

import json
from pathlib import Path

_TEXTS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
SECRETS: list[tuple[str, str]] = _TEXTS["secrets"]
"""Texts, with the part that must not stay."""
DISGUISED: list[tuple[str, str]] = _TEXTS["disguised"]
"""Texts with a secret that has escapes or invisible characters inside, or goes on on a line."""
ORDINARY: list[str] = _TEXTS["ordinary"]
"""Texts that stay as they are."""
NOT_CAUGHT: list[tuple[str, str, str]] = _TEXTS["not_caught"]
"""Known shapes that stay, each with an example and the part that stays.

The list is the same in docs/exports.md.
"""
