"""A runner of graders in TypeScript over answers, without packages and deployments of their own."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from threading import Thread

from runner.backends.backend import Address
from runner.evals.discovery import Eval, discover
from runner.grading.steps.step import StepResult
from runner.grading.steps.vitest_grader import VitestGrading
from runner.grading.steps.vitest_slots import VitestSlot, VitestSlots
from runner.jail import Jail
from runner.toolchain import Toolchain
from runner.workspace import create_workspace

STATIC = Path(__file__).parents[2] / "typescript_suite" / "evals" / "000-kit" / "001-static_notes"


GRADERS = Path(__file__).parents[1] / "graders"


def read_grader(name: str) -> str:
    """Read a grader of these tests."""
    return (GRADERS / f"{name}.test.ts").read_text("utf-8")


class NamedServer:
    """A server at a Unix socket that answers each request with its name."""

    def __init__(self, folder: Path, name: str) -> None:
        """Start the server."""
        self.name = name
        body = f"HTTP/1.1 200 OK\r\ncontent-length: {len(name)}\r\nconnection: close\r\n\r\n{name}"

        class _Handler(StreamRequestHandler):
            def handle(self) -> None:
                while self.rfile.readline().strip():
                    pass
                self.wfile.write(body.encode())

        path = folder / f"{name}.sock"
        self._server = ThreadingUnixStreamServer(str(path), _Handler)
        path.chmod(0o777)
        Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = Address("http://localhost:3210", "http://localhost:3211", path, "key")

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()


@dataclass(frozen=True)
class GraderRunner:
    """Runs graders in turn."""

    jail: Jail
    toolchain: Toolchain
    slots: VitestSlots
    place: Path

    def write(self, grader: str, files: Mapping[str, str], limit_s: float) -> Eval:
        """Write a suite of a single eval, in place of the last suite."""
        root = self.place / "suite"
        shutil.rmtree(root, ignore_errors=True)
        folder = root / "evals" / "000-kit" / STATIC.name
        shutil.copytree(STATIC, folder)
        for path, text in {"grader.test.ts": grader, **files}.items():
            (folder / path).write_text(text)
        (evaluation,) = discover(root).evals
        limits = evaluation.config.limits.model_copy(update={"tests_s": limit_s})
        return replace(evaluation, config=evaluation.config.model_copy(update={"limits": limits}))

    def run(
        self,
        grader: str,
        files: Mapping[str, str] | None = None,
        *,
        answer: Mapping[str, str] | None = None,
        deployment: Address | None = None,
        limit_s: float = 60,
    ) -> StepResult:
        """Run a grader over an answer, and return the result."""
        evaluation = self.write(grader, files or {}, limit_s)
        with create_workspace(self.place) as workspace:
            workspace.write(answer or {})
            tools = (self.jail, self.toolchain, self.slots)
            return VitestGrading(
                *tools, evaluation, workspace, deployment, None, answer or {}
            ).run()

    def find_slot(self) -> VitestSlot:
        """Return the process that the next grader gets."""
        with self.slots.lend_slot(None) as slot:
            return slot
