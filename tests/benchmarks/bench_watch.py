"""From a save to the changed page: our preview beside Hugo's server, over the same records.

Run with ``python -m tests.benchmarks.bench_watch [--runs 1000 5000] [--rounds N]``. Both servers
are up and have the page open; the time is measured until its address gives another answer. In
each round the two take turns. Hugo's pages are minimal, ours are the real site; an eval's text
stands on no page of Hugo's. With ``--published`` our preview alone serves a copy of the published
records: at most 1 s from each save to its page. With ``--archives N`` it serves alone the seeded
records, of which the newest N have archives: at most 2 s at 1,000 runs with 100 archives.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from generator.read.summaries import get_category_key
from generator.site_links import build_attempts_path
from records.files.data_folder import DataFolder
from records.reader import read_run
from tests.benchmarks.site_changes import append, flip, replace
from tests.benchmarks.site_corpus import write_corpus
from tests.benchmarks.site_peers import prepare_hugo

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".cache" / "site-peers"
_OURS = "http://127.0.0.1:8765/"
_ITS = "http://127.0.0.1:8766/"
_AT_MOST_S = 120.0
_RESTS_S = 1.0
"""Rest between two edits, in seconds, so that one build has ended before the next begins."""
_RESTS_WITH_ARCHIVES_S = 8.0
"""The same with archives. A page that is opened during a build has the content of the build before
it, which the next edit of a record may bring back."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change to a source file of one of the two builders, and the page that must show it."""

    make: Callable[[int], None]
    """Function that makes the edit; it gets the number of the round."""
    address: str


def main() -> None:
    """Measure each size in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, nargs="+", default=[1000, 5000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--archives", type=int, default=0)
    options = parser.parse_args()
    if options.published:
        with tempfile.TemporaryDirectory() as folder:
            ignore = shutil.ignore_patterns("local")
            shutil.copytree(ROOT / "data", Path(folder) / "data", ignore=ignore)
            print(f"published records, {options.rounds} rounds: median and slowest, in seconds")
            _measure_alone(Path(folder), options.rounds, _RESTS_S)
        return
    for runs in options.runs:
        print(f"\n{runs} runs, {options.rounds} rounds: median and slowest, in seconds", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            write_corpus(DataFolder(Path(folder) / "data"), runs, archives=options.archives)
            if options.archives:
                print(f"  {options.archives} archives, this preview alone", flush=True)
                _measure_alone(Path(folder), options.rounds, _RESTS_WITH_ARCHIVES_S)
            else:
                _measure_beside_hugo(Path(folder), runs, options.rounds)


def _measure_beside_hugo(folder: Path, runs: int, rounds: int) -> None:
    data = DataFolder(folder / "data")
    serve = _serve_command(folder)
    peer = prepare_hugo(TOOLS, folder / "data", folder / "hugo")
    its = [peer.command[0], "server", "--port", "8766", "--noBuildLock"]
    its += ["--baseURL", _ITS]
    edits = _make_edits(folder, data)
    with ExitStack() as stack:
        stack.enter_context(_start_server(serve, ROOT, edits[0][1].address))
        stack.enter_context(_start_server(its, peer.folder, edits[0][2].address))
        time.sleep(runs / 250)  # our server checks all pages once for dead links
        for name, ours, theirs in edits:
            walls: tuple[list[float], list[float]] = ([], [])
            for turn in range(rounds):
                for edit, times in zip((ours, theirs), walls, strict=True):
                    times.append(_time_until_seen(edit, turn))
            print(
                f"  {name:22} this {_format_seconds(walls[0])}    Hugo {_format_seconds(walls[1])}",
                flush=True,
            )


def _measure_alone(folder: Path, rounds: int, rests_s: float) -> None:
    serve = _serve_command(folder)
    edits = _make_edits_of_all_kinds(folder)
    with _start_server(serve, ROOT, next(iter(edits.values())).address):
        for name, edit in edits.items():
            times = [_time_until_seen(edit, turn, rests_s) for turn in range(rounds)]
            print(f"  {name:30} {_format_seconds(times)}", flush=True)


def _serve_command(folder: Path) -> list[str]:
    """Copy suite, templates and docs beside the data; return the command that serves them."""
    for category in (ROOT / "evals").glob("[0-9]*"):
        shutil.copytree(category, folder / "evals" / category.name)
    shutil.copytree(ROOT / "site_templates", folder / "templates")
    _copy_file(ROOT / "docs" / "method.md", folder / "docs" / "method.md")  # pages link into it
    serve = [sys.executable, "-m", "leaderboard", "serve", "--port", "8765"]
    serve += ["--out", str(folder / "served"), "--data", str(folder / "data")]
    return [*serve, "--evals", str(folder / "evals"), "--templates", str(folder / "templates")]


def _make_edits_of_all_kinds(folder: Path) -> dict[str, Edit]:
    """Return edits by their names; each page is open during its edit."""
    data = DataFolder(folder / "data")
    runs = {path: read_run(path) for path in data.list_run_files()}
    archived = {run.run_id for run in runs.values() if data.get_artifact_file(*run.key).exists()}
    path = max(
        (path for path, run in runs.items() if run.run_id in archived), key=lambda path: path.name
    )
    run = runs[path]
    page = f"{_OURS}runs/{run.run_id}/"
    attempt = run.attempts[0]
    category = get_category_key(attempt.eval)
    attempt_page = f"{_OURS}{build_attempts_path(run.run_id, category)}"
    report = min(data.list_report_files())
    report_page = f"{_OURS}{report.relative_to(folder / 'data').with_suffix('').as_posix()}/"
    task = folder / "evals" / attempt.eval / "TASK.txt"
    templates = folder / "templates" / "pages"
    return {
        "a record, its run's page": Edit(lambda _: flip(data, path), page),
        "a record, an attempt's page": Edit(lambda _: flip(data, path), attempt_page),
        "a record, its model's page": Edit(
            lambda _: flip(data, path), f"{_OURS}models/{run.model.slug}/"
        ),
        "one report": Edit(lambda turn: append(report, f"\nMore {turn}.\n"), report_page),
        "an eval's text, its page": Edit(
            lambda turn: append(task, f"\nMore {turn}.\n"), f"{_OURS}evals/{attempt.eval}/"
        ),
        "the template of attempts": Edit(
            lambda turn: replace(templates / "attempts.html", "<h1>", f"<h1>{turn} "), attempt_page
        ),
        "the template of runs": Edit(
            lambda turn: replace(templates / "run.html", "<h1>", f"<h1>{turn} "), page
        ),
    }


def _make_edits(folder: Path, data: DataFolder) -> list[tuple[str, Edit, Edit]]:
    """Return the edits: a name, our edit and Hugo's edit of each."""
    records = sorted(data.list_run_files(), key=lambda path: path.name)
    return [
        _make_record_edits("an old record", data, records[0], folder),
        _make_record_edits("a record that counts", data, records[-1], folder),
        _make_report_edits(folder, data),
        _make_template_edits(folder, records[0]),
    ]


