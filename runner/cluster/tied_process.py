"""A process of a local cluster: Dask's own scheduler or workers, which die with the driver.

It is started as ``python -m runner.cluster.tied_process PARENT scheduler|worker ARGUMENT…``.
"""

import os
import sys
from importlib import import_module

from runner.jail.kernel.processes import die_with_parent


def main() -> None:
    """Tie this process to its parent, and go on as Dask's command."""
    parent, name, *arguments = sys.argv[1:]
    die_with_parent()
    if os.getppid() != int(parent):
        return  # the parent died before the line above
    import_module(f"distributed.cli.dask_{name}").main(arguments)


if __name__ == "__main__":
    main()
