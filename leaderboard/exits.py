"""What the command's exit codes mean."""

from typing import Final

DONE: Final = 0
CHECK_FAILED: Final = 1
BAD_USAGE: Final = 2
INFRASTRUCTURE: Final = 3
INTERRUPTED: Final = 130
