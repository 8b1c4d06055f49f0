"""Puts a description that comment.yml computed into one comment, and a check beside it.

It may write to the repository, and the description was made of a stranger's files, by our own
code, which writes names and values as code. Should they have tricked it, nothing comes of it: no
markdown is passed on. Each line is taken apart and written anew: plain words, numbers, tables,
folds and links to the preview, and all else as code, in which nothing acts. The conclusion of a
fork's check is always neutral, for its records are the fork's own word. Which pull request it
belongs to is GitHub's word and not the artifact's. Python's own library only: nothing is installed
where it runs.

Reads from the environment: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, RUN_ID, HEAD_OWNER,
HEAD_BRANCH, HEAD_SHA, NETLIFY_SITE, and DESCRIBED: how the job ended that computed the description.
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

MARK = "<!-- leaderboard:diff -->"
"""The first line, by which the comment to update is found."""
LONGEST = 65_000
"""Characters; GitHub refuses a comment of more than 65,536."""
LARGEST = 8 * 1024 * 1024
"""Bytes of an artifact, and of a file in it, that are read."""
LONGEST_LINE = 4_000
"""Characters of a line that are looked at."""
PER_PAGE = 100
ARTIFACT = "comparison"
CUT = "\n\nCut here; see the artifact."
FAILED = (
    f"{MARK}\n**The changes of this pull request could not be computed.** The job `describe` of "
    "the workflow `comment` failed, which is our fault and not its author's; the log tells why."
)
TOUCHED = (
    *(
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
    ),
    "unread",
)
"""Parts of a description; where all are empty, nothing below data/ or evals/ changes."""

CONCLUSIONS = {"better": "success", "worse": "failure", "noise": "neutral", "too_few": "neutral"}
"""The conclusion of the check for that of a comparison; a comparison without a judged eval, or with
another word, is neutral."""

PLAIN = re.compile(
    r"\(?(?![0-9a-f]{7})"  # GitHub links the hashes of commits
    r"(?:[A-Za-z]{1,20}|[+-]?\$?[0-9]{1,6}(?:[.,/\u2013][0-9]{1,6})?(?:e[+-]?[0-9]{1,3})?%?|[=\u2026])"
    r"[).,:;]{0,2}",
    re.ASCII,
)
"""A word or number of which markdown, GitHub and browsers make nothing else."""
STOP = re.compile(r"[).,:;]{1,2}")
"""What follows a name or a word without a blank."""
ACTING = re.compile(r"(?i)<|://|\bwww\.|mailto:|#(?=[0-9])|\bGH-")
"""Signs that would act outside of code; broken there too, for who copies it."""
UNSEEN = "\u200b"
PREVIEW_PATH = re.compile(r"[A-Za-z0-9_./~%#-]{0,300}\)")
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

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:  # noqa: ANN401 - JSON
        """Return the answer to a request, parsed; None where it has no body."""
        data = self._sent(method, path, None if body is None else json.dumps(body).encode())
        return json.loads(data) if data else None

    def download(self, path: str) -> bytes:
        """Return at most LARGEST bytes of what is at ``path``."""
        return self._sent("GET", path, None)

    def _sent(self, method: str, path: str, data: bytes | None) -> bytes:
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
        # Not sent on when GitHub redirects to where artifacts are stored.
        request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request, timeout=60) as answer:
            found: bytes = answer.read(LARGEST + 1)
        if len(found) > LARGEST:
            raise SystemExit(f"{path}: more than {LARGEST} bytes")
        return found


def main() -> None:
    """Write the comment and the check."""
    here = GitHub(
        os.environ["GITHUB_API_URL"], os.environ["GITHUB_REPOSITORY"], os.environ["GITHUB_TOKEN"]
    )
    sha = os.environ["HEAD_SHA"]
    found = pull_request(here, os.environ["HEAD_OWNER"], os.environ["HEAD_BRANCH"], sha)
    if found is None:
        sys.stdout.write("the pull request is closed, or its branch moved on: nothing to say\n")
        return
    number = int(found["number"])
    if os.environ.get("DESCRIBED", "success") != "success":
        upsert(here, number, FAILED)
        here.call("POST", "check-runs", check({}, sha, unchanged=False, fork=True))
        return
    files = artifact(here, os.environ["RUN_ID"])
    if files is None:
        sys.stdout.write("no description was computed: nothing to say\n")
        return
    site = os.environ.get("NETLIFY_SITE", "")
    preview = f"https://deploy-preview-{number}--{site}.netlify.app/" if site else None
    computed = comparison(files.get("comparison.json", b""))
    # Where the JSON cannot be read, it is not known that nothing changes.
    unchanged = bool(computed) and not any(computed.get(name) for name in TOUCHED)
    text = harmless(files.get("comparison.md", b""), preview)
    upsert(here, number, None if unchanged else FAILED if text == MARK else text)
    fork = is_fork(here, os.environ["HEAD_OWNER"], found)
    here.call("POST", "check-runs", check(computed, sha, unchanged=unchanged, fork=fork))


def pull_request(here: GitHub, owner: str, branch: str, sha: str) -> dict[str, Any] | None:
    """Return the open pull request whose head is still ``sha``, as GitHub describes it.

    The event's own list of pull requests is empty for forks.
    """
    query = urllib.parse.urlencode({"state": "open", "head": f"{owner}:{branch}"})
    listed: list[dict[str, Any]] = here.call("GET", f"pulls?{query}")
    return next((found for found in listed if found["head"]["sha"] == sha), None)


def is_fork(here: GitHub, owner: str, pull: Mapping[str, Any]) -> bool:
    """Say whether a pull request comes from another repository, also from one that is gone."""
    if owner != here.repository.partition("/")[0]:
        return True
    repository = pull["head"].get("repo", {"full_name": here.repository})
    return repository is None or repository["full_name"] != here.repository


def artifact(
    here: GitHub, run: str, names: Sequence[str] = ("comparison.md", "comparison.json")
) -> dict[str, bytes] | None:
    """Return the files of these ``names`` that a run left; None where it left none."""
    if not run.isdecimal():
        raise SystemExit(f"RUN_ID {run!r} is no number")
    listed = here.call("GET", f"actions/runs/{run}/artifacts?name={ARTIFACT}")["artifacts"]
    if not listed:
        return None
    archive = here.download(f"actions/artifacts/{int(listed[0]['id'])}/zip")
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        present = [info for info in members.infolist() if info.filename in names]
        if any(info.file_size > LARGEST for info in present):
            raise SystemExit("a file of the comparison is too large")
        return {info.filename: members.read(info) for info in present}


def comparison(data: bytes) -> dict[str, Any]:
    """Return what the JSON says; nothing where it is none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def harmless(data: bytes, preview: str | None) -> str:
    """Return a stranger's markdown as a comment in which nothing acts but links to the preview.

    As many whole lines as GitHub takes are kept.
    """
    text = MARK + "\n"
    is_open, folds = False, 0
    for line in data.decode("utf-8", "replace").removeprefix(MARK).strip().splitlines():
        written = inert_line(line, preview)
        fold = None if is_open or folds == MOST_FOLDS else fold_line(line)
        if fold is not None:
            written, is_open, folds = fold, True, folds + 1
        elif is_open and line.strip() == FOLD_END:
            written, is_open = FOLD_END, False
        if len(text) + len(written) + len(CUT) + len(FOLD_END) + 3 > LONGEST:
            return text.rstrip() + (f"\n\n{FOLD_END}" if is_open else "") + CUT
        text += f"{written}\n"
    return text.rstrip() + (f"\n\n{FOLD_END}" if is_open else "")


