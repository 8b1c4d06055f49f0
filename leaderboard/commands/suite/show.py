"""`leaderboard suite show`: calibrations of an eval as diffs of its reference answer."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from leaderboard.options import evals_option, format_examples, json_option
from leaderboard.terminal.streams import say, say_json
from runner.errors import BadSelectionError
from runner.evals.calibrations import Calibration
from runner.evals.discovery import Eval, discover
from runner.evals.line_diff import write_diff


@click.command(
    "show",
    epilog=format_examples(
        "leaderboard suite show forget_hive",
        "leaderboard suite show forget_hive fail/collect_and_delete --context 5",
    ),
)
@click.argument("pattern", metavar="EVAL")
@click.argument("variant", required=False)
@click.option(
    "--context",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Lines of the reference around each change; more if these lines occur several times.",
)
@evals_option
@json_option
def command(
    *, pattern: str, variant: str | None, context: int, evals_root: Path, as_json: bool
) -> None:
    """Show the variants of EVAL, or one: reason, expected verdict, changes of the reference.

    EVAL is a regex over category/name, VARIANT a name such as wrong_order or fail/wrong_order.
    Diffs have the form that calibration.toml needs.
    """
    chosen = [
        (evaluation, calibration)
        for evaluation in discover(evals_root).select(pattern, ())
        for calibration in _choose_calibrations(evaluation, variant)
    ]
    if as_json:
        say_json(
            [_build_row(evaluation, calibration, context) for evaluation, calibration in chosen]
        )
        return
    for evaluation, calibration in chosen:
        say(f"[{calibration.kind}.{calibration.name}] {evaluation.name}")
        say(calibration.reason)
        if calibration.step is not None:
            say(": ".join([f"fails at {calibration.step}", *_join_tests(calibration.tests)]))
        for line in _format_changes(evaluation.read_answer(), calibration.files, context):
            say(line)
        say("")


def _build_row(evaluation: Eval, calibration: Calibration, context: int) -> dict[str, object]:
    return {
        "eval": evaluation.name,
        "variant": f"{calibration.kind}/{calibration.name}",
        "reason": calibration.reason,
        "step": calibration.step,
        "tests": list(calibration.tests),
        "changes": list(_format_changes(evaluation.read_answer(), calibration.files, context)),
    }


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


def _join_tests(tests: Sequence[str]) -> list[str]:
    return [", ".join(tests)] if tests else []


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
