"""Artifacts with the files of periodic runs: a night stores them, and a later night restores them.

``name MODEL EXPERIMENT`` prints the artifact's name.

``keep FOLDER`` copies the changed records, journals and archives below data/ to FOLDER, with a list
of the digests that the same files had in git. Then it removes the journals of unfinished runs from
data/, because they must not be committed, and with them the records without verdicts: these runs
continue from the artifact.

``fetch [MODEL EXPERIMENT]`` downloads the newest artifact of that run, or of every model in
models.toml, and restores its files. Files of a run are restored only if git has the same files as
when the artifact was made: a record that was published, withdrawn or graded again since stays.

An artifact is trusted only if a periodic run of this repository's own branch made it, because a
pull request's code can give an artifact any name. Reads from the environment: GITHUB_TOKEN,
GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_REF_NAME, LEADERBOARD. Only Python's own library is used.
"""

# ruff: noqa: INP001 - a script

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from pull_request_comment import GitHub

EXPERIMENTS = ("default", "no_guidelines")
WORKFLOW = ".github/workflows/periodic.yml"
EVENTS = ("schedule", "workflow_dispatch")
LIST = "kept.json"
LARGEST = 1024 * 1024 * 1024
"""The most bytes of an artifact, and of all files in it."""
MOST_FILES = 100
MOST_ARTIFACTS = 1_000
JOURNAL = ".journal.jsonl"
PATHS = re.compile(
    r"data/(?:local/)?(?:runs|artifacts)/[a-z0-9~][a-z0-9._~-]{0,41}/[a-z0-9~][a-z0-9._:~-]{0,81}/"
    r"(?P<run>[0-9a-z]{16,40})(?P<kind>\.json|\.journal\.jsonl|\.zip)",
    re.ASCII,
)
"""Record, journal and archive of a run, published or local. Former paths have colons."""


def main() -> None:
    """Execute the command that the arguments name."""
    match sys.argv[1:]:
        case ["name", model, experiment]:
            sys.stdout.write(f"{build_artifact_name(model, experiment)}\n")
        case ["keep", folder]:
            store_files(Path(folder))
        case ["fetch"]:
            models = tomllib.loads(Path("data/models.toml").read_text("utf-8"))["models"]
            for model in models:
                for experiment in EXPERIMENTS:
                    restore_artifact(build_artifact_name(model["slug"], experiment))
        case ["fetch", model, experiment]:
            restore_artifact(build_artifact_name(model, experiment))
        case _:
            sys.exit(__doc__)


def build_artifact_name(model: str, experiment: str) -> str:
    """Return the name of a run's artifact; GitHub allows no slash and no colon in it."""
    safe = model.replace("/", "_").replace(":", "_")
    return f"run_{safe}_{experiment}"


def read_command() -> list[str]:
    """Return the words of the `leaderboard` command."""
    here = Path(__file__).resolve().parents[1]
    return os.environ.get("LEADERBOARD", f"{here}/.venv/bin/leaderboard").split()


def store_files(folder: Path) -> None:
    """Copy the files of runs to ``folder``, and remove unfinished runs from data/."""
    changed = [path for path in list_changed_files() if PATHS.fullmatch(path)]
    if not changed:
        sys.stdout.write("no file of a run has changed\n")
        return
    before = {
        build_safe_path(path): compute_digest(read_committed(build_published_path(path)))
        for path in changed
    }
    for path in changed:
        target = folder / build_safe_path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    (folder / LIST).write_text(json.dumps({"before": before}, indent=2), encoding="utf-8")
    sys.stdout.write(f"kept {len(changed)} files\n")
    for journal in sorted(path for path in changed if path.endswith(JOURNAL)):
        run = find_run_id(journal)
        of_run = [path for path in changed if find_run_id(path) == run]
        for path in [journal] if any(map(is_ended, of_run)) else of_run:
            if path == build_published_path(path):  # git ignores local runs
                if (committed := read_committed(path)) is None:
                    Path(path).unlink()
                else:
                    Path(path).write_bytes(committed)
        sys.stdout.write(f"run {run[:8]} is unfinished: it continues from the artifact\n")


def is_ended(path: str) -> bool:
    """Return whether a file is the record of a run that is over, with all verdicts it reached."""
    if not path.endswith(".json"):
        return False
    return json.loads(Path(path).read_text("utf-8"))["status"] != "running"


