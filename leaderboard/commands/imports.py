"""`leaderboard import`: results of others become records in data/."""

from pathlib import Path
from typing import Final

import click
from pydantic import TypeAdapter, ValidationError

from leaderboard.options import format_examples, json_option, new_data_option, require_finite
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.files.problems import describe_first_problem
from records.shapes.base import Name
from records.text.numbers import format_count
from review.redaction import redact_text
from runner.published_results.board_import import PlannedImport
from runner.published_results.board_results import ResultChoices
from runner.published_results.result_importers import FORMATS, import_results

_NAME: Final = TypeAdapter[str](Name)


def _check_name(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Refuse a text that no record can hold as a name: too long, of several lines, or blank."""
    try:
        return None if value is None else _NAME.validate_python(value)
    except ValidationError as error:
        raise click.BadParameter(describe_first_problem(error), context, parameter) from error


def _check_score(
    context: click.Context, parameter: click.Parameter, value: float | None
) -> float | None:
    """Refuse infinity and nan."""
    return None if value is None else require_finite(value, "score", parameter, context)


@click.command(
    "import",
    epilog=format_examples(
        "leaderboard import results.csv",
        "leaderboard import --pass-at 0.5 --name 'House rules' scores.csv",
        "leaderboard import analyses.json",
    ),
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--format",
    "named_format",
    type=click.Choice(FORMATS),
    help="The format of the files, where their content does not show it.",
)
@click.option(
    "--score",
    metavar="NAME",
    callback=_check_name,
    help="The score that decides, where there are several.",
)
@click.option(
    "--pass-at",
    "passes_at",
    type=float,
    callback=_check_score,
    metavar="SCORE",
    help="The lowest score that passes, where scores are other numbers than 0 and 1.",
)
@click.option(
    "--name",
    metavar="TEXT",
    callback=_check_name,
    help="The name of the benchmark, where the file has none.",
)
@click.option(
    "--source",
    metavar="TEXT",
    callback=_check_name,
    help="Where the results were published: an address.",
)
@new_data_option
@json_option
def command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    files: tuple[Path, ...],
    named_format: str | None,
    score: str | None,
    passes_at: float | None,
    name: str | None,
    source: str | None,
    data_root: Path,
    as_json: bool,
) -> None:
    """Read results of other benchmarks and tools: each benchmark gets a board of its own.

    docs/another-benchmark.md describes the formats. A copy of the facts stays in data/imports/,
    without questions and answers; names and reasons of the other tool may quote them. The same
    results again make no second run.
    """
    choices = ResultChoices(score=score, passes_at=passes_at, name=name, source=source)
    imported = import_results(files, DataFolder(data_root), choices, redact_text, named_format)
    if as_json:
        say_json(
            {
                "written": [str(path) for path in sorted(imported.files)],
                "runs": [run.run_id for run in imported.runs.values()],
                "known": imported.known,
            }
        )
        return
    for path in sorted(imported.files):
        say(path)
    say(_summarize(imported), err=True)


def _summarize(imported: PlannedImport) -> str:
    """Return the number of new runs and of those that were there, and the next step."""
    known_note = f", {imported.known} known already" if imported.known else ""
    versions = sorted({run.benchmark_version for run in imported.runs.values()})
    boards = f" of {', '.join(versions)}" if versions else ""
    runs = format_count(len(imported.runs), "new run")
    return f"{runs}{boards}{known_note}; `leaderboard serve` shows all"
