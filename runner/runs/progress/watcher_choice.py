"""The choice between the live view and plain lines."""

from typing import TextIO

from runner.runs.progress.watcher import Watcher


def make_watcher(lines: TextIO, terminal: TextIO | None = None) -> Watcher:
    """Return a live view on ``terminal``, or a printer of plain lines to ``lines`` if it is None.

    The live view makes control characters visible, so ``terminal`` may be one that obeys them.
    """
    # Each module takes a third of a second to import, so only the module in use is imported.
    if terminal is None:
        from runner.runs.progress.plain_lines import Lines  # noqa: PLC0415

        return Lines(lines)
    from runner.runs.progress.live_view import LiveView  # noqa: PLC0415

    return LiveView(terminal)