def fold_line(line: str) -> str | None:
    """Return the beginning of a fold whose title is of plain words; None for any other line."""
    found = FOLD.fullmatch(line.strip())
    if found is None or not all(map(PLAIN.fullmatch, found[1].split())):
        return None
    return f"<details><summary>{' '.join(found[1].split())}</summary>"


def inert_line(line: str, preview: str | None) -> str:
    """Return one line: a heading, a table's row, bold words or a paragraph; no other markdown."""
    line = CONTROLS.sub(" ", line[:LONGEST_LINE]).strip()
    if TABLE_RULE.fullmatch(line):
        return line
    if line.startswith("### "):
        return f"### {_inert(line[4:], preview)}"
    if line.startswith("|") and line.endswith("|") and len(line) > 1:
        cells = line[1:-1].replace("\\|", "\u00a6").split("|")
        return f"| {' | '.join(_inert(cell, preview) for cell in cells)} |"
    for mark in ("**", "*"):
        inside = line.removeprefix(mark).removesuffix(mark)
        if len(line) == len(inside) + 2 * len(mark) and "*" not in inside and inside.strip():
            return f"{mark}{_inert(inside, preview)}{mark}"
    return _inert(line, preview)


def _inert(text: str, preview: str | None) -> str:
    """Return a text with its links to the preview; nothing else in it acts."""
    pieces: list[str] = []
    start = f"]({preview}"
    while preview and (end := text.find(start)) >= 0:
        begin = text.rfind("[", 0, end)
        path = PREVIEW_PATH.match(text, end + len(start))
        if begin < 0 or path is None:
            break
        label = _unlinked(text[begin + 1 : end]) or "page"
        pieces += [_unlinked(text[:begin]), f"[{label}]({preview}{path[0]}"]
        text = text[path.end() :]
    return _joined([*pieces, _unlinked(text)])


