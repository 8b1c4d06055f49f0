"""The tests step of suites with graders in TypeScript: vitest runs a grader in a jail.

The jail reaches the deployment under test, the deployment of the reference where there is one, and
no other network. The suite's files are copied there, the answer's project beside them.
"""

import re
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ValidationError

from records.run import FaultClass, Outcome, StepName, Test
from runner.errors import JailBrokenError, JailEndedError
from runner.evals.discovery import Eval
from runner.evals.typescript_suites import GRADER, read_admin_key
from runner.grading.backends.base import Address, Names
from runner.grading.backends.codegen import write_generated
from runner.grading.backends.embedded import FIXTURES
from runner.grading.fixtures.vitest_process import await_ready, read_report
from runner.grading.steps.base import StepClock, StepResult, with_more
from runner.grading.steps.tests import TestsResult
from runner.grading.toolchain import Toolchain
from runner.grading.workspace import Workspace
from runner.jail import (
    HARNESS,
    NODE,
    NODE_MODULES,
    PROJECT,
    Bind,
    Jail,
    JailSpec,
    limits,
)

ANSWER_PORTS: Final = (3210, 3211)
"""Ports on the loopback of a grader's jail: the answer's API and its HTTP actions."""
REFERENCE_PORTS: Final = (3212, 3213)
"""The same of the reference."""

_SUITE: Final = "/suite"
_SOCKETS: Final = "/sockets"
_FIXTURES: Final = "/fixtures"
_OWN_KIT: Final = Path(__file__).parents[1] / "fixtures" / "typescript" / "kit"
_HOSTS: Final = _OWN_KIT.with_name("hosts")
"""What ``localhost`` is in the jail."""
_MISSING_HOST: Final = re.compile(r"getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S+)")


@dataclass(frozen=True, slots=True)
class VitestGrading:
    """One run of one grader over one answer."""

    evaluation: Eval
    workspace: Workspace
    answer: Address | None
    """None for evals that are not deployed."""
    reference: Address | None
    """None where the reference was not deployed."""


def name_deployment(evaluation: Eval, ports: tuple[int, int], admin_key: str) -> Names:
    """Return the names under which a deployment is reached from a grader's jail.

    A suite's own kit has its key in its source; ``admin_key`` is for the others.
    """
    port, site_port = ports
    return Names(
        origin=f"http://localhost:{port}",
        site_origin=f"http://localhost:{site_port}",
        admin_key=read_admin_key(evaluation.kit) or admin_key,
    )


def run_vitest(jail: Jail, toolchain: Toolchain, grading: VitestGrading) -> TestsResult:
    """Run a grader; the first test that failed is the message."""
    clock = StepClock(StepName.TESTS)
    limit_s = grading.evaluation.config.limits.tests_s
    try:
        report = _run(jail, toolchain, grading, limit_s)
    except TimeoutError:
        reason = f"the grader did not end within {limit_s:g} s"
        return TestsResult(clock.infrastructure(FaultClass.GRADER, reason), ())
    except JailBrokenError as error:
        return TestsResult(clock.infrastructure(FaultClass.SANDBOX, str(error)), ())
    except (JailEndedError, ValidationError) as error:
        reason = f"the process of the grader ended: {error}"
        return TestsResult(clock.infrastructure(FaultClass.GRADER, reason), ())
    return _judge(clock, report, limit_s)


# --- The report ----------------------------------------------------------------------------------


class _Ran(BaseModel):
    name: str
    state: Literal["passed", "failed", "skipped", "pending"]
    seconds: float
    message: str | None


class _VitestReport(BaseModel):
    timedOut: bool  # noqa: N815 - as JavaScript names it
    tests: tuple[_Ran, ...]
    hookErrors: tuple[str, ...]  # noqa: N815
    """Errors of hooks, and of promises that nobody awaited."""
    loadErrors: tuple[str, ...]  # noqa: N815
    """Errors of a grader that could not be loaded."""


def _judge(clock: StepClock, report: _VitestReport, limit_s: float) -> TestsResult:
    ran = [test for test in report.tests if test.state in {"passed", "failed"}]
    errors = (*report.loadErrors, *report.hookErrors)
    lines = [f"{test.state:<8} {test.name}" for test in report.tests]
    log = "\n".join([*lines, *errors])
    if problem := _find_problem(report, ran, limit_s):
        step = clock.infrastructure(FaultClass.GRADER, problem, log)
    else:
        step = _judge_tests(clock, ran, report, log)
    return TestsResult(step, tuple(map(_test, ran)))


def _find_problem(report: _VitestReport, ran: list[_Ran], limit_s: float) -> str | None:
    """Return why a report judges no answer; None where it does."""
    if report.timedOut:
        return f"the grader did not end within {limit_s:g} s"
    if host := _missing_host(report):
        return f"the grader asks for {host}: it has no network but the deployments'"
    if report.loadErrors:
        return f"{GRADER} cannot be loaded: {report.loadErrors[0]}"
    if not report.tests:
        return f"{GRADER} has no test"
    if not ran and not report.hookErrors:
        return f"all {len(report.tests)} tests are skipped"
    return None