def list_changed_files() -> Iterator[str]:
    """Yield the files below data/ that differ from the last commit, with those of local runs."""
    options = ("--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignored=matching")
    command = ["git", "status", *options, "--", "data"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    for line in filter(None, listed.split("\0")):
        path = Path(line[3:])
        for file in sorted(path.rglob("*")) if path.is_dir() else (path,):
            if file.is_file() and not file.is_symlink():
                yield str(file)


def build_published_path(path: str) -> str:
    """Return the path that a file of a run has when the run is published."""
    return path.replace("data/local/", "data/", 1)


def build_safe_path(path: str) -> str:
    """Return the present path of a file: artifacts of GitHub refuse a colon in a former path."""
    return path.replace(":", "~")


def locate(path: str) -> Path:
    """Return the place of a file of an artifact: its former path if git has the file there."""
    former = Path(path.replace("~", ":"))
    return former if former.exists() else Path(path)


def read_committed(path: str) -> bytes | None:
    """Return the file at ``path`` in the last commit; None if it is not there."""
    done = subprocess.run(["git", "show", f"HEAD:{path}"], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def restore_artifact(name: str) -> None:
    """Restore the files of the newest artifact of that name to data/."""
    artifact = find_newest(name)
    if artifact is None:
        return
    with tempfile.TemporaryFile() as file:
        download(f"actions/artifacts/{int(artifact['id'])}/zip", file)
        with zipfile.ZipFile(file) as archive:
            files, before = read_archive(archive, name)
            for run in sorted({find_run_id(path) for path in files}):
                of_run = {path: data for path, data in files.items() if find_run_id(path) == run}
                restore_run(run, of_run, before)


def read_archive(
    archive: zipfile.ZipFile, name: str
) -> tuple[dict[str, zipfile.Path], dict[str, str | None]]:
    """Return the files of an artifact, and the digests that the same files had in git."""
    members = archive.infolist()
    paths = [info.filename for info in members if info.filename != LIST]
    size = sum(info.file_size for info in members)
    wrong = [path for path in paths if PATHS.fullmatch(path) is None]
    if wrong or len(members) > MOST_FILES or size > LARGEST or len(paths) == len(members):
        sys.exit(f"artifact {name}: not the files of a run: {wrong[:3]}")
    before = json.loads(archive.read(LIST))["before"]
    if set(before) != set(paths):
        sys.exit(f"artifact {name}: {LIST} does not list its files")
    return {path: zipfile.Path(archive, path) for path in paths}, before


def restore_run(run: str, files: dict[str, zipfile.Path], before: dict[str, str | None]) -> None:
    """Restore the files of a run, unless they have changed in git since the artifact was made."""
    now = {path: compute_digest(read_present(path)) for path in files}
    stored = {path: compute_digest(member.read_bytes()) for path, member in files.items()}
    if now == stored:
        return
    if any(now[path] not in {before[path], stored[path]} for path in files):
        sys.stdout.write(f"run {run[:8]} was changed in git since the artifact: not restored\n")
        return
    for path, member in files.items():
        target = locate(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(member.read_bytes())
    sys.stdout.write(f"run {run[:8]} is restored from an earlier night: {len(files)} files\n")


def read_present(path: str) -> bytes | None:
    """Return a file of a run, published or local; None if neither exists."""
    copies = (locate(build_published_path(path)), locate(path))
    return next((copy.read_bytes() for copy in copies if copy.exists()), None)


def find_newest(name: str) -> dict[str, Any] | None:
    """Return the newest artifact of that name that a periodic run of this branch made."""
    here = GitHub.from_environment()
    artifacts = here.list_all("actions/artifacts", "artifacts", name=name)
    listed = list(islice(artifacts, MOST_ARTIFACTS))
    listed.sort(key=lambda artifact: (artifact["created_at"], artifact["id"]), reverse=True)
    for artifact in listed:
        if not artifact["expired"] and artifact["name"] == name and is_ours(here, artifact):
            return artifact
    return None


def is_ours(here: GitHub, artifact: dict[str, Any]) -> bool:
    """Return whether the periodic workflow of this repository's own branch made an artifact."""
    if not artifact["workflow_run"]:
        return False
    run = here.call("GET", f"actions/runs/{int(artifact['workflow_run']['id'])}")
    return (
        run["path"].partition("@")[0] == WORKFLOW
        and run["event"] in EVENTS
        and run["head_branch"] == os.environ["GITHUB_REF_NAME"]
        and bool(run["head_repository"])
        and run["head_repository"]["full_name"] == here.repository
    )


def download(path: str, file: Any) -> None:  # noqa: ANN401 - a binary file
    """Write the answer to ``path`` to ``file``."""
    with GitHub.from_environment().open(path) as answer:
        while piece := answer.read(1 << 20):
            file.write(piece)
            if file.tell() > LARGEST:
                sys.exit(f"{path}: more than {LARGEST} bytes")


def find_run_id(path: str) -> str:
    """Return the id of the run that a file belongs to."""
    return Path(path).name.partition(".")[0]


def compute_digest(data: bytes | None) -> str | None:
    """Return the SHA-256 of ``data``; None without data."""
    return None if data is None else hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    main()
