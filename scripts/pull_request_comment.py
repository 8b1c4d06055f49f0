"""The comment and the check on a pull request, made of the description that comment.yml computed.

This script may write to the repository. The description was made of a stranger's files, by our own
code, which writes names and values as code. In case such a file tricked that code, no markdown is
passed on. Each line is taken apart and written anew: plain words, numbers, tables, folds and links
to the preview as they are, everything else as code, in which no markup has an effect. The
conclusion of a fork's check is always neutral, because a fork's records prove nothing. GitHub names
the pull request; the artifact has no influence on that. Only Python's own library is used, because
no packages are installed where this runs.

Reads from the environment: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, RUN_ID, HEAD_OWNER,
HEAD_BRANCH, HEAD_SHA, NETLIFY_SITE, and DESCRIBED, the result of the job `describe`.
"""

# ruff: noqa: INP001, S310 - a script, which calls one address over HTTPS

import io
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from typing import Any, cast

MARK = "<!-- leaderboard:diff -->"
"""The first line of our comment; the comment to update is found by it."""
LONGEST = 65_000
"""Characters; GitHub refuses a comment of more than 65,536."""
LARGEST = 8 * 1024 * 1024
"""The most bytes that are read of an artifact, and of a file in it."""
LONGEST_LINE = 4_000
"""The most characters that are read of a line."""
PER_PAGE = 100
ARTIFACT = "comparison"
CUT = "\n\nCut here; see the artifact."
FAILED = (
    f"{MARK}\n**The changes of this pull request could not be computed.** The job `describe` of "
    "the workflow `comment` failed. That is our fault and not the author's; the job's log has the "
    "reason."
)
TOUCHED = (
    "files",
    "pairs",
    "new",
    "gone",
    "moved",
    "reports",
    "evals",
    "guidelines",
    "models",
    "other",
    "unread",
)
"""The parts of a description; if all are empty, no file below data/ or evals/ changes."""

CONCLUSIONS = {"better": "success", "worse": "failure", "noise": "neutral", "too_few": "neutral"}
"""The conclusion of the check for each conclusion of a comparison. A comparison without a judged
eval, or with a word that is not listed, is neutral."""

PLAIN = re.compile(
    r"\(?(?![0-9a-f]{7})"  # GitHub links the hashes of commits
    r"(?:[A-Za-z]{1,20}|[+-]?\$?[0-9]{1,6}(?:[.,/\u2013][0-9]{1,6})?(?:e[+-]?[0-9]{1,3})?%?|[=\u2026])"
    r"[).,:;]{0,2}",
    re.ASCII,
)
"""A word or number that markdown, GitHub and browsers show as it is."""
STOP = re.compile(r"[).,:;]{1,2}")
"""Punctuation that follows a name or a word without a blank."""
ACTIVE_SIGNS = re.compile(r"(?i)<|://|\bwww\.|mailto:|#(?=[0-9])|\bGH-")
"""Signs that become markup or links outside of code. They are broken in code, too, because a reader
may copy the text out of it."""
UNSEEN = "\u200b"
LINK = re.compile(r"\[([^\[]*?)\]\((https://[A-Za-z0-9_./~%#-]{0,400})\)")
"""A link: its label and its address."""
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
"""A code span: its fence and its content."""
FOLD = re.compile(r"<details><summary>([^<>]{1,200})</summary>")
FOLD_END = "</details>"
MOST_FOLDS = 100
TABLE_RULE = re.compile(r"\|(?:---\|){1,20}")
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


