"""The command's exit codes and their meaning."""

from typing import Final

DONE: Final = 0
CHECK_FAILED: Final = 1
BAD_USAGE: Final = 2
INFRASTRUCTURE: Final = 3
INTERRUPTED: Final = 130

EXIT_CODES: Final = """\b
Exit codes:
  0    done; how models fared is in the records, not here
  1    a check found something
  2    something to fix: usage, a key, a file, a disk or an output that is full
  3    infrastructure: attempts without a verdict, or this program broke
  130  Ctrl-C; a run's first Ctrl-C lets it finish what is graded and ends with 3

Output that nobody reads any more (`| head`) ends no command and changes no exit code.
"""
"""The help text for the exit codes; its first line keeps click from joining the lines."""
