"""The processes of this machine."""

from contextlib import suppress
from pathlib import Path


def is_running(process: int) -> bool:
    """Return whether a process has not ended; one that nobody has waited for has ended."""
    status = Path(f"/proc/{process}/stat")
    with suppress(FileNotFoundError, ProcessLookupError):
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    return False