@dataclass(frozen=True)
class GitHub:
    """GitHub's API for one repository."""

    address: str
    repository: str
    token: str

    @classmethod
    def from_environment(cls) -> "GitHub":
        """Return the API of the repository whose workflow runs."""
        names = ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN")
        return cls(*(os.environ[name] for name in names))

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:  # noqa: ANN401 - JSON
        """Return the answer to a request, parsed; None where it has no body."""
        data = self.fetch(path, method, None if body is None else json.dumps(body).encode())
        return json.loads(data) if data else None

    def fetch(self, path: str, method: str = "GET", data: bytes | None = None) -> bytes:
        """Return the bytes of the answer to a request, LARGEST at most."""
        with self.open(path, method, data) as answer:
            content: bytes = answer.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise SystemExit(f"{path}: more than {LARGEST} bytes")
        return content

    def open(self, path: str, method: str = "GET", data: bytes | None = None) -> Any:  # noqa: ANN401 - a response
        """Return the answer to a request, to be read; a refusal ends the script with its reason."""
        request = urllib.request.Request(
            f"{self.address}/repos/{self.repository}/{path}",
            data,
            {
                "Accept": "application/vnd.github+json",
                "X-GitHub-Api-Version": "2022-11-28",
                "User-Agent": "leaderboard",
            },
            method=method,
        )
        # The token is not sent on when GitHub redirects to the store of artifacts.
        request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            reason = error.read(500).decode("utf-8", "replace")
            raise SystemExit(f"{error.url}: HTTP {error.code}: {reason}") from error

    def list_all(self, path: str, key: str | None = None, **query: str) -> Iterator[dict[str, Any]]:
        """Yield the items of all pages of a list, which may be below a ``key`` of the answers."""
        for page in count(1):
            asked = urllib.parse.urlencode({**query, "per_page": PER_PAGE, "page": page})
            listed = self.call("GET", f"{path}?{asked}")
            items = listed if key is None else listed[key]
            yield from items
            if len(items) < PER_PAGE:
                return


def main() -> None:
    """Write the comment and the check."""
    here = GitHub.from_environment()
    sha = os.environ["HEAD_SHA"]
    pull = find_pull_request(here, os.environ["HEAD_OWNER"], os.environ["HEAD_BRANCH"], sha)
    if pull is None:
        sys.stdout.write("the pull request is closed, or its branch moved on: no comment\n")
        return
    number = int(pull["number"])
    if os.environ.get("DESCRIBED", "success") != "success":
        set_comment(here, number, FAILED)
        here.call("POST", "check-runs", describe_check({}, sha, unchanged=False, fork=True))
        return
    files = read_artifact(here, os.environ["RUN_ID"])
    if files is None:
        sys.stdout.write("no description was computed: no comment\n")
        return
    site = os.environ.get("NETLIFY_SITE", "")
    preview = f"https://deploy-preview-{number}--{site}.netlify.app/" if site else None
    try:
        parsed: object = json.loads(files.get("comparison.json", b""))
    except (ValueError, RecursionError):
        parsed = None
    comparison = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
    # Without a readable JSON file it is unknown whether anything changes.
    unchanged = bool(comparison) and not any(comparison.get(name) for name in TOUCHED)
    text = make_harmless(files.get("comparison.md", b""), preview)
    set_comment(here, number, None if unchanged else FAILED if text == MARK else text)
    fork = is_fork(here, os.environ["HEAD_OWNER"], pull)
    here.call("POST", "check-runs", describe_check(comparison, sha, unchanged=unchanged, fork=fork))


def find_pull_request(here: GitHub, owner: str, branch: str, sha: str) -> dict[str, Any] | None:
    """Return the open pull request whose head is still ``sha``, as GitHub describes it.

    The event's own list of pull requests is empty for forks.
    """
    query = urllib.parse.urlencode({"state": "open", "head": f"{owner}:{branch}"})
    listed: list[dict[str, Any]] = here.call("GET", f"pulls?{query}")
    return next((pull for pull in listed if pull["head"]["sha"] == sha), None)


def is_fork(here: GitHub, owner: str, pull: Mapping[str, Any]) -> bool:
    """Return whether a pull request comes from another repository, which may be deleted by now."""
    if owner != here.repository.partition("/")[0]:
        return True
    repository = pull["head"].get("repo", {"full_name": here.repository})
    return repository is None or repository["full_name"] != here.repository


