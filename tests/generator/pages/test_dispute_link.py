"""The link by which a reader disputes a verdict."""

from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from generator.pages.attempts import build_dispute_link
from generator.read.site_settings import SiteSettings, read_settings
from records.shapes.attempt import Attempt, Outcome
from tests.records import examples

pytestmark = pytest.mark.unit

SETTINGS: Final = SiteSettings.model_validate(
    {
        "title": "Board",
        "tagline": "A board",
        "address": "https://board.test/below",
        "repository": "https://github.com/us/board",
    }
)
RUN: Final = "a" * 32
LONGEST_ADDRESS: Final = 8_000


def make_failed_attempt(name: str = "test_0", message: str | None = "assert 1 == 2") -> Attempt:
    """Return an attempt with one failed test of this name and message."""
    made = examples.make_attempt(examples.make_eval_name(1), outcome=Outcome.FAILED)
    assert made.tests is not None
    first, *remaining = list(made.tests)
    broken = first.model_copy(update={"name": name, "message": message})
    return made.model_copy(update={"tests": (broken, *remaining)})


def parse_issue(attempt: Attempt) -> dict[str, str]:
    """Return title and body of the issue that the link opens."""
    link = build_dispute_link(SETTINGS, "maker/model", RUN, attempt)
    assert link is not None
    url = urlsplit(link)
    assert url.netloc == "github.com"
    assert url.path == "/us/board/issues/new"
    return {name: value for name, (value,) in parse_qs(url.query, strict_parsing=True).items()}


def test_it_names_disputed_sessions() -> None:
    """The issue has the attempt's page, the failed step, the assertion and the digests."""
    attempt = make_failed_attempt()
    assert attempt.key is not None
    fields = parse_issue(attempt)
    assert fields["title"] == f"Verdict: {attempt.eval} by maker/model, run aaaaaaaa"
    section = attempt.eval.replace("/", "/#")
    assert f"Attempt: https://board.test/below/runs/{RUN}/{section}/" in fields["body"]
    assert "Verdict: failed at tests" in fields["body"]
    assert "test_0\nassert 1 == 2" in fields["body"]
    assert f"Grader: {attempt.key.grader}" in fields["body"]


def test_without_a_repository_there_is_no_link() -> None:
    """The setting may be left out; then no page asks for an issue."""
    settings = SETTINGS.model_copy(update={"repository": None})
    assert build_dispute_link(settings, "maker/model", RUN, make_failed_attempt()) is None


def test_a_site_may_name_no_repository(tmp_path: Path) -> None:
    """The settings are valid without a repository."""
    lines = ['title = "B"', 'tagline = "B"', 'address = "https://b.test"']
    (tmp_path / "site.toml").write_text("\n".join(lines))
    assert read_settings(tmp_path).repository is None


@given(st.text(min_size=1), st.text())
def test_nothing_that_a_model_wrote_acts(name: str, message: str) -> None:
    """Any name and message of a test stays in the block of code of the body."""
    fields = parse_issue(
        make_failed_attempt(
            f"x{name}", f"@team `{message}` ```` <img src=x> [a](https://evil.test)"
        )
    )
    assert set(fields) == {"title", "body"}
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(fields["body"])
    assert [token.type for token in tokens if token.type == "fence"] == ["fence"]
    outside = [token.content for token in tokens if token.type == "inline"]
    assert not any("@" in text or "evil" in text for text in outside)
    assert not any(token.type.startswith("html") for token in tokens)


def test_an_address_has_a_bound() -> None:
    """Four bytes a character, percent-encoded: servers refuse longer addresses than this."""
    worst = "\U0001f525" * 100_000
    link = build_dispute_link(
        SETTINGS, "m" * 60 + "/" + "m" * 100, RUN, make_failed_attempt(worst, worst)
    )
    assert link is not None
    assert len(link) < LONGEST_ADDRESS