def _make_record_edits(
    name: str, data: DataFolder, path: Path, folder: Path
) -> tuple[str, Edit, Edit]:
    page = f"runs/{read_run(path).run_id}/"
    copy = folder / "hugo" / "data" / "runs" / path.name
    return (
        name,
        Edit(lambda _: flip(data, path), _OURS + page),
        Edit(lambda _: _copy_file(path, copy), _ITS + page),
    )


def _make_report_edits(folder: Path, data: DataFolder) -> tuple[str, Edit, Edit]:
    mine = min(data.list_report_files())
    within = mine.relative_to(folder / "data")
    its = folder / "hugo" / "content" / within
    _copy_file(its, its)  # a file of its own: until now the same file as ours
    page = f"{within.with_suffix('').as_posix()}/"
    return (
        "one report",
        Edit(lambda turn: append(mine, f"\nMore {turn}.\n"), _OURS + page),
        Edit(lambda turn: append(its, f"\nMore {turn}.\n"), _ITS + page),
    )


def _make_template_edits(folder: Path, record: Path) -> tuple[str, Edit, Edit]:
    mine = folder / "templates" / "pages/run.html"
    its = folder / "hugo" / "layouts" / "run" / "single.html"
    page = f"runs/{read_run(record).run_id}/"
    return (
        "the template of runs",
        Edit(lambda turn: replace(mine, "<h1>", f"<h1>{turn} "), _OURS + page),
        Edit(lambda turn: replace(its, "<h1>", f"<h1>{turn} "), _ITS + page),
    )


def _copy_file(source: Path, target: Path) -> None:
    """Copy a file in one step, as ours are written."""
    target.parent.mkdir(exist_ok=True)
    shutil.copy(source, aside := target.with_suffix(".new"))
    aside.replace(target)


@contextmanager
def _start_server(command: list[str], folder: Path, page: str) -> Generator[None]:
    """Start a server, and wait until it shows a page."""
    with tempfile.TemporaryFile() as output:
        server = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
        try:
            ends_at = time.monotonic() + 10 * _AT_MOST_S
            while _read_page(page) is None:
                if server.poll() is not None or time.monotonic() > ends_at:
                    output.seek(0)
                    text = output.read().decode(errors="replace")[-2000:]
                    raise ChildProcessError(f"{command[0]}: {text}")
                time.sleep(0.5)
            yield
        finally:
            server.terminate()
            server.wait()


def _time_until_seen(edit: Edit, turn: int, rests_s: float = _RESTS_S) -> float:
    """Rest, make a change, and return the seconds until its page gives another answer."""
    time.sleep(rests_s)
    before = _read_page(edit.address)
    with _open(edit.address) as moments:
        edit.make(turn)
        saved = time.monotonic()
        for may_have_changed in moments:
            seconds = time.monotonic() - saved
            now = _read_page(edit.address) if may_have_changed else None
            if now is not None and now != before:
                return seconds
            if seconds > _AT_MOST_S:
                break
    raise TimeoutError(f"{edit.address} is as it was after {_AT_MOST_S:.0f} s")


@contextmanager
def _open(address: str) -> Generator[Iterator[bool]]:
    """Open a page as a browser would, and give moments: true where the page may have changed.

    Our preview renders an open page first, and then lets it load itself anew. Hugo's pages are
    asked for fifty times a second; the server first renders the page that was asked for last.
    """
    if address.startswith(_ITS):
        yield _tick(0.02)
        return
    page = address.removeprefix(_OURS.rstrip("/"))
    events = f"{_OURS}__preview/events?page={page}"
    with httpx.stream("GET", events, timeout=_AT_MOST_S) as stream:
        lines = stream.iter_lines()
        next(lines)  # the page is known to be open
        yield ('"reload": true' in line for line in lines)


def _tick(rests_s: float) -> Iterator[bool]:
    """Yield true again and again, each time after a rest."""
    while True:
        time.sleep(rests_s)
        yield True


def _read_page(address: str) -> str | None:
    """Return a page; None if it cannot be read."""
    try:
        answer = httpx.get(address, timeout=_AT_MOST_S)
    except httpx.TransportError:
        return None
    return answer.text if answer.is_success else None


def _format_seconds(walls: Sequence[float]) -> str:
    return f"{statistics.median(walls):6.2f} {max(walls):6.2f}"


if __name__ == "__main__":
    main()