def _judge_tests(clock: StepClock, ran: list[_Ran], report: _VitestReport, log: str) -> StepResult:
    failed = [test for test in ran if test.state == "failed"]
    if failed:
        first = f"{failed[0].name}: {failed[0].message or 'failed'}"
        return clock.failed(with_more(first, len(failed), "failed test"), log)
    if report.hookErrors:
        return clock.failed(f"outside of the tests: {report.hookErrors[0]}", log)
    skipped = len(report.tests) - len(ran)
    more = f", {skipped} skipped" if skipped else ""
    return clock.passed(f"all {len(ran)} tests passed{more}", log)


def _test(ran: _Ran) -> Test:
    return Test(
        name=ran.name,
        title=ran.name,
        outcome=Outcome.PASSED if ran.state == "passed" else Outcome.FAILED,
        duration_s=round(max(ran.seconds, 0), 4),
        message=ran.message if ran.state == "failed" else None,
    )


def _missing_host(report: _VitestReport) -> str | None:
    messages = (
        *(test.message or "" for test in report.tests),
        *report.loadErrors,
        *report.hookErrors,
    )
    return next((match[1] for text in messages if (match := _MISSING_HOST.search(text))), None)


# --- The jail ------------------------------------------------------------------------------------


def _run(jail: Jail, toolchain: Toolchain, grading: VitestGrading, limit_s: float) -> _VitestReport:
    token = secrets.token_hex(16)
    process = jail.start(_spec(toolchain, grading, limit_s), stdin=True)
    try:
        await_ready(process, token, limits.VITEST_GRADER_START_S)
        # The program minds the limit itself; the rest is for a process that is stuck.
        return read_report(process, token, _VitestReport, limits.VITEST_GRADER_START_S + limit_s)
    finally:
        process.kill()


def _spec(toolchain: Toolchain, grading: VitestGrading, limit_s: float) -> JailSpec:
    evaluation, workspace = grading.evaluation, grading.workspace
    suite = _lay_out_suite(evaluation, workspace)
    _link_packages(workspace.project)
    ways = [*_ways(ANSWER_PORTS, grading.answer, "answer")]
    binds = [*_socket_binds(grading.answer, "answer")]
    environment = _environment(grading)
    if grading.reference is not None:
        ways += _ways(REFERENCE_PORTS, grading.reference, "reference")
        binds += _socket_binds(grading.reference, "reference")
        environment["CONVEX_ANSWER_PORT"] = str(REFERENCE_PORTS[0])
    if evaluation.kit is not None and (packages := evaluation.kit.parent / "node_modules").is_dir():
        (suite / "node_modules").mkdir()
        binds.append(Bind(packages, f"{_SUITE}/node_modules"))
    fixtures = workspace.scratch / FIXTURES
    fixtures.mkdir(exist_ok=True)
    fixtures.chmod(0o777)
    return JailSpec(
        command=(
            NODE,
            "--no-warnings",
            f"{HARNESS}/vitest/run_grader.mjs",
            f"{_SUITE}/evals/{evaluation.name}/{GRADER}",
            f"{_FIXTURES}/relay.sock",
            f"{limit_s:g}",
            *ways,
        ),
        binds=(
            *toolchain.binds(),
            toolchain.harness("fixtures/vitest"),
            Bind(suite, _SUITE),
            Bind(workspace.project, PROJECT),
            Bind(fixtures, _FIXTURES, writable=True),
            Bind(_HOSTS, "/etc/hosts"),
            *binds,
        ),
        cwd=f"{_SUITE}/evals/{evaluation.name}",
        env=environment,
        limits=limits.vitest_grader(limit_s),
    )


def _environment(grading: VitestGrading) -> dict[str, str]:
    # Kits make their clients when they are loaded: the ports are named without a deployment, too.
    port, site_port = ANSWER_PORTS
    environment = {
        "MODEL_OUTPUT_DIR": PROJECT,
        "OUTPUT_TEMPDIR": f"{_SUITE}/output_root",
        "HOME": "/tmp",  # noqa: S108 - of the jail
        "PATH": f"{PROJECT}/node_modules/.bin:{Path(NODE).parent}:/usr/local/bin:/usr/bin:/bin",
        "CONVEX_PORT": str(port),
        "CONVEX_SITE_PORT": str(site_port),
    }
    if grading.answer is not None:
        environment["CONVEX_ADMIN_KEY"] = grading.answer.admin_key
    return environment


def _ways(ports: tuple[int, int], address: Address | None, name: str) -> list[str]:
    if address is None:
        return []
    return [f"{port}={_SOCKETS}/{name}.sock" for port in ports]


def _socket_binds(address: Address | None, name: str) -> list[Bind]:
    if address is None or address.socket is None:
        return []
    return [Bind(address.socket, f"{_SOCKETS}/{name}.sock")]


def _lay_out_suite(evaluation: Eval, workspace: Workspace) -> Path:
    """Copy the eval and the kit to a folder of the attempt: nothing is written into the suite."""
    root = workspace.root / "suite"
    folder = root / "evals" / evaluation.name
    shutil.copytree(evaluation.folder, folder, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(evaluation.kit or _OWN_KIT, root / "grader")
    if (folder / "answer" / "convex").is_dir():
        write_generated(folder / "answer")
    # Older graders look for the project below a folder of outputs.
    output = root / "output_root" / "output" / "provider" / "model" / evaluation.name
    output.parent.mkdir(parents=True)
    output.symlink_to(PROJECT)
    return root


def _link_packages(project: Path) -> None:
    """Make the packages of a project reachable in it, where none are installed there."""
    link = project / "node_modules"
    if not link.exists() and not link.is_symlink():
        link.symlink_to(NODE_MODULES)
