"""The approved texts of pages: whoever changes one looks at it, and approves it."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from generator.sources import compute_digest

_APPROVED: Final = Path(__file__).parent / "approved_pages.json"
"""The digest of each text by site and page; APPROVE=1 writes it anew."""
_NAMES: Final = re.compile(r"<script>.*?\[31m")


def read_page_text(page: bytes) -> str:
    """Return the text of a page's main part, each paragraph and cell on its own line."""
    tree = LexborHTMLParser(page.decode())
    main, *_ = tree.css("main")
    for part in main.css("script, svg, .vh, details.how, pre"):
        part.decompose()
    parts = main.css("h1, h2, h3, p, li, dt, dd, td, th, figcaption, summary, caption")
    lines = (" ".join(part.text().split()) for part in parts)
    return "\n".join(_NAMES.sub("NAME", line) for line in lines if line)


def check_approved(name: str, texts: Mapping[str, str]) -> None:
    """Fail with the first text of a site that is not as approved."""
    approved: dict[str, dict[str, str]] = json.loads(_APPROVED.read_bytes())
    digests = {path: compute_digest(text.encode())[:16] for path, text in texts.items()}
    if os.environ.get("APPROVE"):
        _APPROVED.write_text(
            json.dumps(approved | {name: digests}, indent=1, sort_keys=True) + "\n"
        )
        return
    changed = [path for path in texts if digests[path] != approved.get(name, {}).get(path)]
    changed += sorted(approved.get(name, {}).keys() - texts.keys())
    assert changed == [], "\n".join(texts.get(path, "is gone") for path in changed[:1])
