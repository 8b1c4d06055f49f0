"""`leaderboard demo`: runs of the baselines and a site of them, without any key."""

import sys
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import TextIO

import click

from generator.build import Sources, build
from generator.output_folder import check_output_folder
from generator.site_links import build_table_path
from leaderboard import options
from leaderboard.project import find_texts
from leaderboard.runs.run import choose_watcher
from leaderboard.runs.run_summary import choose_exit_code, report_runs
from leaderboard.terminal import shell_commands
from leaderboard.terminal.streams import find_terminal, is_quiet, say, say_starting
from records.files.data_folder import DataFolder
from records.text.numbers import format_count
from records.text.visible import make_visible
from runner.evals.discovery import Eval, Suite, discover
from runner.jail import Kind
from runner.models.baselines import BASELINES
from runner.runs import plan
from runner.runs.launch import launch
from runner.runs.progress.watcher import EndedAttempt, WatchedRun, Watcher, format_span

LINES = 20
"""The number of lines about attempts."""


class DemoLines(Watcher):
    """A watcher that counts the attempts of all runs together."""

    def __init__(self, stream: TextIO, planned: int) -> None:
        """Store ``stream``, which gets the lines, and ``planned``, the number of all attempts."""
        super().__init__()
        self._stream = stream
        self._planned = planned
        self._done = 0
        self._first_at = 0.0
        """When the first attempt was done: before it, programs are packed for some seconds."""

    def report_attempt(self, run: WatchedRun, attempt: EndedAttempt) -> None:
        """Count the attempt; print the count and the time left at each twentieth of all."""
        super().report_attempt(run, attempt)
        with self._lock:
            self._done += 1
            self._first_at = self._first_at or monotonic()
            if self._done * LINES // self._planned > (self._done - 1) * LINES // self._planned:
                line = f"{self._done} of {self._planned} attempts done"
                # The pace so far shows the time that is left.
                measured, remaining = self._done - 1, self._planned - self._done
                if measured and remaining:
                    seconds = (monotonic() - self._first_at) / measured * remaining
                    line += f", about {format_span(seconds)} left"
                self._say(line)

    def report_event(self, line: str) -> None:
        """Print a line."""
        with self._lock:
            self._say(line)

    def report_end(self, run: WatchedRun) -> None:
        """Print that a run's record was written."""
        self.report_event(f"{run.title}: recorded")

    def _say(self, line: str) -> None:
        self._stream.write(f"{make_visible(line)}\n")
        self._stream.flush()


_EXPLANATION = """\
Three baselines answer {evals}, with the guidelines and without: {attempts} attempts.
No model is asked. `oracle` gives the reference answers, and must pass. `empty` and `stub` give
answers that do nothing, and must fail: a grader that passes them is broken.
"""
_PER_CATEGORY = 2
"""The most evals of a category that are answered without `--all`."""


@options.command(
    "leaderboard demo",
    "leaderboard demo --all   # takes minutes",
    "leaderboard demo --data /tmp/data --out /tmp/site",
)
@click.option(
    "--all", "everything", is_flag=True, help=f"All evals, not only {_PER_CATEGORY} of a category."
)
@options.sandbox_option
@options.graders_option
@options.out_option
@options.templates_option
@options.evals_option
@options.new_data_option
@click.pass_context
def demo_command(  # noqa: PLR0913 - one parameter per option of the command
    context: click.Context,
    *,
    everything: bool,
    sandbox: Kind,
    graders: int,
    out: Path,
    templates: Path,
    evals_root: Path,
    data: DataFolder,
) -> int:
    """Run the three baselines with and without guidelines, and build a site of their runs.

    Without --all, the first evals of each category are answered. The site has a table of these runs
    over these evals alone.
    """
    say_starting()
    suite = discover(evals_root)
    evals = suite.evals if everything else choose_evals(suite)
    destination = plan.Destination(suite, data)
    sources = Sources(destination.data, templates, evals_root, local=True, texts=find_texts())
    # Otherwise the runs, which take minutes, would end without a site.
    check_output_folder(sources, out)
    settings = plan.RunSettings(models=list(BASELINES), sandbox=sandbox, graders=graders)
    experiments = [
        plan.make_experiment_setup(suite, name, None) for name in (plan.DEFAULT, plan.NO_GUIDELINES)
    ]
    plans = plan.plan_runs(settings, plan.RunScope(destination, experiments, evals))
    planned = sum(each.run.planned_attempts for each in plans)
    answered = format_count(len(evals), "eval")
    if len(evals) < len(suite.evals):
        answered = f"{len(evals)} of {len(suite.evals)} evals (--all for all)"
    say(_EXPLANATION.format(evals=answered, attempts=planned))
    say(f"Step 1 of 2: {planned} answers are graded")
    drawing = find_terminal() is not None or is_quiet()
    watching = choose_watcher() if drawing else DemoLines(sys.stdout, planned)
    runs = launch(plan.PlannedRuns(plans, destination), settings, watching)
    keep = shell_commands.list_options_to_keep(context)
    report_runs(runs, destination.data, keep)
    say("\nStep 2 of 2: the site is built, in some seconds")
    written = build(sources, out)
    table = build_table_path(
        runs[0].benchmark_version, runs[0].planned, [each.name for each in suite.evals]
    )
    say(f"\nYour runs: {out / table / 'index.html'}")
    files = format_count(written.files, "file")
    say(f"The whole site, published runs first: {out / 'index.html'} ({files})")
    parts = [
        part
        for option in shell_commands.list_given_options(context)
        if option.name in {"out", "templates", "evals_root", "data"}
        for part in (option.opts[0], str(context.params[option.name]))
    ]
    serve = shell_commands.format_command_line("serve", *parts)
    say(f"Open a file in a browser, or go on with: {serve}")
    return choose_exit_code(runs)


def choose_evals(suite: Suite) -> list[Eval]:
    """Return the first evals of each category of ``suite``, in its order."""
    met = Counter[str]()
    chosen: list[Eval] = []
    for evaluation in suite.evals:
        met[evaluation.category] += 1
        if met[evaluation.category] <= _PER_CATEGORY:
            chosen.append(evaluation)
    return chosen
