"""Memory of a process and its children, where what they share counts once."""

from pathlib import Path


def measure_memory_mib(pid: int) -> float:
    """Return the memory of a process and all its children, by their shares of it (PSS)."""
    return sum(map(_read_share_mib, _list_family(pid)))


def _list_family(pid: int) -> list[int]:
    pids = [pid]
    for parent in pids:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                pids += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return pids


def _read_share_mib(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
