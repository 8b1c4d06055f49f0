"""The desk in the process of a test, with every layer that `leaderboard serve` adds in front."""

from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

import httpx
from selectolax.lexbor import LexborHTMLParser
from starlette.applications import Starlette

from generator.build import Builder, Sources
from leaderboard.commands.serve import make_routes
from leaderboard.preview.server import Preview
from records.sessions.session import EvalStatus, FromAttempt, Session
from review.store import SessionStore
from tests.review.corpus import CALL, NASTY, make_message, make_session
from tests.support.applications import ApplicationTransport, serve_on_loopback
from tests.support.waiting import wait_until

ROOT = Path(__file__).parents[2]
ANSWER = """\
# Files

## convex/messages.ts

```ts
import { query } from "./_generated/server";
// the newest ten
export const list = query({ args: {}, handler: async (ctx) => ctx.db.query("messages").take(10) });
```
"""
HOSTILE = """\
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


def make_talk(number: int, **labels: object) -> Session:
    """Return a session as a coding tool records it: with a call of a tool, and an answer."""
    return make_session(
        number,
        make_message("system", "You help with Convex."),
        make_message("user", f"Write query number {number} that lists messages."),
        make_message(
            "assistant", "I look at the files first.", tool_calls=(CALL,), model="maker/model"
        ),
        make_message("tool", "export default {}", tool_call_id="call-1"),
        make_message("assistant", ANSWER, model="maker/model"),
        **{"title": f"Query number {number}", **labels},
    )


def make_attempt_session(number: int, run_id: str = "4p2bzjf5m6urabcd") -> Session:
    """Return the session of an attempt, with the reference as its expected output."""
    name = f"001-queries/{number:03}-list"
    source = FromAttempt(kind="attempt", run_id=run_id, eval=name, sample=1)
    record = make_talk(number, title=name, model="maker/secret-model")
    return record.model_copy(
        update={
            "source": source,
            "eval_status": EvalStatus.INCORRECT,
            "expected_output": ANSWER.replace("take(10)", "collect()"),
        }
    )


def make_every_kind() -> list[Session]:
    """Return ten talks, two attempts and the nasty sessions."""
    return [
        *NASTY,
        *(make_talk(number) for number in range(100, 110)),
        make_attempt_session(1),
        make_attempt_session(2),
    ]


def make_desk_site(store: SessionStore) -> Starlette:
    """Return the application that `leaderboard serve` serves, over a site that is not built."""
    data = store.folder
    beside = data.root.parent
    templates = ROOT / "site_templates"
    sources = Sources(data, templates, beside / "evals", local=True, steady_assets=True)
    out = beside / "site"
    return Preview(out, Builder(sources, out), []).build_app(make_routes(sources, None))


def make_desk_client(store: SessionStore) -> httpx.Client:
    """Return a client of the desk in this process; its forms come from the desk, as a browser's."""
    return make_site_client(make_desk_site(store))


def make_site_client(site: Starlette) -> httpx.Client:
    """Return a client of a desk that has other clients, too."""
    return httpx.Client(
        transport=ApplicationTransport(site),
        base_url="http://localhost/review/",
        headers={"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},
    )


@contextmanager
def serve_desk(store: SessionStore) -> Generator[str]:
    """Serve the desk on loopback, with its index made; yield its address."""
    with serve_on_loopback(make_desk_site(store)) as address:
        desk = f"{address}/review/"
        # On a busy machine the desk announces its index before it has pages.
        wait_until(
            lambda: httpx.get(desk).status_code != HTTPStatus.SERVICE_UNAVAILABLE,
            describe=lambda: "the desk made no index in time",
        )
        yield desk


def read_form_fields(client: httpx.Client, path: str) -> dict[str, str]:
    """Return the hidden fields of the form that judges a session."""
    page = LexborHTMLParser(client.get(path).raise_for_status().text)
    fields = page.css("form#judge input[type=hidden]")
    return {str(field.attributes["name"]): field.attributes["value"] or "" for field in fields}
