"""The link by which a reader disputes a verdict: the form of a new issue, partly filled in."""

import re
from typing import Final
from urllib.parse import quote

from generator.facts.urls import build_kept_attempt_href
from generator.read.site_settings import SiteSettings
from records.shapes.attempt import Attempt, Outcome
from records.text.visible import make_one_line, make_visible

_LONGEST_NAME: Final = 120
_LONGEST_MESSAGE: Final = 300
"""The most characters of a test's message. Percent-encoded, a character takes up to twelve, and
servers refuse addresses of more than about 8,000 characters."""


def build_dispute_link(
    settings: SiteSettings, slug: str, run_id: str, attempt: Attempt
) -> str | None:
    """Return the address of a new issue about an attempt; None if no repository is set.

    Texts of models and graders are in a code block, so that an `@name` in them notifies nobody.
    """
    if settings.repository is None:
        return None
    sample = f" #{attempt.sample}" if attempt.sample > 1 else ""
    title = f"Verdict: {attempt.eval}{sample} by {slug}, run {run_id[:8]}"
    facts = {
        "Attempt": settings.base + build_kept_attempt_href(run_id, attempt.eval, attempt.sample),
        "Verdict": _name_verdict(attempt),
        "Artifact": attempt.artifact,
        "Grader": attempt.key and attempt.key.grader,
        "Graded by": attempt.key and f"toolchain {attempt.key.toolchain}",
    }
    lines = [f"{name}: {value}" for name, value in facts.items() if value is not None]
    body = "\n".join(
        [*lines, *_quote_assertion(attempt), "", "What is wrong with this verdict:", "", ""]
    )
    new = f"{settings.repository}".rstrip("/")
    return f"{new}/issues/new?title={_encode(title)}&body={_encode(body)}"


def _name_verdict(attempt: Attempt) -> str:
    step = f" at {attempt.failed_step.value}" if attempt.failed_step else ""
    return f"{attempt.outcome.value}{step}"


def _quote_assertion(attempt: Attempt) -> list[str]:
    """Return the lines of a code block with the first failed test, else the failure's reason."""
    failed = next((test for test in attempt.tests or () if test.outcome is Outcome.FAILED), None)
    if failed is not None:
        text = make_one_line(failed.name, _LONGEST_NAME)
        if failed.message is not None:
            text += f"\n{_cut(make_visible(failed.message))}"
    elif attempt.reason is not None:
        text = _cut(make_visible(attempt.reason))
    else:
        return []
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return ["", "Assertion:", "", f"{fence}text", text, fence]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"


def _encode(text: str) -> str:
    return quote(text, safe="", errors="replace")
