"""The comment on a pull request, written through an HTTP server that answers as GitHub does."""

import json
from collections.abc import Generator, Mapping
from typing import Final

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from tests.github.hosting import PREVIEW, SHA, Repository, comment, hosted

pytestmark = pytest.mark.integration

MARK: Final = "<!-- leaderboard:diff -->"
CHANGED: Final[Mapping[str, object]] = {
    "headline": "1 eval fixed",
    "new": ["a run"],
    "pairs": [{"conclusion": "noise"}],
}


@pytest.fixture
def repository() -> Generator[Repository]:
    """Serve a repository with pull request 7, of a stranger's branch."""
    with hosted() as known:
        yield known


def computed(markdown: str, found: Mapping[str, object] = CHANGED) -> dict[str, bytes]:
    """Return the files of a comparison."""
    return {
        "comparison.md": f"{MARK}\n{markdown}".encode(),
        "comparison.json": json.dumps(found).encode(),
    }


def test_one_comment_is_written_and_updated(repository: Repository) -> None:
    """The second run changes the first one's comment; a stranger's with the mark is let be."""
    foreign = {"id": 1, "user": {"login": "stranger"}, "body": f"{MARK}\nmine"}
    repository.comments.append(foreign)
    for text in ("first", "second"):
        repository.files = computed(text)
        done = comment(repository)
        assert done.returncode == 0, done.stderr
    assert [one["body"] for one in repository.comments] == [f"{MARK}\nmine", f"{MARK}\nsecond"]
    assert {check["conclusion"] for check in repository.checks} == {"neutral"}
    assert {check["head_sha"] for check in repository.checks} == {SHA}
    assert repository.keys == {"Bearer secret"}


def test_it_goes_when_nothing_changes_any_more(repository: Repository) -> None:
    """A comment that says what is not so any longer is worse than none."""
    repository.files = computed("something")
    comment(repository)
    repository.files = computed("nothing", {"headline": "", "pairs": [], "new": []})
    comment(repository)
    assert repository.comments == []
    assert repository.checks[-1]["conclusion"] == "success"


@pytest.mark.parametrize("what", ["head moved", "no artifact"])
def test_nothing_is_said_of_what_is_gone(repository: Repository, what: str) -> None:
    """The branch moved on, or pr.yml computed nothing."""
    if what == "head moved":
        repository.head, repository.files = "c" * 40, computed("old")
    done = comment(repository)
    assert (done.returncode, repository.comments, repository.checks) == (0, [], [])
    assert "nothing to say" in done.stdout


def test_nothing_in_a_strangers_text_acts(repository: Repository) -> None:
    """Mentions, HTML, images and links elsewhere are broken; links to the preview stay."""
    hostile = (
        "@team see [a](https://evil.example/x) ![p](https://evil.example/p.png) www.evil.example\n"
        "<img src=https://evil.example/q> <!-- x --> https://evil.example mailto:a@evil.example\n"
        f"[fine]({PREVIEW}/runs/a/) [not](https://deploy-preview-7--ours.netlify.app.evil.example/)"
    )
    repository.files = computed(hostile)
    comment(repository)
    (said,) = repository.comments
    body = said["body"].removeprefix(MARK)
    page = LexborHTMLParser(MarkdownIt("gfm-like", {"linkify": False}).render(body))
    assert [link.attributes["href"] for link in page.css("a")] == [f"{PREVIEW}/runs/a/"]
    assert page.css("img") == []
    assert "@team" not in body
    assert "https://evil" not in body
    assert "www.evil" not in body


def test_a_table_of_seventy_thousand_characters_is_cut(repository: Repository) -> None:
    """GitHub would refuse it whole."""
    repository.files = computed("first\n\n" + "| a |\n" * 12_000)
    assert comment(repository).returncode == 0
    (said,) = repository.comments
    assert len(said["body"]) < 65_536
    assert "first" in said["body"]
    assert said["body"].endswith("Cut here; see the artifact.")


@pytest.mark.parametrize("data", [b"[]", b"nonsense", b'{"pairs": 3, "new": "x"}', b"[" * 100_000])
def test_any_json_is_survived(repository: Repository, data: bytes) -> None:
    """A stranger's JSON ends no workflow with a traceback."""
    repository.files = computed("text") | {"comparison.json": data}
    done = comment(repository)
    assert done.returncode == 0, done.stderr


def test_an_archive_that_is_a_bomb_is_refused(repository: Repository) -> None:
    """Before it is unpacked."""
    repository.files = computed("text") | {"comparison.md": b"a" * (9 * 1024 * 1024)}
    done = comment(repository)
    assert done.returncode == 1
    assert "too large" in done.stderr
