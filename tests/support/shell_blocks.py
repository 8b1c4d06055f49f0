"""Runs the commands of a document in an empty folder, and compares their output.

A fenced block whose first line names a file beside its language (```` ```python check.py ````) is
that file. A block of ``sh`` is run, and a block of ``text`` right below it is its output.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.documents.markdown import parse_document
from tests.support.warm_command import make_command_environment


@dataclass(frozen=True, slots=True)
class ShellBlock:
    """Commands of a document."""

    commands: str
    printed: str | None
    """Output of the commands in the document; null where the document has none."""

    @property
    def is_ours(self) -> bool:
        """True if all commands can be run with this program and Python alone."""
        return not re.search(r"^(?:inspect|python check\.py)\b", self.commands, re.MULTILINE)


def parse_files(document: str) -> dict[str, str]:
    """Return the files in a document, by their names."""
    return {fence.file: fence.text for fence in parse_document(document).fences if fence.file}


def parse_shell_blocks(document: str) -> Iterator[ShellBlock]:
    """Yield the commands of a document, in order."""
    fences = [fence for fence in parse_document(document).fences if not fence.file]
    for fence, following in zip(fences, [*fences[1:], None], strict=True):
        if fence.language == "sh":
            has_output = following is not None and following.language == "text"
            yield ShellBlock(fence.text, following.text if has_output and following else None)


def run(
    block: ShellBlock,
    folder: Path,
    *programs: Path,
    more: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
) -> str:
    """Run commands in ``folder`` and return all that they print, without blanks that end lines.

    Args:
        block: the commands.
        folder: where they are run.
        programs: folders in which programs are looked for before all others.
        more: further variables.
        pass_fds: descriptors that programs of these folders ask for.
    """
    path = os.pathsep.join([*map(str, programs), "/usr/local/bin", "/usr/bin", "/bin"])
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", block.commands],
        cwd=folder,
        env=make_command_environment(**(more or {})) | {"HOME": str(folder), "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        pass_fds=pass_fds,
    )
    assert done.returncode == 0, f"{block.commands}\n{done.stdout}"
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