def read_artifact(
    here: GitHub, run: str, names: Sequence[str] = ("comparison.md", "comparison.json")
) -> dict[str, bytes] | None:
    """Return the files of these ``names`` in a run's artifact; None without an artifact."""
    if not run.isdecimal():
        raise SystemExit(f"RUN_ID {run!r} is no number")
    listed = here.call("GET", f"actions/runs/{run}/artifacts?name={ARTIFACT}")["artifacts"]
    if not listed:
        return None
    archive = here.fetch(f"actions/artifacts/{int(listed[0]['id'])}/zip")
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        present = [info for info in members.infolist() if info.filename in names]
        if any(info.file_size > LARGEST for info in present):
            raise SystemExit("a file of the comparison is too large")
        return {info.filename: members.read(info) for info in present}


def make_harmless(data: bytes, preview: str | None) -> str:
    """Return a stranger's markdown as a comment whose only links lead to the preview.

    It has as many whole lines as GitHub takes.
    """
    text = MARK + "\n"
    is_open, folds = False, 0
    for line in data.decode("utf-8", "replace").removeprefix(MARK).strip().splitlines():
        written = write_inert_line(line, preview)
        fold = None if is_open or folds == MOST_FOLDS else write_fold_title(line)
        if fold is not None:
            written, is_open, folds = fold, True, folds + 1
        elif is_open and line.strip() == FOLD_END:
            written, is_open = FOLD_END, False
        if len(text) + len(written) + len(CUT) + len(FOLD_END) + 3 > LONGEST:
            return text.rstrip() + (f"\n\n{FOLD_END}" if is_open else "") + CUT
        text += f"{written}\n"
    return text.rstrip() + (f"\n\n{FOLD_END}" if is_open else "")


def write_fold_title(line: str) -> str | None:
    """Return the beginning of a fold with a title of plain words; None for any other line."""
    fold = FOLD.fullmatch(line.strip())
    if fold is None or not all(map(PLAIN.fullmatch, fold[1].split())):
        return None
    return f"<details><summary>{' '.join(fold[1].split())}</summary>"


def write_inert_line(line: str, preview: str | None) -> str:
    """Return the line as a heading, a table's row, bold words or a paragraph; no other markdown."""
    line = CONTROLS.sub(" ", line[:LONGEST_LINE]).strip()
    if TABLE_RULE.fullmatch(line):
        return line
    if line.startswith("### "):
        return f"### {_keep_preview_links(line[4:], preview)}"
    if line.startswith("|") and line.endswith("|") and len(line) > 1:
        cells = line[1:-1].replace("\\|", "\u00a6").split("|")
        return f"| {' | '.join(_keep_preview_links(cell, preview) for cell in cells)} |"
    for mark in ("**", "*"):
        inside = line.removeprefix(mark).removesuffix(mark)
        if len(line) == len(inside) + 2 * len(mark) and "*" not in inside and inside.strip():
            return f"{mark}{_keep_preview_links(inside, preview)}{mark}"
    return _keep_preview_links(line, preview)


def _keep_preview_links(text: str, preview: str | None) -> str:
    """Return a text with its links to the preview, and no other markup."""
    pieces: list[str] = []
    start = 0
    for link in LINK.finditer(text):
        if preview and link[2].startswith(preview):
            label = _write_without_links(link[1]) or "page"
            pieces += [_write_without_links(text[start : link.start()]), f"[{label}]({link[2]})"]
            start = link.end()
    return _join_pieces([*pieces, _write_without_links(text[start:])])


def _write_without_links(text: str) -> str:
    """Return plain words as they are, and all other text as code."""
    pieces: list[str] = []
    for number, part in enumerate(CODE.split(text)):
        # Words, the fence of a code span, its content, words, and so on.
        if number % 3 == 0:
            for is_plain, group in groupby(part.split(), _is_plain):
                words = list(group)
                pieces += words if is_plain else [_write_code(" ".join(words))]
        elif number % 3 == 2:  # noqa: PLR2004 - see above
            pieces.append(_write_code(part))
    return _join_pieces(pieces)


