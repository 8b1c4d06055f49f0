"""A process of a local cluster: Dask's own scheduler or workers, which die with the driver.

It is started as ``python -m runner.cluster.tied_process PARENT scheduler|worker ARGUMENT…``.
"""

import ctypes
import os
import signal
import sys
from importlib import import_module
from typing import Final

_DIE_WITH_PARENT: Final = 1
"""Linux's PR_SET_PDEATHSIG: the signal comes when the thread ends that started this process."""


def main() -> None:
    """Tie this process to its parent, and go on as Dask's command."""
    parent, name, *arguments = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != int(parent):
        return  # the parent died before the line above
    import_module(f"distributed.cli.dask_{name}").main(arguments)


if __name__ == "__main__":
    main()
