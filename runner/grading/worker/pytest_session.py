"""The pytest session in which graders run; its set-up happens once, before the forks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from runner.grading.worker.message_stream import MessageStream
from runner.grading.worker.plugin import GraderPlugin
from runner.grading.worker.protocol import GradingRequest

_LEFT_OUT: Final = (
    *("cacheprovider", "debugging", "doctest", "faulthandler", "junitxml", "logging", "pastebin"),
    *("recwarn", "setuponly", "setupplan", "stepwise", "threadexception", "unittest"),
    "unraisableexception",
)
"""Plugins of pytest that graders do not need; each would take time at each start."""
_ARGUMENTS: Final = (
    "-qq",
    "--noconftest",
    "--config-file=/dev/null",
    "--rootdir=/",
    "--override-ini=python_files=grader.py check_*.py",
    "--override-ini=filterwarnings=ignore",
    "--capture=sys",
    *(part for name in _LEFT_OUT for part in ("-p", f"no:{name}")),
)
"""Arguments with which pytest reads no settings of the machine, its user or parent folders."""


def run_grader(take: Callable[[], tuple[GradingRequest, MessageStream] | None]) -> None:
    """Run a grader's tests over an answer, and report each test over a stream.

    ``take`` returns the request and the stream, or None at the end of gradings. It is called after
    pytest's set-up, which is the same for all graders. So if ``take`` forks a process, this process
    needs no set-up.
    """
    waiting = _PytestSession(take)
    status = pytest.main(list(_ARGUMENTS), plugins=[waiting])
    if waiting.grading:
        waiting.grading.conclude(int(status))


class _PytestSession:
    """A plugin that waits for a request when pytest collects tests, and collects that grader."""

    def __init__(self, take: Callable[[], tuple[GradingRequest, MessageStream] | None]) -> None:
        self._take = take
        self.grading: GraderPlugin | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Collect the tests of the requested grader, and of no other file."""
        next_grading = self._take()
        if next_grading is None:
            pytest.exit("nothing is left to be graded", returncode=0)
        request, stream = next_grading
        self.grading = GraderPlugin(request, stream)
        self.grading.begin()
        config = session.config
        config.pluginmanager.register(self.grading.fixtures)
        config.pluginmanager.register(self.grading)
        module: Any = pytest.Module  # its constructor has no types
        grader: pytest.Module = module.from_parent(session, path=Path(request.grader))
        session.items = list(session.genitems(grader))
        config.hook.pytest_collection_modifyitems(
            session=session, config=config, items=session.items
        )
        config.hook.pytest_collection_finish(session=session)
        session.testscollected = len(session.items)
        return True
