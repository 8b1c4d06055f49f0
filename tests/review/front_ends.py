"""Three front ends that show and label sessions: the desk, the command line and the API."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any, Literal

import click
import httpx
from selectolax.lexbor import LexborHTMLParser

from leaderboard.api.app import build_api_app
from leaderboard.api.keys import KeyStore
from leaderboard.commands.session_labels import label_command, show_command
from leaderboard.commands.sessions import list_command
from review.errors import ChangedMeanwhileError, GateError
from review.index.indexed_session import make_alias
from review.store import SessionStore
from tests.leaderboard.api.serving import GENEROUS, make_bearer_header
from tests.review.desking import make_desk_client, read_form_fields
from tests.support.applications import ApplicationTransport

Refusal = Literal["forbidden", "changed", "missing"]

_REFUSALS: dict[int, Refusal] = {
    403: "forbidden",
    404: "missing",
    409: "changed",
    412: "changed",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a change of labels."""

    refusal: Refusal | None
    """Why nothing was written; None if the change was made."""
    text: str
    """All that the reviewer sees of it."""


@dataclass(frozen=True, slots=True)
class Change:
    """Labels that a reviewer gives."""

    status: str | None = None
    notes: str | None = None
    ready: bool | None = None
    tag: str | None = None
    turn: int | None = None
    reason: str = ""


class _OfStore:
    """A front end of the sessions of a store."""

    def __init__(self, store: SessionStore) -> None:
        self.store = store


class DeskFrontEnd(_OfStore):
    """The pages and forms under `/review/`."""

    via = "desk"

    def __init__(self, store: SessionStore) -> None:
        """Open the desk in this process."""
        super().__init__(store)
        self._client = make_desk_client(store)

    def _lead_to(self, path: str, reviewer: str) -> httpx.Response:
        self._client.cookies = httpx.Cookies({"desk-reviewer": reviewer})
        answer = self._client.get(path)
        while answer.is_redirect:
            answer = self._client.get(answer.headers["location"].removeprefix("/review/"))
        return answer.raise_for_status()

    def show(self, session_id: str, reviewer: str) -> str:
        """Return the page, the first message as text and the raw file."""
        path = f"sessions/{session_id}"
        addresses = (path, f"{path}/messages/1", f"{path}/raw")
        return "".join(self._lead_to(address, reviewer).text for address in addresses)

    def read_status(self, session_id: str, reviewer: str) -> str | None:
        """Return the value of the pressed button."""
        page = LexborHTMLParser(self._lead_to(f"sessions/{session_id}", reviewer).text)
        if "Blind:" in page.css("main")[0].text():
            assert page.css("[aria-pressed=true]") == []
            return None
        return page.css("[aria-pressed=true]")[0].attributes["value"]

    def list_all(self, reviewer: str) -> str:
        """Return the table of the list, without the filter's choices of all models."""
        return LexborHTMLParser(self._lead_to("", reviewer).text).css("table")[0].text()

    def label(self, session_id: str, reviewer: str, change: Change) -> Answer:
        """Send the form of the page; fields that it does not have are sent to the session's own."""
        path = f"sessions/{session_id}"
        page = LexborHTMLParser(self._lead_to(path, reviewer).text)
        blind = "Blind:" in page.css("main")[0].text()
        form = {
            str(field.attributes["name"]): field.attributes["value"] or ""
            for field in page.css("form#judge input[type=hidden]")
        }
        fields = {"evalStatus": change.status, "evalNotes": change.notes}
        form |= {name: value for name, value in fields.items() if value is not None}
        if change.ready is not None or change.tag is not None:
            form |= {"whole": "1", "mark": "yes" if change.ready else "no"}
            form |= {"more": change.tag or ""}
        only_status = change.status is not None and len(form.keys() & {"evalNotes", "whole"}) == 0
        if change.turn is not None:
            path = f"{path}/turns/{change.turn}"
        elif blind and only_status:
            path = f"blind/{make_alias(session_id)}"
        form["reason"] = change.reason
        return self._read_answer(self._client.post(path, data=form))

    def undo(
        self, session_id: str, reviewer: str, *, reason: str = "", of: str | None = None
    ) -> Answer:
        """Send the form to undo; the desk takes only the latest change back."""
        assert of is None
        self._client.cookies = httpx.Cookies({"desk-reviewer": reviewer})
        token = read_form_fields(self._client, "sessions/session-0100")["token"]
        version = self.store.read(session_id).version
        fields = {"token": token, "version": version, "undo_reason": reason}
        return self._read_answer(self._client.post(f"sessions/{session_id}/undo", data=fields))

    def _read_answer(self, answer: httpx.Response) -> Answer:
        text = answer.text + str(answer.headers)
        if "/blind/" in answer.headers.get("location", "") and "/turns/" in str(answer.url):
            return Answer("forbidden", text)  # it leads to the page on which a status comes first
        return Answer(_REFUSALS.get(answer.status_code), text)


