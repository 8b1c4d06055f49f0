"""The comment on a pull request, written through an HTTP server that answers as GitHub does."""

import json
import re
from collections.abc import Generator, Mapping

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from tests.github.hosting import (
    PREVIEW,
    SHA,
    Repository,
    load_comment_script,
    run_comment_script,
    serve_repository,
)

pytestmark = pytest.mark.integration

MARK = "<!-- leaderboard:diff -->"
CHANGED: dict[str, object] = {
    "headline": "1 eval fixed",
    "new": ["a run"],
    "pairs": [{"conclusion": "noise"}],
}


@pytest.fixture
def repository() -> Generator[Repository]:
    """Serve a repository with pull request 7, of a stranger's branch."""
    with serve_repository() as served:
        yield served


def make_artifact_files(
    markdown: str, comparison: Mapping[str, object] = CHANGED
) -> dict[str, bytes]:
    """Return the files of a comparison."""
    return {
        "comparison.md": f"{MARK}\n{markdown}".encode(),
        "comparison.json": json.dumps(comparison).encode(),
    }


def test_one_comment_is_written_and_updated(repository: Repository) -> None:
    """The second run changes the comment of the first; a stranger's with the mark stays."""
    foreign = {"id": 1, "user": {"login": "stranger"}, "body": f"{MARK}\nmine"}
    repository.comments.append(foreign)
    for text in ("first", "second"):
        repository.files = make_artifact_files(text)
        done = run_comment_script(repository)
        assert done.returncode == 0, done.stderr
    assert [posted["body"] for posted in repository.comments] == [
        f"{MARK}\nmine",
        f"{MARK}\nsecond",
    ]
    assert {check["conclusion"] for check in repository.checks} == {"neutral"}
    assert {check["head_sha"] for check in repository.checks} == {SHA}
    assert repository.keys == {"Bearer secret"}


def test_it_goes_when_nothing_changes_any_more(repository: Repository) -> None:
    """A comment that is no longer true is worse than none."""
    repository.files = make_artifact_files("something")
    run_comment_script(repository)
    repository.files = make_artifact_files("nothing", {"headline": "", "pairs": [], "new": []})
    run_comment_script(repository)
    assert repository.comments == []
    assert repository.checks[-1]["conclusion"] == "neutral"


@pytest.mark.parametrize(
    ("computed_by", "conclusion"),
    [("stranger", "neutral"), ("us", "failure"), ("us/fork", "neutral"), ("gone", "neutral")],
)
def test_only_our_own_branches_have_a_verdict(
    repository: Repository, computed_by: str, conclusion: str
) -> None:
    """A fork's conclusion comes from its own code; a fork may have the same owner."""
    repository.files = make_artifact_files("text", CHANGED | {"pairs": [{"conclusion": "worse"}]})
    repository.source = {"us": "us/board", "us/fork": "us/fork", "gone": None}.get(
        computed_by, "stranger/board"
    )
    owner = "stranger" if computed_by == "stranger" else "us"
    assert run_comment_script(repository, owner).returncode == 0
    assert [check["conclusion"] for check in repository.checks] == [conclusion]


@pytest.mark.parametrize(
    ("comparison", "reason"),
    [
        ({"pairs": [{"conclusion": "splendid"}, 3]}, "a word that this program does not know"),
        ({"pairs": [{"conclusion": "better"}, {}]}, "runs have no judged eval in common"),
        ({"pairs": [{"conclusion": None}]}, "runs have no judged eval in common"),
        ({"pairs": [{"conclusion": "better"}], "unread": [3]}, "files cannot be used"),
        ({"pairs": [], "unread": [{"path": "a"}]}, "files cannot be used"),
        ({"pairs": {"conclusion": "better"}}, "the comparison could not be computed"),
        ({"pairs": None}, "the comparison could not be computed"),
        (None, "the comparison could not be computed"),
        (b"[", "the comparison could not be computed"),
    ],
)
def test_an_unknown_conclusion_is_no_success(
    repository: Repository, comparison: dict[str, object] | bytes | None, reason: str
) -> None:
    """The check is neutral, and its title names the reason; a file may be broken or missing."""
    if isinstance(comparison, dict):
        repository.files = make_artifact_files("text", CHANGED | comparison)
    else:
        repository.files = {"comparison.md": b"text"}
        repository.files |= {"comparison.json": comparison} if comparison else {}
    repository.source = "us/board"
    assert run_comment_script(repository, "us").returncode == 0
    (check,) = repository.checks
    assert check["conclusion"] == "neutral"
    title = check["output"]["title"]
    assert title.startswith("Not known: ")
    assert reason in title


