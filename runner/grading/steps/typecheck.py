"""The step typecheck: TypeScript finds no error, by our settings and not the model's."""

import platform
import re
import shutil
from pathlib import Path

from records.shapes.attempt import FaultClass, StepName
from runner.grading.steps.step import StepClock, StepResult, with_more
from runner.grading.steps.typescript.sources import make_settings, read_sources
from runner.jail import NODE_MODULES, PROJECT, RUN_NODE, Bind, Finished, Jail, JailSpec, limits
from runner.toolchain import Toolchain
from runner.workspace import Workspace

# Few answers need the types of Node, so they are read only if an answer has errors without them.
_QUICK, _FULL = "tsconfig.json", "tsconfig.node.json"
_SETTINGS = "/settings"
# Errors in the declarations of packages are not faults of the answer.
_ERROR = re.compile(r"^(?!\.\./node_modules/)(?:\S.*\(\d+,\d+\): )?error TS\d+: .*", re.MULTILINE)
_OF_PACKAGES = re.compile(r"^\.\./node_modules/.*: error TS\d+: ", re.MULTILINE)
# Runs are short and projects small, so garbage collection and several threads cost more than they
# save: 0.29 s of processor time with them, 0.17 s without. Near the memory limit it is on.
_RUNTIME = {"GOGC": "off", "GOMEMLIMIT": "2000MiB"}
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}


class Typechecker:
    """A type checker of answers. Safe to use from several threads."""

    def __init__(self, jail: Jail, toolchain: Toolchain) -> None:
        """Choose the compiler; each check starts it."""
        self._jail = jail
        self._toolchain = toolchain
        self._compiler = _find_compiler(toolchain)

    def check(self, workspace: Workspace, limit_s: float) -> StepResult:
        """Check the types of all scripts of a project; the message has the first error.

        The project is checked without the types of Node and, if this finds errors, with them. The
        step passes if one of the checks finds no error. ``limit_s`` is the processor time of each
        check, in seconds.
        """
        clock = StepClock(StepName.TYPECHECK)
        files = read_sources(workspace.project)
        # The settings are beside the project, so that the model's settings are never read. They are
        # not in the scratch folder, where the model's deployment could make a link of this name.
        folder = workspace.root / "settings"
        folder.mkdir(exist_ok=True)
        (folder / _QUICK).write_text(make_settings(files, "../project"), "utf-8")
        shutil.copyfile(Path(__file__).parent / "typescript" / _FULL, folder / _FULL)
        done = self._compile(workspace, folder, _QUICK, limit_s)
        if done.returncode != 0 and not done.killed:
            done = self._compile(workspace, folder, _FULL, limit_s)
        return _judge(clock, workspace, done)

    def _compile(self, workspace: Workspace, folder: Path, name: str, limit_s: float) -> Finished:
        return self._jail.run(
            JailSpec(
                command=(
                    *self._compiler,
                    *("--singleThreaded", "--project", f"{_SETTINGS}/{name}"),
                ),
                binds=(
                    *self._toolchain.list_binds(),
                    Bind(workspace.project, PROJECT),
                    Bind(folder, _SETTINGS),
                ),
                cwd=PROJECT,
                env=_RUNTIME,
                # limit_s counts processor time; the limit of wall time is ten times as long,
                # because wall time depends on the machine's load.
                limits=limits.make_compiler_limits(limit_s),
            )
        )


def _judge(clock: StepClock, workspace: Workspace, done: Finished) -> StepResult:
    log = workspace.hide_paths((done.stdout + done.stderr).decode("utf-8", "replace"))
    if done.killed_by_stranger:
        return clock.report_fault(FaultClass.SANDBOX, "the type checker was killed", log)
    if done.killed:
        return clock.fail_step(f"the type checker passed its limit: {done.killed}", log)
    errors = _ERROR.findall(log)
    if errors:
        return clock.fail_step(with_more(errors[0], len(errors), "error"), log)
    if done.returncode != 0 and not _OF_PACKAGES.search(log):
        evidence = f"tsc ended with status {done.returncode}: {log}"
        return clock.report_fault(FaultClass.TOOLCHAIN, evidence, log)
    return clock.pass_step(None, log)


def _find_compiler(toolchain: Toolchain) -> tuple[str, ...]:
    """Return the command of the native compiler, which starts without Node if possible."""
    machine = _MACHINES.get(platform.machine().lower(), "")
    native = f"@typescript/typescript-{platform.system().lower()}-{machine}/lib/tsc"
    if (toolchain.node_modules / native).exists():
        return (f"{NODE_MODULES}/{native}",)
    return *RUN_NODE, f"{NODE_MODULES}/typescript-native/bin/tsc"