def _join_pieces(pieces: Sequence[str]) -> str:
    """Return pieces with blanks between them, but none before a stop."""
    text = ""
    for piece in filter(None, pieces):
        begin = piece.partition(" ")[0]
        text += piece if not text or STOP.fullmatch(begin) else f" {piece}"
    return text


def _is_plain(word: str) -> bool:
    return (PLAIN.fullmatch(word) or STOP.fullmatch(word)) is not None


def _write_code(text: str) -> str:
    """Return a text as a code span that its own backticks and bars do not end, and without @."""
    line = text.replace("|", "\u00a6").replace("@", "\uff20").strip() or " "
    line = ACTIVE_SIGNS.sub(lambda sign: sign[0][0] + UNSEEN + sign[0][1:], line)
    fence = "`" * (1 + max((len(ticks) for ticks in re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def set_comment(here: GitHub, number: int, body: str | None) -> None:
    """Write or update our comment on a pull request; delete it if there is no ``body``."""
    # The user is null if the account was deleted, and the body may be null, too.
    ids = (
        int(comment["id"])
        for comment in here.list_all(f"issues/{number}/comments")
        if comment["user"] and comment["user"]["login"] == "github-actions[bot]"
        if (comment["body"] or "").startswith(MARK)
    )
    earlier = next(ids, None)
    if body is None:
        if earlier is not None:
            here.call("DELETE", f"issues/comments/{earlier}")
    elif earlier is None:
        here.call("POST", f"issues/{number}/comments", {"body": body})
    else:
        here.call("PATCH", f"issues/comments/{earlier}", {"body": body})


def describe_check(
    comparison: Mapping[str, Any], sha: str, *, unchanged: bool, fork: bool
) -> dict[str, object]:
    """Return the check: neutral if changes may be chance, are unknown, or come from a fork."""
    headline = "Nothing below data and evals changed."
    if not unchanged:
        words = str(comparison.get("headline", ""))[:300].split()
        headline = write_inert_line(" ".join(words), None)
    gap = find_gap(comparison)
    if gap is not None:
        headline = f"Not known: {gap}. {headline}".strip()
    conclusions = [
        CONCLUSIONS.get(_read_conclusion(pair), "neutral") for pair in _list_pairs(comparison)
    ]
    if gap is not None or fork:
        conclusions.append("neutral")
    worst = next((word for word in ("failure", "neutral") if word in conclusions), "success")
    return {
        "name": "leaderboard",
        "head_sha": sha,
        "status": "completed",
        "conclusion": "neutral" if fork else worst,
        "output": {"title": headline[:255] or "Compared", "summary": headline or "Compared"},
    }


def find_gap(comparison: Mapping[str, Any]) -> str | None:
    """Return why a comparison does not show whether the head is worse; None if it does."""
    if not isinstance(comparison.get("pairs"), list):
        return "the comparison could not be computed"
    if comparison.get("unread"):
        return "files cannot be used"
    words = {_read_conclusion(pair) for pair in _list_pairs(comparison)} - CONCLUSIONS.keys()
    if "" in words:
        return "runs have no judged eval in common"
    return "the comparison has a word that this program does not know" if words else None


def _list_pairs(comparison: Mapping[str, Any]) -> list[object]:
    pairs: object = comparison.get("pairs")
    return cast("list[object]", pairs) if isinstance(pairs, list) else []


def _read_conclusion(pair: object) -> str:
    """Return the conclusion of a pair; empty without one."""
    word = cast("dict[str, object]", pair).get("conclusion") if isinstance(pair, dict) else pair
    return "" if word is None else str(word)


if __name__ == "__main__":
    main()
