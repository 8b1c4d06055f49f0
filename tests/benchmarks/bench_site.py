"""Cost of building the site, from nothing and after a change, beside Hugo and Eleventy.

Run with ``python -m tests.benchmarks.bench_site [--runs 100 1000 5000] [--archives 0 100]
[--rounds N] [--records mixed|published|own]``: each number of runs is built with each number of
archives, an attempt's page for each of their 100 attempts.
Every figure is of a whole process, `python -m leaderboard build`, from start to end; in each round
the builders take turns over the same records. Peers build minimal pages, we build the real site.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

from generator.build import Builder, Sources
from records.files.data_folder import DataFolder
from tests.benchmarks.process_memory import measure_memory_mib
from tests.benchmarks.site_changes import append, flip, replace
from tests.benchmarks.site_corpus import Records, write_corpus
from tests.benchmarks.site_peers import HUGO, Peer, prepare_eleventy, prepare_hugo

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".cache" / "site-peers"
LIMIT_RUNS, LIMIT_OF_HUGO = 1000, 2.0
"""The most processor time of a cold build of so many runs without archives, by that of Hugo; above
it the benchmark fails."""


class Spent(NamedTuple):
    """Seconds that a command took."""

    wall: float
    processor: float
    """Processor time of all its processes."""


def main() -> None:
    """Measure each size in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, nargs="+", default=[100, 1000, 5000])
    parser.add_argument("--archives", type=int, nargs="+", default=[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--records", type=Records, default=Records.MIXED, choices=[*Records])
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    missed: list[str] = []
    for runs, archives in product(options.runs, options.archives):
        print(f"\n{runs} runs, {archives} archives, {options.rounds} rounds", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            workspace = Path(folder)
            data = DataFolder(workspace / "data")
            write_corpus(data, runs, options.records, archives=archives)
            for category in (ROOT / "evals").glob("[0-9]*"):
                shutil.copytree(category, workspace / "evals" / category.name)
            shutil.copytree(ROOT / "site_templates", workspace / "templates")
            ratios = _measure(workspace, options.rounds, peers=not options.no_peers)
            of_hugo = ratios.get(f"Hugo {HUGO}", 0.0)
            if (runs, archives) == (LIMIT_RUNS, 0) and of_hugo > LIMIT_OF_HUGO:
                missed.append(f"a cold build of {runs} runs takes {of_hugo:.2f} times Hugo's time")
    if missed:
        sys.exit(f"missed, at most {LIMIT_OF_HUGO}: {'; '.join(missed)}")


def _measure(workspace: Path, rounds: int, *, peers: bool) -> dict[str, float]:
    """Print the times of builds; return this site's processor time by that of each builder."""
    data = workspace / "data"
    ours = Peer("this", _build_command(workspace), ROOT, workspace / "site", {})
    builders = [ours]
    if peers:
        builders += [
            prepare_hugo(TOOLS, data, workspace / "hugo"),
            prepare_eleventy(TOOLS, data, workspace / "eleventy"),
        ]
    # Compiled modules and warm disk caches for all builders.
    _run(_build_command(workspace), ROOT, {})
    spent: dict[str, list[Spent]] = {builder.name: [] for builder in builders}
    for _ in range(rounds):
        for builder in builders:
            _set_aside(builder, workspace)
            spent[builder.name].append(_run(builder.command, builder.folder, builder.environment))
    ratios: dict[str, float] = {}
    for builder in builders:
        rounds_of_both = list(zip(spent["this"], spent[builder.name], strict=True))
        wall = _compute_median([its.wall for _, its in rounds_of_both])
        processor = _compute_median([its.processor for _, its in rounds_of_both])
        by_wall = _compute_median([mine.wall / its.wall for mine, its in rounds_of_both])
        by_processor = _compute_median(
            [mine.processor / its.processor for mine, its in rounds_of_both]
        )
        ratios[builder.name] = by_processor
        _set_aside(builder, workspace)
        peak = _measure_peak_mib(builder)
        pages = sum(1 for _ in builder.out.rglob("*.html"))
        print(
            f"  cold, {builder.name:16} {wall:7.2f} s  {processor:7.2f} s of processor time  "
            f"{peak:5.0f} MiB  {pages} pages  "
            f"this is {by_wall:.2f} and {by_processor:.2f} of it"
        )
    print(
        f"  floor: reading records, writing pages  {_time_floor(data, workspace / 'site'):7.2f} s"
    )
    _measure_changes(workspace, rounds)
    return ratios


def _build_command(workspace: Path) -> list[str]:
    command = [sys.executable, "-m", "leaderboard", "build", "--out", str(workspace / "site")]
    return command + _build_source_options(workspace)


def _build_source_options(workspace: Path) -> list[str]:
    sources = ["--data", str(workspace / "data"), "--evals", str(workspace / "evals")]
    return [*sources, "--templates", str(workspace / "templates")]


def _set_aside(peer: Peer, workspace: Path) -> None:
    """Move away the files of a build, so that the next build begins from nothing.

    Not removed: after the removal of thousands of files, ext4 makes new files slowly for minutes.
    """
    leftovers = [peer.out, peer.out.with_name(f".{peer.out.name}.build")]
    if peer.folder != ROOT:
        leftovers += [peer.folder / name for name in ("resources", ".hugo_build.lock", ".cache")]
    aside = Path(tempfile.mkdtemp(dir=workspace))
    for path in leftovers:
        if path.exists():
            path.rename(aside / path.name)


def _measure_changes(workspace: Path, rounds: int) -> None:
    data = DataFolder(workspace / "data")
    report = next(iter(data.list_report_files()))
    task = next((workspace / "evals").glob("*/*/TASK.txt"))
    template = workspace / "templates" / "pages/eval.html"
    paths = list(data.list_run_files())
    by_age = sorted(paths, key=lambda path: path.name)
    changes: list[tuple[str, Callable[[int], None]]] = [
        ("nothing changed", lambda _: None),
        ("an old record", lambda turn: flip(data, by_age[turn])),
        ("a record that counts", lambda turn: flip(data, by_age[-1 - turn])),
        ("one report", lambda turn: append(report, f"\nMore {turn}.\n")),
        ("one eval's text", lambda turn: append(task, f"More {turn}.\n")),
        ("the template of evals", lambda turn: replace(template, "<h1>", f"<h1>{turn} ")),
    ]
    for name, change in changes:
        walls: list[float] = []
        for turn in range(rounds):
            change(turn)
            walls.append(_run(_build_command(workspace), ROOT, {}).wall)
        print(f"  {name:22} fresh process {_compute_median(walls):6.2f} s", flush=True)
    _measure_in_one_thread(workspace, rounds, changes[1:])


def _measure_in_one_thread(
    workspace: Path, rounds: int, changes: Sequence[tuple[str, Callable[[int], None]]]
) -> None:
    """Measure the processor time of a rebuild in the preview, which hardly depends on the load."""
    sources = Sources(
        DataFolder(workspace / "data"), workspace / "templates", workspace / "evals", local=False
    )
    builder = Builder(sources, workspace / "site")
    # In a process with threads no worker is forked, as in the preview.
    with ThreadPoolExecutor(1) as thread:
        for name, change in changes:
            spent: list[float] = []
            for turn in range(rounds + 1):
                change(turn + 2 * rounds)
                start = time.process_time()
                thread.submit(builder.build).result()
                spent.append(time.process_time() - start)
            print(f"  {name:22} processor     {_compute_median(spent[1:]):6.2f} s", flush=True)


def _time_floor(data: Path, site: Path) -> float:
    """Return the time to read every record's bytes and write every page's, without other work."""
    pages = {
        path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()
    }
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        for record in data.rglob("*"):
            if record.is_file():
                record.read_bytes()
        for path, content in pages.items():
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return time.perf_counter() - start


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> Spent:
    """Return the time of a whole process, with its children."""
    start, before = time.perf_counter(), os.times()
    done = subprocess.run(
        command,
        cwd=folder,
        env=_make_environment(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    wall, after = time.perf_counter() - start, os.times()
    if done.returncode:
        raise ChildProcessError(f"{command[0]}: {done.stderr[-2000:]}")
    user = after.children_user - before.children_user
    return Spent(wall, user + after.children_system - before.children_system)


def _measure_peak_mib(peer: Peer) -> float:
    """Return the memory of a build that is not timed, for the measuring would slow it down."""
    process = subprocess.Popen(
        peer.command,
        cwd=peer.folder,
        env=_make_environment(peer.environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, measure_memory_mib(process.pid))
        time.sleep(0.1)
    return peak


def _make_environment(more: dict[str, str]) -> dict[str, str]:
    """Let Python keep compiled modules, as an installed program does."""
    return {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    } | more


def _compute_median(values: Sequence[float]) -> float:
    return statistics.median(values)


if __name__ == "__main__":
    main()
