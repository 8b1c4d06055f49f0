"""`leaderboard verify`: published verdicts are reproduced on this machine, or not."""

from typing import Any

import click

from leaderboard.options import (
    data_option,
    evals_option,
    filter_option,
    format_examples,
    grading_options,
    json_option,
)


@click.command(
    "verify",
    epilog=format_examples(
        "leaderboard verify 4p2bzjf",
        "leaderboard verify 4p2bzjf -f forget_hive   # the attempts at one eval",
        "leaderboard verify --all --sample 20 --seed 7",
        "leaderboard verify --backend local --evals SUITE   # compares both backends",
    ),
)
@click.argument("runs", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All published runs of this program.")
@filter_option
@click.option(
    "--sample", type=click.IntRange(min=1), metavar="N", help="Only N attempts, at random."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of --sample.")
@grading_options
@evals_option
@data_option
@json_option
def command(
    *,
    pattern: str | None,
    sample: int | None,
    seed: int,
    **options: Any,  # noqa: ANN401 - as RegradeOptions says
) -> int:
    """Grade archived answers again, and show for each attempt whether its verdict is the same.

    Ends with 1 if a verdict differs, or an archive does not have the graded answer. Verdicts of
    other graders than this suite's cannot be reproduced here, and are listed separately: check out
    the commit that the record names.

    With `--backend local`, references, variants and the answers of RUNS (may be none) are graded
    over both backends. The share of equal verdicts is printed, and each verdict that differs.
    """
    from leaderboard.runs import compare_backends, regrade  # noqa: PLC0415 - imports take a second

    settings = regrade.RegradeOptions(**options)
    if settings.backend == "local":
        return compare_backends.compare_backends(settings, pattern, sample, seed)
    return regrade.verify_runs(settings, pattern, sample, seed)