class ApiFrontEnd(_OfStore):
    """`/api/sessions`."""

    via = "api"

    def __init__(self, store: SessionStore) -> None:
        """Open the API in this process."""
        super().__init__(store)
        key = KeyStore(store.folder.keys_file).create("pat", ("sessions:write",), None)
        self._client = httpx.Client(
            transport=ApplicationTransport(build_api_app(store.folder, GENEROUS)),
            base_url="http://localhost/api/",
            headers=make_bearer_header(key),
        )

    def _get(self, path: str, reviewer: str) -> httpx.Response:
        return self._client.get(path, params={"reviewer": reviewer}).raise_for_status()

    def show(self, session_id: str, reviewer: str) -> str:
        """Return the session as JSON."""
        return self._get(f"sessions/{session_id}", reviewer).text

    def read_status(self, session_id: str, reviewer: str) -> str | None:
        """Return the field of the session."""
        return self._get(f"sessions/{session_id}", reviewer).json()["evalStatus"]

    def list_all(self, reviewer: str) -> str:
        """Return the list as JSON."""
        return self._get("sessions", reviewer).text

    def label(self, session_id: str, reviewer: str, change: Change) -> Answer:
        """Send the labels."""
        part = "" if change.turn is None else f"/turns/{change.turn}"
        body: dict[str, Any] = {"reviewer": reviewer, "reason": change.reason}
        fields = {"evalStatus": change.status, "evalNotes": change.notes}
        fields |= {"evalReady": change.ready, "addTags": change.tag and [change.tag]}
        body |= {name: value for name, value in fields.items() if value is not None}
        version = self._get(f"sessions/{session_id}", reviewer).json()["version"]
        answer = self._client.post(
            f"sessions/{session_id}{part}/labels", json={**body, "version": version}
        )
        return Answer(_REFUSALS.get(answer.status_code), answer.text)

    def undo(
        self, session_id: str, reviewer: str, *, reason: str = "", of: str | None = None
    ) -> Answer:
        """Send the undo."""
        body = {"reviewer": reviewer, "reason": reason} | ({} if of is None else {"of": of})
        answer = self._client.post(f"sessions/{session_id}/undo", json=body)
        return Answer(_REFUSALS.get(answer.status_code), answer.text)


class CommandFrontEnd(_OfStore):
    """`leaderboard session`."""

    via = "cli"

    def _run(self, command: click.Command, *arguments: str) -> Answer:
        refusal: Refusal | None = None
        words = [*arguments, "--data", str(self.store.folder.root)]
        with redirect_stdout(io.StringIO()) as output, redirect_stderr(output):
            try:
                command.main(words, standalone_mode=False)
            except GateError as error:
                refusal, message = "forbidden", str(error)
            except ChangedMeanwhileError as error:
                refusal, message = "changed", str(error)
            except click.UsageError as error:
                refusal, message = "missing", error.message
            else:
                message = ""
        return Answer(refusal, output.getvalue() + message)

    def show(self, session_id: str, reviewer: str) -> str:
        """Return the session as text and as JSON."""
        forms = ((), ("--json",))
        texts = [
            self._run(show_command, session_id, "--reviewer", reviewer, *form).text
            for form in forms
        ]
        return "".join(texts)

    def read_status(self, session_id: str, reviewer: str) -> str | None:
        """Return the label of the session in JSON."""
        answer = self._run(show_command, session_id, "--reviewer", reviewer, "--json")
        shown = json.loads(answer.text)
        is_blind = not shown.keys() & {"events", "judgements"}
        return None if is_blind else shown["session"]["evalStatus"]

    def list_all(self, reviewer: str) -> str:
        """Return the list as text and as JSON."""
        texts = [
            self._run(list_command, "--reviewer", reviewer, *form).text
            for form in ((), ("--json",))
        ]
        return "".join(texts)

    def label(self, session_id: str, reviewer: str, change: Change) -> Answer:
        """Run `session label`."""
        options = {"--status": change.status, "--notes": change.notes, "--reason": change.reason}
        options |= {"--add": change.tag}
        words = [word for name, value in options.items() if value for word in (name, value)]
        words += ["--ready"] if change.ready else []
        words += [] if change.turn is None else ["--turn", str(change.turn)]
        return self._run(label_command, session_id, *words, "--reviewer", reviewer)

    def undo(
        self, session_id: str, reviewer: str, *, reason: str = "", of: str | None = None
    ) -> Answer:
        """Run `session label --undo`."""
        named = [] if of is None else ["--of", of]
        words = [session_id, "--undo", "--reason", reason, "--reviewer", reviewer, *named]
        return self._run(label_command, *words)


FrontEnd = DeskFrontEnd | ApiFrontEnd | CommandFrontEnd
