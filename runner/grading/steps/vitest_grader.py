"""The tests step of suites with graders in TypeScript: vitest runs a grader in a jail.

The jail reaches the deployment under test, the deployment of the reference where there is one, and
no other network. The suite's files are copied there, the answer's project beside them.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from records.attempt import FaultClass, StepName
from runner.errors import JailBrokenError, JailEndedError
from runner.evals.discovery import Eval
from runner.evals.typescript_suites import GRADER, read_admin_key
from runner.grading.backends.base import Address, Names
from runner.grading.backends.embedded import FIXTURES
from runner.grading.fixtures.vitest_process import await_ready, read_report
from runner.grading.steps.base import StepClock
from runner.grading.steps.model_judge import Judge
from runner.grading.steps.suite_layout import lay_out_suite, link_packages
from runner.grading.steps.tests import TestsResult
from runner.grading.steps.vitest_report import AnswerUnderTest, VitestReport, judge_report
from runner.grading.toolchain import Toolchain
from runner.grading.worker.protocol import ALL_TESTS, SelectedTests
from runner.grading.workspace import Workspace
from runner.jail import (
    HARNESS,
    NODE,
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
_HOSTS: Final = Path(__file__).parents[1] / "fixtures" / "typescript" / "hosts"
"""What ``localhost`` is in the jail."""


@dataclass(frozen=True, slots=True)
class VitestGrading:
    """One run of one grader over one answer."""

    evaluation: Eval
    workspace: Workspace
    answer: Address | None
    """None for evals that are not deployed."""
    reference: Address | None
    """None where the reference was not deployed."""
    files: Mapping[str, str]
    """The answer's text by path."""
    judge: Judge | None = None
    """The judge of tests that a model decides; None where no model is asked."""
    selection: SelectedTests = ALL_TESTS


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
    answer = AnswerUnderTest(grading.evaluation, grading.files, grading.judge)
    return judge_report(clock, report, answer)


# --- The jail ------------------------------------------------------------------------------------


def _run(jail: Jail, toolchain: Toolchain, grading: VitestGrading, limit_s: float) -> VitestReport:
    token = secrets.token_hex(16)
    process = jail.start(_spec(toolchain, grading, limit_s), stdin=True)
    try:
        await_ready(process, token, limits.VITEST_GRADER_START_S)
        # The program minds the limit itself; the rest is for a process that is stuck.
        return read_report(process, token, VitestReport, limits.VITEST_GRADER_START_S + limit_s)
    finally:
        process.kill()


def _spec(toolchain: Toolchain, grading: VitestGrading, limit_s: float) -> JailSpec:
    evaluation, workspace = grading.evaluation, grading.workspace
    suite = lay_out_suite(evaluation, workspace)
    link_packages(workspace.project)
    ways = [*_ways(ANSWER_PORTS, grading.answer, "answer")]
    binds = [*_socket_binds(grading.answer, "answer")]
    environment = _environment(grading)
    if grading.reference is not None:
        ways += _ways(REFERENCE_PORTS, grading.reference, "reference")
        binds += _socket_binds(grading.reference, "reference")
        environment["CONVEX_ANSWER_PORT"] = str(REFERENCE_PORTS[0])
    if evaluation.kit is not None and (packages := evaluation.kit.parent / "node_modules").is_dir():
        (suite / "node_modules").mkdir()
        binds.append(Bind(packages.resolve(), f"{_SUITE}/node_modules"))
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
            json.dumps(grading.selection.model_dump(include={"only", "with_output"})),
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
