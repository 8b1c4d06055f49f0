"""Cost of building the site, from nothing and after a change, beside Hugo and Eleventy.

Run with ``python -m tests.benchmarks.bench_site [--runs 100 1000 5000] [--archives 0 100]
[--rounds N]``: each number of runs is built with each number of archives, an attempt's page for
each of their 100 attempts. With ``--shipped`` the records are those of ``data/``.
Every figure is of a whole process, `python -m leaderboard build`, from start to end; in each round
the builders take turns over the same records. Peers build minimal pages, we build the real site.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

from records.files.data_folder import DataFolder
from tests.benchmarks.measured_process import Cost, measure_process
from tests.benchmarks.site_changes import append, flip, replace
from tests.benchmarks.site_corpus import write_corpus
from tests.benchmarks.site_peers import HUGO, Peer, prepare_eleventy, prepare_hugo

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".cache" / "site-peers"
LIMIT_RUNS, LIMIT_OF_HUGO = 1000, 2.0
"""The most processor time of a cold build of so many runs without archives, by that of Hugo; above
it the benchmark fails."""
LIMIT_SHIPPED_S = 2.5
"""The most processor time of a cold build of the shipped records."""

Change = tuple[str, Callable[[int], object]]
"""A name, and a function that makes the change; it gets the number of the round."""


def main() -> None:
    """Measure each size in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, nargs="+", default=[100, 1000, 5000])
    parser.add_argument("--archives", type=int, nargs="+", default=[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--shipped", action="store_true")
    options = parser.parse_args()
    missed: list[str] = []
    for size in [None] if options.shipped else product(options.runs, options.archives):
        name = "{} runs, {} archives".format(*size) if size else "shipped records"
        print(f"\n{name}, {options.rounds} rounds", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            workspace = Path(folder)
            if size:
                data = DataFolder(workspace / "data")
                write_corpus(data, size[0], archives=size[1])
            else:
                ignored = shutil.ignore_patterns("local", ".cache")
                shutil.copytree(ROOT / "data", workspace / "data", ignore=ignored)
            for category in (ROOT / "evals").glob("[0-9]*"):
                shutil.copytree(category, workspace / "evals" / category.name)
            shutil.copytree(ROOT / "site_templates", workspace / "templates")
            own_s, ratios = _measure(workspace, options.rounds, peers=not options.no_peers)
            of_hugo = ratios.get(f"Hugo {HUGO}", 0.0)
            if size == (LIMIT_RUNS, 0) and of_hugo > LIMIT_OF_HUGO:
                missed.append(f"{name}: {of_hugo:.2f} times Hugo's time, at most {LIMIT_OF_HUGO}")
            if not size and own_s > LIMIT_SHIPPED_S:
                missed.append(f"{name}: {own_s:.2f} s, at most {LIMIT_SHIPPED_S}")
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")


def _measure(workspace: Path, rounds: int, *, peers: bool) -> tuple[float, dict[str, float]]:
    """Print the times of builds.

    Returns:
        this site's processor time, and its shares of that of each builder.
    """
    data = workspace / "data"
    ours = Peer("this", _build_command(workspace), ROOT, workspace / "site", {})
    builders = [ours]
    if peers:
        builders += [
            prepare_hugo(TOOLS, data, workspace / "hugo"),
            prepare_eleventy(TOOLS, data, workspace / "eleventy"),
        ]
    # Compiled modules and warm disk caches for all builders.
    measure_process(_build_command(workspace), ROOT)
    spent: dict[str, list[Cost]] = {builder.name: [] for builder in builders}
    for _ in range(rounds):
        for builder in builders:
            _set_aside(builder, workspace)
            cost = measure_process(builder.command, builder.folder, builder.environment)
            spent[builder.name].append(cost)
    ratios: dict[str, float] = {}
    for builder in builders:
        rounds_of_both = list(zip(spent["this"], spent[builder.name], strict=True))
        wall = statistics.median([its.wall_s for _, its in rounds_of_both])
        processor = statistics.median([its.processor_s for _, its in rounds_of_both])
        by_wall = statistics.median([mine.wall_s / its.wall_s for mine, its in rounds_of_both])
        by_processor = statistics.median(
            [mine.processor_s / its.processor_s for mine, its in rounds_of_both]
        )
        ratios[builder.name] = by_processor
        _set_aside(builder, workspace)
        peak = measure_process(
            builder.command, builder.folder, builder.environment, memory=True
        ).peak_mib
        pages = sum(1 for _ in builder.out.rglob("*.html"))
        print(
            f"  cold, {builder.name:16} {wall:7.2f} s  {processor:7.2f} s of processor time  "
            f"{peak:5.0f} MiB  {pages} pages  "
            f"this is {by_wall:.2f} and {by_processor:.2f} of it"
        )
    _measure_changes(workspace, rounds)
    return statistics.median(cost.processor_s for cost in spent["this"]), ratios


def _build_command(workspace: Path) -> list[str]:
    command = [sys.executable, "-m", "leaderboard", "build", "--out", str(workspace / "site")]
    command += ["--data", str(workspace / "data"), "--evals", str(workspace / "evals")]
    return [*command, "--templates", str(workspace / "templates")]


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
    changes: list[Change] = [
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
            walls.append(measure_process(_build_command(workspace), ROOT).wall_s)
        print(f"  {name:22} fresh process {statistics.median(walls):6.2f} s", flush=True)


if __name__ == "__main__":
    main()
