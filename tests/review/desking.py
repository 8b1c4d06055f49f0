"""The desk as `leaderboard serve` serves it, over sessions that are made for a test."""

import os
import re
import subprocess
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from axe_playwright_python.sync_playwright import (  # pyright: ignore[reportMissingTypeStubs]
    Axe,
)
from playwright.sync_api import Browser, Page
from selectolax.lexbor import LexborHTMLParser

from records.folder import DataFolder
from records.session import EvalStatus, FromAttempt, Session
from review.store import SessionStore
from tests.leaderboard.test_serve import Project, new_project, served
from tests.review.corpus import CALL, NASTY, said, session

COMMAND: Final = Path(sys.executable).with_name("leaderboard")
ANSWER: Final = """\
# Files

## convex/messages.ts

```ts
import { query } from "./_generated/server";
// the newest ten
export const list = query({ args: {}, handler: async (ctx) => ctx.db.query("messages").take(10) });
```
"""
HOSTILE: Final = """\
<script>alert(1)</script> <img src=x onerror=alert(2)> [a](javascript:alert(3))
![picture](https://elsewhere.example/pixel.png) [b](//elsewhere.example)
<style>body{display:none}</style>

```ts"><script>alert(4)</script>
</code></pre><script>alert(5)</script>
```

| \u202e | <iframe src="https://elsewhere.example"> |
|---|---|
| ![x](data:image/svg+xml,<svg/onload=alert(6)>) | ~~gone~~ |
"""


def talk(number: int, **labels: object) -> Session:
    """Return a session as a coding tool records it: with a call of a tool, and an answer."""
    return session(
        number,
        said("system", "You help with Convex."),
        said("user", f"Write query number {number} that lists messages."),
        said("assistant", "I look at the files first.", tool_calls=(CALL,), model="maker/model"),
        said("tool", "export default {}", tool_call_id="call-1"),
        said("assistant", ANSWER, model="maker/model"),
        **{"title": f"Query number {number}", **labels},
    )


def attempt(number: int, run_id: str = "4p2bzjf5m6urabcd") -> Session:
    """Return the session of an attempt, with the reference as its expected output."""
    name = f"001-queries/{number:03}-list"
    source = FromAttempt(kind="attempt", run_id=run_id, eval=name, sample=1)
    made = talk(number, title=name, model="maker/secret-model")
    return made.model_copy(
        update={
            "source": source,
            "eval_status": EvalStatus.INCORRECT,
            "expected_output": ANSWER.replace("take(10)", "collect()"),
        }
    )


def of_every_kind() -> list[Session]:
    """Return ten talks, two attempts and the nasty sessions."""
    return [*NASTY, *(talk(number) for number in range(100, 110)), attempt(1), attempt(2)]


def store_of(project: Project, sessions: Iterable[Session]) -> SessionStore:
    """Return the store of a project, with these sessions."""
    store = SessionStore(DataFolder(project.root / "data"))
    for one in sessions:
        store.write(one)
    return store


@contextmanager
def desk(root: Path, sessions: Iterable[Session]) -> Generator[tuple[str, SessionStore]]:
    """Serve a project with these sessions; yield the desk's address, and the store."""
    root.mkdir(parents=True, exist_ok=True)
    project = new_project(root)
    store = store_of(project, sessions)
    with served(project) as (address, _):
        yield f"{address}/review/", store


@dataclass
class KillableServer:
    """The server as a process that can be killed and started again at the same port."""

    project: Project
    port: int = 0
    process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        """Start it; return the desk's address when it answers."""
        command = [COMMAND, "serve", "--port", str(self.port), *self.project.places]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.match(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(found[1])
                return f"http://127.0.0.1:{self.port}/review/"
        raise AssertionError("the server ended before it listened")

    def kill(self) -> None:
        """End it by SIGKILL."""
        assert self.process is not None
        self.process.kill()
        self.process.communicate()


def form_of(client: httpx.Client, path: str) -> dict[str, str]:
    """Return the hidden fields of the form by which a session is judged."""
    page = LexborHTMLParser(client.get(path).raise_for_status().text)
    fields = page.css("form#judge input[type=hidden]")
    return {str(one.attributes["name"]): one.attributes["value"] or "" for one in fields}


@contextmanager
def looked_at(browser: Browser, width: int, zoom: int, scheme: str) -> Generator[Page]:
    """Open a page in a window of so many CSS pixels, magnified so, in the light or dark scheme."""
    window = browser.new_context(
        viewport={"width": width, "height": 900},
        device_scale_factor=zoom,
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,  # axe is injected by the test
    )
    yield window.new_page()
    window.close()


def faults_of(page: Page, name: str, *, width: int, scheme: str, otherwise: Path) -> list[str]:
    """Return what axe finds, and by how much a page is too wide; keep a picture of it.

    Pictures go to the folder that SCREENSHOTS names, or to ``otherwise``.
    """
    folder = Path(os.environ.get("SCREENSHOTS", otherwise))
    folder.mkdir(parents=True, exist_ok=True)
    beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    found = [f"{name}: {beyond} px too wide"] if beyond > 0 else []
    page.screenshot(path=folder / f"desk-{name}-{width}-{scheme}.png", full_page=True)
    axe: Any = Axe()  # it has no types
    for violation in axe.run(page).response["violations"]:
        at = violation["nodes"][0]
        found.append(f"{name}: {violation['id']} {at['target']} {at['failureSummary']}")
    return found
