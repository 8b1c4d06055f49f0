"""The command's exit codes and their meaning."""

from typing import Final

DONE: Final = 0
CHECK_FAILED: Final = 1
BAD_USAGE: Final = 2
INFRASTRUCTURE: Final = 3
INTERRUPTED: Final = 130

EXIT_CODES: Final = """\b
Exit codes:
  0    done, whatever the verdicts on models are
  1    a check found a fault
  2    something to fix: usage, a key, a file, a disk or an output that is full
  3    infrastructure: attempts without a verdict, or a bug in this program
  130  Ctrl-C; after the first Ctrl-C a run finishes gradings under way and ends with 3

A closed output (`| head`) ends no command and changes no exit code.
"""
"""The help text on the exit codes; its first line keeps click from joining the lines."""
