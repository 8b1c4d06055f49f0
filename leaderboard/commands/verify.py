"""`leaderboard verify`: published verdicts are reproduced on this machine, or not."""

from pathlib import Path
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
def command(  # noqa: PLR0913 - click gives each option by name
    *,
    runs: tuple[str, ...],
    everything: bool,
    pattern: str | None,
    sample: int | None,
    seed: int,
    evals_root: Path,
    data_root: Path,
    as_json: bool,
    **grading_settings: Any,  # noqa: ANN401 - as GradingSettings says
) -> int:
    """Grade archived answers again, and show for each attempt whether its verdict is the same.

    Ends with 1 if a verdict differs, or an archive does not have the graded answer. Verdicts of
    other graders than this suite's cannot be reproduced here, and are listed separately: check out
    the commit that the record names.
    """
    # Imported here, because the imports take a second.
    from leaderboard.runs import regrade  # noqa: PLC0415
    from runner.runs.settings import GradingSettings  # noqa: PLC0415

    chosen = regrade.Chosen(runs, data_root, evals_root, everything=everything)
    return regrade.verify_runs(
        chosen, GradingSettings(**grading_settings), pattern, sample, seed, as_json=as_json
    )
