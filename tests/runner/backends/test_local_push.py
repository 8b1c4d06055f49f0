"""Convex's own backend, with a stand-in: deploys by the command line, blame, and graders."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from records.shapes.attempt import Outcome
from runner import errors
from runner.backends import local
from runner.backends.backend import Address
from runner.evals.discovery import discover
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingService
from runner.workspace import Workspace
from tests.runner.backends.stand_in import write_stand_in, write_suite_over_stand_in
from tests.runner.command_suite import write_command_suite
from tests.support.warm_command import ROOT

if TYPE_CHECKING:
    from runner.toolchain import Toolchain

pytestmark = pytest.mark.integration

PROJECT = {
    "package.json": '{"dependencies": {"convex": "*"}}',
    "convex/index.ts": "export const a = 1;\n",
}
NAMES = Address(
    "http://localhost:3210", "http://localhost:3211", None, "a key", is_key_of_suite=True
)
GRADER = """
import { expect, test } from "vitest";
test("reaches the backend by its own ports", async () => {
  const ask = async (port: string) => (await fetch(`http://localhost:${port}/api/query`)).json();
  const origin = `http://localhost:${process.env.CONVEX_PORT}`;
  const value = { instance: "INSTANCE", origin };
  expect((await ask(process.env.CONVEX_PORT!)).value).toEqual(value);
  expect((await ask(process.env.CONVEX_SITE_PORT!)).value).toEqual(value);
  expect(process.env.CONVEX_ADMIN_KEY).toBe("SECRET_OF_KIT");
});
"""


def _deploy(
    files: dict[str, str], folder: Path, toolchain: "Toolchain", names: Address | None = None
) -> None:
    workspace = Workspace(folder)
    workspace.project.mkdir()
    workspace.scratch.mkdir()
    workspace.write(files)
    local.LocalBackend(toolchain).deploy(workspace, 1, names).close()


@pytest.mark.more
@pytest.mark.parametrize(
    ("mode", "error"),
    [
        ("deploys", None),
        ("refuses", errors.DeployFailedError),
        ("refuses the key", errors.BackendBrokenError),
        pytest.param("forbids", errors.BackendBrokenError, marks=pytest.mark.more),
        pytest.param("says 402", errors.BackendBrokenError, marks=pytest.mark.more),
        ("breaks", errors.BackendBrokenError),
        ("dies", errors.BackendBrokenError),
        ("is late", errors.BackendBrokenError),
    ],
)
def test_only_findings_about_the_project_are_its_failures(
    mode: str,
    error: type[errors.RunnerError] | None,
    tmp_path: Path,
    toolchain: "Toolchain",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A refusal is the answer's; all else is infrastructure, even with the exit code 0."""
    monkeypatch.setenv(local.BINARY_VARIABLE, str(write_stand_in(tmp_path, mode)))
    if error is errors.BackendBrokenError:  # the command line repeats its requests
        monkeypatch.setattr(local, "_PUSH_S", 3)

    if error is None:
        _deploy(PROJECT, tmp_path, toolchain, NAMES)
    else:
        with pytest.raises(error):
            _deploy(PROJECT, tmp_path, toolchain, NAMES)


def test_a_project_that_cannot_be_bundled_fails(
    tmp_path: Path, toolchain: "Toolchain", monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command line's own finding is the answer's failure."""
    monkeypatch.setenv(local.BINARY_VARIABLE, str(write_stand_in(tmp_path, "deploys")))

    with pytest.raises(errors.DeployFailedError, match=r"ERROR"):
        _deploy({**PROJECT, "convex/bad.ts": "export const ="}, tmp_path, toolchain)


@pytest.mark.parametrize("kit", ["of the suite", pytest.param("ours", marks=pytest.mark.more)])
def test_graders_in_typescript_reach_the_backend(
    kit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the grader's jail, ports lead to the backend; its key is the kit's, if it has one."""
    monkeypatch.setenv(local.BINARY_VARIABLE, str(write_stand_in(tmp_path, "deploys")))
    root = tmp_path / "suite"
    instance, key = "convex-leaderboard", "a key of convex-leaderboard"
    if kit == "of the suite":
        (root / "grader").mkdir(parents=True)
        instance, key = "carnitas", "a key of the kit"
        (root / "grader" / "index.ts").write_text(f'export const adminKey = "{key}";\n')
    grader = GRADER.replace("INSTANCE", instance).replace("SECRET_OF_KIT", key)
    write_suite_over_stand_in(root, {"000-b": grader})
    suite = discover(root)
    (evaluation,) = suite.evals

    with GradingService(suite, GradingSettings(backend="local", graders=1)) as service:
        verdict = service.grade(evaluation, evaluation.read_answer())

    tests = [step for step in verdict.steps if step.name.value in {"deploy", "tests"}]
    assert [step.outcome for step in tests] == [Outcome.PASSED] * 2, verdict.reason


def test_other_suites_are_refused_with_the_reason(tmp_path: Path) -> None:
    """Our own graders need test controls, and programs need no backend."""
    write_command_suite(tmp_path)
    for root, reason in ((ROOT / "evals", "test controls"), (tmp_path, "use no backend")):
        with pytest.raises(errors.UnsuitableBackendError, match=reason):
            GradingService(discover(root), GradingSettings(backend="local"))
