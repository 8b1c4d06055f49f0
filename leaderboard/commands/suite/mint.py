"""`leaderboard suite mint`: give the suite a version to publish under."""

from pathlib import Path

import click

from leaderboard.options import evals_option, examples, new_data_option
from leaderboard.streams import say
from records.folder import DataFolder
from runner.evals.discovery import discover
from runner.suite.mint import mint


@click.command(
    "mint",
    epilog=examples(
        "leaderboard suite mint && git add data/benchmarks",
    ),
)
@evals_option
@new_data_option
def command(*, evals_root: Path, data_root: Path) -> None:
    """Define the suite's benchmark version in data/, so that runs can be published under it."""
    folder = DataFolder(data_root)
    benchmark = mint(discover(evals_root), folder)
    say(f"{benchmark.version}  {benchmark.title}")
    say(folder.benchmark_file(benchmark.version))
