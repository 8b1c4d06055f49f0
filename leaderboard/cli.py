"""The `leaderboard` command: its table of subcommands, and its exit codes.

Subcommands are imported when they are called, so that `leaderboard --help` answers at once.
"""

import gc
import os
import sys
from typing import Final

import click

from leaderboard.command_groups import LazyGroup
from leaderboard.former_spellings import replace_former_words
from leaderboard.options import format_examples, program_options
from leaderboard.terminal.error_messages import report_error
from leaderboard.terminal.exit_codes import BAD_USAGE, DONE, EXIT_CODES, INTERRUPTED
from leaderboard.terminal.streams import Streams, say

COMMANDS: Final = {
    "demo": "Run the baselines over the suite and build the site; no key needed.",
    "init": "Begin a project of your own: one eval, its grader, the site's settings.",
    "run": "Give models the tasks, grade their answers, record the results.",
    "ablate": "Leave out sections of the guidelines, or compare an edition: does it help?",
    "evals": "List evals and their state; without a subcommand, a menu.",
    "runs": "List all runs, or show a run.",
    "models": "List the models that can be asked by name.",
    "regrade": "Grade stored answers by today's graders; no model is asked.",
    "verify": "Grade published answers again: are the verdicts reproduced?",
    "publish": "Move a local run to the published records.",
    "send": "Send runs to a server of scores that did not answer before.",
    "withdraw": "Take a run out of scores; its record stays.",
    "diff": "Show the changes between two runs, guidelines or revisions.",
    "report": "Write the report on a run: why its attempts failed.",
    "session": "Label recorded conversations, and make datasets of them.",
    "export": "Write labelled sessions as files that other programs load.",
    "cluster": "Prepare other machines to grade.",
    "keys": "Create, list and revoke the keys of the API of `serve`.",
    "suite": "Write, prove and mint the suite.",
    "import": "Read results that others published into data/.",
    "build": "Build the site from data/.",
    "snapshot": "Write the published results as files that other programs load.",
    "serve": "Build, serve and rebuild the site on every change.",
    "check": "Check every record in data/, or repair the journal of a run.",
    "completion": "Print the script that lets a shell complete commands.",
}
"""Each subcommand with its line of help; its code is in the module of the same name."""


class Program(LazyGroup):
    """The whole program, which also knows the spellings of the release before."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line after former spellings are replaced."""
        return super().parse_args(ctx, replace_former_words(args, quiet=ctx.resilient_parsing))


@click.group(
    cls=Program,
    package="leaderboard.commands",
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=format_examples(
        "leaderboard demo", "leaderboard run -m oracle -f crons", "leaderboard serve"
    )
    + "\n\n"
    + EXIT_CODES,
)
@click.version_option(
    None, "-V", "--version", package_name="convex-leaderboard", prog_name="leaderboard"
)
@click.option("-q", "--quiet", is_flag=True, help="Print results, warnings and errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Name the project and its settings first.")
@program_options
def root(*, quiet: bool, verbose: bool, **_shared: object) -> None:
    """Measure how well LLMs solve the tasks of a suite, and publish it.

    --data, --evals, --templates and --json may also stand after the command.
    """
    if quiet and verbose:
        raise click.UsageError("-q and -v contradict one another")
    if verbose:
        from leaderboard.project import explain_project  # noqa: PLC0415 - only where asked for

        explain_project()


def main() -> None:
    """Run the command, and end the process; an error becomes a message and an exit code."""
    # Otherwise pydantic reads the metadata of every installed package, to find plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    streams = Streams()
    try:
        code = _run()
        if loss := streams.describe_loss():
            say(f"leaderboard: {loss}", err=True)
            code = code or BAD_USAGE
    finally:
        # Otherwise the interpreter runs a full garbage collection over all imported modules.
        gc.freeze()
    sys.exit(code)


def _run() -> int:
    try:
        code = root.main(standalone_mode=False)
    except click.Abort:
        say("Stopped.", err=True)
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - every error is reported to the user
        return report_error(error)
    return code if isinstance(code, int) else DONE
