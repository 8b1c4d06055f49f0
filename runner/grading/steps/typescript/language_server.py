"""TypeScript's language server: a quick proof that an answer has no type errors.

Most of a type check is reading files that never change: the declarations of the language, of Convex
and of React. A server reads them once. It never decides a failure: where it finds an error, or
something is unusual, the compiler itself judges (typecheck.py).

It uses the Language Server Protocol 3.17 with pulled diagnostics.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final

from runner.errors import JailBrokenError, JailEndedError
from runner.grading.steps.typescript.sources import scripts, settings
from runner.jail import Bind, Jail, JailedProcess, JailSpec, limits
from runner.jail.folders import hold
from runner.toolchain import Toolchain

_PLACE: Final = "/checked"
"""The folder in the jail with the answers to check, a subfolder for each."""
_SETTINGS: Final = "tsconfig.json"
_OWN_SETTINGS: Final = frozenset({"tsconfig.json", "jsconfig.json"})
_ERROR: Final = 1
_REQUESTS: Final = 300
"""The number of answers after which a server is replaced, like a linter."""
_CLIENT: Final[Mapping[str, Any]] = {
    "processId": None,
    "rootUri": None,
    "capabilities": {"textDocument": {"diagnostic": {}}},
}
_EVERYDAY: Final = {
    "convex/used.ts": """
        import { queryGeneric, defineSchema, httpRouter, cronJobs } from "convex/server";
        import { v } from "convex/values";
        export const used = [queryGeneric, defineSchema, httpRouter, cronJobs, v];""",
    "src/Used.tsx": """
        import { useQuery } from "convex/react";
        import { useState } from "react";
        export const Used = () => <p>{[useQuery, useState].length}</p>;""",
}
"""Files with the imports of nearly every answer: they stay open, so that the imports stay read."""


class LanguageServer:
    """A jailed language server."""

    def __init__(self, jail: Jail, toolchain: Toolchain, compiler: tuple[str, ...]) -> None:
        """Start the server and let it read the declarations that nearly every answer needs.

        Raises JailBrokenError or JailEndedError.
        """
        self._asked = 0
        self._messages = 0
        self._folder = hold("types", Path(tempfile.gettempdir()))
        self._home = self._folder.path
        # The jail's uid is not ours: it needs read and search permission on this folder.
        self._home.chmod(0o755)
        self._process: JailedProcess = jail.start(
            JailSpec(
                command=(*compiler, "--lsp", "--stdio"),
                binds=(*toolchain.binds(), Bind(self._home, _PLACE)),
                cwd=_PLACE,
                # It checks an answer at a time, so more Go threads would only cost processor time.
                env={"GOMAXPROCS": "1", "GOGC": "400", "GOMEMLIMIT": "2000MiB"},
                limits=limits.LANGUAGE_SERVER,
            ),
            stdin=True,
        )
        try:
            self._begin(time.monotonic() + limits.LANGUAGE_SERVER_START_S)
        except (TimeoutError, ValueError) as error:
            self.close()
            reason = f"TypeScript's language server does not start: {error}"
            raise JailBrokenError(reason) from error
        except JailEndedError:
            self.close()
            raise

    @property
    def usable(self) -> bool:
        """True if the server runs, and has not checked too many answers."""
        return self._asked < _REQUESTS and self._process.poll() is None

    def close(self) -> None:
        """End the language server's process."""
        self._process.kill()
        self._folder.remove()

    def finds_none(self, files: Mapping[str, str], wall_s: float) -> bool:
        """Return true if an answer has no type error without Node's types; False is no verdict.

        Raises TimeoutError, JailEndedError or ValueError: then the server is of no more use.
        """
        deadline = time.monotonic() + wall_s
        self._asked += 1
        folder = f"{self._asked}"
        names = self._write(folder, files)
        try:
            self._open(folder, names, files)
            error_count = self._errors(folder, names, deadline)
            self._close(folder, names)
        finally:
            shutil.rmtree(self._home / folder, ignore_errors=True)
        return not error_count

    def _begin(self, deadline: float) -> None:
        begun = self._request("initialize", _CLIENT)
        self._await([begun], deadline)
        self._notify("initialized", {})
        names = self._write("used", _EVERYDAY)
        self._open("used", names, _EVERYDAY)
        if self._errors("used", names, deadline):
            raise ValueError("it finds errors where there are none")

    def _write(self, folder: str, files: Mapping[str, str]) -> list[str]:
        """Write an answer to the server's folder; return the names of the files to check."""
        ours = {f"../{_SETTINGS}": settings(files, "project")}
        for name, text in {**_without_settings(files), **ours}.items():
            path = self._home / folder / "project" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return scripts(files)

    def _open(self, folder: str, names: list[str], files: Mapping[str, str]) -> None:
        for name in names:
            kind = "typescriptreact" if name.endswith("x") else "typescript"
            document = {"uri": _uri(folder, name), "languageId": kind, "version": 1}
            self._notify(
                "textDocument/didOpen", {"textDocument": {**document, "text": files[name]}}
            )

    def _errors(self, folder: str, names: list[str], deadline: float) -> int:
        requests = [
            self._request("textDocument/diagnostic", {"textDocument": {"uri": _uri(folder, name)}})
            for name in names
        ]
        reports = self._await(requests, deadline)
        diagnostics = [item for each in reports for item in each.get("items", ())]
        return sum(item.get("severity") == _ERROR for item in diagnostics)

    def _close(self, folder: str, names: list[str]) -> None:
        for name in names:
            self._notify("textDocument/didClose", {"textDocument": {"uri": _uri(folder, name)}})

    # --- The protocol --------------------------------------------------------------------------

    def _request(self, method: str, params: Mapping[str, Any]) -> int:
        self._messages += 1
        self._send({"id": self._messages, "method": method, "params": params})
        return self._messages

    def _notify(self, method: str, params: Mapping[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def _await(self, requests: list[int], deadline: float) -> list[Any]:
        """Return the results of requests, in the order of their arrival."""
        waiting = set(requests)
        results: list[Any] = []
        while waiting:
            message = self._receive(deadline)
            if "method" in message:
                if "id" in message:
                    self._send({"id": message["id"], "result": None})
            elif message.get("id") in waiting:
                waiting.discard(message["id"])
                if "result" not in message:
                    raise ValueError(f"the language server refuses: {message.get('error')}")
                results.append(message["result"])
        return results

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def _receive(self, deadline: float) -> dict[str, Any]:
        size = 0
        while (line := self._process.read_line(deadline - time.monotonic()).strip()) != b"":
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        return json.loads(self._process.read(size, deadline - time.monotonic()))


def _without_settings(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files without settings that would replace ours in the server."""
    return {
        name: text for name, text in files.items() if PurePosixPath(name).name not in _OWN_SETTINGS
    }


def _uri(folder: str, name: str) -> str:
    return f"file://{_PLACE}/{folder}/project/{name}"
