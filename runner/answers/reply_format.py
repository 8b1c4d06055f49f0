"""The words in which every prompt asks for files; the example between them is a suite's own."""

from typing import Final

OPENING: Final = """\
# Reply format

Reply with one h1 heading `Files`. Under it, for each file of the project, write an h2 heading with
the file's path, relative to the project, and below it one fenced code block with the file's whole
text:

"""

CLOSING: Final = """\
Close every block. If a file contains three backticks itself, fence it with more. If a path comes
twice, the last one counts. Text outside of the blocks is not read."""