def _unlinked(text: str) -> str:
    """Return plain words as they are, and all else as code."""
    pieces: list[str] = []
    plain, after = _next_code(text)
    while after is not None:
        code, rest = after
        pieces += [*_words(plain), _code(code)]
        plain, after = _next_code(rest)
    return _joined([*pieces, *_words(plain)])


def _joined(pieces: Sequence[str]) -> str:
    """Return pieces with blanks between them, but none before a stop."""
    text = ""
    for piece in filter(None, pieces):
        begin = piece.partition(" ")[0]
        text += piece if not text or STOP.fullmatch(begin) else f" {piece}"
    return text


def _next_code(text: str) -> tuple[str, tuple[str, str] | None]:
    """Return what stands before the first code span; then what it holds, and what follows it."""
    for opening in re.finditer("`+", text):
        for closing in re.finditer("`+", text[opening.end() :]):
            if len(closing[0]) == len(opening[0]):
                start = opening.end()
                inside = text[start : start + closing.start()]
                return text[: opening.start()], (inside, text[start + closing.end() :])
    return text, None


def _words(text: str) -> list[str]:
    """Return the words of a text, those that are not plain as code, neighbours together."""
    pieces: list[str] = []
    strange: list[str] = []
    for word in [*text.split(), ""]:
        if word and PLAIN.fullmatch(word) is None and STOP.fullmatch(word) is None:
            strange.append(word)
            continue
        if strange:
            pieces.append(_code(" ".join(strange)))
            strange = []
        if word:
            pieces.append(word)
    return pieces


def _code(text: str) -> str:
    """Return a text as a code span that nothing in it ends, in a table neither; it names nobody."""
    line = text.replace("|", "\u00a6").replace("@", "\uff20").strip() or " "
    line = ACTING.sub(lambda sign: sign[0][0] + UNSEEN + sign[0][1:], line)
    fence = "`" * (1 + max((len(ticks) for ticks in re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def upsert(here: GitHub, number: int, body: str | None) -> None:
    """Write the one comment, or take it away where there is nothing to say any more."""
    earlier = _earlier(here, number)
    if body is None:
        if earlier is not None:
            here.call("DELETE", f"issues/comments/{earlier}")
    elif earlier is None:
        here.call("POST", f"issues/{number}/comments", {"body": body})
    else:
        here.call("PATCH", f"issues/comments/{earlier}", {"body": body})


def _earlier(here: GitHub, number: int) -> int | None:
    """Return the comment that an earlier run wrote: by its mark, and by its author."""
    page = 1
    while True:
        listed = here.call("GET", f"issues/{number}/comments?per_page={PER_PAGE}&page={page}")
        for comment in listed:
            # The user is null where the account was deleted, and the body may be.
            ours = comment["user"] and comment["user"]["login"] == "github-actions[bot]"
            if ours and (comment["body"] or "").startswith(MARK):
                return int(comment["id"])
        if len(listed) < PER_PAGE:
            return None
        page += 1


def check(found: Mapping[str, Any], sha: str, *, unchanged: bool, fork: bool) -> dict[str, object]:
    """Return the check: neutral is inside the noise, not known, or of a fork."""
    headline = "Nothing below data and evals changed."
    if not unchanged:
        headline = inert_line(" ".join(str(found.get("headline", ""))[:300].split()), None)
    gap = find_gap(found)
    if gap is not None:
        headline = f"Not known: {gap}. {headline}".strip()
    conclusions = [CONCLUSIONS.get(_conclusion(pair), "neutral") for pair in _list_pairs(found)]
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


def find_gap(found: Mapping[str, Any]) -> str | None:
    """Return why a comparison does not show whether the head is worse; None where it does."""
    if not isinstance(found.get("pairs"), list):
        return "the comparison could not be computed"
    if found.get("unread"):
        return "files cannot be used"
    words = {_conclusion(pair) for pair in _list_pairs(found)} - CONCLUSIONS.keys()
    if "" in words:
        return "runs have no judged eval in common"
    return "the comparison has a word that this program does not know" if words else None


def _list_pairs(found: Mapping[str, Any]) -> list[object]:
    pairs: object = found.get("pairs")
    return cast("list[object]", pairs) if isinstance(pairs, list) else []


def _conclusion(pair: object) -> str:
    """Return the conclusion of a pair; empty where it has none."""
    word = cast("dict[str, object]", pair).get("conclusion") if isinstance(pair, dict) else pair
    return "" if word is None else str(word)


if __name__ == "__main__":
    try:
        main()
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.url}: HTTP {error.code}: {error.read(500).decode('utf-8', 'replace')}")