def test_a_regression_is_a_failure_beside_unknown_pairs(repository: Repository) -> None:
    """A worse pair is a failure, also beside an unknown pair; a single better pair is a success."""
    repository.source = "us/board"
    for pairs in (["worse", "splendid"], ["better"]):
        comparison = {"pairs": [{"conclusion": word} for word in pairs]}
        repository.files = make_artifact_files("text", CHANGED | comparison)
        run_comment_script(repository, "us")
    assert [check["conclusion"] for check in repository.checks] == ["failure", "success"]


@pytest.mark.parametrize("what", ["head moved", "no artifact"])
def test_no_comment_is_written_on_an_earlier_head(repository: Repository, what: str) -> None:
    """The branch moved on, or pr.yml computed nothing: no comment is written."""
    if what == "head moved":
        repository.head, repository.files = "c" * 40, make_artifact_files("old")
    done = run_comment_script(repository)
    assert (done.returncode, repository.comments, repository.checks) == (0, [], [])
    assert "no comment" in done.stdout


HOSTILE = [
    "[See the preview][r]\n\n[r]: //evil.test/x",
    "[deploy preview]: //evil.test\n\n[deploy preview] [deploy preview][] [x][deploy preview]",
    "> [r]: //evil.test 'a title'\n\n[r]",
    "[a](//evil.test) [b](<//evil.test> 'x') ![c](//evil.test/p.png) ![d][r]\n\n[r]: /x",
    "https:&#47;&#47;evil.test https&#58;//evil.test ftp:&#47;/evil.test &commat;team &#64;team",
    "&#91;a&#93;&#40;//evil.test&#41; &lbrack;a](//evil.test) [a]&lpar;//evil.test)",
    "https://evil.test http://evil.test ftp://evil.test //evil.test HTTPS://EVIL.TEST",
    "www.evil.test WWW.evil.test evil.test evil.com a@evil.com mailto:a@evil.com xmpp:a@evil.com",
    "<https://evil.test> <a@evil.com> <a href=//evil.test>x</a> <!-- <a href=//evil.test> -->",
    "@team @team/all (@team) **@team** @`team` \\@team | @team |",
    "other/repo#12 #12 GH-12 gh-12 us/board@a1b2c3d4e5f6a7b8 a1b2c3d4e5f6a7b8c9d0 deadbeef #12.",
    "` [a](//evil.test) `` `` [a](//evil.test) @team ``` ` @team\n```\n@team [a](//evil.test)\n~~~",
    "| a | b |\n|---|---|\n| `x \\| [a](//evil.test) ` @team | ` | @team ` |\n| \\\\| `@team |",
    "| a |\n|---|\n| \\`[a](//evil.test)\\` | `\\`[a](//evil.test)` |",
    "a\\\n[a](//evil.test)\n===\n@team\n---\n    [a](//evil.test)\n\t@team",
    "- [a](//evil.test)\n1. @team\n- [ ] #12\n[^1]\n\n[^1]: //evil.test @team",
    "### [a](//evil.test) @team #12\n**[a](//evil.test)** *@team* ***@team*** ~~@team~~",
    "[`a`](https://deploy-preview-7--ours.netlify.app.evil.test/) [`a`](https://evil.test/runs)",
    f"[`@team`]({PREVIEW}/x'onclick=y) [`a`]({PREVIEW}/a b) [a](//evil.test/]({PREVIEW}/x)",
    f"[[a](//evil.test)]({PREVIEW}@evil.test/) [![a](//evil.test)]({PREVIEW}.evil.test/)",
    "\u202e@team\u202c h\u200bttps://evil.test w\u200bww.evil.test @\u200bteam\r\n\x0c@team\x85#12",
    "<details><summary>#12</summary>\n\n@team</details> <img src=//evil.test/p> $\\href{//b}{a}$",
    '```mermaid\ngraph TD; a-->b; click a "//b"\n```\n:tada: ![][r]\n\n[r]:\n//evil.test',
]
"""Links, mentions and references in all forms that GitHub or a markdown parser knows."""
REFERENCE = re.compile(r"#\d|\bGH-\d|\b[0-9a-f]{7,40}\b", re.IGNORECASE)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("preview", [f"{PREVIEW}/", None])
def test_no_markup_of_a_stranger_goes_through(text: str, preview: str | None) -> None:
    """No link but to the preview, no mention, no reference, no element of theirs."""
    written = load_comment_script().make_harmless(text.encode(), preview).removeprefix(MARK)
    for parser in (MarkdownIt("gfm-like"), MarkdownIt("commonmark").enable("table")):
        page = LexborHTMLParser(parser.render(written))
        links = [link.attributes["href"] or "" for link in page.css("a")]
        # For GitHub, the host ends at the first slash.
        assert [link for link in links if not preview or not link.startswith(preview)] == []
        assert page.css("img, script, details, summary, iframe, input, del") == []
        assert "@" not in written
        for code in page.css("code"):
            code.decompose()
        assert REFERENCE.search(page.body.text() if page.body else "") is None


