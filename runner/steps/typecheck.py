"""typecheck: TypeScript finds nothing wrong, by our settings and not the model's."""

import platform
import re
import shutil
import time
from pathlib import Path

from records.run import FaultClass, StepName
from runner.jail import NODE, NODE_MODULES, PROJECT, Bind, Finished, Jail, JailLimits, JailSpec
from runner.steps.base import StepClock, StepResult, with_more
from runner.toolchain import Toolchain
from runner.workspace import Workspace

# Few answers need the types of Node, which take as long as all others: they are read where an
# answer has errors without them.
_QUICK, _FULL = "tsconfig.json", "tsconfig.node.json"
_SETTINGS = "/settings"
_LEAST_S = 0.1
_ERROR = re.compile(r"^(?:\S.*\(\d+,\d+\): )?error TS\d+: .*", re.MULTILINE)
# A short run over a small project: collecting garbage and sharing the work among threads cost more
# than they save (0.17 s of CPU time instead of 0.29 s). Near the limit garbage is collected again.
_RUNTIME = {"GOGC": "off", "GOMEMLIMIT": "2000MiB"}
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}


def typecheck(workspace: Workspace, toolchain: Toolchain, jail: Jail, wall_s: float) -> StepResult:
    """Check the types of the project, ``_generated`` included; the first error is the message."""
    clock = StepClock(StepName.TYPECHECK)
    deadline = time.monotonic() + wall_s
    # Beside the project, so that settings of the model's own are never read; and not in the
    # scratch folder, where a deployment of the model's may put a link in our way.
    settings = workspace.root / "settings"
    settings.mkdir(exist_ok=True)
    for name in (_QUICK, _FULL):
        shutil.copyfile(Path(__file__).parent / name, settings / name)
    done = jail.run(_spec(workspace, toolchain, settings, _QUICK, wall_s))
    if done.returncode != 0 and not done.killed:
        left = max(deadline - time.monotonic(), _LEAST_S)
        done = jail.run(_spec(workspace, toolchain, settings, _FULL, left))
    return _judge(clock, workspace, done)


def _spec(
    workspace: Workspace, toolchain: Toolchain, settings: Path, name: str, wall_s: float
) -> JailSpec:
    return JailSpec(
        command=(
            *_compiler(toolchain),
            *("--singleThreaded", "--project", f"{_SETTINGS}/{name}"),
        ),
        binds=(
            *toolchain.binds(),
            Bind(workspace.project, PROJECT),
            Bind(settings, _SETTINGS),
        ),
        cwd=PROJECT,
        env=_RUNTIME,
        limits=JailLimits(wall_s=wall_s, memory_mb=3000),
    )


def _judge(clock: StepClock, workspace: Workspace, done: Finished) -> StepResult:
    log = workspace.hide_paths((done.stdout + done.stderr).decode("utf-8", "replace"))
    if done.killed:
        return clock.failed(f"the type checker passed its limit: {done.killed}", log)
    errors = _ERROR.findall(log)
    if errors:
        return clock.failed(with_more(errors[0], len(errors), "error"), log)
    if done.returncode != 0:
        evidence = f"tsc ended with status {done.returncode}: {log}"
        return clock.infrastructure(FaultClass.TOOLCHAIN, evidence, log)
    return clock.passed(None, log)


def _compiler(toolchain: Toolchain) -> tuple[str, ...]:
    """Name the native compiler itself where it is known: that saves starting Node for it."""
    machine = _MACHINES.get(platform.machine().lower(), "")
    native = f"@typescript/typescript-{platform.system().lower()}-{machine}/lib/tsc"
    if (toolchain.node_modules / native).exists():
        return (f"{NODE_MODULES}/{native}",)
    return NODE, f"{NODE_MODULES}/typescript-native/bin/tsc"
