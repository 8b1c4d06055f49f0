"""The installed program: it finds its packages, whose names are too common to install openly.

A wheel has them in a folder of this package, and only the processes of this program search it. In a
clone of the repository they are beside this file.
"""

import sys
from pathlib import Path


def main() -> None:
    """Run the command `leaderboard`."""
    packages = Path(__file__).parent / "packages"
    if packages.is_dir():
        sys.path.insert(0, str(packages))
    # Found only now, on the path that was added.
    from leaderboard.cli import main as run_command  # noqa: PLC0415

    run_command()
