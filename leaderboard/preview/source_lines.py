"""Problems with the lines of the file that they name."""

import re
from pathlib import Path


def with_source(problem: str) -> str:
    """Return a problem; if it names a file and a line, with this line and its neighbours.

    Paths in the working folder become relative to it.
    """
    problem = problem.replace(f"{Path.cwd()}/", "")
    match = re.match(r"(?P<file>[^\n:]+):(?P<line>[0-9]+): ", problem)
    if match is None:
        return problem
    try:
        lines = Path(match["file"]).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return problem
    at = int(match["line"])
    numbers = range(max(1, at - 1), min(len(lines), at + 1) + 1)
    source = [
        f"{'>' if number == at else ' '} {number:>4} {lines[number - 1][:200]}"
        for number in numbers
    ]
    return "\n".join([problem, "", *source])
