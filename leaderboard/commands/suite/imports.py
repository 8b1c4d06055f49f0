"""`leaderboard suite import`: a suite in another folder gets a version and pages."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from leaderboard.options import format_examples, graders_option, json_option, new_data_option
from leaderboard.terminal.exit_codes import DONE
from leaderboard.terminal.next_steps import build_data_option, say_next
from leaderboard.terminal.shell_commands import format_command_line
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.text.numbers import format_count
from records.writer import write_suite
from runner.evals.discovery import Eval, Suite, discover
from runner.evals.typescript_suites import GRADER
from runner.suite.lint import Finding, lint
from runner.suite.mint import mint
from runner.suite.vitest_tests import describe_suite


@click.command(
    "import",
    epilog=format_examples(
        "leaderboard suite import ../our-suite",
        "leaderboard suite import ../our-suite --no-grading --json",
    ),
)
@click.argument(
    "folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option(
    "--no-grading",
    "is_text_only",
    is_flag=True,
    help="Only read texts; references and stubs are not graded.",
)
@graders_option
@new_data_option
@json_option
def command(
    *, folder: Path, is_text_only: bool, graders: int, data_root: Path, as_json: bool
) -> int:
    """Give the suite in DIR a version and pages in the data folder; nothing is written into DIR.

    DIR is a suite with graders in TypeScript: its root, or its evals/. The version covers tasks,
    graders and configuration, so that runs can be published. Tasks, reference answers and titles of
    tests are stored with it, so that the site shows them without DIR. Faults of the suite, also
    those that only grading shows, are listed, but do not prevent the import.
    """
    suite = discover(folder)
    if not suite.kind.is_of_others:
        raise click.UsageError(
            f"{folder}: has no {GRADER}: a suite of Python graders needs no import, but "
            "`leaderboard suite mint`"
        )
    data = DataFolder(data_root)
    benchmark = mint(suite, data)
    described = write_suite(data, describe_suite(suite, benchmark.version))
    findings = lint(suite, suite.evals)
    if not is_text_only:
        findings = sorted([*findings, *_grade(suite, graders, is_quiet=as_json)])
    if as_json:
        say_json(
            {
                "version": benchmark.version,
                "title": benchmark.title,
                "files": [str(data.get_benchmark_file(benchmark.version)), str(described)],
                "evals": len(suite.evals),
                "findings": [asdict(finding) for finding in findings],
            }
        )
        return DONE
    for finding in findings:
        say(finding)
    _say_suite(suite, findings)
    say(f"{benchmark.version}  {benchmark.title}")
    say(data.get_benchmark_file(benchmark.version))
    say(described)
    options = ["--evals", str(folder), *build_data_option(data_root)]
    say_next(
        [
            format_command_line("run", *options, "-m", "oracle"),
            format_command_line("serve", *build_data_option(data_root)),
        ]
    )
    return DONE


def _grade(suite: Suite, graders: int, *, is_quiet: bool) -> list[Finding]:
    """Grade references and stubs; return the faults that they show."""
    # Imported here, because only grading needs the grading service.
    from runner.runs.launch import open_grading  # noqa: PLC0415
    from runner.runs.settings import GradingSettings  # noqa: PLC0415
    from runner.suite.lint.stub_passes import find_stub_passes  # noqa: PLC0415

    done: list[str] = []

    def tell(evaluation: Eval) -> None:
        done.append(evaluation.name)
        if not is_quiet:
            say(f"[{len(done)}/{len(suite.evals)}] graded {evaluation.name}", err=True)

    with open_grading(GradingSettings(graders=graders), suite) as grading:
        return find_stub_passes(suite.evals, grading, graders, tell)


def _say_suite(suite: Suite, findings: Sequence[Finding]) -> None:
    """Print the number of evals of each category, and the number of faults."""
    numbers = Counter(evaluation.category for evaluation in suite.evals)
    for category in suite.categories:
        say(f"{category}: {format_count(numbers[category], 'eval')}")
    say(f"{format_count(len(suite.evals), 'eval')}: {format_count(len(findings), 'fault')}")
