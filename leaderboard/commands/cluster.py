"""`leaderboard cluster`: grading on several machines."""

from pathlib import Path

import click

from leaderboard.command_groups import StrictGroup
from leaderboard.options import format_examples
from leaderboard.terminal.streams import say


@click.group(
    "cluster",
    cls=StrictGroup,
    epilog=format_examples("leaderboard cluster certificates cluster.yaml"),
)
def command() -> None:
    """Prepare machines that grade for `--cluster`; docs/cluster.md has all steps."""


@command.command(
    "certificates",
    short_help="Make the file that lets machines trust one another.",
    epilog=format_examples(
        "leaderboard cluster certificates cluster.yaml",
        'export DASK_CONFIG="$PWD/cluster.yaml"',
        "dask scheduler --protocol tls --port 8786 --no-dashboard --dashboard-address 127.0.0.1:0",
    ),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def certificates_command(*, file: Path) -> int:
    """Write a new FILE with Dask's settings and a certificate, the same for all machines.

    Whoever has the file can run programs on every machine of the cluster. It holds for a year.
    """
    # Imported here: the package of certificates is in the extra `cluster`.
    from runner.cluster.certificates import write_certificates  # noqa: PLC0415

    write_certificates(file)
    say(str(file))
    say("copy it to each machine, and keep it like a password", err=True)
    return 0
