"""Puts a comparison that pr.yml computed into one comment on its pull request, beside a check.

It may write to the repository, so whatever the artifact holds is a stranger's text: a fork can have
put anything there. It is cut, and nothing in it acts: mentions, HTML, images and links to anywhere
but the preview are broken by a character that nobody sees. Which pull request it belongs to is
GitHub's word and not the artifact's. Python's own library only: nothing is installed where it runs.

Reads from the environment: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, RUN_ID, HEAD_OWNER,
HEAD_BRANCH, HEAD_SHA, NETLIFY_SITE.
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
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

MARK = "<!-- leaderboard:diff -->"
"""The first line, by which the comment to update is found."""
LONGEST = 65_000
"""Characters; GitHub refuses a comment of more than 65,536."""
LARGEST = 8 * 1024 * 1024
"""Bytes of an artifact, and of a file in it, that are read."""
PER_PAGE = 100
ARTIFACT = "comparison"
UNSEEN = "\u200b"

CONCLUSIONS = {"better": "success", "worse": "failure", "noise": "neutral", "too_few": "neutral"}
"""Of a comparison, what the check says."""


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
    number = pull_request(here, os.environ["HEAD_OWNER"], os.environ["HEAD_BRANCH"], sha)
    if number is None:
        sys.stdout.write("the pull request is closed, or its branch moved on: nothing to say\n")
        return
    files = artifact(here, os.environ["RUN_ID"])
    if files is None:
        sys.stdout.write("pr.yml computed no comparison: nothing to say\n")
        return
    site = os.environ.get("NETLIFY_SITE", "")
    preview = f"https://deploy-preview-{number}--{site}.netlify.app/" if site else None
    found = comparison(files.get("comparison.json", b""))
    unchanged = not any(found.get(name) for name in ("pairs", "new", "gone", "moved", "reports"))
    upsert(here, number, None if unchanged else harmless(files["comparison.md"], preview))
    here.call("POST", "check-runs", check(found, sha, unchanged=unchanged))


def pull_request(here: GitHub, owner: str, branch: str, sha: str) -> int | None:
    """Return the number of the open pull request whose head is still ``sha``.

    The event's own list of pull requests is empty for forks.
    """
    query = urllib.parse.urlencode({"state": "open", "head": f"{owner}:{branch}"})
    for found in here.call("GET", f"pulls?{query}"):
        if found["head"]["sha"] == sha:
            return int(found["number"])
    return None


def artifact(here: GitHub, run: str) -> dict[str, bytes] | None:
    """Return the files of the comparison; None where the run left none."""
    if not run.isdecimal():
        raise SystemExit(f"RUN_ID {run!r} is no number")
    listed = here.call("GET", f"actions/runs/{run}/artifacts?name={ARTIFACT}")["artifacts"]
    if not listed:
        return None
    archive = here.download(f"actions/artifacts/{int(listed[0]['id'])}/zip")
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        names = ("comparison.md", "comparison.json")
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
    """Return a stranger's markdown as a comment in which nothing acts but links to the preview."""
    text = data.decode("utf-8", "replace").removeprefix(MARK).strip()
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)
    parts = re.split(f"({re.escape(preview)})", text) if preview else [text]
    kept = [part if part == preview else _inert(part) for part in parts]
    whole = "".join(kept)
    if len(whole) > LONGEST:
        whole = whole[:LONGEST].rpartition("\n\n")[0] + "\n\nCut here; see the artifact."
    return f"{MARK}\n{whole}"


def _inert(text: str) -> str:
    """Break whatever markdown would act on; what ends the text may begin a link to the preview."""
    for sign in ("@", "<", "!["):
        text = text.replace(sign, sign[0] + UNSEEN + sign[1:])
    return re.sub(r"(?i)(://|\bwww\.|mailto:|\]\()(?!$)", _broken, text)


def _broken(found: re.Match[str]) -> str:
    return found[0][0] + UNSEEN + found[0][1:]


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
            ours = comment["user"]["login"] == "github-actions[bot]"
            if ours and comment["body"].startswith(MARK):
                return int(comment["id"])
        if len(listed) < PER_PAGE:
            return None
        page += 1


def check(found: Mapping[str, Any], sha: str, *, unchanged: bool) -> dict[str, object]:
    """Return the check: neutral means inside the noise."""
    pairs: object = found.get("pairs")
    listed = cast("list[object]", pairs) if isinstance(pairs, list) else []
    said = [CONCLUSIONS.get(_conclusion(pair)) for pair in listed]
    worst = next((one for one in ("failure", "neutral", "success") if one in said), "success")
    headline = "No published result and no report changed."
    if not unchanged:
        headline = harmless(str(found.get("headline", ""))[:300].encode(), None).partition("\n")[2]
    return {
        "name": "leaderboard",
        "head_sha": sha,
        "status": "completed",
        "conclusion": worst,
        "output": {"title": headline[:255] or "Compared", "summary": headline or "Compared"},
    }


def _conclusion(pair: object) -> str:
    return str(cast("dict[str, object]", pair).get("conclusion")) if isinstance(pair, dict) else ""


if __name__ == "__main__":
    try:
        main()
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.url}: HTTP {error.code}: {error.read(500).decode('utf-8', 'replace')}")
