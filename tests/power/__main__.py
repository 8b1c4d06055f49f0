"""The commands that measure the power of the suite."""

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from leaderboard.terminal.streams import say
from tests.power.killing import (
    MutantRunner,
    Verdict,
    append_verdict,
    describe,
    read_durations,
    read_verdicts,
)
from tests.power.measuring import SuiteCoverage, measure
from tests.power.mutation import Mutant, draw_mutants
from tests.support.tiers import EACH_CHANGE, MORE, NIGHT

_folder = click.argument("folder", type=click.Path(path_type=Path))


@click.group()
def main() -> None:
    """Measure branch coverage of both tiers, and the share of mutants they kill."""


@main.command(context_settings={"ignore_unknown_options": True})
@_folder
@click.argument("tier", type=click.Choice(["change", "night"]))
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def coverage(folder: Path, tier: str, pytest_arguments: tuple[str, ...]) -> None:
    """Run the tests of a tier under coverage, into FOLDER/TIER.

    `change` are the tests of `make test`; those and `night`, which are all others, together are
    `make test-all`.
    """
    tiers = EACH_CHANGE if tier == "change" else f"{MORE},{NIGHT}"
    profile = ("--hypothesis-profile", tier)
    sys.exit(measure(folder / tier, tiers, (*profile, *pytest_arguments)))


@main.command()
@_folder
def report(folder: Path) -> None:
    """Print the branch coverage of both tiers as a Markdown table."""
    change = SuiteCoverage([folder / "change"]).count_branches()
    every = SuiteCoverage([folder / "change", folder / "night"]).count_branches()
    say("| branches | all | `make test` | `make test-all` |\n|---|---|---|---|")
    for language, share in change.items():
        whole = every[language]
        say(f"| {language} | {share.branches:,} | {share.percent:.1f}% | {whole.percent:.1f}% |")


@main.command()
@_folder
@click.option("--python", default=150, show_default=True, help="Mutants of Python modules.")
@click.option("--node", default=50, show_default=True, help="Mutants of Node programs.")
@click.option("--seed", default=1, show_default=True, help="Seed of the sample.")
@click.option("--hours", default=4.0, show_default=True, help="Time limit for both tiers.")
def mutants(folder: Path, python: int, node: int, seed: int, hours: float) -> None:
    """Try random mutants on the tests that execute their lines; needs both measured runs.

    Night tests are tried on the survivors only. Verdicts go to FOLDER/mutants.jsonl; a second call
    goes on after the last verdict.
    """
    ends_at = time.monotonic() + hours * 3600
    sample = draw_mutants(seed, python, node)
    runner = MutantRunner(folder, threads=2)
    of_change = _try_tier(runner, folder, "change", sample, ends_at)
    survivors = [mutant for mutant in of_change if of_change[mutant].outcome != "killed"]
    of_night = _try_tier(runner, folder, "night", survivors, ends_at)
    _print_shares(of_change, of_night)


def _try_tier(
    runner: MutantRunner, folder: Path, tier: str, sample: Sequence[Mutant], ends_at: float
) -> dict[Mutant, Verdict]:
    """Try mutants on the tests of one tier; return the verdicts that came in time."""
    measured = SuiteCoverage([folder / tier])
    tests = {mutant: measured.find_tests(mutant.path, mutant.line) for mutant in sample}
    durations = read_durations(folder / tier)
    file = folder / "mutants.jsonl"
    earlier = read_verdicts(file, tier)
    recorded = {m: earlier.get((describe(m), m.start)) for m in sample}
    verdicts = {mutant: verdict for mutant, verdict in recorded.items() if verdict}
    open_tests = {mutant: names for mutant, names in tests.items() if mutant not in verdicts}
    for mutant, verdict in runner.run_all(open_tests, durations, tier, ends_at):
        verdicts[mutant] = verdict
        append_verdict(file, verdict)
        say(f"{tier}: {verdict.outcome}: {verdict.mutant}")
    return verdicts


def _print_shares(change: Mapping[Mutant, Verdict], night: Mapping[Mutant, Verdict]) -> None:
    """Print the killed mutants of both tiers as a Markdown table."""
    say("| mutants | tried | killed by `make test` | by `make test-all` |\n|---|---|---|---|")
    for language, in_node in (("Python", False), ("Node", True)):
        tried = [mutant for mutant in change if mutant.in_node == in_node]
        first = sum(change[mutant].outcome == "killed" for mutant in tried)
        later = sum(m in night and night[m].outcome == "killed" for m in tried)
        shares = [f"{killed} ({killed / len(tried):.0%})" for killed in (first, first + later)]
        say(f"| {language} | {len(tried)} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
