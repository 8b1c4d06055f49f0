"""The pages that are open in browsers, and the messages to them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

MOST_NOTICES: Final = 50
"""The most notices that are listed; a wrong link in a template may cause thousands."""


@dataclass(frozen=True, slots=True)
class News:
    """A message to an open page."""

    problem: str | None
    """The error of the last build; None if it succeeded."""
    notices: Sequence[str]
    """Reports without their run, and broken links."""
    reload: bool = False
    """True if the content of the page changed."""
    style: bool = False
    """True if style sheets changed, which the page can load without a reload."""
    building: bool = False
    """True while a build runs."""

    def format_event(self) -> str:
        """Return the message as an event of the stream."""
        notices = [*self.notices[:MOST_NOTICES]]
        if len(self.notices) > MOST_NOTICES:
            notices.append(f"and {len(self.notices) - MOST_NOTICES} more")
        message = {**asdict(self), "notices": notices}
        return f"data: {json.dumps(message)}\n\n"


@dataclass(frozen=True, slots=True, eq=False)
class OpenPage:
    """A page that is open in a browser."""

    file: str | None
    """The file of the page, relative to the output folder; None if the browser did not name it."""
    queue: asyncio.Queue[News]


class OpenPages:
    """The open pages; each has a stream of messages, which ends when the preview stops."""

    def __init__(self, stop: asyncio.Event) -> None:
        """Begin without pages; ``stop`` is set when the preview stops."""
        self._pages: set[OpenPage] = set()
        self._stop = stop

    def __iter__(self) -> Iterator[OpenPage]:
        """Yield the open pages."""
        return iter(self._pages)

    def broadcast(self, news: News) -> None:
        """Send a message to all open pages."""
        for page in self._pages:
            page.queue.put_nowait(news)

    async def stream(self, file: str | None, current: Callable[[], News]) -> AsyncIterator[str]:
        """Yield the events for a page, the first from ``current``; the page is open meanwhile.

        ``current`` is called when the page is added, so that no message gets lost in between.
        """
        page = OpenPage(file, asyncio.Queue())
        self._pages.add(page)
        page.queue.put_nowait(current())
        try:
            while not self._stop.is_set():
                try:
                    news = await asyncio.wait_for(page.queue.get(), timeout=15)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                yield news.format_event()
        finally:
            self._pages.discard(page)
