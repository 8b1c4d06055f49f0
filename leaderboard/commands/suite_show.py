"""`leaderboard suite show`: variants of an eval as diffs, or the size of the guidelines."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import click

from leaderboard.options import (
    evals_option,
    format_examples,
    json_option,
)
from leaderboard.terminal.streams import CHECK_FAILED, DONE, say, say_json
from records.guidelines.sections import (
    get_tokens_file,
    read_guidelines_tokens,
    write_guidelines_tokens,
)
from records.text.numbers import format_count
from runner.errors import BadSelectionError
from runner.evals.calibrations import Calibration
from runner.evals.discovery import Eval, discover
from runner.evals.line_diff import write_diff
from runner.models.tokens import ENCODING
from runner.suite.guidelines_texts import LARGEST, measure_guidelines, record_tokens


@click.command(
    "show",
    epilog=format_examples(
        "leaderboard suite show forget_hive",
        "leaderboard suite show forget_hive fail/collect_and_delete --context 5",
        "leaderboard suite show --write     # after a change of the guidelines",
    ),
)
@click.argument("pattern", metavar="[EVAL]", required=False)
@click.argument("variant", required=False)
@click.option(
    "--context",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Lines of the reference around each change; more if these lines occur several times.",
)
@click.option("--write", is_flag=True, help="Write the tokens beside the guidelines, for the site.")
@evals_option
@json_option
def show_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    pattern: str | None,
    variant: str | None,
    context: int,
    write: bool,
    evals_root: Path,
    as_json: bool,
) -> int:
    """Show the variants of EVAL, or one: reason, expected verdict, changes of the reference.

    EVAL is a regex over category/name, VARIANT a name such as wrong_order or fail/wrong_order.
    Diffs have the form that calibration.toml needs.

    Without EVAL, show the size of each section of the guidelines, and the evals that exercise it.
    Then it ends with 1 if no eval exercises a section, the text is too long, or the file of token
    counts beside it, which the site shows, is about another text.
    """
    if pattern is None:
        return _show_guidelines(evals_root, write=write, as_json=as_json)
    if write:
        raise click.UsageError("--write is for the guidelines: leave out EVAL")
    chosen = [
        (evaluation, calibration)
        for evaluation in discover(evals_root).select(pattern, ())
        for calibration in _choose_calibrations(evaluation, variant)
    ]
    if as_json:
        say_json(
            [
                {
                    "eval": evaluation.name,
                    "variant": f"{calibration.kind}/{calibration.name}",
                    "reason": calibration.reason,
                    "step": calibration.step,
                    "tests": list(calibration.tests),
                    "changes": list(
                        _format_changes(evaluation.read_answer(), calibration.files, context)
                    ),
                }
                for evaluation, calibration in chosen
            ]
        )
        return DONE
    for evaluation, calibration in chosen:
        say(f"[{calibration.kind}.{calibration.name}] {evaluation.name}")
        say(calibration.reason)
        if calibration.step is not None:
            tests = f": {', '.join(calibration.tests)}" if calibration.tests else ""
            say(f"fails at {calibration.step}{tests}")
        for line in _format_changes(evaluation.read_answer(), calibration.files, context):
            say(line)
        say("")
    return DONE


def _show_guidelines(evals_root: Path, *, write: bool, as_json: bool) -> int:
    suite = discover(evals_root)
    size = measure_guidelines(suite)
    now = record_tokens(suite, size)
    if write:
        write_guidelines_tokens(suite.root, now)
    written = read_guidelines_tokens(suite.root)
    problems = size.problems
    if written is not None and written != now:
        name = get_tokens_file(suite.root).name
        problems.append(f"{name} counts another text: leaderboard suite show --write")
    if as_json:
        say_json({**asdict(size), "problems": problems})
    else:
        for section in size.sections:
            say(f"{section.tokens:6}  {section.slug}: {format_count(len(section.evals), 'eval')}")
            for name in section.evals:
                say(f"          {name}")
        say(f"{size.tokens:6}  tokens ({ENCODING}) in all, of {LARGEST} allowed")
        for problem in problems:
            say(f"guidelines.md: {problem}")
    return CHECK_FAILED if problems else DONE


def _choose_calibrations(evaluation: Eval, variant: str | None) -> list[Calibration]:
    variants = {
        f"{calibration.kind}/{calibration.name}": calibration
        for calibration in evaluation.load_calibrations()
    }
    chosen = [
        calibration
        for name, calibration in variants.items()
        if variant in {None, calibration.name, name}
    ]
    if not chosen:
        raise BadSelectionError(
            f"{evaluation.name} has no variant {variant!r}: it has {', '.join(variants) or 'none'}"
        )
    return chosen


def _format_changes(
    answer: Mapping[str, str], files: Mapping[str, str], context: int
) -> Iterator[str]:
    for path in sorted(answer.keys() | files.keys()):
        if path not in files:
            yield f"deleted: {path}"
        elif path not in answer:
            yield f"new: {path}"
            yield from (f"+{line}" for line in files[path].removesuffix("\n").split("\n"))
        elif files[path] != answer[path]:
            diff = write_diff(answer[path], files[path], context=context)
            yield f"diff.\"{path}\" = '''\n{diff}'''"
