"""typecheck: TypeScript finds no error, by our settings and not the model's."""

import platform
import re
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Self

from records.shapes.attempt import FaultClass, StepName
from runner.errors import JailBrokenError, JailEndedError
from runner.grading.steps.step import StepClock, StepResult, with_more
from runner.grading.steps.typescript.language_server import LanguageServer
from runner.grading.steps.typescript.sources import is_plain, settings, sources
from runner.jail import NODE, NODE_MODULES, PROJECT, Bind, Finished, Jail, JailSpec, limits
from runner.jail.warm_workers import Warm
from runner.toolchain import Toolchain
from runner.workspace import Workspace

# Few answers need the types of Node: the types are read where an answer has errors without them.
_QUICK, _FULL = "tsconfig.json", "tsconfig.node.json"
_SETTINGS = "/settings"
# Errors in declarations of packages are not the answer's.
_ERROR = re.compile(r"^(?!\.\./node_modules/)(?:\S.*\(\d+,\d+\): )?error TS\d+: .*", re.MULTILINE)
_OF_PACKAGES = re.compile(r"^\.\./node_modules/.*: error TS\d+: ", re.MULTILINE)
# A short run over a small project: garbage collection and several threads cost more than they save
# (0.17 s of CPU time without, 0.29 s with them). Near the memory limit garbage is collected again.
_RUNTIME = {"GOGC": "off", "GOMEMLIMIT": "2000MiB"}
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}


class Typechecker:
    """A type checker for several threads, with a few language servers that stay."""

    def __init__(self, jail: Jail, toolchain: Toolchain) -> None:
        """Prepare without a language server."""
        self._jail = jail
        self._toolchain = toolchain
        self._compiler = _compiler(toolchain)
        # Only bubblewrap shows folders at fixed paths, which the language server gets at its start.
        self._servers = (
            Warm(partial(LanguageServer, jail, toolchain, self._compiler))
            if jail.name == "bwrap"
            else None
        )

    def __enter__(self) -> Self:
        """Return this object; its processes start when first needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the servers."""
        if self._servers:
            self._servers.close()

    def prepare(self) -> None:
        """Start a server early.

        Raises JailEndedError or JailBrokenError when it cannot start.
        """
        if self._servers:
            self._servers.prepare()

    def check(self, workspace: Workspace, limit_s: float) -> StepResult:
        """Check the types of all scripts of the project; the first error is the message.

        The step passes if there is no error with Node's types, or none without them. ``limit_s`` is
        the processor time of the compiler, and the wall time of the language server, in seconds.
        """
        clock = StepClock(StepName.TYPECHECK)
        files = sources(workspace.project)
        right = self._asked_of_a_server(files, limit_s)
        if right:
            return clock.passed(None, "")
        # Beside the project, so that settings of the model are never read; and not in the scratch
        # folder, where a deployment of the model may put a link in this place.
        folder = workspace.root / "settings"
        folder.mkdir(exist_ok=True)
        (folder / _QUICK).write_text(settings(files, "../project"), "utf-8")
        shutil.copyfile(Path(__file__).parent / "typescript" / _FULL, folder / _FULL)
        done = self._compile(workspace, folder, _QUICK if right is None else _FULL, limit_s)
        if right is None and done.returncode != 0 and not done.killed:
            done = self._compile(workspace, folder, _FULL, limit_s)
        return _judge(clock, workspace, done)

    def _asked_of_a_server(self, files: Mapping[str, str], wall_s: float) -> bool | None:
        """Return true if there are no errors without Node's types; None where this is unknown."""
        if self._servers is None or not is_plain(files):
            return None
        try:
            with self._servers.lend() as server:
                return server.finds_none(files, wall_s)
        except (JailBrokenError, JailEndedError, TimeoutError, ValueError):
            return None

    def _compile(self, workspace: Workspace, folder: Path, name: str, limit_s: float) -> Finished:
        return self._jail.run(
            JailSpec(
                command=(
                    *self._compiler,
                    *("--singleThreaded", "--project", f"{_SETTINGS}/{name}"),
                ),
                binds=(
                    *self._toolchain.binds(),
                    Bind(workspace.project, PROJECT),
                    Bind(folder, _SETTINGS),
                ),
                cwd=PROJECT,
                env=_RUNTIME,
                # The limit is on processor time; the limit of wall time is ten times as long,
                # because wall time depends on the load.
                limits=limits.compiler(limit_s),
            )
        )


def _judge(clock: StepClock, workspace: Workspace, done: Finished) -> StepResult:
    log = workspace.hide_paths((done.stdout + done.stderr).decode("utf-8", "replace"))
    if done.killed_by_stranger:
        return clock.infrastructure(FaultClass.SANDBOX, "the type checker was killed", log)
    if done.killed:
        return clock.failed(f"the type checker passed its limit: {done.killed}", log)
    errors = _ERROR.findall(log)
    if errors:
        return clock.failed(with_more(errors[0], len(errors), "error"), log)
    if done.returncode != 0 and not _OF_PACKAGES.search(log):
        evidence = f"tsc ended with status {done.returncode}: {log}"
        return clock.infrastructure(FaultClass.TOOLCHAIN, evidence, log)
    return clock.passed(None, log)


def _compiler(toolchain: Toolchain) -> tuple[str, ...]:
    """Return the command of the native compiler, without Node in between if possible."""
    machine = _MACHINES.get(platform.machine().lower(), "")
    native = f"@typescript/typescript-{platform.system().lower()}-{machine}/lib/tsc"
    if (toolchain.node_modules / native).exists():
        return (f"{NODE_MODULES}/{native}",)
    return NODE, f"{NODE_MODULES}/typescript-native/bin/tsc"
