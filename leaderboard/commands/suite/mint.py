"""`leaderboard suite mint`: the suite's version is defined, so that runs can be published."""

from pathlib import Path

import click

from leaderboard.options import evals_option, format_examples, json_option, new_data_option
from leaderboard.terminal.streams import say_result
from records.files.data_folder import DataFolder
from runner.evals.discovery import discover
from runner.suite.mint import mint


@click.command(
    "mint",
    epilog=format_examples(
        "leaderboard suite mint && git add data/benchmarks",
    ),
)
@evals_option
@new_data_option
@json_option
def command(*, evals_root: Path, data_root: Path, as_json: bool) -> None:
    """Define the suite's benchmark version in data/, so that its runs can be published."""
    folder = DataFolder(data_root)
    suite = discover(evals_root)
    benchmark = mint(suite, folder)
    if suite.kind.is_of_others:
        # Imported only for suites with graders in TypeScript, because it loads syntax trees.
        from runner.suite.vitest_tests import write_description  # noqa: PLC0415

        write_description(suite, benchmark.version, folder)
    file = folder.get_benchmark_file(benchmark.version)
    row = {"version": benchmark.version, "title": benchmark.title, "file": str(file)}
    say_result(row, [f"{benchmark.version}  {benchmark.title}", file], as_json=as_json)