def test_words_tables_and_links_to_the_preview_stay() -> None:
    """The comparison that our own code computes is shown as it is."""
    ours = (
        "**1 eval fixed, 0 broken of 60: better, by more than chance; chance alone makes such a"
        " difference less than once in 100 times.**\n\n"
        "| eval |  | before | after |\n|---|---|---|---|\n"
        f"| [`000-a/001-b`]({PREVIEW}/runs/x/000-a/) | fixed | 0/1 | 1/1 |\n\n"
        f"### [`m 1`]({PREVIEW}/runs/y/#a-1) after `z` (3 runs)\n\n\u2026 and 3 more"
    )
    written = load_comment_script().make_harmless(f"{MARK}\n{ours}".encode(), f"{PREVIEW}/")
    assert written == f"{MARK}\n{ours}"


def test_a_fold_is_passed_on_only_with_a_title_of_plain_words() -> None:
    """The fold has its end, and no other element passes, inside of it or outside."""
    ours = "<details><summary>Evals: 12 rows</summary>\n\n| a |\n|---|\n| word |\n\n</details>"
    script = load_comment_script()
    assert script.make_harmless(ours.encode(), None) == f"{MARK}\n{ours}"
    for hostile in (
        "<details><summary>#12</summary>",
        "<details><summary>@team</summary>",
        "<details open><summary>x</summary>",
        "<details><summary><a>x</a></summary>",
        "</details>",
        "<details>",
    ):
        page = MarkdownIt("commonmark").render(
            script.make_harmless(hostile.encode(), None)[len(MARK) :]
        )
        assert LexborHTMLParser(page).css("details, summary, a") == []
    unended = "<details><summary>Open</summary>\n\n<details><summary>Inner</summary>"
    written = script.make_harmless(unended.encode(), None)
    assert written.count("<details>") == written.count("</details>") == 1
    long = f"{unended}\n" + "| word |\n" * 20_000
    assert script.make_harmless(long.encode(), None).count("</details>") == 1


@pytest.mark.parametrize("described", ["failure", "cancelled"])
def test_a_description_that_failed_is_reported(repository: Repository, described: str) -> None:
    """An earlier comment would be on another revision, and no comment would mean no change."""
    repository.files = make_artifact_files("old")
    run_comment_script(repository)
    assert run_comment_script(repository, described=described).returncode == 0
    (posted,) = repository.comments
    assert "could not be computed" in posted["body"]
    assert posted["body"].startswith(MARK)
    assert repository.checks[-1]["conclusion"] == "neutral"


@pytest.mark.parametrize("part", ["files", "evals", "models", "other", "unread", "guidelines"])
def test_a_change_of_any_kind_keeps_the_comment(repository: Repository, part: str) -> None:
    """The comment goes only without any change below data and evals, not only of results."""
    repository.files = make_artifact_files("text", {"headline": "x", part: [1]})
    run_comment_script(repository)
    assert [posted["body"] for posted in repository.comments] == [f"{MARK}\ntext"]


def test_one_long_table_keeps_the_lines_that_fit() -> None:
    """A text without an empty line is cut at the end of a line."""
    written = load_comment_script().make_harmless(b"| a |\n|---|\n" + b"| word |\n" * 20_000, None)
    assert 64_900 < len(written) <= 65_000
    assert set(written.removesuffix("\n\nCut here; see the artifact.").splitlines()[3:]) == {
        "| word |"
    }


def test_the_comment_of_a_deleted_user_is_passed_over(repository: Repository) -> None:
    """GitHub has null for the user then, and may have null for a body."""
    ours = {"login": "github-actions[bot]"}
    repository.comments += [
        {"id": 1, "user": None, "body": f"{MARK}\nhi"},
        {"id": 2, "user": ours, "body": None},
        {"id": 3, "user": ours, "body": f"{MARK}\nold"},
    ]
    repository.files = make_artifact_files("new")
    assert run_comment_script(repository).returncode == 0
    assert [posted["body"] for posted in repository.comments] == [
        f"{MARK}\nhi",
        None,
        f"{MARK}\nnew",
    ]


@pytest.mark.parametrize("data", [b"[]", b"nonsense", b'{"pairs": 3, "new": "x"}', b"[" * 100_000])
def test_any_json_is_survived(repository: Repository, data: bytes) -> None:
    """A stranger's JSON ends no workflow with a traceback."""
    repository.files = make_artifact_files("text") | {"comparison.json": data}
    done = run_comment_script(repository)
    assert done.returncode == 0, done.stderr


def test_an_archive_that_is_a_bomb_is_refused(repository: Repository) -> None:
    """The archive is refused before it is unpacked."""
    repository.files = make_artifact_files("text") | {"comparison.md": b"a" * (9 * 1024 * 1024)}
    done = run_comment_script(repository)
    assert done.returncode == 1
    assert "too large" in done.stderr
