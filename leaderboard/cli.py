"""The `leaderboard` command: its table of subcommands and what its exit codes mean.

Subcommands are imported when they are called, so that `leaderboard --help` answers at once.
"""

import gc
import os
import sys
from typing import Final

import click

from leaderboard.exits import BAD_USAGE, DONE, INFRASTRUCTURE, INTERRUPTED
from leaderboard.lazy import LazyGroup

COMMANDS: Final = {
    "demo": "Run the baselines over the suite and build the site; no key needed.",
    "run": "Give models the tasks, grade what they write, record it.",
    "evals": "List evals and their state; without a subcommand, a menu.",
    "models": "The models that can be asked by name.",
    "suite": "Write, prove and mint the suite.",
    "import": "Read results that others published into data/.",
    "migrate": "Rewrite records of older schema versions.",
    "build": "Build the site from data/.",
    "serve": "Build, serve and rebuild the site on every change.",
    "check": "Check every record in data/.",
}
"""Each subcommand with its line of help; the module of the same name holds it."""


@click.group(
    cls=LazyGroup,
    package="leaderboard.commands",
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="convex-leaderboard", prog_name="leaderboard")
def root() -> None:
    """Measure how well LLMs write Convex code, and publish it.

    Exit codes: 0 done; 1 a check failed; 2 bad usage; 3 infrastructure.
    """


def main() -> None:
    """Run the command, turn every expected error into one line and an exit code, and end."""
    # No plugin of pydantic's is used here, and looking for some reads about every package there is.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        _run()
    finally:
        # Else the interpreter looks for garbage among all that is left, before it drops it all.
        gc.freeze()


def _run() -> None:
    # Imported here: the error trees are all that the front door needs of the packages at start.
    from generator.errors import GeneratorError  # noqa: PLC0415
    from records.errors import RecordsError  # noqa: PLC0415
    from runner.errors import InfrastructureError, RunnerError  # noqa: PLC0415

    try:
        code = root.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(BAD_USAGE)
    except click.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(INTERRUPTED)
    except InfrastructureError as error:
        click.echo(f"leaderboard: {error}", err=True)
        sys.exit(INFRASTRUCTURE)
    except (RecordsError, RunnerError, GeneratorError) as error:
        click.echo(f"leaderboard: {error}", err=True)
        sys.exit(BAD_USAGE)
    except OSError as error:
        # A place the user named, or something in it: it may not be read, or not be written to.
        if error.filename is None:
            raise
        click.echo(f"leaderboard: {error.filename}: {error.strerror}", err=True)
        sys.exit(BAD_USAGE)
    sys.exit(code if isinstance(code, int) else DONE)
