"""Runs the command in forked children, so that a test can kill many without paying for imports.

Started as ``python -m tests.runner.killable``: takes lines of JSON (a list of arguments), forks a
child for each that runs the command with them, prints its process id, then how it ended.
"""

import json
import os
import sys
import warnings


def main() -> None:
    """Serve until the end of input."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from leaderboard.commands import run  # noqa: PLC0415 - what a child needs, imported once
        from runner.generation.backend import litellm  # noqa: PLC0415

        litellm()
    del run
    print("ready", flush=True)  # noqa: T201 - the test reads it
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become_the_command(json.loads(line))
        print(child, flush=True)  # noqa: T201
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201


def _become_the_command(arguments: list[str]) -> None:
    from leaderboard.cli import main as command  # noqa: PLC0415

    # Nothing of the child may reach the pipe that the test reads.
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    sys.argv = ["leaderboard", *arguments]
    code = 70
    try:
        command()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 71
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
