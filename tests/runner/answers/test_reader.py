"""Replies are read in processes of their own: no reply can hold up or break this process."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.suites.suite_config import AnswerFiles
from runner.answers.reader import ReplyReader
from runner.answers.reply import parse_reply, render_reply
from runner.answers.rules import TYPESCRIPT_RULES, Admitted, SuiteFileRules
from runner.errors import InfrastructureError, UnusableReplyError

pytestmark = pytest.mark.integration


LONG = "- x\n" * 25_000
"""A reply that took half a second to read when this was written, and holds no file."""


@pytest.fixture(scope="module")
def reader() -> Iterator[ReplyReader]:
    """Keep processes that read replies."""
    with ReplyReader() as reader:
        yield reader


@given(st.text(st.characters(), max_size=200), st.booleans())
def test_it_reads_as_the_parser_does(reader: ReplyReader, text: str, in_a_file: bool) -> None:  # noqa: FBT001
    """Any text gives the same files, notes or reason, halves of characters included."""
    reply = render_reply({"convex/a.ts": f"{text}\n"}) if in_a_file else text
    assert _read_outcome(reader.read, reply) == _read_outcome(parse_reply, reply)


def test_it_reads_by_the_rules_of_the_suite(reader: ReplyReader) -> None:
    """Settings at the root are used in suites in TypeScript, and left out elsewhere."""
    reply = render_reply({"convex/a.ts": "1\n", "vitest.config.ts": "2\n"})
    assert reader.read(reply).files == {"convex/a.ts": "1\n"}
    with_settings = reader.read(reply, TYPESCRIPT_RULES)
    assert set(with_settings.files) == {"convex/a.ts", "vitest.config.ts"}
    own = SuiteFileRules(AnswerFiles(paths=("*.ts",)))
    assert set(reader.read(reply, own).files) == {"vitest.config.ts"}


def test_the_event_loop_goes_on_while_a_reply_is_read(reader: ReplyReader) -> None:
    """A reply that keeps its reader busy blocks no other task."""

    async def count_ticks() -> int:
        loop = asyncio.get_running_loop()
        reading = loop.run_in_executor(None, _find_fault, reader.read, LONG)
        ticks = 0
        while not reading.done():
            await asyncio.sleep(0.001)
            ticks += 1
        assert await reading == "no_files"
        return ticks

    before = time.process_time()
    assert asyncio.run(count_ticks()) > 20
    ours = time.process_time() - before
    before = time.process_time()
    assert _find_fault(parse_reply, LONG) == "no_files"
    assert ours < time.process_time() - before


def test_past_its_limit_a_reply_is_unusable_and_the_next_is_read() -> None:
    """The limit is processor time; a new process reads the next reply."""
    with ReplyReader(limit_s=0.05) as reader:
        assert _find_fault(reader.read, LONG) == "too_large"
        assert reader.read(render_reply({"convex/a.ts": "x\n"})).files == {"convex/a.ts": "x\n"}
        assert _find_fault(reader.read, LONG) == "too_large"


def test_waiting_is_not_held_against_a_reply() -> None:
    """Many small replies, one after the other, never reach the limit together."""
    with ReplyReader(limit_s=0.4) as reader:
        for _ in range(120):
            assert reader.read(render_reply({"convex/a.ts": "x\n" * 2000})).notes == ()


def test_several_threads_are_served(reader: ReplyReader) -> None:
    """Each thread gets its own reply."""
    replies = [render_reply({"convex/a.ts": f"{n}\n"}) for n in range(40)]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(reader.read, replies)) == [parse_reply(reply) for reply in replies]


def _list_children() -> set[int]:
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for each in tasks for pid in each.read_text().split()}


def _kill_readers(others: set[int], times: int) -> None:
    """Kill the processes that were started since ``others``, ``times`` times."""
    seen: set[int] = set()
    while len(seen) < times:
        for pid in _list_children() - others - seen:
            seen.add(pid)
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def test_a_process_that_somebody_else_ends_is_replaced_once() -> None:
    """A death from outside costs the reply nothing; the second death is no verdict either."""
    earlier_children = _list_children()
    with ReplyReader() as reader:
        killer = threading.Thread(target=_kill_readers, args=(earlier_children, 1))
        killer.start()
        assert _find_fault(reader.read, LONG) == "no_files"
        killer.join()
    earlier_children = _list_children()
    with ReplyReader() as reader:
        killer = threading.Thread(target=_kill_readers, args=(earlier_children, 2))
        killer.start()
        with pytest.raises(InfrastructureError, match="ended with status -9"):
            reader.read(LONG)
        killer.join()


def test_nothing_is_left_running() -> None:
    """A reader that is closed has no process any more."""
    earlier_children = _list_children()
    with ReplyReader() as reader:
        reader.read(render_reply({"convex/a.ts": "x\n"}))
        assert len(_list_children() - earlier_children) == 1
    assert _list_children() - earlier_children == set()


def _read_outcome(read: Callable[[str], Admitted], reply: str) -> Admitted | tuple[str, str]:
    try:
        return read(reply)
    except UnusableReplyError as error:
        return error.kind, str(error)


def _find_fault(read: Callable[[str], Admitted], reply: str) -> str:
    with pytest.raises(UnusableReplyError) as caught:
        read(reply)
    return caught.value.kind
