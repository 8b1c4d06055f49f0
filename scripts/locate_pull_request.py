"""The pull request for which pr.yml ran, and the results that its job computed.

suite-check.json has the results of `leaderboard suite check`: grading executes code of the pull
request, so only its own job can compute them. The file is written unchanged;
`leaderboard diff --suite-check` reads it as a stranger's.

Reads from the environment: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, RUN_ID, HEAD_OWNER,
HEAD_BRANCH, HEAD_SHA. Writes number and base of the pull request to GITHUB_OUTPUT, except if the
branch moved on. Only Python's own library is used.
"""

# ruff: noqa: INP001 - a script

import os
import re
import sys
from pathlib import Path

from pull_request_comment import GitHub, find_pull_request, read_artifact

RESULTS = "suite-check.json"
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def main(folder: Path) -> None:
    """Write the results to ``folder``, and the pull request to GITHUB_OUTPUT."""
    here = GitHub.from_environment()
    pull = find_pull_request(
        here, os.environ["HEAD_OWNER"], os.environ["HEAD_BRANCH"], os.environ["HEAD_SHA"]
    )
    if pull is None:
        sys.stdout.write("the pull request is closed, or its branch moved on\n")
        return
    base = str(pull["base"]["sha"])
    if COMMIT.fullmatch(base) is None:
        raise SystemExit(f"pull request {pull['number']}: the base {base!r} is no commit")
    folder.mkdir(parents=True, exist_ok=True)
    files = read_artifact(here, os.environ["RUN_ID"], (RESULTS,)) or {}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as output:
        output.write(f"number={int(pull['number'])}\nbase={base}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
